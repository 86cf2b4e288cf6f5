"""Why an outcome is what it is: a few short sentences, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from fixtures.model.profile_schema import GATES
from fixtures.model.verdicts import Verdict
from reports.manifest import Coverage, Expected
from reports.record import Record, limit_of

AT_MOST = 12
NAMED = 3
"""How many parts one sentence names before it only counts them."""


def reasons(
    record: Sequence[Record],
    manifest: Sequence[Expected],
    covered: Coverage,
    gate_of: Callable[[Expected], str],
    *,
    unfinished: str = "",
) -> tuple[str, ...]:
    """The sentences beside an outcome; none for a run in which everything was judged and good."""
    found = _failures(record)
    found += _waived(record)
    if unfinished:
        found.append(f"the run did not end: {unfinished}")
    if not record:
        found.append("nothing was judged")
    if not manifest:
        found.append("the manifest expects nothing, so that nothing can be accepted")
    found += _inconclusive(record, covered) + _missing(manifest, covered, gate_of)
    if len(found) <= AT_MOST:
        return tuple(found)
    left = len(found) - AT_MOST + 1
    return (*found[: AT_MOST - 1], f"and {left} more reasons (see record.jsonl)")


def parts_named(subjects: Iterable[str]) -> str:
    """`r01-ct01/gpu2`, or `3 parts: a, b, c`, or `9 parts: a, b, c and 6 more`."""
    unique = list(dict.fromkeys(subjects))
    if len(unique) == 1:
        return unique[0]
    more = f" and {len(unique) - NAMED} more" if len(unique) > NAMED else ""
    return f"{len(unique)} parts: {', '.join(unique[:NAMED])}{more}"


def shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def wanted(row: Record) -> str:
    """The limit of a row in words; its own text where it is no limit that can be read."""
    try:
        limit = limit_of(row)
    except ValueError:
        return "an unreadable limit"
    return limit.wanted() if limit else "no limit"


def _failures(record: Sequence[Record]) -> list[str]:
    by_metric: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in record:
        if row.verdict is Verdict.FAIL:
            by_metric[row.gate, row.metric].append(row)
    ordered = sorted(by_metric.items(), key=lambda item: _order(item[0][0], item[0][1]))
    return [_failure(metric, rows) for (_, metric), rows in ordered]


def _failure(metric: str, rows: list[Record]) -> str:
    where = parts_named(row.subject for row in rows)
    first = rows[0]
    actual = f"{shown(first.value)} {first.unit}".strip()
    if len({row.subject for row in rows}) > 1:
        return f"FAIL {metric} at {where} (the first: {actual}, expected {wanted(first)})"
    return f"FAIL {metric} at {where}: {actual}, expected {wanted(first)}"


def _waived(record: Sequence[Record]) -> list[str]:
    """By waiver: an acceptance that rests on one says so first."""
    by_waiver: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in record:
        if row.verdict is Verdict.WAIVED:
            by_waiver[row.metric, row.detail].append(row)
    return [
        f"WAIVED {metric} at {parts_named(row.subject for row in rows)}: {detail}"
        for (metric, detail), rows in by_waiver.items()
    ]


def _inconclusive(record: Sequence[Record], covered: Coverage) -> list[str]:
    """By reason; rows that only say that the manifest is not covered are said with the manifest."""
    missing = {(row.metric, row.subject) for row in covered.missing}
    by_reason: dict[str, list[Record]] = defaultdict(list)
    for row in record:
        if row.reason == "not-run" and (row.metric, row.subject) in missing:
            continue
        if row.verdict is Verdict.INCONCLUSIVE:
            by_reason[row.reason or "no reason given"].append(row)
    return [
        f"INCONCLUSIVE {reason}: {len(rows)} row{'s' * (len(rows) > 1)} at "
        f"{parts_named(row.subject for row in rows)}"
        for reason, rows in sorted(by_reason.items(), key=_caused_first)
    ]


def _caused_first(item: tuple[str, list[Record]]) -> tuple[bool, int, str]:
    """What was blocked comes after what blocked it."""
    reason, rows = item
    return reason.startswith("blocked-by:"), -len(rows), reason


def _missing(
    manifest: Sequence[Expected], covered: Coverage, gate_of: Callable[[Expected], str]
) -> list[str]:
    total: dict[str, int] = defaultdict(int)
    missing: dict[str, list[Expected]] = defaultdict(list)
    for row in manifest:
        total[gate_of(row)] += 1
    for row in covered.missing:
        missing[gate_of(row)].append(row)
    return [
        f"not judged: {len(rows)} of {total[gate]} rows of gate {gate} "
        f"({_metrics(row.metric or row.test for row in rows)})"
        for gate, rows in sorted(missing.items(), key=lambda item: _order(item[0], ""))
    ]


def _metrics(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - NAMED} more" if len(unique) > NAMED else ""
    return ", ".join(unique[:NAMED]) + more


def _order(gate: str, metric: str) -> tuple[int, str, str]:
    return (GATES.index(gate) if gate in GATES else len(GATES)), gate, metric
