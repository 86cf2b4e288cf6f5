"""run.json: what was run, against what, and what it said. Written first as INCOMPLETE."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.verdicts import Outcome
from reports.digest import evidence_digests, file_digest, files_digest, read_sums
from reports.jsonfile import read_json, write_json
from reports.outcome import RunResult
from reports.runfolder import RunFolder, RunFolderError

SCHEMA = 1
ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pytest", "pytest-xdist", "allure-pytest", "paramiko", "pydantic", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """The fields of run.json. Times are UTC, ISO 8601; `ended` is empty until the run has ended.

    `limits_not_judged` are metrics of accepted gates that nobody has to judge and nobody did.
    `unfinished` says why the run did not get to its end, where it did not. `lab_transport` is how a
    lab was reached (`ssh`, or `memory`: in the runner's own process), empty for hardware.
    """

    schema: int = SCHEMA
    inventory: str
    product: str
    digests: Mapping[str, str]
    input_files: Mapping[str, str] = field(default_factory=dict)
    outcome: str = Outcome.INCOMPLETE.value
    outcome_reasons: Sequence[str] = ("the run has not ended",)
    gates: Mapping[str, str] = field(default_factory=dict)
    gates_left_out: Sequence[str] = ()
    limits_not_judged: Sequence[str] = ()
    simulated: bool
    lab_transport: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[str, int] = field(default_factory=dict)
    started: str
    ended: str = ""
    unfinished: str = ""
    command: Sequence[str]
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    faults: Sequence[str] = ()
    waivers: str = ""
    replay_of: Mapping[str, str] = field(default_factory=dict)
    replay_edited: Sequence[str] = ()


def run_info(
    inventory: Inventory,
    *,
    command: Sequence[str],
    started: datetime,
    seed: int = 0,
    faults: Sequence[str] = (),
    waivers: Path | None = None,
    replay: Path | None = None,
    lab_transport: str = "",
) -> RunInfo:
    """What run.json says at the start.

    A replay takes over what its source says of itself: that it was simulated, and its faults.
    """
    profiles = inventory.profile.files
    files = dict.fromkeys((*inventory.files, *profiles, *([waivers] if waivers else [])))
    source = _source(replay) if replay else None
    return RunInfo(
        inventory=inventory.name,
        product=inventory.product,
        digests={
            "inventory": files_digest(inventory.files[:2]),
            "plan": files_digest(inventory.files[2:]),
            "profile": files_digest(profiles),
        },
        input_files={_shown(path, inventory): file_digest(path) for path in files},
        gates_left_out=inventory.gates_left_out,
        limits_not_judged=[
            metric.name
            for metric in inventory.profile.metrics.values()
            if metric.gate in inventory.gates and not metric.required
        ],
        simulated=bool(inventory.lab) or (source is not None and source.simulated),
        lab_transport=_reached(source) if replay else lab_transport,
        started=stamp(started),
        command=command,
        versions=versions(),
        seed=seed,
        faults=[*faults, *(source.faults if source else ())],
        waivers=_shown(waivers, inventory) if waivers else "",
        replay_of=_replayed(replay, source) if replay else {},
        replay_edited=_edited(RunFolder(replay)) if replay else (),
    )


def _source(replay: Path) -> RunInfo | None:
    """What the replayed run says of itself; None where its run.json cannot be read."""
    try:
        return read_run(RunFolder(replay))
    except RunFolderError:
        return None


def _reached(source: RunInfo | None) -> str:
    return source.lab_transport if source else ""


def _replayed(replay: Path, source: RunInfo | None) -> dict[str, str]:
    path = RunFolder(replay).run_json
    digest = file_digest(path) if path.is_file() else ""
    started = source.started if source else "unknown"
    return {"folder": replay.name, "started": started, "run.json": digest}


def _edited(source: RunFolder) -> list[str]:
    """Evidence files that are not what the source signed; all of them where it signed nothing."""
    found = evidence_digests(source)
    signed = read_sums(source) if source.evidence_sums.is_file() else {}
    return sorted(
        name for name in found.keys() | signed.keys() if found.get(name) != signed.get(name)
    )


def with_result(info: RunInfo, result: RunResult, *, ended: datetime, unfinished: str) -> RunInfo:
    """What run.json says at the end."""
    return replace(
        info,
        outcome=result.outcome.value,
        outcome_reasons=result.reasons,
        gates={gate: verdict.value for gate, verdict in result.gates.items()},
        counts=result.counts,
        coverage={"expected": result.coverage.expected, "judged": result.coverage.judged},
        ended=stamp(ended),
        unfinished=unfinished,
    )


def write_run(run: RunFolder, info: RunInfo) -> None:
    write_json(run.run_json, asdict(info))


def read_run(run: RunFolder) -> RunInfo:
    """Read run.json of this schema or an older one; raises RunFolderError."""
    given = read_json(run.run_json)
    if not isinstance(given, dict) or not isinstance(given.get("schema"), int):
        raise RunFolderError(f"{run.run_json}: not a run.json; expected a number `schema`")
    if not 1 <= given["schema"] <= SCHEMA:
        raise RunFolderError(
            f"{run.run_json}: schema {given['schema']}; this suite reads 1 to {SCHEMA}"
        )
    known = {key: value for key, value in given.items() if key in RunInfo.__dataclass_fields__}
    try:
        return RunInfo(**known)
    except TypeError as error:
        raise RunFolderError(f"{run.run_json}: incomplete: {error}") from error


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """This suite (with its commit where it is a checkout), Python, and what it stands on."""
    found = {"rackgate": _own_version(), "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _own_version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    commit = _commit(ROOT / ".git")
    return str(project["project"]["version"]) + (f"+{commit[:12]}" if commit else "")


def _commit(git: Path) -> str:
    """The commit that is checked out; empty where this is not a plain checkout."""
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        if (git / name).is_file():
            return (git / name).read_text(encoding="utf-8").strip()
        packed = (git / "packed-refs").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((text.split()[0] for text in packed if text.endswith(f" {name}")), "")


def _shown(path: Path, inventory: Inventory) -> str:
    """A path as it is below the inventories, so that records of two machines can be compared."""
    folder = inventory.folder
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
