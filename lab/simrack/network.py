"""The InfiniBand subnet: leaves and spines, the cables between their ports and the NICs', and ways.

Every cable of the plan is a `Link` between two ports. Faults move ends from one cable to another,
and everything that prints the fabric or sends over it follows the cables as they are. Trunks of
NVLink are not here: see `nvlinks`.

    network.way(near, far)      the links from one NIC to another, each with the end that sends
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fixtures.model.inventory import Inventory
from lab.simrack.devices import PortState
from lab.simrack.links import End, Link, LinkKind
from lab.simrack.ufm import Ufm, beside

SWITCH_PORTS = 64
"""An NDR switch of one unit (QM9700)."""
NDR_GBPS = 400.0
SM_LID = 1
Hop = tuple[Link, End]
"""A link, and the end that sends over it."""


@dataclass(slots=True, kw_only=True)
class SwitchState:
    """A leaf or a spine. `dead`: without power, so that no port of it has a link."""

    name: str
    guid: str
    lid: int
    ports: int = SWITCH_PORTS
    firmware: str = "31.2014.2084"
    dead: bool = False


@dataclass(slots=True, kw_only=True)
class Manager:
    """The subnet manager: the switch that it runs on, how it answers, and what it has set.

    `too_old`: it sets the switches up so that only small messages pass. `aggregates`: a manager of
    aggregation runs beside it, and gives jobs trees of switches to reduce in.
    """

    node: str
    priority: int = 14
    activity: int = 40_161
    state: int = 3
    answers: bool = True
    too_old: bool = False
    adaptive: bool = True
    aggregates: bool = True


@dataclass(slots=True, kw_only=True)
class Network:
    """All switches and all cables. `at` finds a cable by the port that it is plugged into."""

    switches: dict[str, SwitchState]
    manager: Manager
    cables: dict[str, Link] = field(default_factory=dict)
    ends: dict[str, End] = field(default_factory=dict)
    at: dict[str, Link] = field(default_factory=dict)
    inside: dict[str, list[End]] = field(default_factory=dict)
    nics: dict[str, PortState] = field(default_factory=dict)
    layers: dict[str, str] = field(default_factory=dict)
    ufm: Ufm | None = None

    def plug(self, link: Link) -> None:
        """Add a cable, or put one back where its ends say now."""
        self.cables[link.cable] = link
        for end in (link.near, link.far):
            if end.name not in self.ends:
                self.inside.setdefault(end.node, []).append(end)
            self.ends[end.name] = end
            self.at[end.name] = link

    def fit(self, nic: PortState, port: str) -> None:
        """Put a NIC where a cable of the plan ends; the plan names the NIC's end first."""
        self.nics[port] = nic
        self.layers[port] = nic.link_layer
        nic.link = self.at.get(port, nic.link)

    def exchange(self, one: Link, other: Link) -> None:
        """Two cables with their far ends in each other's port."""
        one.far, other.far = other.far, one.far
        self.plug(one)
        self.plug(other)

    def of(self, end: End) -> Link | None:
        return self.at.get(end.name)

    def peer(self, end: End) -> End | None:
        """The other end of a link that is up."""
        link = self.of(end)
        return link.opposite(end) if link and self.trained(link) else None

    def trained(self, link: Link) -> bool:
        """Whether both ends have a link: the cable carries, and each end has power and listens."""
        return link.up and all(self._listens(end) for end in (link.near, link.far))

    def _listens(self, end: End) -> bool:
        nic, switch = self.nics.get(end.name), self.switches.get(end.node)
        if nic is not None:
            return nic.present and nic.phys == "LinkUp" and nic.link_layer == self.layers[end.name]
        return switch is None or not switch.dead

    def plugged(self, node: str) -> list[tuple[Link, End]]:
        """The cables that are plugged into a switch, each with its end there, in plan's order."""
        return [(self.at[end.name], end) for end in self.inside.get(node, ())]

    def leaf_of(self, port: PortState) -> str:
        """The switch that a NIC is plugged into; empty where its link is down."""
        peer = self.peer(port.end)
        return peer.node if peer else ""

    def way(self, near: PortState, far: PortState) -> Sequence[Hop]:
        """From one NIC to another over at most one spine; empty where there is no way."""
        first, last = self.of(near.end), self.of(far.end)
        leaf, other = self.leaf_of(near), self.leaf_of(far)
        if first is None or last is None or not leaf or not other:
            return ()
        enter, leave = (first, near.end), (last, last.opposite(far.end))
        if leaf == other:
            return (enter, leave)
        ups = [hop for hop in self.ups(leaf) if self._downs(_next(hop), other)]
        if not ups:
            return ()
        rank = self._rank(leaf, far)
        up = ups[rank % len(ups)]
        downs = self._downs(_next(up), other)
        return (enter, up, downs[rank % len(downs)], leave)

    def ups(self, leaf: str) -> list[Hop]:
        """The links from a leaf to spines, in order of its ports."""
        return [
            (link, end)
            for link, end in self.plugged(leaf)
            if link.kind == "fabric" and link.opposite(end).node != leaf and self.trained(link)
        ]

    def spread(self, leaf: str, other: str) -> tuple[list[Hop], list[Hop]]:
        """All links of a leaf to spines that reach another leaf, and from those to it."""
        ups = [hop for hop in self.ups(leaf) if self._downs(_next(hop), other)]
        spines = dict.fromkeys(_next(hop) for hop in ups)
        return ups, [hop for spine in spines for hop in self._downs(spine, other)]

    def _downs(self, spine: str, leaf: str) -> list[Hop]:
        return [hop for hop in self.ups(spine) if _next(hop) == leaf]

    def _rank(self, leaf: str, port: PortState) -> int:
        """The place of a port's LID among those that a leaf sends up: managers share out the ways
        in this order."""
        away = sorted(
            nic.lid
            for name, nic in self.nics.items()
            if name in self.at and self.at[name].far.node != leaf
        )
        return away.index(port.lid) if port.lid in away else 0


def _next(hop: Hop) -> str:
    """The node at the receiving end."""
    link, source = hop
    return link.opposite(source).node


def wire(inventory: Inventory, lids: Iterator[int]) -> Network:
    """The switches and cables of a plan; NICs are added when their hosts are built."""
    names = sorted(inventory.switches, key=lambda name: (not name.startswith("spine"), name))
    switches = {
        name: SwitchState(
            name=name,
            guid=inventory.switches[name].guid or switch_guid(index),
            lid=SM_LID if index == 0 else next(lids),
        )
        for index, name in enumerate(names)
    }
    manager = Manager(node=next(iter(switches), ""))
    network = Network(switches=switches, manager=manager, ufm=beside(inventory))
    for cable in (one for one in inventory.plan.cables if one.kind != "trunk"):
        near, far = (_end(part) for part in cable.ends[:2])
        kind: LinkKind = "host" if cable.kind == "host" else "fabric"
        network.plug(Link(kind=kind, near=near, far=far, rate=NDR_GBPS, cable=cable.id))
    return network


def switch_guid(index: int) -> str:
    """The node GUID of the n-th switch; its OUI is NVIDIA's, the rest invented."""
    return f"b0cf0e{0x40000000 + index:010x}"


def _end(part: str) -> End:
    node, _, port = part.rpartition("/")
    return End(node=node, port=port)
