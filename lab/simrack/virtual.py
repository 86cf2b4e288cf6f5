"""Virtual functions of InfiniBand NICs: RDMA devices of their own behind the port of another.

A subnet manager that knows virtual ports makes each active that has a GUID; it has the LID of the
physical port. No switch sees a link of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fixtures.model.inventory import Nic
from lab.simrack.devices import PortState

NO_GUID = "0" * 16


def of(nics: Sequence[Nic], ports: Sequence[PortState]) -> list[PortState]:
    """Those that the inventory declares, named behind the physical ones."""
    found: list[PortState] = []
    for nic, port in zip(nics, ports, strict=True):
        for index in range(nic.vfs):
            found.append(function(port, len(ports) + len(found), index))
    return found


def function(port: PortState, number: int, index: int) -> PortState:
    """One of a NIC's; its link is the NIC's own."""
    return PortState(
        device=f"mlx5_{number}",
        part=f"{port.part}/vf{index}",
        guid=f"{port.guid[:6]}f{index % 16:x}{port.guid[8:]}",
        rail=port.rail,
        link_layer=port.link_layer,
        gid_index=0,
        lid=port.lid,
        firmware=port.firmware,
        link=port.link,
        card=replace(port.card),
        physical=port,
    )


def present(functions: Sequence[PortState]) -> list[PortState]:
    """Those whose card is there, each as its physical port is now, or down."""
    return [
        _following(one, one.physical)
        for one in functions
        if one.present and one.physical and one.physical.present
    ]


def _following(function: PortState, physical: PortState) -> PortState:
    down = function.held_down or function.guid == NO_GUID
    function.state = "DOWN" if down else physical.state
    function.phys, function.lid, function.sm_lid = physical.phys, physical.lid, physical.sm_lid
    return function
