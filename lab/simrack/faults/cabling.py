"""Faults of cables, leaves, spines and of the subnet manager: what nobody sees from one host."""

from __future__ import annotations

from lab.simrack.faults.changes import number
from lab.simrack.faults.declare import Fault, Params, Target, incomplete, rejected
from lab.simrack.faults.infiniband import NO_LID, NO_LINK
from lab.simrack.links import End, Link
from lab.simrack.network import NDR_GBPS, Network

PORT_DOWN = f"port.state port.phys_state {NO_LINK} {NO_LID}"
UNUSED = ("63", "64")
"""Ports of a spine for which no embedded plan has a cable."""


def _unplugged(target: Target, _: Params) -> None:
    _unplug(target.world.network, target.the_cable)


def _unplug(network: Network, link: Link) -> None:
    """The link is down, and a NIC at its end sees that it is."""
    link.up = False
    nic = network.nics.get(link.near.name)
    if nic is not None and nic.phys == "LinkUp":
        nic.state, nic.phys = "DOWN", "Polling"


def partner(links: list[Link], link: Link) -> Link:
    """The cable that is swapped with this one: the next at the same switch, else the one before."""
    mates = [one for one in links if one.kind == link.kind and one.far.node == link.far.node]
    at = mates.index(link)
    return mates[at + 1] if at + 1 < len(mates) else mates[at - 1]


def _swapped(target: Target, _: Params) -> None:
    """With the next cable at the same leaf."""
    network = target.world.network
    network.exchange(target.the_cable, partner(list(network.cables.values()), target.the_cable))


def _crossed(target: Target, _: Params) -> None:
    """With the cable of the next NIC of the same host, so that two rails are mixed."""
    network, link = target.world.network, target.the_cable
    host = link.near.node.split("/")[0]
    mates = [one for one in network.cables.values() if one.near.node.startswith(f"{host}/")]
    network.exchange(link, mates[(mates.index(link) + 1) % len(mates)])


def _slow(target: Target, params: Params) -> None:
    target.the_cable.share = number(params, "gbps") / target.the_cable.rate


def _narrow(target: Target, params: Params) -> None:
    lanes = int(number(params, "lanes"))
    target.the_cable.share, target.the_cable.lanes = lanes / target.the_cable.lanes, lanes


def _noisy(target: Target, params: Params) -> None:
    """What passes is damaged, and whoever receives it says so; both ways alike."""
    for end in (target.the_cable.near, target.the_cable.far):
        end.rates = dict.fromkeys(("symbol_error", "port_rcv_errors"), number(params, "per_gib"))


def _high_ber(target: Target, params: Params) -> None:
    target.world.network.nics[target.the_cable.near.name].raw_ber = number(params, "rate")


def _noisy_to_switch(target: Target, params: Params) -> None:
    """Only what the switch receives is damaged: the NIC at the other end sees nothing of it."""
    target.the_end.rates = {"symbol_error": number(params, "per_gib")}


def old_errors(target: Target, _: Params) -> None:
    for end in (target.the_cable.near, target.the_cable.far):
        end.errors = {"symbol_error": 2741, "link_downed": 14, "port_xmit_wait": 2**32 - 1}


def _saturated(target: Target, _: Params) -> None:
    target.the_cable.far.errors = {"symbol_error": 2**16 - 1}


def _extra(target: Target, _: Params) -> None:
    """Somebody left one end of a cable in each of two unused ports."""
    near, far = (End(node=target.the_switch.name, port=port) for port in UNUSED)
    target.world.network.plug(Link(kind="fabric", near=near, far=far, rate=NDR_GBPS, cable="extra"))


def _dead(target: Target, _: Params) -> None:
    target.the_switch.dead = True
    for link, _end in target.world.network.plugged(target.the_switch.name):
        _unplug(target.world.network, link)


def _silent(target: Target, _: Params) -> None:
    target.world.network.manager.answers = False


def _standby(target: Target, _: Params) -> None:
    target.world.network.manager.state = 2


def _static(target: Target, _: Params) -> None:
    target.world.network.manager.adaptive = False


def _too_old(target: Target, _: Params) -> None:
    target.world.network.manager.too_old = True


CABLING: tuple[Fault, ...] = (
    rejected(
        "cable.missing", "cable", _unplugged, "the cable of a NIC is not plugged in",
        sees="link.cabled link.state", also=PORT_DOWN, names="cable", cases="C46", of="host",
    ),
    rejected(
        "cable.swapped", "cable", _swapped,
        "the cables of two NICs are in each other's port of their leaf", sees="link.cabled",
        names="swapped", cases="C46", extra=1, of="host",
    ),
    rejected(
        "cable.rail_crossed", "cable", _crossed,
        "the cables of two NICs of a host are in each other's leaf", sees="link.cabled",
        also="rdma.write_lat_typ rdma.write_lat_p99", names="host", cases="C46 C83", extra=1,
        of="host",
    ),
    rejected(
        "uplink.missing", "cable", _unplugged, "a link between a leaf and a spine is down",
        sees="link.cabled link.state", names="cable", cases="C43 C82", of="fabric",
    ),
    rejected(
        "uplink.swapped", "cable", _swapped,
        "two cables between leaves and a spine are in each other's port", sees="link.cabled",
        names="swapped", cases="C46", extra=1, of="fabric",
    ),
    rejected(
        "uplink.slow", "cable", _slow, "a link between a leaf and a spine trained to another rate",
        sees="port.lane_speed", names="cable", cases="C34 C82", params={"gbps": "200"}, of="fabric",
    ),
    rejected(
        "uplink.narrow", "cable", _narrow,
        "a link between a leaf and a spine trained with a part of its lanes", sees="link.width",
        names="cable", cases="C47 C82", params={"lanes": "2"}, of="fabric",
    ),
    rejected(
        "cable.noisy", "cable", _noisy, "what passes the cable of a NIC is damaged, both ways",
        sees="link.errors_delta counters.symbol_errors_delta counters.port_rcv_errors_delta",
        names="cable", cases="C42 C49", params={"per_gib": "8"}, of="host",
    ),
    rejected(
        "cable.high_ber", "cable", _high_ber,
        "a NIC receives many wrong bits, and error correction still hides them",
        sees="ber.raw_over_peers", names="cable", cases="C49", params={"rate": "2e-6"}, of="host",
    ),
    rejected(
        "leaf_port.noisy", "switch-port", _noisy_to_switch,
        "a leaf receives damaged data from a NIC, and the NIC knows nothing of it",
        sees="link.errors_delta", names="cable", cases="C43", params={"per_gib": "8"}, of="host",
    ),
    rejected(
        "uplink.noisy", "cable", _noisy,
        "what passes between a leaf and a spine is damaged, both ways", sees="link.errors_delta",
        names="cable", cases="C43", params={"per_gib": "8"}, of="fabric",
    ),
    incomplete(
        "uplink.saturated", "cable", _saturated,
        "an error counter of a spine's port has stopped at its largest value",
        sees="link.errors_delta", reason="implausible", names="cable", cases="C43", of="fabric",
    ),
    rejected(
        "cable.extra", "switch", _extra, "a switch has a cable that the plan does not have",
        sees="switch.extra_links", cases="C46", of="spine",
    ),
    rejected(
        "leaf.dead", "switch", _dead, "a leaf has no power", sees="switch.present",
        also=PORT_DOWN, cases="C43", of="leaf",
    ),
    rejected(
        "spine.dead", "switch", _dead, "a spine has no power", sees="switch.present",
        also="subnet.manager", cases="C43 C82", of="spine",
    ),
    rejected(
        "manager.silent", "subnet", _silent, "the subnet manager does not answer any more",
        sees="subnet.manager", also="nccl.collnet_channels", names="domain", cases="C37",
    ),
    rejected(
        "manager.standby", "subnet", _standby,
        "the ports obey a subnet manager that is not the master", sees="subnet.manager",
        names="domain", cases="C38",
    ),
    rejected(
        "manager.static_routing", "subnet", _static,
        "the subnet manager has adaptive routing off: transfers that meet on a link share it",
        sees="subnet.adaptive_routing", names="domain", cases="C39",
    ),
    incomplete(
        "manager.too_old", "subnet", _too_old,
        "the subnet manager is too old for the switches: only small messages pass",
        sees="rdma.write_bw link.errors_delta", reason="tool-failed", names="domain", cases="C38",
        extra=1,
    ),
)  # fmt: skip
