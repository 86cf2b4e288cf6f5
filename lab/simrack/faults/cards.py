"""Faults of NICs as cards: how they are plugged in, and how they and their ports are set up."""

from __future__ import annotations

from lab.simrack.faults.changes import number
from lab.simrack.faults.declare import Change, Fault, Params, Target, rejected

LESS = "nic.pcie_share"


def _narrow(target: Target, params: Params) -> None:
    target.the_port.card.slot.width = int(number(params, "lanes"))


def _slow(target: Target, params: Params) -> None:
    target.the_port.card.slot.generation = int(number(params, "gen"))


def _bridge(target: Target, params: Params) -> None:
    target.the_port.card.bridge.width = int(number(params, "lanes"))


def _psid(target: Target, params: Params) -> None:
    target.the_port.card.psid = params["psid"]


def _mtu(target: Target, params: Params) -> None:
    target.the_port.card.mtu = int(number(params, "bytes"))


def _keys(*keys: int) -> Change:
    def change(target: Target, _: Params) -> None:
        target.the_port.card.pkeys = list(keys)

    return change


def _card(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        for name, value in values.items():
            setattr(target.the_port.card, name, value)

    return change


def _apart(target: Target, params: Params) -> None:
    """The switch above both shows a bridge that is not there."""
    host = target.host
    at = host.gpus.index(target.the_gpu) * len(host.ports) // len(host.gpus)
    host.ports[at].card.nears = params["path"]


def _direct(target: Target, params: Params) -> None:
    target.the_port.card.direct = number(params, "factor")


def _shifted(target: Target, _: Params) -> None:
    """A second address came first: the entries of the first stand behind it."""
    gids = target.the_port.card.gids
    for at in (2, 3):
        gids[at + 2] = gids.pop(at)


def _forgets(target: Target, _: Params) -> None:
    target.the_port.card.forgets = True
    target.the_port.moves.update({"local_ack_timeout_err": 91_316, "out_of_sequence": 6_100_000})


NO_TRAFFIC = "rdma.transport_errors"

CARDS: tuple[Fault, ...] = (
    rejected(
        "nic.pcie_narrow", "port", _narrow, "the NIC's PCIe link has lost lanes",
        sees=f"nic.pcie_width {LESS}", also="rdma.write_bw", names="nic", cases="C66",
        params={"lanes": "8"},
    ),
    rejected(
        "nic.pcie_slow", "port", _slow, "the NIC's PCIe link trains to a lower generation",
        sees=f"nic.pcie_generation {LESS}", also="rdma.write_bw", names="nic", cases="C66",
        params={"gen": "3"},
    ),
    rejected(
        "nic.bridge_narrow", "port", _bridge, "a PCIe bridge above the NIC has lost lanes",
        sees=LESS, also="rdma.write_bw", names="nic", cases="C66", params={"lanes": "8"},
    ),
    rejected(
        "nic.wrong_psid", "port", _psid, "the NIC is of a vendor's make that nobody bought",
        sees="identity.nic_psid", names="nic", cases="C54", params={"psid": "DEL0000000033"},
    ),
    rejected(
        "nic.forced_ordering", "port", _card(write_ordering="force_relax"),
        "the NIC's firmware is set to reorder its writes whatever programs ask for",
        sees="nic.write_ordering", cases="C73",
    ),
    rejected(
        "port.small_mtu", "port", _mtu, "the port sends smaller packets than its neighbours",
        sees="port.active_mtu", cases="C59", params={"bytes": "1024"},
    ),
    rejected(
        "port.limited_member", "port", _keys(0x7FFF),
        "the port is a limited member of the partition",
        sees="port.pkeys", cases="C53",
    ),
    rejected(
        "port.other_partition", "port", _keys(0x8001), "the port is in another partition",
        sees="port.pkeys", cases="C53",
    ),
    rejected(
        "port.gid_shifted", "port", _shifted,
        "the port's GIDs stand in another order than those of its neighbours",
        sees="port.gid", cases="C57",
    ),
    rejected(
        "port.gid_vanishes", "port", _forgets,
        "the GID that is used goes while the port is loaded", sees="port.gid_kept",
        also=NO_TRAFFIC, cases="C58",
    ),
    rejected(
        "port.trust_pcp", "port", _card(trust="pcp"),
        "the port sorts packets by their VLAN priority, its neighbours by DSCP",
        sees="port.trust port.priority", cases="C63",
    ),
    rejected(
        "port.no_pfc", "port", _card(lossless=set()),
        "priority flow control is off, so that what should be lossless is not",
        sees="port.pfc", also="port.priority", cases="C61",
    ),
    rejected(
        "port.default_priority", "port", _card(unmarked=True),
        "the port's host sends with DSCP 0, whatever class programs ask for",
        sees="port.priority", cases="C62",
    ),
    rejected(
        "gpu.rail_apart", "gpu", _apart, "a virtual bridge stands between the GPU and its NIC",
        sees="gpu.rail_nic_path", cases="C74", params={"path": "NODE"},
    ),
    rejected(
        "nic.far_from_gpu", "port", _direct,
        "what the NIC moves of its GPU's memory takes a detour, host memory does not",
        sees="rdma.gdr_ratio", also="rdma.write_bw_gdr", names="nic", cases="C67",
        params={"factor": "0.24"},
    ),
    rejected(
        "nic.gdr_hangs", "port", _card(direct_hangs=True),
        "the NIC offers to move its GPU's memory, and such transfers never complete",
        sees="rdma.gdr_completed", names="nic", cases="C69",
    ),
)  # fmt: skip
