"""Towns, postal codes and streets. Towns are real, streets are what streets are called everywhere."""

from __future__ import annotations

CZECH_TOWNS: tuple[tuple[str, str], ...] = (
    ("Praha 1", "110 00"), ("Praha 2", "120 00"), ("Praha 3", "130 00"), ("Praha 4", "140 00"),
    ("Praha 5", "150 00"), ("Praha 6", "160 00"), ("Praha 8", "180 00"), ("Brno", "602 00"), ("Brno", "616 00"),
    ("Ostrava", "702 00"), ("Plzeň", "301 00"), ("Liberec", "460 01"), ("Olomouc", "779 00"),
    ("České Budějovice", "370 01"), ("Hradec Králové", "500 03"), ("Ústí nad Labem", "400 01"),
    ("Pardubice", "530 02"), ("Zlín", "760 01"), ("Havířov", "736 01"), ("Kladno", "272 01"), ("Most", "434 01"),
    ("Opava", "746 01"), ("Frýdek-Místek", "738 01"), ("Karviná", "733 01"), ("Jihlava", "586 01"),
    ("Teplice", "415 01"), ("Děčín", "405 02"), ("Karlovy Vary", "360 01"), ("Chomutov", "430 01"),
    ("Jablonec nad Nisou", "466 01"), ("Mladá Boleslav", "293 01"), ("Prostějov", "796 01"), ("Přerov", "750 02"),
    ("Česká Lípa", "470 01"), ("Třebíč", "674 01"), ("Třinec", "739 61"), ("Tábor", "390 02"), ("Znojmo", "669 02"),
    ("Příbram", "261 01"), ("Cheb", "350 02"), ("Kolín", "280 02"), ("Trutnov", "541 01"), ("Písek", "397 01"),
    ("Kroměříž", "767 01"), ("Vsetín", "755 01"), ("Šumperk", "787 01"), ("Uherské Hradiště", "686 01"),
    ("Břeclav", "690 02"), ("Hodonín", "695 01"), ("Nový Jičín", "741 01"),
)  # fmt: skip
"""Towns with a postal code (PSČ) each."""

CZECH_STREETS: tuple[str, ...] = (
    "Dlouhá", "Krátká", "Nádražní", "Husova", "Masarykova", "Komenského", "Palackého", "Jiráskova", "Školní",
    "Zahradní", "Lipová", "Polní", "Luční", "Sokolská", "Tyršova", "Havlíčkova", "Riegrova", "Smetanova",
    "Dvořákova", "Žižkova", "Příčná", "Tovární", "Mlýnská", "Na Příkopech", "U Hřiště", "K Lesu", "Nad Řekou",
    "Pod Kaštany", "Na Výsluní", "Za Humny", "Třída Míru", "Nerudova", "Čapkova", "Šafaříkova", "Štefánikova",
    "Průmyslová", "Hřbitovní", "Větrná", "Růžová", "Květinová", "Sluneční", "Údolní", "Pekařská", "Kovářská",
    "Hrnčířská", "Řeznická", "Tržní", "Zámecká", "Pražská", "Brněnská",
)  # fmt: skip

COURTS: dict[str, tuple[str, ...]] = {
    "Městského soudu v Praze": (
        "Praha 1", "Praha 2", "Praha 3", "Praha 4", "Praha 5", "Praha 6", "Praha 8", "Kladno", "Mladá Boleslav",
        "Příbram", "Kolín",
    ),
    "Krajského soudu v Brně": (
        "Brno", "Zlín", "Jihlava", "Prostějov", "Třebíč", "Znojmo", "Kroměříž", "Uherské Hradiště", "Břeclav",
        "Hodonín",
    ),
    "Krajského soudu v Ostravě": (
        "Ostrava", "Olomouc", "Havířov", "Opava", "Frýdek-Místek", "Karviná", "Přerov", "Třinec", "Vsetín", "Šumperk",
        "Nový Jičín",
    ),
    "Krajského soudu v Plzni": ("Plzeň", "Karlovy Vary", "Cheb"),
    "Krajského soudu v Ústí nad Labem": (
        "Ústí nad Labem", "Liberec", "Most", "Teplice", "Děčín", "Chomutov", "Jablonec nad Nisou", "Česká Lípa",
    ),
    "Krajského soudu v Hradci Králové": ("Hradec Králové", "Pardubice", "Trutnov"),
    "Krajského soudu v Českých Budějovicích": ("České Budějovice", "Tábor", "Písek"),
}  # fmt: skip
"""Registration courts, in the genitive, as "vedená u …" takes them, with the towns of each."""

AMERICAN_STREETS: tuple[str, ...] = (
    "Maple Street", "Oak Avenue", "Main Street", "Cedar Lane", "Elm Street", "Washington Avenue", "Lake Drive",
    "Hill Road", "Park Avenue", "Pine Street", "River Road", "Church Street", "Mill Road", "Walnut Street",
    "Franklin Avenue", "Highland Drive", "Sunset Boulevard", "Industrial Parkway", "Commerce Drive", "Market Street",
    "Jefferson Street", "Lincoln Highway", "Chestnut Street", "Spruce Court", "Prospect Avenue", "Meadow Lane",
    "Railroad Avenue", "Union Street", "Jackson Street", "Orchard Road",
)  # fmt: skip

AMERICAN_TOWNS: tuple[tuple[str, str, str], ...] = (
    ("Springfield", "IL", "62701"), ("Peoria", "IL", "61602"), ("Naperville", "IL", "60540"),
    ("Rockford", "IL", "61101"), ("Richmond", "VA", "23220"), ("Norfolk", "VA", "23510"), ("Roanoke", "VA", "24011"),
    ("Nashville", "TN", "37203"), ("Memphis", "TN", "38103"), ("Knoxville", "TN", "37902"), ("Provo", "UT", "84601"),
    ("Ogden", "UT", "84401"), ("Salt Lake City", "UT", "84101"), ("Kansas City", "MO", "64106"),
    ("St. Louis", "MO", "63101"), ("Columbia", "MO", "65201"), ("Raleigh", "NC", "27601"),
    ("Charlotte", "NC", "28202"), ("Durham", "NC", "27701"), ("Little Rock", "AR", "72201"),
    ("Fayetteville", "AR", "72701"),
)  # fmt: skip
"""Towns of states that tax food at a rate of its own: an invoice may carry several rates."""

SALES_TAXES: dict[str, tuple[tuple[str, ...], str]] = {
    "IL": (("6.25", "8.25", "9.75"), "1"),
    "VA": (("5.3", "6", "7"), "1"),
    "TN": (("9.25", "9.5", "9.75"), "4"),
    "UT": (("7.25", "7.45", "7.75"), "3"),
    "MO": (("7.85", "8.225", "9.1"), "5.225"),
    "NC": (("6.75", "7", "7.25"), "2"),
    "AR": (("9.5", "9.75", "8.625"), "2.125"),
}
"""Per state: general rates including local ones, and the rate of food, in per cent."""
