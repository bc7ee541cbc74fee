"""What scanners and telephones do to a page: rotation, noise and JPEG; perspective, uneven light and a shadow.

Everything is drawn from a stream, so that one build of the libraries makes the same bytes again.
"""

from __future__ import annotations

import hashlib
import io

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

from daemon.workloads.seeding import Draws

_PAPER = (250, 249, 245)
_GREY_PAPER = 249


def scan(page: Image.Image, draws: Draws) -> bytes:
    """Scan a page: slightly turned, noisy, often grey, sometimes with a dark edge; JPEG."""
    angle = draws.real(0.35, 1.9) * draws.pick((-1, 1))
    grey = draws.chance(0.6)
    sheet, paper = (page.convert("L"), _GREY_PAPER) if grey else (page, _PAPER)
    turned = sheet.rotate(angle, Image.Resampling.BICUBIC, expand=False, fillcolor=paper)
    turned = turned.filter(ImageFilter.GaussianBlur(draws.real(0.3, 0.75)))
    turned = ImageEnhance.Contrast(turned).enhance(draws.real(0.82, 1.12))
    turned = ImageEnhance.Brightness(turned).enhance(draws.real(0.93, 1.0))
    if draws.chance(0.5):
        edge = ImageDraw.Draw(turned)
        side = draws.between(3, 9)
        left = 0 if draws.chance(0.5) else turned.width - side
        edge.rectangle((left, 0, left + side, turned.height), fill=70 if grey else (70, 70, 72))
    return _jpeg(_noisy(turned, draws, draws.real(14, 30)), draws.between(42, 68))


def photograph(page: Image.Image, draws: Draws) -> bytes:
    """Photograph a page on a table: in perspective, lit from one side, with a shadow across it; JPEG."""
    width, height = page.width + 190, page.height + 190
    table = _table((width, height), draws)
    corners = _corners(page, draws)
    shape = Image.new("L", (width, height), 0)
    ImageDraw.Draw(shape).polygon(corners, fill=255)
    coefficients = _perspective(corners, page.size)
    seen = page.transform((width, height), Image.Transform.PERSPECTIVE, coefficients, Image.Resampling.BICUBIC)
    below = shape.filter(ImageFilter.GaussianBlur(11)).point(lambda value: value * 5 // 8)
    table.paste((18, 15, 12), (7, 10), below)
    table.paste(seen, (0, 0), shape.filter(ImageFilter.GaussianBlur(0.8)))
    lit = ImageChops.multiply(table, _light((width, height), draws).convert("RGB"))
    warm = Image.new("RGB", lit.size, (255, 255 - draws.between(2, 12), 255 - draws.between(8, 36)))
    lit = ImageChops.multiply(lit, warm).filter(ImageFilter.GaussianBlur(draws.real(0.5, 0.85)))
    return _jpeg(_noisy(lit, draws, draws.real(8, 16)), draws.between(60, 78))


def _corners(page: Image.Image, draws: Draws) -> list[tuple[float, float]]:
    def shifted(x: float, y: float) -> tuple[float, float]:
        return x + draws.real(-46, 46), y + draws.real(-46, 46)

    left, top, right, low = 95, 95, 95 + page.width, 95 + page.height
    return [shifted(left, top), shifted(right, top), shifted(right, low), shifted(left, low)]


def _perspective(corners: list[tuple[float, float]], size: tuple[int, int]) -> tuple[float, ...]:
    """Coefficients that map places of the photo to places of the page: eight equations, solved by elimination."""
    width, height = size
    targets = [(0, 0), (width, 0), (width, height), (0, height)]
    rows: list[list[float]] = []
    for (x, y), (to_x, to_y) in zip(corners, targets, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -to_x * x, -to_x * y, to_x])
        rows.append([0, 0, 0, x, y, 1, -to_y * x, -to_y * y, to_y])
    for pivot in range(8):
        best = max(range(pivot, 8), key=lambda row: abs(rows[row][pivot]))
        rows[pivot], rows[best] = rows[best], rows[pivot]
        lead = [value / rows[pivot][pivot] for value in rows[pivot]]
        rows[pivot] = lead
        for row in range(8):
            if row != pivot:
                factor = rows[row][pivot]
                rows[row] = [value - factor * part for value, part in zip(rows[row], lead, strict=True)]
    return tuple(row[8] for row in rows)


def _table(size: tuple[int, int], draws: Draws) -> Image.Image:
    """Make a table top: grain along it, in wood or in grey."""
    grain = _grain((size[0] // 40, size[1]), draws).resize(size, Image.Resampling.BICUBIC)
    dark, light = draws.pick(
        (((96, 62, 36), (168, 120, 78)), ((70, 72, 76), (112, 114, 118)), ((60, 44, 34), (110, 84, 62)))
    )
    return Image.composite(Image.new("RGB", size, light), Image.new("RGB", size, dark), grain)


def _light(size: tuple[int, int], draws: Draws) -> Image.Image:
    """Uneven light: brighter on one side, and the shadow of whoever holds the telephone."""
    slope = Image.linear_gradient("L").rotate(draws.between(0, 359), expand=False).crop((40, 40, 216, 216))
    falls = draws.real(0.2, 0.4)
    light = slope.point(lambda value: int(255 - value * falls)).resize(size, Image.Resampling.BICUBIC)
    shade = Image.new("L", (size[0] // 8, size[1] // 8), 255)
    wide, high = shade.size
    x, reach = draws.real(0.1, 0.9) * wide, draws.real(0.35, 0.7) * high
    ImageDraw.Draw(shade).polygon(
        [
            (x - wide * 0.3, high),
            (x - wide * 0.12, high - reach),
            (x + wide * 0.2, high - reach * 0.9),
            (x + wide * 0.42, high),
        ],
        fill=draws.between(128, 170),
    )
    shade = shade.filter(ImageFilter.GaussianBlur(wide / 18)).resize(size, Image.Resampling.BICUBIC)
    return ImageChops.multiply(light, shade)


def _noisy(picture: Image.Image, draws: Draws, strength: float) -> Image.Image:
    """Add grey noise of about this strength, in steps of brightness."""
    grain = _grain(picture.size, draws).filter(ImageFilter.GaussianBlur(0.6))
    share = strength / 128
    noise = grain.point(lambda value: int(128 + (value - 128) * share)).convert(picture.mode)
    return ImageChops.add(picture, noise, scale=1, offset=-128)


def _grain(size: tuple[int, int], draws: Draws) -> Image.Image:
    seed = draws.characters("0123456789abcdef", 32)
    return Image.frombytes("L", size, hashlib.shake_128(seed.encode()).digest(size[0] * size[1]))


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    kept = io.BytesIO()
    picture.save(kept, "JPEG", quality=quality)
    return kept.getvalue()
