"""Faults of the library that this lab can make for real; the rest belongs to simrack."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fixtures.model.lab import FaultSpec
from lab.softroce.errors import LabError
from lab.softroce.handle import LabHandle

Cause = Callable[[LabHandle, str, Mapping[str, str]], None]


def _loss(lab: LabHandle, name: str, params: Mapping[str, str]) -> None:
    lab.impair(name, drop_percent=float(params.get("percent", "5")))


def _delay(lab: LabHandle, name: str, params: Mapping[str, str]) -> None:
    lab.impair(name, delay_ms=float(params.get("ms", "20")))


CAUSES: Mapping[str, Cause] = {
    "host.dead": lambda lab, name, _: lab.kill(name),
    "host.frozen": lambda lab, name, _: lab.freeze(name),
    "port.unplugged": lambda lab, name, _: lab.pull_cable(name),
    "port.silent": lambda lab, name, _: lab.impair(name, cut=True),
    "port.loss": _loss,
    "port.delay": _delay,
}
"""By kind of fault; the part is a guest or anything in it, which all share the one NIC."""


def apply_fault(lab: LabHandle, fault: FaultSpec) -> None:
    """Make the fault real; raises LabError for a kind or a parameter that is not understood."""
    cause = CAUSES.get(fault.kind)
    if cause is None:
        raise LabError(f"softroce lab cannot make {fault}; expected one of {', '.join(CAUSES)}")
    try:
        cause(lab, fault.part.partition("/")[0], fault.params)
    except ValueError as error:
        raise LabError(
            f"softroce lab: {fault} has a parameter that is no number: {error}"
        ) from None
