"""Faults of the virtual functions of InfiniBand NICs, and those that nobody declared."""

from __future__ import annotations

from dataclasses import replace

from fixtures.model.errors import InventoryError
from lab.simrack.devices import PortState
from lab.simrack.faults.changes import number
from lab.simrack.faults.declare import Fault, Params, Target, accepted, rejected
from lab.simrack.virtual import NO_GUID, function


def _last(target: Target) -> PortState:
    functions = [one for one in target.host.virtual if one.physical is target.the_port]
    if not functions:
        raise InventoryError(f"{target.the_port.part} has no virtual functions (vfs)")
    return functions[-1]


def _without_guid(target: Target, _: Params) -> None:
    _last(target).guid = NO_GUID


def _held_down(target: Target, _: Params) -> None:
    _last(target).held_down = True


def _missing(target: Target, _: Params) -> None:
    _last(target).present = False


def _undeclared(target: Target, params: Params) -> None:
    """On the last NIC, which has none declared; their policy keeps them down until a guest runs."""
    host, port = target.host, target.host.ports[-1]
    first = len(host.ports) + len(host.virtual)
    for index in range(int(number(params, "count"))):
        extra = function(port, first + index, index)
        extra.held_down = True
        host.virtual.append(extra)


VIRTUAL: tuple[Fault, ...] = tuple(replace(fault, needs="vfs") for fault in (
    rejected(
        "nic.vf_without_guid", "port", _without_guid,
        "nobody gave a virtual function a GUID, and its port stays down",
        sees="nic.vf_guids nic.vf_ports", names="nic", cases="C55",
    ),
    rejected(
        "nic.vf_down", "port", _held_down,
        "a virtual function has a GUID, and its port stays down",
        sees="nic.vf_ports", names="nic", cases="C55",
    ),
    rejected(
        "nic.vfs_missing", "port", _missing, "the NIC has fewer virtual functions than declared",
        sees="nic.vfs", names="nic",
    ),
))  # fmt: skip
VARIANTS: tuple[Fault, ...] = (
    accepted("nic.undeclared_vfs", "host", _undeclared,
             "a NIC has virtual functions for guests, down, that the inventory does not declare",
             cases="C55", params={"count": "2"}),
)  # fmt: skip
