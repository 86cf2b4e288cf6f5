"""From all rows and the manifest to the outcome of a run, with the reasons beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fixtures.model.profile_schema import GATES
from fixtures.model.verdicts import Outcome, Verdict, outcome, worst
from reports.manifest import Coverage, Expected, coverage
from reports.reasons import reasons
from reports.record import Record

COUNTED = {
    "pass": Verdict.PASS,
    "fail": Verdict.FAIL,
    "inconclusive": Verdict.INCONCLUSIVE,
    "waived": Verdict.WAIVED,
    "not_applicable": Verdict.NOT_APPLICABLE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run says. `reasons` are short sentences, the worst first; `gates` only those of the
    manifest; `counts` are rows of the record (`report_only`: judged by no number yet)."""

    outcome: Outcome
    reasons: tuple[str, ...]
    gates: Mapping[str, Verdict]
    counts: Mapping[str, int]
    coverage: Coverage


def judge_run(
    record: Sequence[Record], manifest: Sequence[Expected], *, unfinished: str = ""
) -> RunResult:
    """The outcome of a run. `unfinished` says why it did not get to its end, where it did not."""
    covered = coverage(manifest, record)
    gates = GateNames(record, manifest)
    found = outcome(
        (row.verdict for row in record), expected=covered.expected, judged=covered.judged
    )
    if found is Outcome.ACCEPTED and (unfinished or not manifest):
        found = Outcome.INCOMPLETE
    return RunResult(
        outcome=found,
        reasons=reasons(record, manifest, covered, gates.of, unfinished=unfinished),
        gates=_gates(record, manifest, covered, gates),
        counts=_counts(record),
        coverage=covered,
    )


class GateNames:
    """The gate of a row of the manifest: its own word, that of the record, or its test's folder."""

    def __init__(self, record: Iterable[Record], manifest: Iterable[Expected]) -> None:
        self._known = {row.metric: row.gate for row in record}
        self._known |= {row.metric: row.gate for row in manifest if row.gate and row.metric}

    def of(self, row: Expected) -> str:
        if row.gate or row.metric in self._known:
            return row.gate or self._known[row.metric]
        folder = next((name for name in row.test.split("/") if name in GATES), "")
        return folder or row.metric.partition(".")[0]


def gate_order(gate: str) -> tuple[int, str]:
    return (GATES.index(gate) if gate in GATES else len(GATES)), gate


def _gates(
    record: Sequence[Record], manifest: Sequence[Expected], covered: Coverage, gates: GateNames
) -> dict[str, Verdict]:
    """A gate is as bad as its worst row; what is missing of it is INCONCLUSIVE."""
    found: dict[str, list[Verdict]] = {gates.of(row): [] for row in manifest}
    for row in record:
        if row.gate in found:
            found[row.gate].append(row.verdict)
    for missing in covered.missing:
        found[gates.of(missing)].append(Verdict.INCONCLUSIVE)
    return {gate: worst(found[gate]) for gate in sorted(found, key=gate_order)}


def _counts(record: Sequence[Record]) -> dict[str, int]:
    counts = {
        name: sum(row.verdict is verdict for row in record) for name, verdict in COUNTED.items()
    }
    counts["warn"] = sum(row.warned for row in record)
    counts["provisional"] = sum(bool((row.limit or {}).get("provisional")) for row in record)
    counts["report_only"] = sum(row.level == "report-only" for row in record)
    return counts
