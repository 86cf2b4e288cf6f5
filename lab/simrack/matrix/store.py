"""The matrix's file: JSON lines, a header and one line a run; a rerun skips what is there.

A line whose faults are declared otherwise by now is stale, and its run is made again.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from fixtures.model.errors import InventoryError
from fixtures.model.inventory import Inventory
from lab.simrack.catalogue import entry
from lab.simrack.matrix.folder import Found
from lab.simrack.matrix.judge import Judged
from lab.simrack.matrix.launch import Done
from lab.simrack.matrix.plan import Cell, Put

SCHEMA = 2
PACKAGES = ("pytest", "paramiko", "asyncssh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One run, as it stands in the file; see `Judged` for what was found.

    `judges` and `judged` are all tests and metrics of a run without faults, `failed` the metrics
    that failed, `shown` those and what a fault kept from being judged as it is declared to.
    `replay` is `same` where judging the evidence again gave the same rows and findings, else what
    was different; empty where nobody tried. `strays` are rows of healthy parts that are not PASS.
    """

    key: str
    sort: str
    faults: tuple[str, ...]
    seed: int
    way: str
    twin: bool
    outcome: str
    exit_status: int
    caught: bool
    ranks: tuple[int, ...]
    tests: tuple[str, ...]
    judges: tuple[str, ...]
    judged: tuple[str, ...]
    failed: tuple[str, ...]
    shown: tuple[str, ...]
    reasons: tuple[str, ...]
    findings: tuple[str, ...]
    strays: int
    wrong: tuple[str, ...]
    declared: str
    digest: str
    replay: str
    wall_s: float
    cpu_s: float

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(fault.partition("@")[0] for fault in self.faults)


def line_of(cell: Cell, done: Done, found: Found, judged: Judged, replay: str = "") -> Line:
    failed = [row for row in found.rows if row.verdict == "FAIL"]
    left_open = [row for row in found.rows if row.verdict == "INCONCLUSIVE"]
    return Line(
        key=cell.key,
        sort=cell.sort,
        faults=tuple(map(str, cell.puts)),
        seed=cell.seed,
        way=cell.way,
        twin=cell.twin,
        outcome=found.outcome,
        exit_status=done.exit_status,
        caught=judged.caught,
        ranks=judged.ranks,
        tests=judged.tests,
        judges=tuple(dict.fromkeys(row.test for row in found.rows)) if not cell.puts else (),
        judged=tuple(dict.fromkeys(row.metric for row in found.rows)) if not cell.puts else (),
        failed=tuple(dict.fromkeys(row.metric for row in failed)),
        shown=judged.shown,
        reasons=tuple(dict.fromkeys(row.why for row in left_open)),
        findings=tuple(f"{one.part} ({one.confidence})" for one in found.findings[:10]),
        strays=judged.strays,
        wrong=judged.wrong,
        declared=declared(cell.puts),
        digest=found.digest,
        replay=replay,
        wall_s=round(done.wall_s, 2),
        cpu_s=done.cpu_s,
    )


def declared(puts: Sequence[Put]) -> str:
    """Another text where one of the faults is declared otherwise."""
    said = json.dumps([entry(put.fault) for put in puts])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def header(inventory: Inventory) -> dict[str, object]:
    """What lines of one file have in common: the rack, and the versions."""
    return {
        "matrix": SCHEMA,
        "inventory": inventory.name,
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
    }


def open_file(path: Path, head: Mapping[str, object]) -> list[Line]:
    """The lines that are there; begins the file where there is none.

    Raises InventoryError where the file is of another rack or version.
    """
    if not path.is_file() or not path.stat().st_size:
        path.write_text(json.dumps(head) + "\n", encoding="utf-8")
        return []
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    if json.loads(first) != head:
        raise InventoryError(
            f"{path}: was begun with {first}, and this is {json.dumps(head)}; name another file"
        )
    return _lines(rest)


def read_file(path: Path) -> tuple[str, list[Line]]:
    """A file's inventory and lines; raises InventoryError where it is no matrix of this version."""
    try:
        first, *rest = path.read_text(encoding="utf-8").splitlines()
        head = json.loads(first)
    except (OSError, ValueError) as error:
        raise InventoryError(f"{path}: not a matrix: {error}") from error
    if not isinstance(head, dict) or head.get("matrix") != SCHEMA:
        raise InventoryError(f"{path}: begins with {first[:80]}; expected a matrix of {SCHEMA}")
    return str(head["inventory"]), _lines(rest)


def _lines(texts: Sequence[str]) -> list[Line]:
    """The last line of each run; what an interrupt cut off is no line."""
    lines = [_line(json.loads(text)) for text in texts if text.endswith("}")]
    return list({line.key: line for line in lines}.values())


def _line(entry: Mapping[str, object]) -> Line:
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return Line(**values)  # type: ignore[arg-type]


def append(path: Path, line: Line) -> None:
    """Add a line behind whole lines; what an interrupt cut off is given its end first."""
    with path.open("r+b") as file:
        file.seek(-1, 2)
        whole = file.read() == b"\n"
        file.write((b"" if whole else b"\n") + json.dumps(asdict(line)).encode() + b"\n")
