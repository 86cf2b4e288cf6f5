"""The end of a run at the terminal: the outcome first, then what to do, then where it is kept."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from fixtures.analysis.blame import Finding
from fixtures.analysis.topology import Topology
from fixtures.model.profile_schema import GATES
from reports.outcome import RunResult
from reports.run import RunInfo

FINDINGS_SHOWN = 8
SUSPECTS_SHOWN = 4
METRICS_SHOWN = 4
NARROWEST = 40


def summary(
    info: RunInfo,
    result: RunResult,
    findings: Sequence[Finding],
    topology: Topology,
    folder: Path,
    *,
    width: int = 100,
) -> list[str]:
    """All lines of the summary, none wider than `width` (at least 40) but that of the folder."""
    lines = [outcome_line(info, result, topology), ""]
    lines += [f"  {reason}" for reason in result.reasons]
    lines += ["", *gate_lines(info, result)]
    if findings:
        lines += ["", "findings, the best first:", *finding_lines(findings, topology.serials)]
    lines += ["", *note_lines(info, result)]
    wrapped = [text for line in lines for text in _wrapped(line, max(width, NARROWEST))]
    return [*wrapped, f"run folder: {folder}"]


def outcome_line(info: RunInfo, result: RunResult, topology: Topology) -> str:
    """`REJECTED (SIMULATED)  rack42  576 GPUs  coverage 19872/19872`

    Beside SIMULATED stands how, where the lab did not answer over SSH.
    """
    kinds = Counter(topology.kinds.values())
    size = f"{kinds['gpu']} GPUs" if kinds["gpu"] else f"{kinds['host']} hosts"
    marks = {
        "SIMULATED": info.simulated,
        "IN MEMORY": info.lab_transport == "memory",
        "REPLAY": info.replay_of,
    }
    shown = "".join(f" ({mark})" for mark, applies in marks.items() if applies)
    covered = result.coverage
    return (
        f"{result.outcome}{shown}  {info.inventory}  {size}  "
        f"coverage {covered.judged}/{covered.expected}"
    )


def gate_lines(info: RunInfo, result: RunResult) -> list[str]:
    """Each gate with its verdict; and those that this acceptance leaves out, by name."""
    widest = max((len(gate) for gate in (*result.gates, *info.gates_left_out)), default=0)
    lines = [f"  {gate:<{widest}}  {verdict}" for gate, verdict in result.gates.items()]
    return ["gates:", *lines] + [
        f"  {gate:<{widest}}  left out of this acceptance" for gate in info.gates_left_out
    ]


def finding_lines(findings: Sequence[Finding], serials: Mapping[str, str]) -> list[str]:
    """Part, what is printed on it, its serial, the signals and the next step; a few lines each."""
    lines = [
        line
        for number, one in enumerate(findings[:FINDINGS_SHOWN], 1)
        for line in _finding(number, one, serials.get(one.part, ""))
    ]
    more = len(findings) - FINDINGS_SHOWN
    return lines + ([f"  and {more} more (findings.json)"] if more > 0 else [])


def note_lines(info: RunInfo, result: RunResult) -> list[str]:
    """The counts that stand beside an outcome, where there is something to say."""
    counts = result.counts
    said = [
        f"{counts[name]} {words}"
        for name, words in (
            ("warn", "outside a warning limit"),
            ("provisional", "held against a provisional limit"),
            ("report_only", "without a limit yet"),
            ("waived", "waived"),
            ("not_applicable", "not applicable"),
        )
        if counts[name]
    ]
    lines = [f"rows: {', '.join(said)}"] if said else []
    if info.limits_not_judged:
        names = info.limits_not_judged
        more = f" and {len(names) - METRICS_SHOWN} more" if len(names) > METRICS_SHOWN else ""
        lines.append(f"not judged, as nobody has to: {', '.join(names[:METRICS_SHOWN])}{more}")
    absent = [gate for gate in GATES if gate not in (*result.gates, *info.gates_left_out)]
    if absent:
        lines.append(f"gates in which nothing is judged: {', '.join(absent)}")
    if info.replay_of:
        lines.append(
            f"REPLAY of {info.replay_of['folder']}: no host was touched; it cannot be signed"
        )
    if info.replay_edited:
        names, number = info.replay_edited, len(info.replay_edited)
        lines.append(
            f"{number} evidence files are not what that run signed: {', '.join(names[:3])}"
        )
    if info.simulated:
        lines.append("SIMULATED: this run judged a lab and cannot be signed as real")
    if info.lab_transport == "memory":
        lines.append("IN MEMORY: the lab answered inside the runner's process, and not over SSH")
    return lines


def _finding(number: int, one: Finding, serial: str) -> list[str]:
    known = (one.label if one.label != one.part else "", f"S/N {serial}" if serial else "")
    label = f" ({', '.join(filter(None, known))})" if any(known) else ""
    lines = [
        f"  {number}. {one.part}{label}  {one.kind}, confidence {one.confidence}",
        f"     signals: {', '.join(one.signals) or 'none of its own'} ({_rows(len(one.because))})",
    ]
    if one.suspects:
        more = len(one.suspects) - SUSPECTS_SHOWN
        tail = f" and {more} more" if more > 0 else ""
        lines.append(f"     suspects: {', '.join(one.suspects[:SUSPECTS_SHOWN])}{tail}")
    return [*lines, f"     do: {one.action}; then repeat {', '.join(one.repeat)}"]


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"


def _wrapped(line: str, width: int) -> list[str]:
    """Lines of at most `width`, indented as they began, without control characters."""
    clean = "".join(char if char.isprintable() else "\ufffd" for char in line)
    indent = " " * (len(clean) - len(clean.lstrip()))
    return textwrap.wrap(
        clean, width, subsequent_indent=indent + "   ", break_on_hyphens=False
    ) or [""]
