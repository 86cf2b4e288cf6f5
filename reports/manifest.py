"""What had to be judged, and what of it was: manifest.jsonl against record.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fixtures.model.verdicts import Verdict
from reports.jsonfile import read_lines, write_lines
from reports.record import Record
from reports.runfolder import RunFolder, RunFolderError


@dataclass(frozen=True, slots=True)
class Expected:
    """One row: a metric that has to be judged on a subject, and the test that declares it.

    `test` is empty where no test judges the metric. `gate` may be left empty; it is then that of
    other rows of the metric, or that of the test's folder.
    """

    test: str
    subject: str
    metric: str
    gate: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the manifest was judged, and what was not."""

    expected: int
    judged: int
    missing: tuple[Expected, ...]


def write_manifest(run: RunFolder, rows: Iterable[Expected]) -> None:
    """Write manifest.jsonl; rows that stand there twice are written once."""
    write_lines(run.manifest, [_as_json(row) for row in dict.fromkeys(rows)])


def read_manifest(run: RunFolder) -> list[Expected]:
    """Read manifest.jsonl; raises RunFolderError with file and line."""
    rows = []
    for place, given in read_lines(run.manifest):
        fields = {key: given.get(key, "") for key in ("test", "subject", "metric", "gate")}
        if not given.get("subject") or not all(isinstance(text, str) for text in fields.values()):
            raise RunFolderError(f"{place}: expected the texts test, subject and metric")
        rows.append(Expected(**fields))
    return rows


def coverage(manifest: Sequence[Expected], record: Iterable[Record]) -> Coverage:
    """Hold the record against the manifest.

    A row is judged when its metric was judged on its subject, whatever the verdict: that something
    could not be judged is a result, `not-run` is none. A row without a metric stands for its test.
    """
    judged: set[tuple[str, str]] = set()
    tests: set[tuple[str, str]] = set()
    for row in record:
        if row.verdict is Verdict.INCONCLUSIVE and row.reason == "not-run":
            continue
        judged.add((row.metric, row.subject))
        tests.add((row.test, row.subject))
    missing = tuple(
        row
        for row in manifest
        if ((row.metric, row.subject) not in judged if row.metric
            else (row.test, row.subject) not in tests)
    )  # fmt: skip
    return Coverage(len(manifest), len(manifest) - len(missing), missing)


def _as_json(row: Expected) -> dict[str, str]:
    found = {"test": row.test, "subject": row.subject}
    if row.metric:
        found["metric"] = row.metric
    return found | ({"gate": row.gate} if row.gate else {})
