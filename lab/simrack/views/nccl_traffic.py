"""What collectives do to the counters of NVLinks, and of NICs and switches between hosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.simrack.devices import PortState
from lab.simrack.flows import Flow, stages
from lab.simrack.nvlink_traffic import count_collective
from lab.simrack.state import World
from lab.simrack.views.nccl_log import Rank, adapters_of

MTU = 4096


def count(world: World, ranks: Sequence[Rank], size: int, clustered: bool) -> None:
    """Every rank sends and receives `size` bytes: over NVLinks inside an island, and between
    islands around a ring of hosts, over all NICs that NCCL has. `clustered`: NVLinks reach beyond a
    host."""
    islands = _islands(ranks, clustered)
    for members in islands:
        if len(members) > 1:
            count_collective(world, [rank.gpu for rank in members], size)
    for near, far, part in _ring(ranks, size) if len(islands) > 1 else ():
        there, back = (stages(world.network, *way) for way in ((near, far), (far, near)))
        flow = Flow(near=near, there=there, back=back)
        flow.carry(near, part, -(-part // MTU))
        flow.trouble()


def crosses_network(ranks: Sequence[Rank], clustered: bool) -> bool:
    """Whether a job has to leave its NVLinks; `clustered` where these reach beyond a host."""
    return len(_islands(ranks, clustered)) > 1


def _islands(ranks: Sequence[Rank], clustered: bool) -> list[list[Rank]]:
    """Ranks that reach each other over NVLinks."""
    found: dict[object, list[Rank]] = {}
    for rank in ranks:
        key = rank.gpu.domain if clustered else rank.machine.state.name
        found.setdefault(key, []).append(rank)
    return list(found.values())


def _ring(ranks: Sequence[Rank], size: int) -> Iterator[tuple[PortState, PortState, int]]:
    """Sender, receiver and bytes: each NIC of a host sends to the one of its rail in the next."""
    hosts = list({rank.machine.state.name: rank for rank in ranks}.values())
    for rank, following in zip(hosts, [*hosts[1:], hosts[0]], strict=True):
        own = adapters_of(rank)
        rails = {port.rail: port for port in adapters_of(following)}
        for port in own:
            if port.rail in rails:
                yield port, rails[port.rail], size // len(own)
