"""Which part is the right one to be named for a fault, in the words of a report of findings."""

from __future__ import annotations

from collections.abc import Sequence

from fixtures.model.inventory import Inventory
from fixtures.model.nvswitch import gpus_by_port
from fixtures.model.parts import contains, ends, host_of
from lab.simrack.faults.declare import Fault
from lab.simrack.state import World


def next_tray(where: World | Inventory, host: str) -> str:
    """The compute tray after this one in its rack, or in the inventory where there are no racks."""
    if isinstance(where, World):
        rack = where.hosts[host].rack or where.name
        trays: Sequence[str] = [one.name for one in where.members(rack) if one.kind == "compute"]
    else:
        trays = where.members(where.hosts[host].rack or where.name)
    return trays[(trays.index(host) + 1) % len(trays)]


def touched(fault: Fault, part: str, inventory: Inventory) -> frozenset[str]:
    """The hosts that a fault is at: one, or both of a swap between trays."""
    if fault.takes == "switch-tray":
        rack = frozenset(inventory.racks[inventory.hosts[part].rack])
        trunks = (cable.ends for cable in inventory.plan.cables if cable.kind == "trunk")
        far = {host_of(end) for ends in trunks for end in ends if rack & set(map(host_of, ends))}
        return rack | far
    if fault.takes == "subnet":
        return frozenset(inventory.hosts) | frozenset(inventory.switches)
    if fault.takes in ("cable", "switch", "switch-port"):
        ends = {end for one in _swapped(fault, part, inventory) for end in ends_of(one, inventory)}
        # a dead leaf leaves its neighbour nobody to send to
        others = inventory.switches if fault.takes == "switch" else ()
        return frozenset((*(host_of(end) for end in ends), *others))
    host = host_of(part)
    if fault.names == "domain":
        return frozenset(inventory.hosts)
    if fault.names == "swapped" and fault.takes in ("host", "port"):
        return frozenset((host, next_tray(inventory, host)))
    return frozenset(inventory.members(part)) if "/" not in part else frozenset((host,))


def ends_of(part: str, inventory: Inventory) -> tuple[str, ...]:
    """The ports that a cable, a switch or a port of one is plugged into, at both ends."""
    gpu = gpus_by_port(inventory).get(part)
    if gpu is not None:
        return (part, gpu)
    return tuple(
        end
        for cable in inventory.plan.cables
        if f"cable:{cable.id}" == part or any(contains(part, end) for end in cable.ends)
        for end in cable.ends
    )


def _swapped(fault: Fault, part: str, inventory: Inventory) -> tuple[str, ...]:
    """A cable, and the one that it is swapped with: the next at the same switch."""
    if fault.names != "swapped" or fault.takes != "cable":
        return (part,)
    cable = next(one for one in inventory.plan.cables if f"cable:{one.id}" == part)
    mates = [
        f"cable:{one.id}"
        for one in inventory.plan.cables
        if one.kind == cable.kind and host_of(one.ends[1]) == host_of(cable.ends[1])
    ]
    at = mates.index(part)
    return part, mates[at + 1] if at + 1 < len(mates) else mates[at - 1]


def is_named(fault: Fault, part: str, named: str, inventory: Inventory) -> bool:
    """Whether a finding at `named` is right for a fault at `part`."""
    match fault.names:
        case "itself":
            return named == part
        case "gpu" | "nic":
            return named in (part, part.rpartition("/")[0])
        case "pair":
            return named == part or any(_is_end(end, part) for end in ends(named))
        case "cable":
            return named == part or named in ends_of(part, inventory)
        case "host":
            return host_of(named) in touched(fault, part, inventory) & inventory.hosts.keys()
        case "swapped" if fault.takes == "cable":
            both = _swapped(fault, part, inventory)
            return any(named in (one, *ends_of(one, inventory)) for one in both)
        case "swapped":
            return host_of(named) in touched(fault, part, inventory)
        case "domain":
            whole = tuple(inventory.racks) if len(inventory.racks) == 1 else ()
            return named in (inventory.name, *whole)
        case "rack":
            return named in _groups(part, inventory)


def _is_end(end: str, part: str) -> bool:
    """Whether the end of a pair is the part, or what it is on: a port's NIC, not its host."""
    return contains(end, part) and end.count("/") >= part.count("/") - 1


def _groups(part: str, inventory: Inventory) -> tuple[str, ...]:
    """The rack; a domain of one rack, or of none, is that rack."""
    rack = inventory.hosts[host_of(part)].rack
    return (rack,) if len(inventory.racks) > 1 else (rack, inventory.name)
