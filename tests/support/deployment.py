"""The files of deploy/, read as their own tools read them, as far as Messwerk's use the form.

The types refuse whatever they do not know: a mistyped key is an error here, as it is for the tool.
"""

from __future__ import annotations

import configparser
import json
import re
import shlex
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
Durations = str


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A mapping with exactly these keys."""


class HealthCheck(_Strict, kw_only=True):
    test: tuple[str, ...] = ()
    interval: Durations = ""
    timeout: Durations = ""
    retries: int = 3
    start_period: Durations = ""
    disable: bool = False


class Limits(_Strict, kw_only=True):
    memory: str
    cpus: str | None = None


class Resources(_Strict, kw_only=True):
    limits: Limits


class Deploy(_Strict, kw_only=True):
    resources: Resources


class Dependency(_Strict, kw_only=True):
    condition: Literal["service_started", "service_healthy", "service_completed_successfully"]


class Build(_Strict, kw_only=True):
    context: str
    dockerfile: str


class FileLimit(_Strict, kw_only=True):
    soft: int
    hard: int


class Service(_Strict, kw_only=True):
    """A service of the Compose specification, with the keys that are used."""

    image: str
    healthcheck: HealthCheck
    deploy: Deploy
    restart: Literal["no", "always", "on-failure", "unless-stopped"]
    build: Build | None = None
    init: bool = False
    read_only: bool = False
    tmpfs: tuple[str, ...] = ()
    cap_drop: tuple[str, ...] = ()
    security_opt: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    env_file: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    ulimits: dict[Literal["nofile"], FileLimit] = {}
    depends_on: dict[str, Dependency] = {}
    stop_grace_period: Durations = "10s"


class Compose(msgspec.Struct, frozen=True):
    """A compose file; keys that begin with x- are its own."""

    name: str
    services: dict[str, Service]
    volumes: dict[str, None]


def compose() -> Compose:
    """Read the compose file."""
    text: Any = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text("utf-8"))
    unknown = {key for key in text if not key.startswith("x-")} - set(Compose.__struct_fields__)
    assert not unknown, unknown
    return msgspec.convert({key: value for key, value in text.items() if not key.startswith("x-")}, Compose)


class Image(msgspec.Struct, frozen=True):
    """What a Dockerfile says of the image that it ends in."""

    bases: tuple[str, ...]
    copies: tuple[tuple[str, ...], ...]
    environment: dict[str, str]
    user: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    health: tuple[str, ...]
    text: str


def image() -> Image:
    """Read the Dockerfile: one instruction a line, continued by a backslash."""
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    steps = [step.split(None, 1) for step in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines() if step.strip()]
    found: dict[str, list[str]] = {}
    for name, rest in steps:
        found.setdefault(name, []).append(rest)
    environment = dict(word.split("=", 1) for rest in found["ENV"] for word in shlex.split(rest))
    health = found["HEALTHCHECK"][-1].split("CMD", 1)[1]
    return Image(
        bases=tuple(rest.split()[0] for rest in found["FROM"]),
        copies=tuple(tuple(rest.split()) for rest in found["COPY"]),
        environment=environment,
        user=found["USER"][-1],
        entrypoint=tuple(json.loads(found["ENTRYPOINT"][-1])),
        command=tuple(json.loads(found["CMD"][-1])),
        health=tuple(json.loads(health)),
        text=text,
    )


class Unit(msgspec.Struct, frozen=True):
    """A systemd unit: its settings by section, and its command lines."""

    path: Path
    sections: dict[str, dict[str, str]]
    commands: tuple[tuple[str, ...], ...]


def units() -> list[Unit]:
    """Read every unit."""
    found = []
    for path in sorted((DEPLOY / "systemd").iterdir()):
        parser = configparser.RawConfigParser(strict=False, comment_prefixes=("#",), delimiters=("=",))
        parser.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's keys have capitals
        parser.read_string(path.read_text("utf-8"))
        lines = re.findall(r"^ExecStart=(.*)$", path.read_text("utf-8"), re.MULTILINE)
        found.append(
            Unit(
                path,
                {name: dict(parser[name]) for name in parser.sections()},
                tuple(tuple(shlex.split(line)) for line in lines),
            )
        )
    return found


class Probe(_Strict, kw_only=True):
    exec: dict[Literal["command"], tuple[str, ...]] | None = None
    http_get: dict[Literal["path", "port"], str] | None = msgspec.field(default=None, name="httpGet")
    period: int = msgspec.field(name="periodSeconds")
    timeout: int = msgspec.field(default=1, name="timeoutSeconds")
    failures: int = msgspec.field(default=3, name="failureThreshold")


class Container(_Strict, kw_only=True):
    """A container of Kubernetes, with the keys that are used."""

    name: str
    image: str
    args: tuple[str, ...]
    env_from: tuple[dict[Literal["secretRef"], dict[Literal["name"], str]], ...] = msgspec.field(name="envFrom")
    security: dict[str, Any] = msgspec.field(name="securityContext")
    resources: dict[Literal["requests", "limits"], dict[Literal["cpu", "memory"], str]]
    startup: Probe = msgspec.field(name="startupProbe")
    liveness: Probe = msgspec.field(name="livenessProbe")
    mounts: tuple[dict[Literal["name", "mountPath", "readOnly"], Any], ...] = msgspec.field(name="volumeMounts")
    readiness: Probe | None = msgspec.field(default=None, name="readinessProbe")
    ports: tuple[dict[Literal["name", "containerPort"], Any], ...] = ()


class PodSpec(_Strict, kw_only=True):
    grace_s: int = msgspec.field(name="terminationGracePeriodSeconds")
    token: bool = msgspec.field(name="automountServiceAccountToken")
    security: dict[str, Any] = msgspec.field(name="securityContext")
    containers: tuple[Container, ...]
    volumes: tuple[dict[Literal["name", "configMap", "emptyDir"], Any], ...]


class Metadata(_Strict, kw_only=True):
    name: str = ""
    labels: dict[str, str] = {}


class Pod(_Strict, kw_only=True):
    metadata: Metadata
    spec: PodSpec


class Selector(_Strict, kw_only=True):
    labels: dict[str, str] = msgspec.field(name="matchLabels")


class WorkloadSpec(_Strict, kw_only=True):
    replicas: int
    selector: Selector
    template: Pod
    service: str | None = msgspec.field(default=None, name="serviceName")
    claims: tuple[dict[Literal["metadata", "spec"], Any], ...] = msgspec.field(
        default=(), name="volumeClaimTemplates"
    )


class Workload(_Strict, kw_only=True):
    """A StatefulSet or a Deployment."""

    api: Literal["apps/v1"] = msgspec.field(name="apiVersion")
    kind: Literal["StatefulSet", "Deployment"]
    metadata: Metadata
    spec: WorkloadSpec


def kubernetes() -> list[Workload]:
    """Read the Kubernetes example."""
    text = (DEPLOY / "kubernetes" / "messwerk.yaml").read_text("utf-8")
    return [msgspec.convert(each, Workload) for each in yaml.safe_load_all(text)]


def seconds(duration: str) -> float:
    """Read a duration such as 60s or 6h; a plain number is seconds."""
    found = re.fullmatch(r"(\d+)(s|min|h|)", duration)
    assert found, duration
    return float(found[1]) * {"s": 1, "": 1, "min": 60, "h": 3600}[found[2]]


def health_commands() -> list[tuple[str, ...]]:
    """Every command by which somebody asks whether one of our processes is well, without CMD in front."""
    ours = [service for service in compose().services.values() if service.build is not None]
    probes = [
        probe
        for workload in kubernetes()
        for container in workload.spec.template.spec.containers
        for probe in (container.startup, container.liveness, container.readiness)
        if probe is not None and probe.exec is not None
    ]
    return [
        image().health,
        *(service.healthcheck.test[1:] for service in ours if not service.healthcheck.disable),
        *(probe.exec["command"] for probe in probes if probe.exec is not None),
    ]


def our_commands() -> set[tuple[str, ...]]:
    """Every command line of ours in any of the files, from the word behind ``messwerk`` on."""
    entry = image().entrypoint
    assert entry == ("messwerk",)
    found = {image().command}
    found |= {service.command for service in compose().services.values() if service.build is not None}
    found |= {c.args for workload in kubernetes() for c in workload.spec.template.spec.containers}
    found |= {command[1:] for unit in units() for command in unit.commands}
    found |= {command[1:] for command in health_commands() if command[0] == "messwerk"}
    return found
