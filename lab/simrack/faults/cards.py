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


def _apart(target: Target, params: Params) -> None:
    """The switch above both shows a bridge that is not there."""
    host = target.host
    at = host.gpus.index(target.the_gpu) * len(host.ports) // len(host.gpus)
    host.ports[at].card.nears = params["path"]


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
        "gpu.rail_apart", "gpu", _apart, "a virtual bridge stands between the GPU and its NIC",
        sees="gpu.rail_nic_path", cases="C74", params={"path": "NODE"},
    ),
)  # fmt: skip
