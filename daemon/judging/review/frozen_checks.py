"""Whether what was frozen is what it was: manifest bytes, code, catalogue, sources, every hash in the manifest."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from daemon.judging.review.evidence import Evidence, Identity
from daemon.judging.review.hashes import text_sha256
from daemon.judging.review.javascript_json import javascript_sha256
from schemas.review.manifest import Manifest
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import Run


def check_binding(evidence: Evidence) -> None:
    """Refuse a run of another manifest, and a manifest or run of another program, catalogue or sources."""
    run, manifest, files = evidence.run, evidence.manifest, evidence.files
    if run.manifest_sha256 != evidence.manifest_sha256:
        raise ReviewRefusedError(
            "manifest-bytes",
            file=files.run,
            place="manifestSha256",
            problem=f"the bytes of {files.manifest} have another hash, {evidence.manifest_sha256}",
            todo="give the copy of the manifest that the run was made from; to reformat it is to change it",
        )
    check_identity(manifest, evidence.current, file=files.manifest)
    for place, value, expected in _differences(run, evidence.current):
        raise ReviewRefusedError(
            "provenance",
            file=files.run,
            place=place,
            problem=f"it is {value!r} and the manifest has {expected!r}",
            todo="evaluate a run with the manifest and the revision of this program that it was made with",
        )


def check_identity(manifest: Manifest, current: Identity, *, file: str) -> None:
    """Refuse a manifest that this revision of the program, or other sources than those given, did not make."""
    for place, value, expected in _differences(manifest, current):
        raise ReviewRefusedError(
            "provenance",
            file=file,
            place=place,
            problem=f"the manifest has {value!r}, and here it is {expected!r}",
            todo="use the program's revision and the sources that the manifest was prepared with, or prepare a new "
            "experiment under a name of its own",
        )


def check_hashes(manifest: Manifest, *, file: str) -> None:
    """Refuse a manifest in which a prompt, payload or source is not what its hash says."""
    sources = {source.source_id: source.source_sha256 for source in manifest.sources}
    for place, source in enumerate(manifest.sources):
        if text_sha256(source.text) != source.source_sha256:
            raise _changed(file, f"sources[{place}].sourceSha256", f"the text of {source.source_id}")
    for place, request in enumerate(manifest.requests):
        at = f"requests[{place}]"
        if text_sha256(request.canonical_prompt) != request.canonical_prompt_sha256:
            raise _changed(file, f"{at}.canonicalPromptSha256", f"the prompt of {request.request_id}")
        if javascript_sha256(msgspec.to_builtins(request.payload)) != request.payload_sha256:
            raise _changed(file, f"{at}.payloadSha256", f"the payload of {request.request_id}")
        if sources.get(request.source_id) != request.source_sha256:
            raise _changed(file, f"{at}.sourceSha256", f"the source of {request.request_id}")


def _changed(file: str, place: str, what: str) -> ReviewRefusedError:
    return ReviewRefusedError(
        "frozen-hash",
        file=file,
        place=place,
        problem=f"{what} does not have this hash",
        todo="restore the manifest as it was prepared; a changed prompt or source is a new experiment",
    )


def _differences(holder: Manifest | Run, current: Identity) -> Iterator[tuple[str, str, str]]:
    """Give the place, the value and what it should be, of everything in which a file is not of here and now."""
    pairs = (
        ("evaluator.version", holder.evaluator.version, current.evaluator.version),
        ("evaluator.codeSha256", holder.evaluator.code_sha256, current.evaluator.code_sha256),
        ("validator.version", holder.validator.version, current.validator.version),
        ("validator.codeSha256", holder.validator.code_sha256, current.validator.code_sha256),
        ("catalogueVersion", holder.catalogue_version, current.catalogue_version),
        ("provenance.fixturesSha256", holder.provenance.fixtures_sha256, current.provenance.fixtures_sha256),
        ("provenance.librarySha256", holder.provenance.library_sha256, current.provenance.library_sha256),
        ("provenance.researchSha256", holder.provenance.research_sha256, current.provenance.research_sha256),
        ("provenance.preparationSha256", holder.provenance.preparation_sha256, current.provenance.preparation_sha256),
    )
    return (each for each in pairs if each[1] != each[2])


def check_rebuilt(manifest: Manifest, rebuilt: Manifest, *, file: str) -> None:
    """Refuse a manifest that is not, part by part, what its sources give now."""
    for field in msgspec.structs.fields(Manifest):
        ours, theirs = getattr(manifest, field.name), getattr(rebuilt, field.name)
        if ours == theirs:
            continue
        place = field.encode_name
        if isinstance(ours, tuple) and isinstance(theirs, tuple):
            where = next((at for at, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
            place += f"[{min(len(ours), len(theirs)) if where is None else where}]"
        raise ReviewRefusedError(
            "frozen-hash",
            file=file,
            place=place,
            problem="it is not what the sources give",
            todo="restore the manifest as it was prepared; a changed prompt or source is a new experiment",
        )
