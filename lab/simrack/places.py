"""Where to put a fault: the same places for the same seed, in different racks or at least trays."""

from __future__ import annotations

import random
from collections.abc import Collection

from fixtures.model.inventory import Inventory
from fixtures.model.nvswitch import gpus_by_port
from fixtures.model.parts import host_of
from fixtures.model.subjects import subjects
from lab.simrack.faults.declare import Fault

CABLED = ("cable", "switch", "switch-port", "switch-tray", "subnet")
"""What a fault can be at that belongs to no tray."""


def fits(fault: Fault, inventory: Inventory) -> bool:
    """Whether an inventory has what a kind needs."""
    return not unfit(fault, inventory)


def unfit(fault: Fault, inventory: Inventory) -> str:
    """Why a kind cannot be in an inventory; empty where it can."""
    clustered = any(part.clique for part in inventory.partitions)
    if fault.fabric and not clustered:
        return "no NVLink domain over trays"
    if fault.needs == "nvswitches" and clustered:
        return "no NVSwitches in its trays"
    if fault.needs == "sudo" and not any(host.sudo for host in inventory.trays):
        return "no tray on which sudo is asked for"
    if fault.needs == "sharp" and not subjects(inventory, "sharp-domain"):
        return "no reduction in switches"
    if fault.needs == "ufm" and not subjects(inventory, "watched-subnet"):
        return "no event log of UFM"
    needs_gpus = fault.needs == "gpus" or fault.takes in ("gpu", "link")
    if needs_gpus and not any(tray.gpus for tray in inventory.trays):
        return "no GPUs"
    if fault.takes in CABLED and not _cabled(fault, inventory):
        return f"no {' or '.join(fault.of) or 'planned'} cables"
    seen = {metric for one in fault.sees for metric in one.split("|")}
    judged = {
        name
        for name, one in inventory.profile.metrics.items()
        if name in seen
        and one.required
        and subjects(inventory, one.per)
        and (one.peers == "fail" or any(limit.level == "fail" for limit in one.limits))
    }
    alien = [metric for metric in fault.sees if not judged & set(metric.split("|"))]
    return f"no limit for {', '.join(alien)}" if alien else ""


def between_racks(fault: Fault) -> bool:
    """Whether a kind is at what joins racks: it is worth its place in an inventory of several."""
    return fault.takes in CABLED


def places(fault: Fault, inventory: Inventory, count: int, seed: int = 0) -> list[str]:
    """Parts for `count` runs; never twice the same tray while there are others."""
    chance = random.Random(f"{inventory.name} {fault.kind} {seed}")
    if fault.takes in CABLED:
        found = _cabled(fault, inventory)
        return chance.sample(found, min(count, len(found)))
    racks = list(inventory.racks) or [inventory.name]
    chosen: list[str] = []
    while len(chosen) < count:
        chosen += chance.sample(racks, len(racks))
    trays: list[str] = []
    for rack in chosen[:count]:
        trays.append(_tray(fault, inventory, inventory.members(rack), trays, chance))
    return [place(fault, tray, inventory, chance) for tray in trays]


def _cabled(fault: Fault, inventory: Inventory) -> list[str]:
    """Every part of the plan that a fault of cables or switches can be at."""
    if fault.takes == "switch-tray":
        if fault.of == ("trunk",) and not any(c.kind == "trunk" for c in inventory.plan.cables):
            return []
        return [host.name for host in inventory.hosts.values() if host.kind == "switch"]
    if fault.of == ("nvlink",):
        return list(gpus_by_port(inventory))
    if fault.takes == "subnet":
        return [inventory.name] if inventory.switches else []
    if fault.takes == "switch":
        return [
            name for name in inventory.switches if name.startswith(fault.of or ("leaf", "spine"))
        ]
    kinds = fault.of or ("host", "fabric", "trunk")
    cables = [cable for cable in inventory.plan.cables if cable.kind in kinds]
    if fault.takes == "cable":
        return [f"cable:{cable.id}" for cable in cables]
    return [end for cable in cables for end in cable.ends if not _is_nic(end, inventory)]


def _reaches(part: str, tray: str, inventory: Inventory) -> bool:
    """Whether a cable, or what a switch port's cable is plugged into, ends at a tray."""
    if host_of(part) in inventory.hosts and inventory.hosts[host_of(part)].kind == "switch":
        return inventory.hosts[host_of(part)].rack == inventory.hosts[tray].rack
    cables = inventory.plan.cables
    cable = next((one for one in cables if part in (f"cable:{one.id}", *one.ends)), None)
    return cable is not None and any(host_of(end) == tray for end in cable.ends)


def _is_nic(end: str, inventory: Inventory) -> bool:
    host = inventory.hosts.get(host_of(end))
    return host is not None and any(nic.port == end for nic in host.nics)


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
            return chance.choice([nic for nic in host.nics if nic.vfs or fault.needs != "vfs"]).port
        case _:
            found = _cabled(fault, inventory)
            return chance.choice(
                [part for part in found if _reaches(part, tray, inventory)] or found
            )
