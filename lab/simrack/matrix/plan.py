"""The runs of a matrix, in order, each with a key that stays the same when it is run again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fixtures.model.inventory import Inventory
from lab.simrack.faults import FAULTS, LIBRARY
from lab.simrack.faults.declare import Fault
from lab.simrack.faults.naming import next_tray, touched
from lab.simrack.places import fits, place, places, unfit

Sort = Literal["healthy", "variant", "fault", "pair", "triple"]
Way = Literal["memory", "ssh"]
SINGLE = ("itself", "gpu", "nic", "pair", "swapped", "cable")
"""What can be told apart when there are several: racks and domains cannot be named twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """One fault at one part."""

    kind: str
    part: str

    @property
    def fault(self) -> Fault:
        return LIBRARY[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}@{self.part}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run. `way` is how hosts are reached; `twin` runs are held against another's verdicts;
    the evidence of `replayed` runs is judged again."""

    sort: Sort
    puts: tuple[Put, ...]
    seed: int
    way: Way
    twin: bool = False
    replayed: bool = False

    @property
    def key(self) -> str:
        what = " ".join(map(str, self.puts)) or "healthy"
        return f"{what} seed={self.seed} {self.way}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    kinds: Sequence[str]
    places: int
    seed: int
    pairs: int
    triples: int
    healthy: int
    ssh_share: float
    replays: int = 0


def cells(inventory: Inventory, wanted: Wanted, way: Way) -> Iterator[Cell]:
    """All runs; where hosts are answered in memory, some again over SSH, behind their first run."""
    own = list(_cells(inventory, wanted, way))
    picked = random.Random(f"{wanted.seed} replays")
    again = set(picked.sample(range(len(own)), min(wanted.replays, len(own))))
    for number, planned in enumerate(own):
        cell = replace(planned, replayed=number in again)
        yield cell
        chance = random.Random(f"{wanted.seed} {cell.key}")
        if way == "memory" and chance.random() < wanted.ssh_share:
            yield replace(cell, way="ssh", twin=True, replayed=False)


def left_out(inventory: Inventory, wanted: Wanted) -> dict[str, str]:
    """Why kinds that are wanted cannot be in an inventory, by kind."""
    reasons = {kind: unfit(LIBRARY[kind], inventory) for kind in wanted.kinds}
    return {kind: reason for kind, reason in reasons.items() if reason}


def _cells(inventory: Inventory, wanted: Wanted, way: Way) -> Iterator[Cell]:
    for seed in range(wanted.seed, wanted.seed + wanted.healthy):
        yield Cell(sort="healthy", puts=(), seed=seed, way=way)
    kinds = [LIBRARY[kind] for kind in wanted.kinds if fits(LIBRARY[kind], inventory)]
    for fault in kinds:
        sort: Sort = "fault" if fault.sees else "variant"
        for part in places(fault, inventory, wanted.places, wanted.seed):
            put = Put(kind=fault.kind, part=part)
            yield Cell(sort=sort, puts=(put,), seed=wanted.seed, way=way)
    several: tuple[tuple[Sort, int, int], ...] = (
        ("pair", 2, wanted.pairs),
        ("triple", 3, wanted.triples),
    )
    for sort, size, count in several:
        for number in range(count):
            puts = _together(inventory, size, f"{wanted.seed} {sort} {number}")
            yield Cell(sort=sort, puts=puts, seed=wanted.seed + number, way=way)


def _together(inventory: Inventory, size: int, about: str) -> tuple[Put, ...]:
    """Faults of different kinds at trays that are far apart: no tray beside one that has a fault,
    since neighbours measure each other."""
    chance = random.Random(f"{inventory.name} {about}")
    kinds = [
        f
        for f in FAULTS
        if f.names in SINGLE
        and f.takes not in ("switch", "subnet")
        and not f.peer
        and fits(f, inventory)
    ]
    free = {tray.name for tray in inventory.trays}
    puts: list[Put] = []
    for fault in chance.sample(kinds, len(kinds)):
        put = Put(
            kind=fault.kind, part=place(fault, chance.choice(sorted(free)), inventory, chance)
        )
        taken = _around(inventory, put)
        if _apart(taken, puts, inventory) and (free - taken or len(puts) + 1 == size):
            puts.append(put)
            free -= taken
        if len(puts) == size:
            break
    return tuple(puts)


def _apart(taken: set[str], puts: Sequence[Put], inventory: Inventory) -> bool:
    """Whether a fault touches no host of those that are put already."""
    return not any(taken & touched(put.fault, put.part, inventory) for put in puts)


def _around(inventory: Inventory, put: Put) -> set[str]:
    """The hosts that a fault is at, and their neighbours on both sides."""
    at = touched(put.fault, put.part, inventory)
    names = [tray.name for tray in inventory.trays]
    after = {next_tray(inventory, host) for host in at if host in names}
    before = {name for name in names if next_tray(inventory, name) in at}
    return {*at, *after, *before}
