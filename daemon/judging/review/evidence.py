"""Everything that an evaluation takes, read and hashed, and the names by which its refusals call the files."""

from __future__ import annotations

import msgspec

from schemas.review.manifest import CodeIdentity, Manifest, Provenance
from schemas.review.run import Run
from schemas.review.sources import Fixtures


class FileNames(msgspec.Struct, frozen=True, kw_only=True):
    """What the files are called in messages."""

    manifest: str
    run: str


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What this program and its sources are now, to be held against what was frozen."""

    evaluator: CodeIdentity
    validator: CodeIdentity
    catalogue_version: str
    provenance: Provenance


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of an evaluation; fixtures are those whose hash is in ``current``, and give the labels alone."""

    files: FileNames
    manifest: Manifest
    manifest_sha256: str
    run: Run
    current: Identity
    fixtures: Fixtures
