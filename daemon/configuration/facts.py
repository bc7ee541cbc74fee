"""From the configuration to the facts that the log keeps: the catalogue, without anything secret. Pure."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from schemas.catalogue import AccountFacts, EndpointFacts, ProviderFacts
from schemas.configuration import AccountTable, Configuration, EndpointTable, ProviderTable
from schemas.events import CatalogueDeclared

_canonical = msgspec.json.Encoder(order="deterministic")


def canonical_sha256(value: msgspec.Struct) -> str:
    """SHA-256 over the canonical JSON of a struct: keys sorted, no spaces."""
    return hashlib.sha256(_canonical.encode(value)).hexdigest()


def with_sha256(configuration: Configuration) -> Configuration:
    """Stamp a configuration with the hash of everything in it but the hash and where the files lie."""
    bare = msgspec.structs.replace(configuration, sha256="", directory=None)
    return msgspec.structs.replace(configuration, sha256=canonical_sha256(bare))


def catalogue(configuration: Configuration) -> CatalogueDeclared:
    """Everything that attempts will refer to by name: what is enabled, and the providers and accounts it uses."""
    endpoints = tuple(endpoint_facts(table) for table in configuration.endpoints if table.enabled)
    used = {endpoint.provider for endpoint in endpoints}
    declared = CatalogueDeclared(
        sha256="",
        vantage=configuration.daemon.vantage,
        providers=tuple(provider_facts(table) for table in configuration.providers if table.name in used),
        endpoints=endpoints,
        accounts=tuple(account_facts(table) for table in configuration.accounts if table.provider in used),
        definitions=configuration.definitions,
    )
    return msgspec.structs.replace(declared, sha256=canonical_sha256(declared))


def provider_facts(table: ProviderTable) -> ProviderFacts:
    """Facts of a ``[[provider]]``; its name stands in for a missing title."""
    return ProviderFacts(name=table.name, title=table.title or table.name, concurrency=table.concurrency)


def endpoint_facts(table: EndpointTable) -> EndpointFacts:
    """Facts of an ``[[endpoint]]``; prices in the order of their dates."""
    return EndpointFacts(
        name=table.name,
        provider=table.provider,
        dialect=table.dialect,
        base_url=table.base_url,
        model=table.model,
        reasoning=table.reasoning,
        vision=table.vision,
        simulated=table.simulated,
        pinned_provider=table.pinned_provider,
        quantization=table.quantization,
        context_tokens=table.context_tokens,
        region=table.region,
        prices=tuple(sorted(table.price, key=lambda price: price.valid_from)),
        overrides=table.override,
        headers=table.header or msgspec.UNSET,
        key_header=table.key_header or msgspec.UNSET,
    )


def account_facts(table: AccountTable) -> AccountFacts:
    """Facts of an ``[[account]]``: name and kind, and nothing of where its key lies."""
    return AccountFacts(name=table.name, provider=table.provider, kind=table.kind)


def data_root(configuration: Configuration, override: Path | None = None) -> Path:
    """Return the data directory: the override, else ``data_dir`` relative to the files, or to here without files."""
    if override is not None:
        return override
    return Path(configuration.directory or ".") / Path(configuration.daemon.data_dir).expanduser()
