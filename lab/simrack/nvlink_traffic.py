"""What the links between GPUs carry: shares of a healthy path, and the counters that traffic moves.

A copy is striped over the switch chips: at each chip it gets what the slower of both ends' links,
and between racks the chip's share of the trunks, carry. A share is 1.0 where all is well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from fixtures.model.parts import host_of
from lab.simrack.devices import GpuState
from lab.simrack.links import Link
from lab.simrack.nvlinks import Chip, carries, chip
from lab.simrack.state import World

PACKET_BYTES = 256


def gpu_share(gpu: GpuState) -> float:
    """What part of their rate all links of a GPU carry together."""
    return _share(gpu.links)


def trunk_share(world: World, rack: str) -> float:
    """What part of their rate all trunks of a rack carry together; 1.0 where the plan has none."""
    return _share(list(world.nvlinks.trunks_of(rack)))


def racks_share(world: World, rack: str, other: str) -> float:
    """The same for the trunks between two racks."""
    return _share([link for links in world.nvlinks.between(rack, other).values() for link in links])


def group_share(world: World, gpus: Sequence[GpuState]) -> float:
    """The slowest member's share of a collective: a GPU's links, or two racks' trunks."""
    racks = sorted({rack_of(world, gpu) for gpu in gpus})
    trunks = (racks_share(world, one, other) for one, other in combinations(racks, 2))
    return min((*map(gpu_share, gpus), *trunks), default=1.0)


def pair_share(world: World, one: GpuState, other: GpuState) -> float:
    """What part of the bandwidth between two GPUs is left; 0.0 where no chip joins them."""
    near, far = _by_chip(one), _by_chip(other)
    between = world.nvlinks.between(rack_of(world, one), rack_of(world, other))
    if rack_of(world, one) == rack_of(world, other):
        left = sum(min(rate, far.get(at, 0.0)) for at, rate in near.items())
    else:
        left = _across(world, near, far, between)
    return left / sum(link.rate for link in one.links)


def _across(
    world: World,
    near: Mapping[Chip, float],
    far: Mapping[Chip, float],
    between: Mapping[int, Sequence[Link]],
) -> float:
    """Between racks a chip talks to the chip of its place there, over the trunks of their trays."""
    ranks = world.nvlinks.ranks
    there = {(ranks.get(node, 0), number): rate for (node, number), rate in far.items()}
    left = 0.0
    for (node, number), rate in near.items():
        rank = ranks.get(node, 0)
        both = min(rate, there.get((rank, number), 0.0))
        left += both * _share(between.get(rank, ()))
    return left


def rack_of(world: World, gpu: GpuState) -> str:
    return world.hosts[host_of(gpu.part)].rack


def _by_chip(gpu: GpuState) -> dict[Chip, float]:
    found: dict[Chip, float] = {}
    for link in gpu.links:
        found[chip(link)] = found.get(chip(link), 0.0) + carries(link)
    return found


def _share(links: Sequence[Link]) -> float:
    full = sum(link.rate for link in links)
    return sum(map(carries, links)) / full if full else 1.0


def count_copy(world: World, source: GpuState, target: GpuState, size: int) -> None:
    """Count a copy at every link that it is striped over, and at the trunks between two racks."""
    _sent(source, size)
    racks = rack_of(world, source), rack_of(world, target)
    if racks[0] != racks[1]:
        _crossed(world, *racks, size)
    _received(target, size)


def count_collective(world: World, gpus: Iterable[GpuState], size: int) -> None:
    """Count what each GPU sends and receives in a collective; trunks carry it once each way."""
    members = list(gpus)
    for gpu in members:
        _sent(gpu, size)
        _received(gpu, size)
    for one, other in combinations(sorted({rack_of(world, gpu) for gpu in members}), 2):
        _crossed(world, one, other, size)
        _crossed(world, other, one, size)


def stir(world: World, rack: str) -> None:
    """What a load on GPUs of a rack does to its trunks: those that are not well show it."""
    for link in world.nvlinks.trunks_of(rack):
        for end in (link.near, link.far):
            for name, count in end.moves.items():
                end.add(name, count)


def _sent(gpu: GpuState, size: int) -> None:
    carrying = [link for link in gpu.links if link.reaches]
    for link in carrying:
        part = size // len(carrying)
        link.carry(link.near, part, part // PACKET_BYTES)


def _received(gpu: GpuState, size: int) -> None:
    carrying = [link for link in gpu.links if link.reaches]
    for link in carrying:
        part = size // len(carrying)
        link.carry(link.far, part, part // PACKET_BYTES)


def _crossed(world: World, rack: str, other: str, size: int) -> None:
    trunks = [link for links in world.nvlinks.between(rack, other).values() for link in links]
    carrying = [link for link in trunks if link.reaches]
    for link in carrying:
        part = size // len(carrying)
        source = link.near if world.hosts[link.near.node].rack == rack else link.far
        link.carry(source, part, part // PACKET_BYTES)
