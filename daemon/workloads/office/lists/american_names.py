"""American first names and surnames, as mixed in origin as a telephone book is."""

from __future__ import annotations

FEMALE_GIVEN: tuple[str, ...] = tuple(
    "Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Sandra Ashley Kimberly "
    "Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Laura Sharon Cynthia Kathleen Amy Angela "
    "Shirley Brenda Emma Anna Pamela Nicole Samantha Katherine Christine Helen Debra Rachel Carolyn Janet Maria "
    "Olivia Heather Diane Julie Joyce".split()
)

MALE_GIVEN: tuple[str, ...] = tuple(
    "James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew Anthony "
    "Mark Donald Steven Andrew Paul Joshua Kenneth Kevin Brian Timothy Ronald Jason George Edward Jeffrey Ryan "
    "Jacob Nicholas Gary Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander "
    "Patrick Frank Raymond Jack Dennis Jerry".split()
)

FAMILY: tuple[str, ...] = (
    *"Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson "
    "Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis "
    "Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera "
    "Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart "
    "Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim "
    "Cox Ward Richardson Watson Brooks Chavez Wood Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo "
    "Sanders".split(),
    "O'Brien",
    "McDonald",
    "Peña",
)
