"""What is true of a switch tray beside its links: its chips, and what it runs."""

from __future__ import annotations

from dataclasses import dataclass, field

CHIPS = 2
"""NVSwitch chips of a tray."""
IMAGE, CHIP_FIRMWARE, BMC, CPLD = "25.02.2344", "35.2014.1700", "88.0002.1252", "0x0019"
"""Versions that a tray runs where the inventory allows any."""


@dataclass(slots=True, kw_only=True)
class SwitchTray:
    """One switch tray. `dead_chips` are the numbers of those that its OS does not find."""

    image: str = IMAGE
    chip_firmware: str = CHIP_FIRMWARE
    dead_chips: set[int] = field(default_factory=set)
