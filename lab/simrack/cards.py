"""A NIC as a card: the slot that it is plugged into, and how it and its port are set up."""

from __future__ import annotations

from dataclasses import dataclass, field

GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0}
"""GT/s of a PCIe lane by generation."""
MAX_WIDTH, MAX_GENERATION = 16, 5
ENCODING = 128 / 130
"""Payload over signalling rate, from generation 3 on."""
FULL_MEMBER, LIMITED = 0x8000, 0x7FFF


@dataclass(slots=True, kw_only=True)
class PciLink:
    """What one link of the way to the processor trained to."""

    width: int = MAX_WIDTH
    generation: int = MAX_GENERATION

    @property
    def gbps(self) -> float:
        return self.width * GTS[self.generation] * ENCODING


@dataclass(slots=True, kw_only=True)
class Card:
    """`slot` is the card's own PCIe link, `bridge` the one above it that others share.

    `pkeys` is the port's partition table; `ordering` what the firmware does with writes. `nears`:
    how nvidia-smi sees the way to the GPU of its rail, empty for that of the product.
    """

    psid: str = "MT_0000000838"
    mtu: int = 4096
    pkeys: list[int] = field(default_factory=lambda: [0xFFFF])
    slot: PciLink = field(default_factory=PciLink)
    bridge: PciLink = field(default_factory=PciLink)
    ordering: str = "per_mkey(0)"
    nears: str = ""

    @property
    def gbps(self) -> float:
        """What the card can move to and from memory."""
        return min(self.slot.gbps, self.bridge.gbps)
