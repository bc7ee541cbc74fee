"""Words of which firms' names are made. They are coined or ordinary; no firm is meant."""

from __future__ import annotations

CZECH_COINED: tuple[str, ...] = (
    "Šumavia", "Řípano", "Vltavín", "Jizerka", "Bezděz", "Lužnička", "Orlíkov", "Třebovan", "Sázavka", "Doubravan",
    "Křivoklan", "Želivka", "Berounka Plus", "Chřibyt", "Pálavan", "Zlatý klas", "Modrý důl", "Stříbrný potok",
    "Bílá věž", "Červený dvůr", "Černý most", "Nová huť", "Pět javorů", "Pod Věží", "U Dvou lip",
)  # fmt: skip

AMERICAN_COINED: tuple[str, ...] = (
    "Blue Heron", "Northgate", "Silver Creek", "Prairie Star", "Cedar Hollow", "Ironbridge", "Stonefield",
    "Redwood Hill", "Copper Valley", "Lakeshore", "Windmere", "Three Rivers", "Fox Run", "Oakhaven", "Brightwater",
    "Granite Peak", "Harbor Light", "Maplewood", "Riverbend", "Summit Ridge", "Clearbrook", "Eagle Point",
    "Willow Park", "Golden Mile", "Juniper",
)  # fmt: skip
