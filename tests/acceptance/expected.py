"""What the suite has to say about each first fault: outcome, signal, and the part to name.

expect = EXPECTED["gpu.missing"]
expect.parts("r03-ct07/gpu1", inventory)        # the findings that are right, best first
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fixtures.model.inventory import Inventory
from fixtures.model.parts import ends, host_of
from fixtures.model.verdicts import Outcome
from lab.simrack.faults import BY_KIND, PartKind
from reports.record import Record

Parts = Callable[[str, Inventory], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """`signal` is a metric that must FAIL, or the reason of what could not be judged.

    `parts` are what may stand at the top of the findings.
    """

    outcome: Outcome
    signal: str
    parts: Parts


def _itself(part: str, inventory: Inventory) -> tuple[str, ...]:
    return (part,)


def _gpu_link(part: str, inventory: Inventory) -> tuple[str, ...]:
    """The link, or at least the GPU that it belongs to."""
    return (part, part.rpartition("/")[0])


def _rack(part: str, inventory: Inventory) -> tuple[str, ...]:
    """This version measures collectives over racks and the domain, so the rack is what it can say;
    a domain of one rack is that rack."""
    rack = next(name for name, hosts in inventory.racks.items() if host_of(part) in hosts)
    return (rack,) if len(inventory.racks) > 1 else (rack, inventory.name)


def _rejected(metric: str, parts: Parts = _itself) -> Expected:
    return Expected(outcome=Outcome.REJECTED, signal=metric, parts=parts)


def _incomplete(reason: str) -> Expected:
    return Expected(outcome=Outcome.INCOMPLETE, signal=reason, parts=_itself)


EXPECTED: Mapping[str, Expected] = {
    "host.unreachable": _incomplete("unreachable"),
    "host.hangs": _incomplete("timeout"),
    "host.key_changed": _incomplete("unreachable"),
    "tool.missing": _incomplete("tool-missing"),
    "tool.hangs": _incomplete("timeout"),
    "driver.mismatch": _rejected("identity.driver"),
    "gpu.missing": _rejected("gpu.bound"),
    "gpu.lost": _rejected("gpu.responsive"),
    "gpu.remap_pending": _rejected("gpu.row_remap_pending"),
    "fabric.in_progress": _rejected("fabric.state"),
    "fabric.insufficient_resources": _rejected("fabric.status"),
    "nvlink.link_down": _rejected("nvlink.inactive_links", _gpu_link),
    "nvlink.slow_lane": _rejected("nvlink.link_rate", _gpu_link),
    "gpu.slow_copy": _rejected("nvlink.d2d_bandwidth"),
    "nccl.slow_gpu": _rejected("nccl.rack_all_reduce_busbw", _rack),
    "nccl.wrong_data": _rejected("nccl.rack_wrong", _rack),
    "port.down": _rejected("port.state"),
    "port.wrong_rate": _rejected("port.rate"),
    "clock.skew": _rejected("reach.clock_skew"),
}


def places(kind: str, inventory: Inventory, count: int) -> list[str]:
    """Where to put a fault: the same places every time, in different racks or at least trays."""
    chance = random.Random(f"{inventory.name} {kind}")
    racks = list(inventory.racks) or [inventory.name]
    chosen = chance.sample(racks, count) if len(racks) >= count else racks * count
    trays: list[str] = []
    for rack in chosen[:count]:
        trays.append(chance.choice([t for t in inventory.members(rack) if t not in trays]))
    return [_place(BY_KIND[kind].takes, tray, inventory, chance) for tray in trays]


def _place(takes: PartKind, tray: str, inventory: Inventory, chance: random.Random) -> str:
    host = inventory.hosts[tray]
    match takes:
        case "host":
            return tray
        case "gpu":
            return chance.choice(host.gpus).part
        case "link":
            links = inventory.profile.counts["nvlinks_per_gpu"].equals
            return f"{chance.choice(host.gpus).part}/link{chance.randrange(links)}"
        case "port":
            return chance.choice(host.nics).port


def strays(rows: list[Record], place: str, inventory: Inventory) -> Iterator[Record]:
    """Rows that did not pass although nothing that they are about contains the fault."""
    faulty = host_of(place)
    for row in rows:
        if row.verdict in ("PASS", "NOT_APPLICABLE"):
            continue
        hosts = {host_of(end) for end in ends(row.subject)} | set(inventory.members(row.subject))
        blocked_at = row.reason.rpartition("@")[2] if "@" in row.reason else faulty
        if faulty not in hosts or host_of(blocked_at) != faulty:
            yield row
