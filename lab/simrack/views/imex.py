"""`nvidia-imex-ctl -q` and `-N -j`, and the files that IMEX is set up by."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping

from lab.simrack.imex import CHANNELS, NODES_CONFIG
from lab.simrack.machine import Call, Machine
from lab.simrack.state import HostState

Json = dict[str, object]
SERVICE = "nvidia-imex"
NO_DAEMON = "Error: Unable to connect to the IMEX daemon: connection refused\n"
FAILED = 255
READY, UNAVAILABLE = "READY", "UNAVAILABLE"
CONNECTED, INVALID = "CONNECTED", "INVALID"


async def ctl(call: Call) -> int:
    """The daemon of this host says how it is, or asks all members for their connections."""
    words = set(call.argv[1:])
    if not running(call.host):
        return call.fail(NO_DAEMON, FAILED)
    if "-q" in words:
        call.write(f"{READY}\n")
        return 0
    if not {"-N", "-j"} <= words:
        return call.fail("simrack has nvidia-imex-ctl only with -q, or with -N -j\n")
    call.write(json.dumps(_domain(call), indent=2) + "\n")
    return 0


def running(host: HostState) -> bool:
    service = host.setup.services.get(SERVICE)
    return service is not None and service.active == "active" and host.imex is not None


def files(machine: Machine) -> Mapping[str, str | Callable[[], str]]:
    """The node list, and the channels that programs share memory through."""
    own = machine.state.imex
    if own is None:
        return {}
    channels = {f"{CHANNELS}/channel{number}": "" for number in range(own.channels)}
    return {NODES_CONFIG: "".join(f"{node}\n" for node in own.nodes), **channels}


def _domain(call: Call) -> Json:
    """What the asked daemon makes of its node list; of two with one number it knows the first."""
    assert call.host.imex is not None
    listed = call.host.imex.nodes
    found: dict[int, tuple[str, HostState | None]] = {}
    for index, address in sorted(enumerate(listed), key=lambda one: _is_renumbered(call, one[1])):
        state = _at(call, address)
        number = state.imex.number if state and state.imex else None
        found.setdefault(index if number is None else number, (address, state))
    nodes = {number: found[number] for number in sorted(found)}
    shown = {str(number): _node(number, nodes) for number in nodes}
    well = len(found) == len(listed) and all(_is_well(node) for node in shown.values())
    stamp = time.strftime("%m/%d/%Y %H:%M:%S.000", time.gmtime(call.machine.now()))
    return {"nodes": shown, "timestamp": stamp, "status": "UP" if well else "DEGRADED"}


def _at(call: Call, address: str) -> HostState | None:
    machine = call.site.names.get(address)
    return machine.state if machine else None


def _is_renumbered(call: Call, address: str) -> bool:
    state = _at(call, address)
    return bool(state and state.imex and state.imex.number is not None)


def _is_well(node: Json) -> bool:
    connections = node["connections"]
    assert isinstance(connections, dict)
    return node["status"] == READY and all(
        one["status"] == CONNECTED for one in connections.values()
    )


def _node(number: int, nodes: Mapping[int, tuple[str, HostState | None]]) -> Json:
    address, state = nodes[number]
    up = state is not None and running(state)
    return {
        "status": READY if up else UNAVAILABLE,
        "host": address,
        "hostName": state.own_name if state and up else "",
        "connections": {
            str(other): {"host": far[0], "status": _between(nodes[number], far), "changed": False}
            for other, far in nodes.items()
        },
        "changed": False,
        "version": state.imex.version if up and state and state.imex else "",
    }


def _between(near: tuple[str, HostState | None], far: tuple[str, HostState | None]) -> str:
    """How one member stands to another; both must run, agree on the list, and be of a version."""
    one, other = near[1], far[1]
    if one is None or other is None or not (running(one) and running(other)):
        return INVALID
    assert one.imex is not None
    assert other.imex is not None
    if one.imex.version != other.imex.version:
        return "VERSION_MISMATCH"
    if one.imex.nodes != other.imex.nodes:
        return "NODE_MAP_MISMATCH"
    return CONNECTED
