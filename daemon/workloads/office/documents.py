"""Documents of a data set, drawn on the spot: facts and truth, beside what a model is given.

Nothing is stored: version and salt say everything. Every task has a maker of pairs here; what makes its content is in
``invoices``, ``emails`` and ``personal``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import cast, get_args

import msgspec

from daemon.wire.contract import Image
from daemon.workloads.office.dataset import DATA_SET, Place, plan
from daemon.workloads.office.emails import write_emails
from daemon.workloads.office.invoices.drawing import draw_pdf
from daemon.workloads.office.invoices.outline import draw_outline
from daemon.workloads.office.invoices.pictures import given_of
from daemon.workloads.office.invoices.truth import draw_invoice
from daemon.workloads.office.personal import write_personal_texts
from daemon.workloads.office.streams import Salt, Streams
from daemon.workloads.office.texts import AnyTruth, WrittenText
from schemas.office import (
    DocumentFacts,
    EmailShape,
    Language,
    OfficeDocument,
    PersonalKind,
    SentContent,
    Task,
    Tier,
    Truth,
    truth_json,
)

Content = str | Image


class Made(msgspec.Struct, frozen=True):
    """A document, what a model is given of it, and the PDF that an invoice was before."""

    document: OfficeDocument
    content: Content
    pdf: bytes | None = None

    @property
    def bytes_given(self) -> bytes:
        """What a model is given, as bytes."""
        return self.content.encode() if isinstance(self.content, str) else self.content.data


class OfficeDataSet:
    """The documents of one version; with a salt the private third too."""

    def __init__(self, salt: Salt | None = None) -> None:
        self._salt = salt
        self._streams = Streams(DATA_SET, salt)

    @property
    def version(self) -> str:
        """Of the data set."""
        return DATA_SET

    @property
    def salt_sha256(self) -> str | None:
        """Commitment to the salt; None without one, and then there are no private documents."""
        return None if self._salt is None else self._salt.commitment

    def keyed(self, text: str) -> str:
        """Hash a text under the salt.

        Raises: ValueError without a salt.
        """
        if self._salt is None:
            raise ValueError("nothing is keyed without a salt; ask salt_sha256 first")
        return self._salt.keyed(text)

    def places(self, task: Task, pairs: int) -> tuple[Place, ...]:
        """Places of the pairs that can be made: without a salt only the open ones."""
        return tuple(place for place in plan(task, pairs) if self._salt is not None or place.split == "open")

    def pair(self, place: Place) -> tuple[Made, ...]:
        """Make a pair, Czech first; an invoice with a photo takes a second or two."""
        return MAKERS[place.task](place, self._streams)

    def documents(self, task: Task, pairs: int) -> Sequence[tuple[OfficeDocument, Content]]:
        """Make a task's documents, in order of pairs; slow, and safe to call in a thread."""
        return [(made.document, made.content) for place in self.places(task, pairs) for made in self.pair(place)]


def truths(place: Place, streams: Streams) -> dict[Language, Truth]:
    """Draw the truths of a pair of invoices, and nothing else; quick."""
    outline = draw_outline(streams.of("invoice", place.split, place.pair, "outline"), place)
    return {
        language: draw_invoice(streams.of("invoice", place.split, place.pair, language), language, outline).fields
        for language in cast("tuple[Language, ...]", get_args(Language))
    }


def document_of(place: Place, language: Language, truth: Truth, content: Content) -> OfficeDocument:
    """Put a document's facts beside its truth."""
    data = content.encode() if isinstance(content, str) else content.data
    media_type = "text/plain" if isinstance(content, str) else content.media_type
    return OfficeDocument(
        facts=DocumentFacts(
            id=f"{place.pair_id}-{language}",
            pair=place.pair_id,
            task=place.task,
            language=language,
            split=place.split,
            data_set=DATA_SET,
            layout=place.layout,
            tier=place.tier,
            variant=place.variant,
            truth_sha256=sha256(truth_json(truth)).hexdigest(),
            content=(SentContent(media_type=media_type, size_bytes=len(data), sha256=sha256(data).hexdigest()),),
        ),
        truth=truth,
    )


def _invoices(place: Place, streams: Streams) -> tuple[Made, ...]:
    outline = draw_outline(streams.of("invoice", place.split, place.pair, "outline"), place)
    made = []
    for language in cast("tuple[Language, ...]", get_args(Language)):
        invoice = draw_invoice(streams.of("invoice", place.split, place.pair, language), language, outline)
        pdf = draw_pdf(invoice, streams.of("invoice", place.split, place.pair, language, "paper"))
        wear = streams.of("invoice", place.split, place.pair, language, "wear")
        content = given_of(pdf, cast("Tier", place.tier), wear)
        made.append(Made(document_of(place, language, invoice.fields, content), content, pdf))
    return tuple(made)


def _emails(place: Place, streams: Streams) -> tuple[Made, ...]:
    draws = streams.of("email", place.split, place.pair, "text")
    return _texts(place, write_emails(draws, cast("EmailShape", place.layout)))


def _personal_texts(place: Place, streams: Streams) -> tuple[Made, ...]:
    draws = streams.of("personal", place.split, place.pair, "text")
    return _texts(place, write_personal_texts(draws, cast("PersonalKind", place.layout)))


def _texts(place: Place, pair: Mapping[Language, WrittenText[AnyTruth]]) -> tuple[Made, ...]:
    made = []
    for language in cast("tuple[Language, ...]", get_args(Language)):
        written = pair[language]
        made.append(Made(document_of(place, language, written.truth, written.text), written.text))
    return tuple(made)


MAKERS: Mapping[Task, Callable[[Place, Streams], tuple[Made, ...]]] = MappingProxyType(
    {"invoice": _invoices, "email": _emails, "personal": _personal_texts}
)
"""Who makes a pair of each task."""
