"""Image, compose file, units, Kubernetes example: their form, and that they agree with one another and the code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import click
import msgspec
import pytest
import yaml
from deployment import DEPLOY, Service, Unit, compose, image, kubernetes, our_commands, seconds, units

from daemon.app import GRACE_S
from daemon.cli import cli
from daemon.configuration import load
from daemon.configuration.examples import write_examples
from daemon.heartbeat import PERIOD_S
from daemon.paths import DataPaths
from dashboards.grafana.model import PLUGIN_VERSION
from tests.support.kafka import KAFKA_VERSION

ROOT = DEPLOY.parent
UNITS = [pytest.param(unit, id=unit.path.name) for unit in units() if "Service" in unit.sections]


class TestImage:
    def test_pinned_slim_and_without_rights(self) -> None:
        """The image is one slim Python of one minor version, runs as a user of its own, and names no registry."""
        assert len(set(image().bases)) == 1
        assert re.fullmatch(r"python:3\.1\d-slim-\w+", image().bases[0])
        assert image().user == "10001:10001"
        assert all("/" not in base for base in image().bases)

    def test_its_sources_are_enough(self, tmp_path: Path) -> None:
        """What is copied into the image builds into a package that has every module and data file of ours."""
        for *sources, target in (copy for copy in image().copies if not copy[0].startswith("--from")):
            for source in sources:
                path = ROOT / source
                if path.is_dir():
                    shutil.copytree(path, tmp_path / "src" / target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    (tmp_path / "src").mkdir(exist_ok=True)
                    shutil.copy(path, tmp_path / "src" / source)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*command, "--wheel-dir", tmp_path, tmp_path / "src"], check=True, capture_output=True)
        (wheel,) = tmp_path.glob("*.whl")
        packed = set(zipfile.ZipFile(wheel).namelist())
        sides = ("schemas", "daemon", "projections", "dashboards")
        tracked = subprocess.run(
            ["git", "ls-files", "-z", *sides], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        missing = {name for name in tracked.split("\0") if name and (ROOT / name).exists()} - packed
        assert {name for name in missing if not name.startswith("schemas/examples/")} == set()

    def test_everything_copied_passes_the_ignore_file(self) -> None:
        """Each source that is copied is let through to the builder, and nothing else is."""
        allowed = {
            line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
        }
        copied = {
            source for *sources, _ in image().copies for source in sources if not source.startswith(("--", "/"))
        }
        assert allowed == copied


class TestCompose:
    def test_what_is_published(self) -> None:
        """Only Grafana is published, and to loopback alone."""
        ports = {name: service.ports for name, service in compose().services.items() if service.ports}
        assert list(ports) == ["grafana"]
        assert all(port.startswith("127.0.0.1:") for port in ports["grafana"])

    def test_names_lead_somewhere(self) -> None:
        """Volumes, dependencies and files that services name are there."""
        known = compose()
        for service in known.services.values():
            assert set(service.depends_on) <= set(known.services)
            for volume in service.volumes:
                source = volume.split(":")[0]
                if source.startswith("."):
                    assert (DEPLOY / "compose" / source).exists(), source
                elif not source.startswith("${"):
                    assert source in known.volumes
            for name in service.env_file:
                assert (DEPLOY / "compose" / f"{name}.example").exists()

    def test_ours_have_no_rights_to_speak_of(self) -> None:
        """Our containers cannot write their image, have no capability and reap their children."""
        ours = [service for service in compose().services.values() if service.build]
        assert len(ours) == 3
        for service in ours:
            assert (service.read_only, service.init, service.cap_drop) == (True, True, ("ALL",))
            assert service.image == "messwerk:0.1.0"

    def test_versions_are_those_that_are_tested(self) -> None:
        """Kafka is the version that the tests run, ClickHouse the engine's, the plugin the one that is checked."""
        services = compose().services
        engine = re.search(r'"chdb-core==(\d+\.\d+)', (ROOT / "pyproject.toml").read_text())
        assert engine
        assert services["kafka"].image == f"apache/kafka:{KAFKA_VERSION}"
        assert services["clickhouse"].image == f"clickhouse/clickhouse-server:{engine[1]}"
        plugins = services["grafana"].environment["GF_PLUGINS_PREINSTALL_SYNC"]
        assert plugins == f"grafana-clickhouse-datasource@{PLUGIN_VERSION}"

    def test_secrets_come_from_files(self) -> None:
        """No password has a value in the compose file, and each one that is asked for is in the example."""
        names = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose" / "compose.yaml").read_text()))
        example = (DEPLOY / "compose" / "env.example").read_text()
        assert names == set(re.findall(r"^(\w+)=$", example, re.MULTILINE))
        for service in compose().services.values():
            secret = {key: value for key, value in service.environment.items() if "PASSWORD" in key}
            assert all(value.startswith("${") for value in secret.values())

    def test_grafana_gets_what_its_provisioning_asks_for(self) -> None:
        """Every variable of the data source is set, and dashboards are where their provider looks."""
        grafana = compose().services["grafana"]
        source = (DEPLOY / "grafana/provisioning/datasources/messwerk.yaml").read_text()
        wanted = set(re.findall(r"\$(MESSWERK_\w+)", source))
        assert wanted <= set(grafana.environment)
        provider = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/messwerk.yaml").read_text())
        path = provider["providers"][0]["options"]["path"]
        assert f"../grafana/dashboards:{path}:ro" in grafana.volumes

    @pytest.mark.parametrize("change", [{"imagee": "x"}, {"healthcheck": {"tests": []}}, {"restart": "sometimes"}])
    def test_a_mistake_is_found(self, change: dict[str, object]) -> None:
        """A mistyped key, a key of another place and a value that does not exist are refused by the form."""
        service = msgspec.to_builtins(compose().services["grafana"])
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({**service, **change}, Service)

    def test_its_configuration_is_sound(self, tmp_path: Path) -> None:
        """The examples with the messwerk.toml for containers load, and their data lie in the image's volume."""
        write_examples(tmp_path)
        shutil.copy(DEPLOY / "compose" / "messwerk.toml", tmp_path)
        configuration = load(tmp_path, need_keys=False)
        assert configuration.daemon.data_dir == image().environment["MESSWERK_DATA"]
        assert configuration.kafka.bootstrap == ("kafka:9092",)
        assert configuration.tables.server is not None
        assert configuration.tables.server.host in compose().services


class TestUnits:
    def test_systemd_accepts_them(self, tmp_path: Path, unavailable: Callable[[str], NoReturn]) -> None:
        """systemd-analyze finds nothing to say about any unit."""
        if shutil.which("systemd-analyze") is None:
            unavailable("no systemd-analyze on the path; on Debian: apt-get install systemd")
        messwerk = Path(sys.executable).with_name("messwerk")
        for unit in units():
            text = unit.path.read_text().replace("/opt/messwerk/bin/messwerk", str(messwerk))
            (tmp_path / unit.path.name).write_text(text)
        command = ["systemd-analyze", "verify", "--man=no", *sorted(str(path) for path in tmp_path.iterdir())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        ours = [line for line in (done.stdout + done.stderr).splitlines() if "messwerk" in line]
        assert (done.returncode, ours) == (0, [])

    @pytest.mark.parametrize("unit", UNITS)
    def test_hardened(self, unit: Unit) -> None:
        """Each service drops its rights, sees the system read-only, and gets an error for a call it may not make."""
        service = unit.sections["Service"]
        for key in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome", "LockPersonality"):
            assert service[key] == "yes"
        assert (service["ProtectSystem"], service["CapabilityBoundingSet"], service["User"]) == (
            "strict",
            "",
            "messwerk",
        )
        assert (service["SystemCallFilter"].split()[0], service["SystemCallErrorNumber"]) == (
            "@system-service",
            "EPERM",
        )

    @pytest.mark.parametrize("unit", UNITS)
    def test_finds_its_data(self, unit: Unit) -> None:
        """Configuration and data are named, and the data lie where the service may write."""
        service = unit.sections["Service"]
        assert "MESSWERK_CONFIG=/etc/messwerk MESSWERK_DATA=/var/lib/messwerk" in service["Environment"]
        assert service["StateDirectory"] == "messwerk"


def test_everyone_waits_long_enough_for_a_stop() -> None:
    """Requests under way have their time to end everywhere, and a few seconds for the log behind it."""
    waits = {
        **{name: seconds(each.stop_grace_period) for name, each in compose().services.items() if each.command},
        **{
            unit.path.name: seconds(unit.sections["Service"].get("TimeoutStopSec", "90"))
            for unit in units()
            if unit.commands
        },
        **{each.metadata.name: each.spec.template.spec.grace_s for each in kubernetes()},
    }
    del waits["topic"]  # holds nothing that needs an orderly end
    assert {name: wait for name, wait in waits.items() if wait < 2 * GRACE_S} == {}


def test_the_watchdog_is_patient() -> None:
    """Systemd's watchdog bites only after several beats have stayed out."""
    (daemon,) = [unit for unit in units() if unit.path.name == "messwerk-daemon.service"]
    service = daemon.sections["Service"]
    assert service["Type"] == "notify"
    assert seconds(service["WatchdogSec"]) > 5 * PERIOD_S


class TestKubernetes:
    def test_one_writer(self) -> None:
        """The daemon is one replica with a volume of its own, which only one pod may mount."""
        (daemon,) = [each for each in kubernetes() if each.kind == "StatefulSet"]
        assert daemon.spec.replicas == 1
        (claim,) = daemon.spec.claims
        assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
        mounts = {mount["name"]: mount["mountPath"] for mount in daemon.spec.template.spec.containers[0].mounts}
        assert mounts[claim["metadata"]["name"]] == image().environment["MESSWERK_DATA"]

    def test_names_lead_somewhere(self) -> None:
        """Selectors fit their pods, mounts their volumes, probes their ports, and no pod has rights."""
        for workload in kubernetes():
            spec = workload.spec
            pod = spec.template.spec
            assert spec.selector.labels == spec.template.metadata.labels
            volumes = {volume["name"] for volume in pod.volumes} | {c["metadata"]["name"] for c in spec.claims}
            assert pod.security["runAsNonRoot"]
            assert f"{pod.security['runAsUser']}:{pod.security['runAsGroup']}" == image().user
            for container in pod.containers:
                assert {mount["name"] for mount in container.mounts} == volumes
                assert container.security["readOnlyRootFilesystem"]
                ports = {port["name"] for port in container.ports}
                for probe in (container.startup, container.liveness, container.readiness):
                    if probe is not None and probe.http_get is not None:
                        assert probe.http_get["port"] in ports


@pytest.mark.parametrize("command", sorted(our_commands()), ids=" ".join)
def test_every_command_line_is_one_of_ours(command: tuple[str, ...]) -> None:
    """Each command line parses as the command line itself parses it; none is carried out here."""
    found: click.Command = cli
    rest = list(command)
    while isinstance(found, click.Group):
        below = found.get_command(click.Context(found), rest.pop(0))
        assert below is not None, command
        found = below
    found.make_context(command[0], rest)


def test_data_paths_are_those_of_the_documents() -> None:
    """The sign of life lies beside the log, in the volume that the image declares."""
    assert DataPaths(Path("/var/lib/messwerk")).alive.is_relative_to(image().environment["MESSWERK_DATA"])
