"""Transfers between two NICs while they run: the links that they use, and what is left of each.

With adaptive routing the leaves and spines spread a transfer over all ways that there are; without
it every transfer keeps to the one that its target's LID is given. Where several send over a link at
once each has its part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lab.simrack.devices import PortState
from lab.simrack.links import End
from lab.simrack.network import Hop, Network

Stage = Sequence[Hop]
"""The links that stand side by side at one point of a way."""


@dataclass(slots=True, kw_only=True, eq=False)
class Flow:
    """One transfer. `crowd` is the most that was on each stage's links together with it."""

    near: PortState
    there: Sequence[Stage]
    back: Sequence[Stage]
    crowd: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.crowd = [1] * len(self.there)

    @property
    def hops(self) -> int:
        """Switches on the way: 1 in a leaf, 3 over a spine."""
        return len(self.there) - 1

    @property
    def reaches(self) -> float:
        """Gb/s of the narrowest stage, or this transfer's part of it."""
        shares = zip(self.there, self.crowd, strict=True)
        return min(_capacity(stage) / others for stage, others in shares)

    @property
    def late_us(self) -> float:
        """What the links of the way add; where there are several side by side, their mean."""
        return sum(sum(k.late_us for k, _ in stage) / len(stage) for stage in self.there)

    def carry(self, source: PortState, size: int, packets: int) -> None:
        """Count what one of both NICs sends, at both ends of every link."""
        for stage in self.there if source is self.near else self.back:
            whole = _capacity(stage) or 1.0
            for link, end in stage:
                part = link.reaches / whole
                link.carry(end, int(size * part), int(packets * part))

    def trouble(self) -> None:
        """What any transfer does to the counters of ports that are not well."""
        for end in {id(end): end for end in self._ends()}.values():
            for name, count in end.moves.items():
                end.add(name, count)

    def _ends(self) -> Iterator[End]:
        for stage in (*self.there, *self.back):
            for link, _ in stage:
                yield from (link.near, link.far)


def _capacity(stage: Stage) -> float:
    return sum(link.reaches for link, _ in stage)


@dataclass(slots=True, kw_only=True)
class Flows:
    """All transfers that run now, by the link and the sending end that they use."""

    users: dict[tuple[int, int], list[tuple[Flow, int]]] = field(default_factory=dict)

    @contextmanager
    def flow(self, network: Network, near: PortState, far: PortState) -> Iterator[Flow]:
        """A transfer while the block runs; without a stage where there is no way."""
        flow = Flow(near=near, there=stages(network, near, far), back=stages(network, far, near))
        for key, at in _places(flow):
            together = self.users.setdefault(key, [])
            together.append((flow, at))
            for other, place in together:
                other.crowd[place] = max(other.crowd[place], len(together))
        try:
            yield flow
        finally:
            for key, at in _places(flow):
                self.users[key].remove((flow, at))


def _places(flow: Flow) -> Iterator[tuple[tuple[int, int], int]]:
    for at, stage in enumerate(flow.there):
        for link, source in stage:
            yield (id(link), id(source)), at


def stages(network: Network, near: PortState, far: PortState) -> list[Stage]:
    """The links of a way, side by side where adaptive routing spreads over them."""
    way = network.way(near, far)
    if len(way) <= 2 or not network.manager.adaptive:
        return [(hop,) for hop in way]
    ups, downs = network.spread(network.leaf_of(near), network.leaf_of(far))
    return [(way[0],), ups, downs, (way[-1],)]
