"""Names, places and things that generated matter speaks of. All persons and firms are invented."""

from __future__ import annotations

from typing import Final

from daemon.workloads.seeding import Draws

GIVEN: Final = tuple(
    """Agnieszka Ahmet Aino Alba Aleksandar Amara Anneke Anselm Antonia Arvid Astrid Aylin Beatriz Bela Benedikt
    Bertille Birgit Bogdan Brigid Caio Camille Carla Casimir Chiara Chidi Clara Cormac Dagny Dalia Danuta Darius
    Delphine Dimitra Dorothea Edvard Efua Eilidh Elif Elin Emre Enzo Esme Etienne Eva Fabio Farida Fenna Filip
    Fiona Florin Frida Gabor Gemma Giulia Goran Greta Gwen Hakan Halina Hanne Hector Hedda Hugo Ibrahim Ida
    Ifeoma Ilse Imre Ines Ingrid Isolde Ivo Jadwiga Jarmila Joachim Johanna Jonas Jorge Jovana Judit Kaito
    Karim Katarina Kofi Lars Leila Leonie Linnea Ljubica Lorenzo Lucia Ludmila Maeve Magnus Malika Marek
    Margarethe Mateo Matilde Mehmet Mira Nadia Naoko Niamh Nikolai Nils Noor Odile Olena Orsolya Oskar Paloma
    Pavel Petra Philippa Piotr Quentin Radmila Rafael Ragna Rosalind Ruben Ruta Samir Sanna Selma Sigrid Simone
    Solveig Stellan Sunniva Tamas Tariq Teodora Thandi Tobias Umberto Ursula Valeria Viggo Vilma Wanda Wim
    Xenia Yara Yusuf Zdenka Zofia""".split()
)

SURNAMES: Final = tuple(
    """Aaltonen Abbing Achterberg Adeyemi Albrecht Almeida Andrassy Arnaud Balint Bellini Berglund Bianchi Boateng
    Bourgeois Brandt Brekke Brennan Calvet Carvalho Castellan Cerny Colquhoun Conti Dahl Danjuma Delacroix Demir
    Devereux Diallo Dorfmann Drozd Eklund Engel Erdogdu Fabre Fairweather Falk Ferreira Fischbach Fontana Fraser
    Gallo Garrido Gebauer Gillespie Grabowski Greiner Gustavsson Haddad Halvorsen Hartnell Havel Heikkinen
    Hellmann Hidalgo Holub Horvath Iliescu Ishikawa Jankowski Jelinek Jensen Juhasz Kaplan Karlsen Keane
    Kilbride Kimura Kowalczyk Kraft Kuznets Laitinen Lambrecht Larkin Lefevre Lindqvist Lombardi Lungu MacAllister
    Malinowski Marchetti Marek Mbeki Meininger Mensah Moreau Mulligan Nakagawa Navarro Nemeth Nyberg Obermayer
    Odhiambo Okonjo Oliveira Ostrowski Ozkan Palmer Papadakis Pavlenko Pellegrini Petrov Pichler Popescu Quinlan
    Raab Rasmussen Reinholt Ribeiro Rossi Rowntree Sandoval Sauer Schimmel Selassie Serrano Sigurdsson Sokolova
    Soler Stavrou Strand Szabo Tanaka Teixeira Thorne Tiemann Tomasi Tveit Ulrich Urbanek Vaananen Valente
    Vandermeer Varga Vasquez Vesely Villeneuve Voss Wagemaker Wallin Weatherby Wieczorek Winter Yilmaz Zapata
    Zeller Zielinski""".split()
)

TOWNS: Final = tuple(
    """Abergwyn Ahrenfeld Alderbrook Altenmarkt Amberquay Ardmore Bad-Irrlach Barrowmouth Beaulieu-le-Pont Bergskoven
    Birkenau-am-See Blackwater Borgo-San-Lio Bramhope Brookhaven Caldera Castelvento Clonmara Cranmere Dalsbruk
    Drachselsried Dunmorrow Eastwick Eichthal Elmscote Espinheira Fagernes Felsztyn Fernhollow Fontclaire Gallowby
    Glenarvon Grauwald Greyfriars Grunwaldau Haarle Halmstrand Harrowgate Heronsford Hohenlinde Ilmenried
    Jasenovo Karlsvik Kirkholm Kestrelby Korsholm Lagosanto Langeness Larkstoke Lindenau Lowmoor Lysvik Maasdorp
    Marbella-Alta Mirefield Monteverro Mossburn Neudorf-Ost Nordhaven Oakhampton Oberwinden Olivares Ostrava-Zabreh
    Penhallow Pont-Ravel Quarrydale Ravenscar Rosslare Ruhpolding Saltmarsh San-Fermo Schonbrunn-West Selkirk
    Skarholmen Sorrentino Stavelot Stonebridge Tarnowiec Thornbury Tjornes Torrevella Upper-Slade Valdoro Veldhoven
    Vesterby Wallerstadt Westerholt Whitcombe Yarrowdale Zabludow Zuiderkerk""".split()
)

FIRM_HEADS: Final = tuple(
    """Aldermoor Amberline Arcwright Basalt Beacon Birchwood Blueharbour Brightwell Calder Cinder Copperfield Cormorant
    Dovetail Eastgate Elderflower Fathom Fieldstone Flint Foxglove Gannet Granary Greenbank Hallmark Harbourlight
    Hazel Heliograph Hollin Ironbridge Juniper Keystone Kingfisher Lantern Larchmont Lodestar Marlin Meridian
    Millrace Moorland Nightjar Northlight Oakum Orchard Osprey Parallax Pennant Plumbline Quayside Quillon Redshank
    Rookery Saltire Sandpiper Sextant Signal Slate Spindle Stonechat Sundial Tamarisk Tideway Tollgate Trellis
    Umber Vantage Wayfarer Weatherglass Whinstone Windrose Yardarm""".split()
)

FIRM_TAILS: Final = (
    "Logistics", "Analytics", "Foods", "Instruments", "Water", "Housing", "Mutual", "Textiles", "Timber", "Print",
    "Software", "Energy", "Optics", "Ceramics", "Ferries", "Bicycles", "Seeds", "Insurance", "Archives", "Dairy",
    "Foundry", "Robotics", "Pharmacy", "Freight", "Catering", "Acoustics", "Packaging", "Glass", "Rail", "Gardens",
)  # fmt: skip

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def person(draws: Draws) -> str:
    """Draw a full name."""
    return f"{draws.pick(GIVEN)} {draws.pick(SURNAMES)}"


def people(draws: Draws, count: int) -> list[str]:
    """Draw full names that share neither given name nor surname."""
    pairs = zip(draws.sample(GIVEN, count), draws.sample(SURNAMES, count), strict=True)
    return [f"{given} {surname}" for given, surname in pairs]


def firm(draws: Draws) -> str:
    """Draw a firm's name."""
    return f"{draws.pick(FIRM_HEADS)} {draws.pick(FIRM_TAILS)}"


def date_text(draws: Draws, year: int) -> str:
    """Draw a day of a year as people write it, such as ``14 March 2019``."""
    return day_text(draws.between(1, 365), year)


def day_text(day_of_year: int, year: int) -> str:
    """Write the n-th day of a year (1 to 365, no leap day) as people do."""
    left = day_of_year
    for month, days in zip(MONTHS, _MONTH_DAYS, strict=True):
        if left <= days:
            return f"{left} {month} {year}"
        left -= days
    raise ValueError(f"day {day_of_year} lies outside a year of 365 days")


def iso_date(draws: Draws) -> tuple[int, int, int]:
    """Draw a date as (year, month, day)."""
    month = draws.below(12)
    return draws.between(2015, 2026), month + 1, draws.between(1, _MONTH_DAYS[month])


def clock(minutes: int) -> str:
    """Write minutes after midnight as ``HH:MM``, modulo a day."""
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


COMMON: Final = {
    "given": GIVEN,
    "surname": SURNAMES,
    "town": TOWNS,
    "firm": ("{firmhead} {firmtail}",),
    "firmhead": FIRM_HEADS,
    "firmtail": FIRM_TAILS,
    "month": MONTHS,
    "weekday": WEEKDAYS,
    "person": ("{given} {surname}",),
}
"""Slots that every grammar may use."""
