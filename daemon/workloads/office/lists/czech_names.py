"""Czech first names and surnames, each with what its declension needs."""

from __future__ import annotations

FEMALE_GIVEN: tuple[str, ...] = tuple(
    "Jana Eva Hana Anna Lenka Kateřina Lucie Věra Alena Petra Veronika Martina Jitka Michaela Tereza Jarmila "
    "Zdeňka Ludmila Helena Ivana Monika Zuzana Marcela Jaroslava Markéta Barbora Hedvika Kristýna Simona Vlasta "
    "Klára Iveta Pavla Miroslava Natálie Julie Božena Adéla Eliška Marie Renata Šárka Žaneta Štěpánka Růžena "
    "Aneta Karolína Gabriela Dana Libuše".split()
)

MALE_GIVEN: tuple[str, ...] = tuple(
    "Jiří Jan Petr Josef Pavel Martin Tomáš Jaroslav Miroslav Zdeněk Václav Michal František Jakub Milan Karel "
    "Lukáš David Vladimír Ondřej Ladislav Roman Marek Stanislav Daniel Radek Antonín Vojtěch Filip Adam Miloslav "
    "Matěj Aleš Jaromír Libor Dominik Patrik Vlastimil Jindřich Miloš Oldřich Lubomír Rudolf Šimon Ivo Bohumil "
    "Dušan Robert Kamil Štěpán".split()
)

FAMILY: tuple[str, ...] = tuple(
    "Novák Svoboda Novotný Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Marek Pospíšil Hájek Jelínek "
    "Král Růžička Beneš Fiala Sedláček Doležal Zeman Kolář Krejčí Navrátil Čermák Urban Vaněk Blažek Kříž "
    "Kratochvíl Kovář Kopecký Bartoš Vlček Musil Šimek Konečný Malý Polák Čech Štěpánek Staněk Kadlec Soukup "
    "Šťastný Mareš Říha Tichý Ševčík Moravec Bláha Kašpar Strnad Tomášek Bednář Vávra Hruška Duda Valenta Žák "
    "Hlaváček Toman Hynek Řezníček Souček Pešek Jaroš Holub Ptáček Hrubý Zelený Kubíček Žižka Brož Mach Janda "
    "Šebesta Krupička Hladký Třešňák Zámečník Vondráček Ježek Křenek Nedvěd Šilhavý Řehoř Ťoupal Úlehla".split()
)

FLEETING: dict[str, str] = {
    "Pavel": "Pavl", "Karel": "Karl", "Marek": "Mark", "Radek": "Radk", "Zdeněk": "Zdeňk", "Hynek": "Hynk",
    "František": "Františk",
    "Němec": "Němc", "Hájek": "Hájk", "Jelínek": "Jelínk", "Sedláček": "Sedláčk", "Vaněk": "Vaňk",
    "Blažek": "Blažk", "Vlček": "Vlčk", "Šimek": "Šimk", "Štěpánek": "Štěpánk", "Staněk": "Staňk",
    "Kadlec": "Kadlc", "Moravec": "Moravc", "Tomášek": "Tomášk", "Hlaváček": "Hlaváčk", "Řezníček": "Řezníčk",
    "Souček": "Součk", "Pešek": "Pešk", "Ptáček": "Ptáčk", "Kubíček": "Kubíčk", "Vondráček": "Vondráčk",
    "Ježek": "Ježk", "Křenek": "Křenk",
}  # fmt: skip
"""Stems of names whose last vowel is lost in every case but the nominative."""

SOFT: tuple[str, ...] = ("Král",)
"""Surnames that are declined as soft ones (Krále) though their last consonant does not show it."""
