"""Golden hashes of prompts: what a seed gives must never change without a new version of its generator.

When a test here fails because prompts were changed on purpose (an article, a list of words, a wording, the order of
draws), raise ``GENERATOR_VERSION`` of the generator concerned and write the file anew with
``python tests/golden/test_prompt_bytes.py``. Without that, prompts in old logs could no longer be rebuilt.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import msgspec
import PIL
import pytest

from daemon import workloads as workload_package
from daemon.workloads.registry import workloads
from daemon.workloads.text.library import articles

FILE: Final = Path(__file__).parent / "prompts" / "sha256.v1.json"
SEEDS: Final = {"text-1k": 40, "text-10k": 3, "text-100k": 1, "vision": 4, "reasoning": 1, "cache-hit": 4}
ADVICE: Final = (
    "the bytes of a seeded prompt changed: raise GENERATOR_VERSION of this generator and run "
    "'python tests/golden/test_prompt_bytes.py', or undo the change"
)


class Pinned(msgspec.Struct, frozen=True):
    """What the file holds.

    material: one hash over all articles, words and wordings, since no few prompts hold every one of them. Pictures
    hang on Pillow's version, so their hashes stand apart from the texts'.
    """

    pillow: str
    versions: dict[str, int]
    material: str
    texts: dict[str, str]
    pictures: dict[str, str]


def made(name: str) -> tuple[int, dict[str, str], dict[str, str]]:
    """Return a workload's generator version and the hashes of its pinned seeds' texts and pictures."""
    texts, pictures, version = {}, {}, 0
    for number in range(SEEDS[name]):
        prompts = workloads()[name].prompts(f"golden {number}")
        version = prompts[0].facts.generator_version
        joined = "\x1e".join(prompt.text for prompt in prompts)
        texts[f"{name}/golden {number}"] = hashlib.sha256(joined.encode()).hexdigest()
        for prompt in prompts:
            for image in prompt.images:
                pictures[f"{name}/golden {number}"] = hashlib.sha256(image.data).hexdigest()
    return version, texts, pictures


def material() -> str:
    """Return one hash over every article and every data file of the generators; comments do not count.

    The office tasks have a data set with a version and golden hashes of its own; of rubric tasks the log has hashes.
    """
    digest = hashlib.sha256(msgspec.json.encode(articles()))
    root = Path(workload_package.__file__).parent
    apart = (root / "office", root / "rubric")
    files = [file for file in root.rglob("*.toml") if not any(file.is_relative_to(each) for each in apart)]
    for file in sorted(files, key=lambda path: path.name):
        digest.update(msgspec.json.encode((file.name, tomllib.loads(file.read_text(encoding="utf-8")))))
    return digest.hexdigest()


def pinned() -> Pinned:
    """Read the file."""
    return msgspec.json.decode(FILE.read_bytes(), type=Pinned)


def test_every_workload_is_pinned() -> None:
    """The file pins every workload of the registry."""
    assert set(pinned().versions) == set(workloads()) == set(SEEDS)


def test_the_material_is_that_of_its_version() -> None:
    """No article, word or wording was added, removed or edited without new versions of the generators that use it."""
    assert material() == pinned().material, ADVICE


@pytest.mark.parametrize("name", list(SEEDS))
def test_texts_are_those_of_their_version(name: str) -> None:
    """The texts of fixed seeds hash as pinned; a change on purpose needs a new GENERATOR_VERSION and a new file."""
    version, texts, _ = made(name)
    want = pinned()
    assert version == want.versions[name], "write the file anew for the new version"
    assert texts == {key: value for key, value in want.texts.items() if key.startswith(f"{name}/")}, ADVICE


def test_pictures_are_those_of_their_version(unavailable: Callable[[str], NoReturn]) -> None:
    """Under the pinned version of Pillow the pictures of fixed seeds hash as pinned."""
    if PIL.__version__ != pinned().pillow:
        unavailable(f"pictures are pinned for Pillow {pinned().pillow}, and {PIL.__version__} is installed: pin anew")
    assert made("vision")[2] == pinned().pictures, ADVICE


def main() -> None:
    """Write the file anew."""
    versions: dict[str, int] = {}
    texts: dict[str, str] = {}
    pictures: dict[str, str] = {}
    for name in SEEDS:
        versions[name], found, drawn = made(name)
        texts.update(found)
        pictures.update(drawn)
    content = Pinned(PIL.__version__, versions, material(), texts, pictures)
    FILE.write_bytes(msgspec.json.format(msgspec.json.encode(content)) + b"\n")


if __name__ == "__main__":
    main()
