"""Trades and what they sell, in both languages: an item is the same thing in Czech and in English."""

from __future__ import annotations

from typing import Literal

import msgspec

RateClass = Literal["standard", "reduced", "zero"]
"""How an item is taxed: at the ordinary rate, at that of food, not at all (books in Czechia, services in America)."""


class Item(msgspec.Struct, frozen=True):
    """What is sold. Prices are usual ones per unit, without tax; ``unit`` is (Czech, English)."""

    czech: str
    english: str
    unit: tuple[str, str]
    price_czk: int
    price_usd: int
    most: int
    rate: RateClass = "standard"


class Trade(msgspec.Struct, frozen=True):
    """A trade: how firms of it are called, and its items."""

    key: str
    czech: str
    english: str
    items: tuple[Item, ...]


PIECE = ("ks", "pcs")
HOUR = ("hod", "hrs")
SET = ("sada", "set")
MONTH = ("měs.", "mo.")
KILO = ("kg", "lb")
SQUARE = ("m²", "sq ft")
METRE = ("m", "ft")
PACK = ("bal.", "pack")
FLAT = ("ks", "job")

TRADES: tuple[Trade, ...] = (
    Trade("joinery", "Truhlářství", "Woodworks", (
        Item("Dubová deska stolu, masiv 40 mm", "Solid oak table top, 1 1/2 in", PIECE, 8400, 420, 3),
        Item("Police na míru, bříza", "Custom birch shelf", PIECE, 1250, 68, 12),
        Item("Dveřní křídlo interiérové, bílé", "Interior door slab, white", PIECE, 3290, 189, 8),
        Item("Montáž nábytku", "Furniture assembly", HOUR, 520, 75, 16),
        Item("Povrchová úprava olejem", "Oil finish", SQUARE, 340, 6, 40),
        Item("Kování a spojovací materiál", "Hardware and fasteners", SET, 780, 45, 4),
        Item("Doprava a vynáška", "Delivery and carry-in", FLAT, 950, 85, 2),
    )),
    Trade("printing", "Tiskárna", "Printing", (
        Item("Tisk letáků A5, oboustranný, 135 g", "Flyers, half letter, two-sided", PIECE, 3, 1, 2500),
        Item("Vizitky, matné lamino", "Business cards, matte laminate", PACK, 620, 49, 10),
        Item("Brožura V1, 24 stran", "Saddle-stitched booklet, 24 pages", PIECE, 48, 4, 300),
        Item("Grafická úprava podkladů", "Prepress and file preparation", HOUR, 690, 85, 6),
        Item("Plakát A2, fotopapír", "Poster, 18 x 24 in, photo paper", PIECE, 240, 22, 30),
        Item("Odborná publikace, brožovaná", "Technical handbook, paperback", PIECE, 310, 28, 40, "zero"),
        Item("Samolepky, PVC, výsek", "Die-cut vinyl stickers", PACK, 430, 36, 20),
    )),
    Trade("office", "Kancelářské potřeby", "Office Supply", (
        Item("Papír A4, 80 g, 500 listů", "Copy paper, letter, 500 sheets", PACK, 119, 8, 60),
        Item("Toner černý, 3 000 stran", "Toner cartridge, black, 3,000 pages", PIECE, 1690, 84, 6),
        Item("Pořadač pákový, 75 mm", "Lever arch binder, 3 in", PIECE, 62, 7, 50),
        Item("Kancelářská židle Řada 200", "Task chair, series 200", PIECE, 4390, 229, 6),
        Item("Káva zrnková 1 kg", "Coffee beans, 2 lb bag", PACK, 420, 26, 12, "reduced"),
        Item("Minerální voda 1,5 l, 6 ks", "Spring water, case of 24", PACK, 84, 7, 30, "reduced"),
        Item("Příručka bezpečnosti práce", "Workplace safety handbook", PIECE, 260, 24, 10, "zero"),
        Item("Gelové pero modré, 12 ks", "Gel pens, blue, dozen", PACK, 178, 14, 20),
    )),
    Trade("catering", "Catering", "Catering", (
        Item("Rautové menu Zahrada", "Garden buffet menu", ("os.", "guests"), 390, 32, 90, "reduced"),
        Item("Chlebíčky, mix", "Open-faced sandwiches, assorted", PIECE, 34, 4, 150, "reduced"),
        Item("Domácí limonáda, 1 l", "Homemade lemonade, half gallon", PIECE, 85, 9, 30, "reduced"),
        Item("Obsluha akce", "Event staff", HOUR, 340, 38, 24),
        Item("Zapůjčení inventáře", "Tableware rental", SET, 2400, 210, 3),
        Item("Dort dle návrhu", "Custom cake", PIECE, 1450, 95, 3, "reduced"),
        Item("Doprava", "Delivery", FLAT, 600, 60, 2),
    )),
    Trade("electric", "Elektro", "Electric", (
        Item("LED panel 60 × 60 cm, 40 W", "LED panel 2 x 2 ft, 40 W", PIECE, 990, 62, 24),
        Item("Kabel CYKY-J 3×2,5", "NM-B cable 12/2", METRE, 29, 1, 250),
        Item("Jistič B16/1", "Circuit breaker, 20 A", PIECE, 145, 12, 20),
        Item("Montážní práce elektro", "Electrician labor", HOUR, 620, 95, 40),
        Item("Revize elektroinstalace", "Electrical inspection", FLAT, 4800, 350, 1),
        Item("Rozvodnice 36 modulů", "Load center, 24 space", PIECE, 2350, 178, 3),
        Item("Zásuvka dvojitá, bílá", "Duplex receptacle, white", PIECE, 189, 5, 40),
    )),
    Trade("software", "Softwarové služby", "Software", (
        Item("Vývoj aplikace dle zadání", "Custom application development", HOUR, 1350, 145, 80),
        Item("Správa serverů, paušál", "Managed server plan", MONTH, 6900, 450, 3),
        Item("Školení uživatelů", "User training", HOUR, 1200, 120, 8),
        Item("Licence modulu Sklad", "Inventory module license", PIECE, 12400, 890, 2),
        Item("Migrace dat", "Data migration", FLAT, 18500, 1400, 1),
        Item("Tištěná uživatelská příručka", "Printed user manual", PIECE, 390, 35, 12, "zero"),
    )),
    Trade("bakery", "Pekařství", "Bakery", (
        Item("Chléb žitný, 1 200 g", "Rye loaf, 2.5 lb", PIECE, 62, 7, 80, "reduced"),
        Item("Rohlík tukový", "Dinner rolls", PIECE, 4, 1, 400, "reduced"),
        Item("Koláč tvarohový", "Cheese danish", PIECE, 24, 3, 120, "reduced"),
        Item("Závin jablečný", "Apple strudel", PIECE, 118, 12, 20, "reduced"),
        Item("Přepravka, záloha na obal", "Bread crate", PIECE, 120, 9, 15),
        Item("Rozvoz", "Delivery service", FLAT, 250, 35, 4),
        Item("Dárkový koš", "Gift basket", PIECE, 690, 48, 6),
    )),
    Trade("garden", "Zahradnictví", "Landscaping", (
        Item("Tis červený, výška 80 cm", "English yew, 3 ft", PIECE, 640, 54, 20),
        Item("Travní substrát, 70 l", "Topsoil, 2 cu ft", PACK, 159, 9, 40),
        Item("Výsadba a kotvení stromu", "Tree planting and staking", PIECE, 1150, 110, 8),
        Item("Údržba zeleně", "Grounds maintenance", HOUR, 450, 58, 30),
        Item("Mulčovací kůra, 70 l", "Bark mulch, 2 cu ft", PACK, 99, 6, 60),
        Item("Sazenice zeleniny", "Vegetable seedlings", PIECE, 32, 4, 60, "reduced"),
        Item("Odvoz bioodpadu", "Green waste removal", FLAT, 1400, 120, 2),
    )),
    Trade("cleaning", "Úklidové služby", "Cleaning", (
        Item("Pravidelný úklid kanceláří", "Office cleaning, recurring", MONTH, 7800, 620, 2),
        Item("Mytí oken", "Window washing", SQUARE, 28, 1, 400),
        Item("Čištění koberců", "Carpet cleaning", SQUARE, 45, 1, 300),
        Item("Hygienický papír, karton", "Paper towels, case", PACK, 540, 38, 12),
        Item("Mimořádný úklid", "One-time deep clean", HOUR, 390, 45, 24),
        Item("Dezinfekce, 5 l", "Disinfectant, 1 gal", PIECE, 620, 29, 8),
    )),
    Trade("machining", "Kovovýroba", "Metalworks", (
        Item("Hřídel Ø 40 mm, soustružení", "Turned shaft, 1.5 in", PIECE, 1380, 96, 25),
        Item("Laserové řezání plechu", "Laser cutting, sheet steel", HOUR, 1450, 130, 12),
        Item("Příruba DN 80", "Flange, 3 in", PIECE, 720, 58, 30),
        Item("Zinkování", "Galvanizing", KILO, 38, 2, 260),
        Item("Svařovaný rám dle výkresu", "Welded frame per drawing", PIECE, 9600, 740, 4),
        Item("Programování CNC", "CNC programming", HOUR, 890, 98, 10),
        Item("Balení a paletizace", "Packing and palletizing", FLAT, 650, 55, 3),
    )),
    Trade("plumbing", "Instalatérství", "Plumbing", (
        Item("Výměna baterie umyvadlové", "Faucet replacement", PIECE, 980, 165, 5),
        Item("Bojler 80 l, závěsný", "Water heater, 40 gal", PIECE, 6890, 640, 2),
        Item("Trubka PPR 20", "Copper pipe, 3/4 in", METRE, 34, 4, 120),
        Item("Instalatérské práce", "Plumber labor", HOUR, 560, 105, 24),
        Item("Čištění odpadu", "Drain cleaning", FLAT, 1600, 220, 1),
        Item("Těsnění a drobný materiál", "Gaskets and small parts", SET, 390, 28, 3),
    )),
    Trade("translation", "Překlady", "Translations", (
        Item("Překlad z češtiny do angličtiny", "Translation, Czech to English", ("NS", "pages"), 420, 38, 45),
        Item("Korektura rodilým mluvčím", "Native proofreading", ("NS", "pages"), 180, 16, 45),
        Item("Soudní ověření", "Certification", PIECE, 350, 30, 6),
        Item("Tlumočení konsekutivní", "Consecutive interpreting", HOUR, 1100, 115, 8),
        Item("Expresní příplatek", "Rush fee", FLAT, 1500, 140, 1),
        Item("Slovník odborných výrazů, tištěný", "Printed glossary", PIECE, 280, 25, 8, "zero"),
    )),
    Trade("coffee", "Pražírna kávy", "Coffee Roasters", (
        Item("Káva Brazílie Santos, zrno", "Brazil Santos, whole bean", KILO, 465, 14, 60, "reduced"),
        Item("Káva Etiopie Yirgacheffe", "Ethiopia Yirgacheffe", KILO, 620, 19, 40, "reduced"),
        Item("Pákový kávovar, servis", "Espresso machine service", HOUR, 780, 110, 5),
        Item("Hrnek porcelánový", "Porcelain mug", PIECE, 165, 12, 48),
        Item("Papírové filtry, 100 ks", "Paper filters, 100 count", PACK, 98, 7, 30),
        Item("Školení baristů", "Barista training", HOUR, 1400, 125, 6),
    )),
    Trade("building", "Stavby", "Builders", (
        Item("Zdění příčky z tvárnic", "Partition wall, block", SQUARE, 890, 14, 90),
        Item("Sádrová omítka", "Gypsum plaster", SQUARE, 310, 4, 180),
        Item("Cement 32,5, 25 kg", "Portland cement, 94 lb", PACK, 112, 16, 60),
        Item("Pokládka dlažby", "Tile installation", SQUARE, 620, 9, 70),
        Item("Pronájem lešení", "Scaffolding rental", MONTH, 8400, 720, 2),
        Item("Odvoz suti", "Debris removal", FLAT, 2900, 380, 3),
    )),
    Trade("books", "Knihkupectví", "Books", (
        Item("Účetnictví pro praxi", "Accounting in Practice", PIECE, 489, 42, 12, "zero"),
        Item("Atlas řek a přehrad", "Atlas of Rivers and Dams", PIECE, 690, 55, 8, "zero"),
        Item("Žákovský slovník", "Student dictionary", PIECE, 259, 19, 40, "zero"),
        Item("Balicí papír, role", "Gift wrap, roll", PIECE, 79, 6, 20),
        Item("Záložky magnetické, 6 ks", "Magnetic bookmarks, 6 count", PACK, 95, 8, 25),
        Item("Zápisník linkovaný A5", "Ruled notebook", PIECE, 149, 11, 30),
        Item("Čaj sypaný 100 g", "Loose leaf tea, 4 oz", PACK, 129, 9, 20, "reduced"),
    )),
)  # fmt: skip
