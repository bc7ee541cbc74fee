"""The reference models that exist for the office tasks, and the documents that they know. Data, but for that."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, get_args

from daemon.office.units import DataSet, document_unit
from daemon.reference.office.answering import OfficeService
from daemon.reference.office.planning import OfficeModel
from schemas.office import Task

OFFICE_MODELS: Final[tuple[OfficeModel, ...]] = (
    OfficeModel(name="office-right", title="Reference: every field right"),
    OfficeModel(
        name="office-erring",
        title="Reference: 93 % right fields, 61 % error-free documents, worse at photos, scans and Czech",
        right_share=Fraction(93, 100),
        error_free_share=Fraction(61, 100),
        harder=frozenset({"photo", "scan", "cs", "credit-note"}),
    ),
    OfficeModel(
        name="office-wayward",
        title="Reference: refuses schemas, breaks off, puts answers into fences, is sometimes another provider's",
        refuses_schema=True,
        broken_first=2,
        fenced=2,
        elsewhere_first=1,
    ),
    OfficeModel(name="office-crowded", title="Reference: every third request is over its rate", limited_every=3),
)


def office_service(data: DataSet, pairs: int, tasks: Sequence[Task] = ()) -> OfficeService:
    """Return a service that plays them over this many pairs of these tasks, or of all.

    Making the documents takes a while. A set of another size has other documents in its last block, so the size must
    be that of the run.
    """
    keyed = data.keyed if data.salt_sha256 is not None else None
    every: tuple[Task, ...] = get_args(Task)
    documents = []
    for task in tasks or every:
        for document, content in data.documents(task, pairs):
            text = document_unit(document, content, keyed).prompt.text.encode()
            documents.append((document, text if isinstance(content, str) else content.data))
    return OfficeService(OFFICE_MODELS, documents)
