"""From an inventory to running guests: what `plugins.lab` calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.lab import FaultSpec
from lab.softroce.faults import apply_fault
from lab.softroce.guests import start_guests
from lab.softroce.handle import LabHandle
from lab.softroce.spec import GuestSpec


def start(
    inventory: Inventory, *, state_dir: Path, seed: int, faults: Sequence[FaultSpec]
) -> LabHandle:
    """Boot one guest per host of the inventory, with its serial, and apply the faults.

    Raises LabError when a guest does not come up, with the end of its console.
    """
    guests = [
        GuestSpec(name=host.name, index=index, serial=host.serial)
        for index, host in enumerate(inventory.trays, 1)
    ]
    handle = start_guests(guests, state_dir=state_dir, seed=seed)
    try:
        for fault in faults:
            apply_fault(handle, fault)
    except BaseException:
        handle.stop()
        raise
    return handle
