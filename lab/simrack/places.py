"""Where to put a fault: the same places for the same seed, in different racks or at least trays."""

from __future__ import annotations

import random
from collections.abc import Collection

from fixtures.model.inventory import Inventory
from lab.simrack.faults.declare import Fault


def fits(fault: Fault, inventory: Inventory) -> bool:
    """Whether an inventory has what a kind needs."""
    clustered = any(part.clique for part in inventory.partitions)
    return clustered or not fault.fabric


def places(fault: Fault, inventory: Inventory, count: int, seed: int = 0) -> list[str]:
    """Parts for `count` runs; never twice the same tray while there are others."""
    chance = random.Random(f"{inventory.name} {fault.kind} {seed}")
    racks = list(inventory.racks) or [inventory.name]
    chosen: list[str] = []
    while len(chosen) < count:
        chosen += chance.sample(racks, len(racks))
    trays: list[str] = []
    for rack in chosen[:count]:
        trays.append(_tray(fault, inventory, inventory.members(rack), trays, chance))
    return [place(fault, tray, inventory, chance) for tray in trays]


def _tray(
    fault: Fault,
    inventory: Inventory,
    members: Collection[str],
    taken: Collection[str],
    chance: random.Random,
) -> str:
    head = inventory.launcher.head if inventory.launcher and fault.peer else ""
    free = [tray for tray in members if tray not in taken and tray != head]
    return chance.choice(free or [tray for tray in members if tray != head])


def place(fault: Fault, tray: str, inventory: Inventory, chance: random.Random) -> str:
    """A part of a tray that the fault can be at."""
    host = inventory.hosts[tray]
    match fault.takes:
        case "host":
            return tray
        case "gpu":
            return chance.choice(host.gpus).part
        case "link":
            links = inventory.profile.counts["nvlinks_per_gpu"].equals
            return f"{chance.choice(host.gpus).part}/link{chance.randrange(links)}"
        case "port":
            return chance.choice(host.nics).port
