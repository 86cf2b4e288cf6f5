"""The fault library as somebody reads it: `python -m lab.simrack faults [--json]`."""

from __future__ import annotations

import json

from lab.simrack.faults import FAULTS
from lab.simrack.faults.declare import Fault
from lab.simrack.variants import BUILT_IN, VARIANTS

_WHERE = {
    "host": "HOST|RACK|INVENTORY",
    "gpu": "GPU",
    "link": "GPU[/linkN]",
    "port": "PORT",
    "cable": "cable:CABLE",
    "switch": "SWITCH",
    "switch-port": "SWITCH/PORT",
    "switch-tray": "SWITCH-TRAY",
    "subnet": "INVENTORY",
}


def as_text() -> str:
    """One fault a paragraph: where it goes, what it is, what must see it, and whom it names."""
    head = f"{len(FAULTS)} faults"
    healthy = f"{len(VARIANTS)} healthy variants: what looks like a fault and must be ACCEPTED"
    built_in = [f"    {case}: {what}" for case, what in BUILT_IN.items()]
    paragraphs = [head, *map(_paragraph, FAULTS), "", healthy, *map(_paragraph, VARIANTS)]
    return "\n".join([*paragraphs, "", "in every embedded rack", *built_in])


def _paragraph(fault: Fault) -> str:
    lines = [spelling(fault), f"    {fault.about}{_cases(fault)}"]
    if fault.sees:
        reason = f" {fault.reason}" if fault.reason else ""
        lines.append(
            f"    {fault.outcome}{reason}, seen by {', '.join(fault.sees).replace('|', ' or ')} "
            f"({', '.join(fault.gates)}); names {fault.names}"
        )
    return "\n".join(lines)


def spelling(fault: Fault) -> str:
    """How it is written behind --fault, with its parameters' defaults."""
    params = ",".join(f"{name}={value}" for name, value in fault.params.items())
    return f"{fault.kind}@{_WHERE[fault.takes]}{f':{params}' if params else ''}"


def _cases(fault: Fault) -> str:
    return f" [{' '.join(fault.cases)}]" if fault.cases else ""


def as_json() -> str:
    """The same, for programs."""
    return json.dumps([entry(fault) for fault in (*FAULTS, *VARIANTS)], indent=1)


def entry(fault: Fault) -> dict[str, object]:
    return {
        "kind": fault.kind,
        "takes": fault.takes,
        "about": fault.about,
        "params": dict(fault.params),
        "outcome": str(fault.outcome),
        "reason": fault.reason,
        "sees": fault.sees,
        "gates": fault.gates,
        "also": fault.also,
        "names": fault.names,
        "cases": fault.cases,
    }
