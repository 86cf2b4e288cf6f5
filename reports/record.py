"""record.jsonl: one line for everything that was judged, written as it is judged.

Every process of a run appends to a part of its own; `reports.merge` makes one record of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from fixtures.model.inventory import Inventory
from fixtures.model.measurement import Conditions, Kind, Level, Limit, Measurement, Scalar
from fixtures.model.parts import ARROW, ends, path
from fixtures.model.verdicts import Verdict
from reports.jsonfile import Json, line, plain, read_lines
from reports.runfolder import RunFolder, RunFolderError

_NEEDED = ("id", "gate", "subject", "metric")
_VERDICTS, _LEVELS = tuple(Verdict), get_args(Level)
_TEXTS = (*_NEEDED, "test", "unit", "direction", "reason", "detail", "time")
_PROCESS = re.compile(r"^[A-Za-z0-9_.-]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A row of record.jsonl. `time` is when it was judged (UTC, ISO 8601).

    `direction` is `a->b` where the subject is a pair and was measured from its first part to its
    second; `detail` says in words what the verdict rests on, where there is more than the value.
    """

    id: str
    test: str
    gate: str
    subject: str
    metric: str
    value: Scalar | None
    unit: str
    verdict: Verdict
    parts: tuple[Mapping[str, str], ...] = ()
    direction: str = ""
    conditions: Conditions = field(default_factory=dict)
    samples: tuple[float, ...] = ()
    window: Mapping[str, Any] | None = None
    limit: Mapping[str, Any] | None = None
    peer: Mapping[str, float] | None = None
    level: Level = "fail"
    warned: bool = False
    reason: str = ""
    detail: str = ""
    evidence: tuple[str, ...] = ()
    time: str = ""

    def as_json(self) -> Json:
        """The row with the fields of the contract, in its order; what is empty and optional is
        left out."""
        row: Json = {
            "id": self.id, "test": self.test, "gate": self.gate, "subject": self.subject,
            "parts": list(self.parts), "direction": self.direction, "metric": self.metric,
            "value": self.value, "unit": self.unit, "conditions": self.conditions,
            "samples": self.samples, "window": self.window, "limit": self.limit,
            "peer": self.peer, "level": self.level, "warned": self.warned,
            "verdict": self.verdict.value, "reason": self.reason, "detail": self.detail,
            "evidence": list(self.evidence), "time": self.time,
        }  # fmt: skip
        optional = ("direction", "samples", "window", "peer", "warned", "reason", "detail")
        return {key: value for key, value in row.items() if value or key not in optional}


def record_id(test: str, metric: str, subject: str, conditions: Conditions) -> str:
    """The same in every run: what was judged, by which test, under which conditions."""
    text = json.dumps([test, metric, subject, plain(conditions)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record_of(taken: Measurement, inventory: Inventory, time: str) -> Record:
    """A measurement as a row, with the serials of everything its subject is in."""
    inner = [part for end in ends(taken.subject) for part in path(end)]
    limit = taken.limit
    warned = limit is not None and limit.level == "warn" and not _holds(limit, taken.value)
    return Record(
        id=record_id(taken.test, taken.metric, taken.subject, taken.conditions),
        test=taken.test,
        gate=taken.gate,
        subject=taken.subject,
        metric=taken.metric,
        value=taken.value,
        unit=taken.unit,
        verdict=taken.verdict,
        parts=tuple(
            {"part": part, "serial": inventory.serial_of(part)} for part in dict.fromkeys(inner)
        ),
        direction="a->b" if ARROW in taken.subject else "",
        conditions=taken.conditions,
        samples=tuple(taken.samples),
        window=taken.window,
        limit=limit.as_record() if limit else None,
        peer=taken.peer,
        level=taken.level,
        warned=taken.warned or warned,
        reason=taken.reason,
        detail=taken.detail,
        evidence=tuple(taken.evidence),
        time=time,
    )


def _now() -> datetime:
    return datetime.now(UTC)


class RecordWriter:
    """Appends the rows of one process; a row that `write` returned from outlives the process.

    Safe to use from several threads. A line that an earlier process of the same name left torn is
    cut off first.
    """

    def __init__(
        self,
        run: RunFolder,
        part: str,
        inventory: Inventory,
        *,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        if not _PROCESS.match(part):
            raise ValueError(f"{part!r} is no name for a part of the record")
        self._path = run.record_part(part)
        self._inventory = inventory
        self._clock = clock
        self._lock = threading.Lock()
        try:
            _cut_torn_tail(self._path)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise RunFolderError(f"{self._path}: cannot be written: {error.strerror}") from error

    def write(self, taken: Measurement) -> Record:
        """Append one row; raises RunFolderError when the disk takes no more."""
        time = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        row = record_of(taken, self._inventory, time)
        content = memoryview(line(row.as_json()).encode())
        with self._lock:
            try:
                while content:
                    content = content[os.write(self._file, content) :]
            except OSError as error:
                raise RunFolderError(
                    f"{self._path}: the record cannot be written: {error.strerror}; what was "
                    "judged before this row is kept"
                ) from error
        return row

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1


def read_record(path: Path, *, torn_tail: bool = False) -> list[Record]:
    """Read rows; raises RunFolderError with file and line. Fields it does not know are ignored."""
    return [record_from(place, row) for place, row in read_lines(path, torn_tail=torn_tail)]


def record_from(place: str, row: Json) -> Record:
    """A row as read; raises RunFolderError where what judgement rests on is missing or wrong."""
    level = row.get("level", "fail")
    wrong = [key for key in _TEXTS if not isinstance(row.get(key, ""), str)]
    wrong += [key for key in _NEEDED if not row.get(key)]
    if wrong or row.get("verdict") not in _VERDICTS or level not in _LEVELS:
        what = ", ".join(wrong) or "verdict or level"
        raise RunFolderError(f"{place}: {what}: missing, or not what a record holds")
    value = row.get("value")
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise RunFolderError(f"{place}: value is a {type(value).__name__}; expected one value")
    return Record(
        id=row["id"],
        test=row.get("test", ""),
        gate=row["gate"],
        subject=row["subject"],
        metric=row["metric"],
        value=value,
        unit=row.get("unit", ""),
        verdict=Verdict(row["verdict"]),
        parts=tuple(row.get("parts", ())),
        direction=row.get("direction", ""),
        conditions=row.get("conditions") or {},
        samples=tuple(row.get("samples", ())),
        window=row.get("window"),
        limit=row.get("limit"),
        peer=row.get("peer"),
        level=level,
        warned=bool(row.get("warned", False)),
        reason=row.get("reason", ""),
        detail=row.get("detail", ""),
        evidence=tuple(row.get("evidence", ())),
        time=row.get("time", ""),
    )


def limit_of(row: Record) -> Limit | None:
    """The limit that a row was judged by; raises ValueError where it is not a limit."""
    given = row.limit
    if given is None:
        return None
    kind: Kind | None = next((k for k in get_args(Kind) if k == given.get("kind")), None)
    if kind is None:
        raise ValueError(f"limit.kind is {given.get('kind')!r}")
    equals = given.get("equals")
    bounds = {"minimum": given.get("min"), "maximum": given.get("max")}
    if not all(bound is None or isinstance(bound, (int, float)) for bound in bounds.values()):
        raise ValueError("limit.min and limit.max have to be numbers")
    return Limit(
        unit=str(given.get("unit", "")),
        source=str(given.get("source", "")),
        kind=kind,
        minimum=bounds["minimum"],
        maximum=bounds["maximum"],
        equals=None if equals is None else tuple(equals if isinstance(equals, list) else [equals]),
        provisional=bool(given.get("provisional", False)),
        level=row.level,
    )


def _holds(limit: Limit, value: Scalar | None) -> bool:
    return value is None or limit.holds(value)


def _cut_torn_tail(path: Path) -> None:
    if not path.exists():
        return
    with path.open("r+b") as stream:
        content = stream.read()
        stream.truncate(content.rfind(b"\n") + 1)
