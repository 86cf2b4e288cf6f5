"""What a run left, read by its documented files: run.json, record.jsonl, findings.json."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fixtures.model.errors import RackError

NEEDED = ("run.json", "record.jsonl", "findings.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A judged row. `test` is its name without the subject in brackets, `value` is JSON."""

    test: str
    metric: str
    subject: str
    verdict: str
    reason: str
    warned: bool
    value: str = ""

    @property
    def well(self) -> bool:
        return self.verdict in ("PASS", "NOT_APPLICABLE")

    @property
    def why(self) -> str:
        """The reason without the part that it may name."""
        return self.reason.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    part: str
    confidence: str
    suspects: tuple[str, ...] = ()
    action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The outcome, the rows, and the findings best first."""

    outcome: str
    rows: tuple[Row, ...]
    findings: tuple[Named, ...]

    @property
    def digest(self) -> str:
        """Equal for runs that judged the same things alike."""
        lines = sorted(f"{r.metric} {r.subject} {r.verdict} {r.reason}" for r in self.rows)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

    def differences(self, other: Found) -> list[str]:
        """What a replay of the same evidence judged otherwise: rows with values, or findings."""
        mine, theirs = {*self.rows}, {*other.rows}
        odd = sorted({f"{row.metric}@{row.subject}" for row in mine ^ theirs})
        return [*odd, *(["findings"] if self.findings != other.findings else [])]


NOTHING = Found(outcome="nothing", rows=(), findings=())
"""Of a run that left no verdict."""


def read(folder: Path) -> Found:
    """Raises RackError where the run left no verdict."""
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    if missing:
        raise RackError(f"the run left no {', '.join(missing)}")
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    lines = (folder / "record.jsonl").read_text(encoding="utf-8").splitlines()
    findings = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return Found(
        outcome=run["outcome"],
        rows=tuple(_row(json.loads(line)) for line in lines),
        findings=tuple(map(_named, findings)),
    )


def _named(entry: dict[str, Any]) -> Named:
    return Named(
        part=entry["part"],
        confidence=entry["confidence"],
        suspects=tuple(entry.get("suspects", ())),
        action=entry.get("action", ""),
    )


def _row(entry: dict[str, object]) -> Row:
    return Row(
        test=str(entry["test"]).partition("[")[0],
        metric=str(entry["metric"]),
        subject=str(entry["subject"]),
        verdict=str(entry["verdict"]),
        reason=str(entry.get("reason") or ""),
        warned=bool(entry.get("warned")),
        value=json.dumps(entry.get("value")),
    )
