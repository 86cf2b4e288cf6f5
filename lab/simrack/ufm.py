"""UFM Enterprise beside the subnet: the events of its log, and how a line of it looks.

Times are those of the host that it runs on; events are so and so long ago whenever they are read.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fixtures.model.inventory import Inventory

CAGE_PORTS = 2
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UfmEvent:
    """One line. `place` is what it happened at, as UFM writes it: `default / Switch: x / 1/9/1`."""

    code: int
    text: str
    severity: str = "WARNING"
    category: str = "Hardware"
    kind: str = "IBPort"
    place: str = "Grid"
    device: str = ""
    ago_s: float = 0.5


def usual() -> list[UfmEvent]:
    """What the log of a fabric has that is well."""
    return [
        UfmEvent(
            code=901, text="Fabric Configuration started.", severity="INFO",
            category="Fabric_Notification", kind="Grid", ago_s=9 * DAY_S,
        ),
        UfmEvent(
            code=527, text="UFM CPU usage is back to normal", severity="INFO",
            category="Maintenance", kind="Grid", ago_s=1.0,
        ),
    ]  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Ufm:
    """Where its log is, and what it has."""

    host: str
    path: str
    events: list[UfmEvent] = field(default_factory=usual)

    def log(self, now: float) -> str:
        """The whole log, oldest first, as it is at a time."""
        ordered = sorted(self.events, key=lambda event: -event.ago_s)
        return "".join(_line(number, one, now) for number, one in enumerate(ordered, 4101))


def _line(number: int, event: UfmEvent, now: float) -> str:
    at = now - event.ago_s
    stamp = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(at))}.{int(at % 1 * 1000):03d}"
    device = f" [dev_id: {event.device}]" if event.device else ""
    return (
        f"{stamp} [{number}] [{event.code}] {event.severity} [{event.category}] {event.kind} "
        f"[{event.place}]{device}: {event.text}\n"
    )


def label(number: int) -> str:
    """What is printed at a port of a Quantum-2 switch: ASIC, cage, port."""
    return f"1/{(number - 1) // CAGE_PORTS + 1}/{(number - 1) % CAGE_PORTS + 1}"


def beside(inventory: Inventory) -> Ufm | None:
    """The UFM that an observer of the inventory has the log of."""
    for observer in inventory.observers:
        if observer.ufm_events:
            return Ufm(host=observer.host, path=observer.ufm_events)
    return None
