"""`ibnetdiscover` and `iblinkinfo -l`: the fabric as it is cabled, seen from one NIC.

Only what the observer's port reaches over links that are up is found. Layouts are those of
infiniband-diags; a link that is down has no line in a topology, and says so among link infos.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.simrack.devices import PortState
from lab.simrack.links import End, Link
from lab.simrack.machine import Call
from lab.simrack.network import Network, SwitchState
from lab.simrack.state import HostState, World
from lab.simrack.views import infiniband

SWITCH_DEVICE, CA_DEVICE = 0xD2F2, 0x1021
LANE_GBPS = {10: "10.0", 14: "14.0625", 25: "25.78125", 50: "53.125", 100: "106.25", 200: "212.5"}
"""Signalling rate of a lane, by its data rate (libibmad, mad_dump_linkspeed)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A switch or a NIC that was found, as subnet tools name it."""

    guid: str
    lid: int
    description: str
    switch: SwitchState | None = None
    nic: PortState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subnet:
    """What the observer finds: switches by name, NICs by the port of their slot."""

    network: Network
    switches: dict[str, Node]
    nics: dict[str, Node]

    def at(self, end: End) -> Node | None:
        return self.nics.get(end.name) or self.switches.get(end.node)


class NoPort(Exception):
    """The NIC that was asked for is not there."""


def observer(call: Call, option: str = "-C") -> PortState:
    """The NIC that an option names, else the first that is active; raises NoPort."""
    words = list(call.argv)
    wanted = words[words.index(option) + 1] if option in words[:-1] else ""
    found = [one for one in call.host.fitted if one.device == wanted or (not wanted and one.up)]
    if not found or found[0].link_layer != "infiniband":
        raise NoPort(wanted or "(null)")
    return found[0]


def discover(world: World, start: PortState) -> Subnet:
    """Everything that links which are up join to a NIC, itself first."""
    network = world.network
    nodes = {host.name: host for host in world.hosts.values()}
    switches: dict[str, Node] = {}
    nics = {start.end.name: _nic(nodes, start.end, start)}
    todo = [start.end]
    while todo:
        peer = network.peer(todo.pop(0))
        if peer is None:
            continue
        if peer.name in network.nics:
            nics.setdefault(peer.name, _nic(nodes, peer, network.nics[peer.name]))
        elif peer.node in network.switches and peer.node not in switches:
            switches[peer.node] = _switch(network.switches[peer.node])
            todo += [end for _, end in network.plugged(peer.node)]
    return Subnet(network=network, switches=switches, nics=nics)


def _switch(state: SwitchState) -> Node:
    name = f"MF0;{state.name}:MQM9700/U1"
    return Node(guid=state.guid, lid=state.lid, description=name, switch=state)


def _nic(hosts: dict[str, HostState], end: End, port: PortState) -> Node:
    host = hosts[end.node.split("/", 1)[0]]
    name = f"{host.own_name} {port.device}"
    return Node(guid=port.guid, lid=infiniband.lid(port), description=name, nic=port)


def speed(link: Link) -> str:
    """The name of a lane's rate; `???` where there is none."""
    return infiniband.SPEEDS.get(round(link.trained * 4 / link.lanes), "???")


async def ibnetdiscover(call: Call) -> int:
    try:
        start = observer(call)
    except NoPort as error:
        return call.fail(_cannot_open("ibnetdiscover", str(error)))
    found = discover(call.world, start)
    lines = [
        "#",
        "# Topology file: generated on Thu Nov 26 09:41:07 2026",
        "#",
        f"# Initiated from node {start.guid} port {start.guid}",
    ]
    for name, node in found.switches.items():
        lines += ["", *_switch_record(found, name, node)]
    for name, node in found.nics.items():
        lines += ["", *_nic_record(found, name, node)]
    call.write("\n".join([*lines, ""]))
    return 0


def _cannot_open(tool: str, device: str) -> str:
    return (
        f"ibwarn: [4121] mad_rpc_open_port: can't open UMAD port ({device}:1)\n"
        f"src/ibnetdisc.c:784; can't open MAD port ({device}:1)\n"
        f"/usr/sbin/{tool}: iberror: failed: discover failed\n"
    )


def _up(found: Subnet, name: str) -> Iterator[tuple[Link, End, End, Node]]:
    """The links of a switch that are up: with its own end, the other end, and what is there."""
    for link, near in sorted(found.network.plugged(name), key=lambda one: int(one[1].port)):
        far = link.opposite(near)
        node = found.at(far)
        if node is not None and found.network.trained(link):
            yield link, near, far, node


def _head(device: int, guid: str, kind: str) -> list[str]:
    return [
        "vendid=0x2c9",
        f"devid=0x{device:x}",
        f"sysimgguid=0x{guid}",
        f"caguid=0x{guid}" if kind == "ca" else f"switchguid=0x{guid}({guid})",
    ]


def _switch_record(found: Subnet, name: str, node: Node) -> list[str]:
    assert node.switch is not None
    lines = [
        *_head(SWITCH_DEVICE, node.guid, "switch"),
        f'Switch\t{node.switch.ports} "S-{node.guid}"\t\t# "{node.description}" '
        f"enhanced port 0 lid {node.lid} lmc 0",
    ]
    for link, near, far, peer in _up(found, name):
        rate = f"{link.lanes}x{speed(link)}"
        end = f'[{near.port}]\t"{"S" if peer.switch else "H"}-{peer.guid}"[{far.port}]'
        whose = "\t\t" if peer.switch else f"({peer.guid}) \t\t"
        lines.append(f'{end}{whose}# "{peer.description}" lid {peer.lid} {rate}')
    return lines


def _nic_record(found: Subnet, name: str, node: Node) -> list[str]:
    lines = [*_head(CA_DEVICE, node.guid, "ca"), f'Ca\t1 "H-{node.guid}"\t\t# "{node.description}"']
    assert node.nic is not None
    link, end = node.nic.link, node.nic.end
    far = found.network.peer(end)
    peer = found.at(far) if far else None
    if far is not None and peer is not None:
        lines.append(
            f'[1]({node.guid}) \t"{"S" if peer.switch else "H"}-{peer.guid}"[{far.port}]\t\t'
            f'# lid {node.lid} lmc 0 "{peer.description}" lid {peer.lid} '
            f"{link.lanes}x{speed(link)}"
        )
    return lines


async def iblinkinfo(call: Call) -> int:
    """Line mode, which names every peer's port by GUID; the other layout is not modelled."""
    try:
        start = observer(call)
    except NoPort as error:
        return call.fail(_cannot_open("iblinkinfo", str(error)))
    found = discover(call.world, start)
    lines: list[str] = []
    for node in found.nics.values():
        lines.append(_info(found, node, node.nic.link, node.nic.end) if node.nic else "")
    for name, node in found.switches.items():
        lines += _switch_infos(found, name, node)
    call.write("\n".join([*lines, ""]))
    return 0


def _switch_infos(found: Subnet, name: str, node: Node) -> Sequence[str]:
    assert node.switch is not None
    by_port = {int(end.port): (link, end) for link, end in found.network.plugged(name)}
    lines = []
    for number in range(1, node.switch.ports + 1):
        plugged = by_port.get(number)
        if plugged is None:
            lines.append(f"{_where(node, number)}==({_down('Polling')})==>{_NOBODY}")
        else:
            lines.append(_info(found, node, *plugged))
    return lines


_NOBODY = '             [  ] "" ( )'


def _where(node: Node, number: int) -> str:
    return f'0x{node.guid} "{node.description:>30}" {node.lid:>6} {number:>4}[  ] '


def _down(physical: str) -> str:
    return f"{'Down':>20}/{physical:>8}"


def _info(found: Subnet, node: Node, link: Link, end: End) -> str:
    where = _where(node, int(end.port))
    far = found.network.peer(end)
    peer = found.at(far) if far else None
    if far is None or peer is None:
        return f"{where}==({_down(_physical(node))})==>{_NOBODY}"
    rate = LANE_GBPS.get(round(link.trained / link.lanes), "2.5")
    trained = f"{f'{link.lanes}X':>3} {rate:>13} Gbps {_state(node, peer):>6}/{'LinkUp':>8}"
    return (
        f"{where}==({trained})==>  0x{peer.guid} {peer.lid:>6} {far.port:>4}[  ] "
        f'"{peer.description}" ({_could_be(link)})'
    )


def _physical(node: Node) -> str:
    return infiniband.PHYS[node.nic.phys].ibstat if node.nic else "Polling"


def _state(*nodes: Node) -> str:
    """The state of a link is that of its NIC's port, at both of its ends."""
    states = [node.nic.state for node in nodes if node.nic]
    return {"INIT": "Initialize", "ARMED": "Armed"}.get(states[0] if states else "", "Active")


def _could_be(link: Link) -> str:
    best = []
    if link.lanes < 4:
        best.append("Could be 4X")
    if link.trained / link.lanes < link.rate / 4:
        best.append(f"Could be {LANE_GBPS[round(link.rate / 4)]} Gbps")
    return " ".join(("", *best, "")) if best else " "
