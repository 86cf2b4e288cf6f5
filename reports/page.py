"""What the sign-off page shows, as plain rows: grouped, and capped so that it can be read."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fixtures.analysis.blame import Finding
from fixtures.analysis.topology import Topology
from fixtures.model.measurement import Scalar
from fixtures.model.verdicts import Verdict
from reports.manifest import Expected
from reports.outcome import COUNTED, RunResult, gate_order
from reports.reasons import shown, wanted
from reports.record import Record
from reports.run import RunInfo

ROWS_SHOWN = 300
FINDINGS_SHOWN = 60
VALUES_SHOWN = 3
TEXT_SHOWN = 300

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Capped(Generic[T]):
    """The first rows of a list, and how many it has beyond them."""

    rows: tuple[T, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    gate: str
    verdict: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    """All values of one metric that were held against the same kind of limit."""

    gate: str
    metric: str
    unit: str
    number: int
    spread: str
    limit: str
    source: str
    kind: str
    level: str
    provisional: bool
    verdicts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLine:
    verdict: str
    metric: str
    subject: str
    label: str
    value: str
    limit: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLine:
    host: str
    label: str
    serial: str
    inside: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the template prints."""

    info: RunInfo
    result: RunResult
    not_signable: tuple[str, ...]
    gates: tuple[GateLine, ...]
    findings: Capped[Finding]
    metrics: tuple[MetricLine, ...]
    troubles: Capped[RowLine]
    warnings: Capped[RowLine]
    waivers: Capped[RowLine]
    missing: Capped[Expected]
    hosts: tuple[HostLine, ...]
    evidence_files: int
    evidence_digest: str


def page(
    info: RunInfo,
    result: RunResult,
    record: Sequence[Record],
    found: Sequence[Finding],
    topology: Topology,
    *,
    not_signable: Sequence[str],
    evidence: tuple[int, str],
) -> Page:
    def listed(wants: Callable[[Record], bool]) -> Capped[RowLine]:
        rows = sorted(filter(wants, record), key=lambda row: row.verdict is not Verdict.FAIL)
        return _capped([_row_line(row, topology) for row in rows], ROWS_SHOWN)

    return Page(
        info=info,
        result=result,
        not_signable=tuple(not_signable),
        gates=_gate_lines(result, record),
        findings=_capped(found, FINDINGS_SHOWN),
        metrics=_metric_lines(record),
        troubles=listed(lambda row: row.verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE)),
        warnings=listed(lambda row: row.warned and row.verdict is Verdict.PASS),
        waivers=listed(lambda row: row.verdict is Verdict.WAIVED),
        missing=_capped(result.coverage.missing, ROWS_SHOWN),
        hosts=_host_lines(topology),
        evidence_files=evidence[0],
        evidence_digest=evidence[1],
    )


def _capped(rows: Sequence[T], at_most: int) -> Capped[T]:
    return Capped(tuple(rows[:at_most]), max(0, len(rows) - at_most))


def _gate_lines(result: RunResult, record: Sequence[Record]) -> tuple[GateLine, ...]:
    by_gate = Counter((row.gate, row.verdict) for row in record)
    return tuple(
        GateLine(
            gate=gate,
            verdict=verdict.value,
            counts=tuple(by_gate[gate, counted] for counted in COUNTED.values()),
        )
        for gate, verdict in result.gates.items()
    )


def _metric_lines(record: Iterable[Record]) -> tuple[MetricLine, ...]:
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for row in record:
        limit = row.limit or {}
        bounds = (str(limit.get(key, "")) for key in ("kind", "provisional", "min", "max"))
        groups[row.gate, row.metric, row.level, row.unit, *bounds].append(row)
    ordered = sorted(groups.items(), key=lambda item: (gate_order(item[0][0]), item[0]))
    return tuple(_metric_line(rows) for _, rows in ordered)


def _metric_line(rows: list[Record]) -> MetricLine:
    first = rows[0]
    limit = next((row.limit for row in rows if row.limit), None) or {}
    verdicts = Counter(row.verdict for row in rows)
    return MetricLine(
        gate=first.gate,
        metric=first.metric,
        unit=first.unit,
        number=len(rows),
        spread=_spread([row.value for row in rows if row.value is not None]),
        limit=_some([wanted(row) for row in rows if row.limit]) or "none",
        source=_some([str(row.limit.get("source", "")) for row in rows if row.limit], at_most=1),
        kind=str(limit.get("kind", "")),
        level=first.level,
        provisional=bool(limit.get("provisional", False)),
        verdicts=", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items())),
    )


def _spread(values: list[Scalar]) -> str:
    """`min … median … max` of numbers; the values themselves where they are few or no numbers."""
    if len({str(value) for value in values}) <= 1 or any(
        isinstance(value, (bool, str)) for value in values
    ):
        return _some([shown(value) for value in values])
    numbers = [float(value) for value in values]
    low, middle, high = min(numbers), statistics.median(numbers), max(numbers)
    return f"{shown(low)} … {shown(middle)} … {shown(high)}"


def _some(texts: Sequence[str], *, at_most: int = VALUES_SHOWN) -> str:
    unique = list(dict.fromkeys(text[:TEXT_SHOWN] for text in texts))
    more = f" and {len(unique) - at_most} more" if len(unique) > at_most else ""
    return ", ".join(unique[:at_most]) + more


def _row_line(row: Record, topology: Topology) -> RowLine:
    met = ", ".join(f"{key}={shown(value)}" for key, value in row.conditions.items())
    return RowLine(
        verdict=row.verdict.value,
        metric=f"{row.metric} ({met})" if met else row.metric,
        subject=row.subject,
        label=topology.label_of(row.subject),
        value="" if row.value is None else f"{shown(row.value)} {row.unit}",
        limit=wanted(row) if row.limit else "",
        why=": ".join(text for text in (row.reason, row.detail) if text)[:TEXT_SHOWN],
    )


def _host_lines(topology: Topology) -> tuple[HostLine, ...]:
    inside: dict[str, list[str]] = defaultdict(list)
    for part, serial in topology.serials.items():
        host, slash, slot = part.partition("/")
        if slash:
            inside[host].append(f"{slot} {serial or 'unknown'}")
    return tuple(
        HostLine(
            host=host,
            label=topology.labels.get(host, ""),
            serial=topology.serials.get(host, "") or "unknown",
            inside=", ".join(inside[host]),
        )
        for host, kind in topology.kinds.items()
        if kind in ("host", "switch")
    )
