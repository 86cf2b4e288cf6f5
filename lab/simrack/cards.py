"""A NIC as a card: the slot that it is plugged into, and how it and its port are set up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""GT/s of a PCIe lane by generation."""
MAX_WIDTH, MAX_GENERATION = 16, 5
ENCODING = 128 / 130
"""Payload over signalling rate, from generation 3 on."""


@dataclass(slots=True, kw_only=True)
class PciLink:
    """What one link of the way to the processor trained to."""

    width: int = MAX_WIDTH
    generation: int = MAX_GENERATION

    @property
    def gbps(self) -> float:
        return self.width * GTS[self.generation] * ENCODING


@dataclass(frozen=True, slots=True)
class Gid:
    """An entry of the table of a RoCE port; `words` as sysfs prints it, `short` as programs do."""

    words: str
    short: str
    version: str


def roce_gids(guid: str) -> dict[int, Gid]:
    """The table that a port with one IPv4 address has: link-local, then routable, each as v1 and
    v2."""
    local = [guid[at : at + 4] for at in range(0, 16, 4)]
    low, high = int(guid[-2:], 16), int(guid[-4:-2], 16)
    entries = (
        (":".join(["fe80", "0000", "0000", "0000", *local]), f"fe80::{':'.join(local)}"),
        (f"0000:0000:0000:0000:0000:ffff:0a00:{high:02x}{low:02x}", f"::ffff:10.0.{high}.{low}"),
    )
    kinds = [(words, short, f"RoCE v{v}") for words, short in entries for v in (1, 2)]
    return {at: Gid(*kind) for at, kind in enumerate(kinds)}


@dataclass(slots=True, kw_only=True)
class Card:
    """`slot` is the card's own PCIe link, `bridge` the one above it that others share.

    `direct` is the part of its bandwidth that it reaches with the memory of its GPU; transfers of
    that never complete where it `direct_hangs`. `pkeys` is the port's partition table. `nears`: how
    nvidia-smi sees the way to the GPU of its rail, empty for that of the product. `gids` are those
    of a RoCE port, which sorts packets by `trust` and pauses for `lossless` priorities; one that
    `forgets` loses the GID that is used when it is first loaded. An `unmarked` one ignores the
    class that programs ask for. `sent` and `received` are bytes by priority.
    """

    psid: str = "MT_0000000838"
    mtu: int = 4096
    pkeys: list[int] = field(default_factory=lambda: [0xFFFF])
    slot: PciLink = field(default_factory=PciLink)
    bridge: PciLink = field(default_factory=PciLink)
    direct: float = 1.0
    direct_hangs: bool = False
    nears: str = ""
    gids: dict[int, Gid] = field(default_factory=dict)
    forgets: bool = False
    trust: str = "dscp"
    lossless: set[int] = field(default_factory=lambda: {3})
    unmarked: bool = False
    write_ordering: Literal["per_mkey", "force_relax"] = "per_mkey"
    sent: Counter[int] = field(default_factory=Counter)
    received: Counter[int] = field(default_factory=Counter)

    def mark(self, traffic_class: int) -> int:
        """The class that its packets carry."""
        return 0 if self.unmarked else traffic_class

    def priority(self, traffic_class: int) -> int:
        """Eight codes a priority; without a VLAN tag, which nobody uses, all have the lowest."""
        return traffic_class >> 2 >> 3 if self.trust == "dscp" else 0

    @property
    def gbps(self) -> float:
        """What the card can move to and from memory."""
        return min(self.slot.gbps, self.bridge.gbps)
