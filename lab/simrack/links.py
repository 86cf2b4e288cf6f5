"""Links of every kind: two ends, the rate between them, what each end has counted, and why.

    nvlink   a GPU to a port of a switch chip      trunk    switch trays of two racks
    host     a NIC to a leaf                       fabric   a leaf to a spine

A transfer calls `carry` on every link of its way, so that both ends count it, switch side too, and
whatever tool is asked later shows the same. Rates are one way, in GB/s for NVLink and in Gb/s for
InfiniBand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

LinkKind = Literal["nvlink", "trunk", "host", "fabric"]
GIB = 1 << 30


@dataclass(slots=True, kw_only=True)
class End:
    """A port and what it has counted since the lab began.

    `node` is the part that has the port (`r03-ct07/gpu2`, `r03-sw04`, `leaf-r0-1`), `port` its name
    there (`link5`, `acp17`, `33`). `errors` are counters that stand at something, by the name that
    its own tools give them; `rates` is the error process: what each GiB received adds to them.
    `moves` is added once by every transfer, whatever its size; `bypassed` traffic is not counted.
    `chip` is the switch chip that has the port, where a tray has several; a port that is not
    `active` has trained, and forwards nothing.
    """

    node: str
    port: str
    chip: int = 0
    active: bool = True
    sent_bytes: int = 0
    sent_packets: int = 0
    received_bytes: int = 0
    received_packets: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    moves: dict[str, int] = field(default_factory=dict)
    bypassed: bool = False
    owed: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The part that this port is."""
        return f"{self.node}/{self.port}"

    def add(self, name: str, count: int) -> None:
        self.errors[name] = self.errors.get(name, 0) + count

    def clear(self) -> None:
        """Somebody sets its counters to zero."""
        self.errors.clear()
        self.sent_bytes = self.sent_packets = self.received_bytes = self.received_packets = 0

    def receive(self, size: int, packets: int) -> None:
        """Count what arrives, and the errors that so much data brings; fractions are kept."""
        if self.bypassed:
            return
        self.received_bytes += size
        self.received_packets += packets
        for name, per_gib in self.rates.items():
            due = self.owed.get(name, 0.0) + per_gib * size / GIB
            self.add(name, int(due))
            self.owed[name] = due - int(due)

    def send(self, size: int, packets: int) -> None:
        if not self.bypassed:
            self.sent_bytes += size
            self.sent_packets += packets


@dataclass(slots=True, kw_only=True)
class Link:
    """Two ends and the way between them. `rate` is that of a healthy link, `share` what part of it
    the link trained to, `lanes` with how many lanes; `cable` is the plan's id, empty for a trace of
    a board or a backplane. `late_us` is what it adds to the time of what passes."""

    kind: LinkKind
    near: End
    far: End
    rate: float
    cable: str = ""
    share: float = 1.0
    lanes: int = 4
    late_us: float = 0.0
    up: bool = True

    @property
    def trained(self) -> float:
        """The rate that both ends have agreed on; 0 where it is down."""
        return self.rate * self.share if self.up else 0.0

    @property
    def reaches(self) -> float:
        """The rate that it carries now; 0 where it is down, or an end forwards nothing."""
        return self.trained if self.near.active and self.far.active else 0.0

    def carry(self, source: End, size: int, packets: int = 0) -> None:
        """Count a transfer that `source`, one of both ends, sends over the link."""
        source.send(size, packets)
        self.opposite(source).receive(size, packets)

    def opposite(self, end: End) -> End:
        return self.far if end is self.near else self.near
