"""`ibqueryerrors` and `sminfo`: what the ports of a subnet counted, and who manages it."""

from __future__ import annotations

from collections.abc import Mapping

from lab.simrack.links import End
from lab.simrack.machine import Call
from lab.simrack.views.subnet import NoPort, Subnet, discover, observer

COUNTERS: Mapping[str, tuple[str, int]] = {
    "symbol_error": ("SymbolErrorCounter", 16),
    "link_error_recovery": ("LinkErrorRecoveryCounter", 8),
    "link_downed": ("LinkDownedCounter", 8),
    "port_rcv_errors": ("PortRcvErrors", 16),
    "port_rcv_remote_physical_errors": ("PortRcvRemotePhysicalErrors", 16),
    "port_rcv_switch_relay_errors": ("PortRcvSwitchRelayErrors", 16),
    "port_xmit_discards": ("PortXmitDiscards", 16),
    "port_xmit_constraint_errors": ("PortXmitConstraintErrors", 8),
    "port_rcv_constraint_errors": ("PortRcvConstraintErrors", 8),
    "local_link_integrity_errors": ("LocalLinkIntegrityErrors", 4),
    "excessive_buffer_overrun_errors": ("ExcessiveBufferOverrunErrors", 4),
    "VL15_dropped": ("VL15Dropped", 16),
    "port_xmit_wait": ("PortXmitWait", 32),
}
"""The name and width of each counter by sysfs's name (InfiniBand Architecture
Specification, volume 1, PortCounters); the hw_counters of a NIC are not among them."""


async def ibqueryerrors(call: Call) -> int:
    """With a threshold file that is empty: every counter that is not zero."""
    try:
        start = observer(call)
    except NoPort as error:
        return call.fail(f"ibwarn: [4121] mad_rpc_open_port: can't open UMAD port ({error}:1)\n")
    found = discover(call.world, start)
    ports, bad_nodes, bad_ports = 0, 0, 0
    for name, node in found.switches.items():
        ends = [end for _, end in found.network.plugged(name)]
        rows = {int(end.port): text for end in ends if (text := _counters(end))}
        ports += node.switch.ports + 1 if node.switch else 0
        if rows:
            call.write(_errors(f'0x{node.guid} "{node.description}"', node.guid, rows, ends))
            bad_nodes, bad_ports = bad_nodes + 1, bad_ports + len(rows)
    for node in found.nics.values():
        text = _counters(node.nic.end) if node.nic else ""
        ports += 1
        if text:
            call.write(_errors(f'"{node.description}"', node.guid, {1: text}, ()))
            bad_nodes, bad_ports = bad_nodes + 1, bad_ports + 1
    call.write(_summary(found, bad_nodes, ports, bad_ports))
    return int(bad_ports > 0)


def _errors(title: str, guid: str, rows: Mapping[int, str], ends: object) -> str:
    lines = [f"Errors for {title}"]
    if ends:
        lines.append(f"   GUID 0x{guid} port ALL: {next(iter(rows.values()))}")
    lines += [f"   GUID 0x{guid} port {number}: {text}" for number, text in sorted(rows.items())]
    return "\n".join(lines) + "\n"


def _counters(end: End) -> str:
    """Each counter that is not zero, at its largest value where it has stopped."""
    return " ".join(
        f"[{name} == {min(count, (1 << bits) - 1)}]"
        for key, (name, bits) in COUNTERS.items()
        if (count := end.errors.get(key, 0))
    )


def _summary(found: Subnet, bad_nodes: int, ports: int, bad_ports: int) -> str:
    nodes = len(found.switches) + len(found.nics)
    return (
        f"\n## Summary: {nodes} nodes checked, {bad_nodes} bad nodes found\n"
        f"##          {ports} ports checked, {bad_ports} ports have errors beyond threshold\n"
        "## Thresholds: \n## Suppressed:\n"
    )


async def sminfo(call: Call) -> int:
    """The manager that the observer's port is told to obey, and the state that it says it has."""
    try:
        start = observer(call)
    except NoPort as error:
        return call.fail(f"ibwarn: [88] mad_rpc_open_port: can't open UMAD port ({error}:1)\n", 255)
    manager, found = call.world.network.manager, discover(call.world, start)
    node = found.switches.get(manager.node)
    if node is None or not manager.answers:
        return call.fail("sminfo: iberror: failed: query\n", 255)
    call.write(
        f"sminfo: sm lid {node.lid} sm guid 0x{node.guid.lstrip('0')}, activity count "
        f"{manager.activity} priority {manager.priority} state {manager.state} "
        f"SMINFO_{STATES[manager.state]}\n"
    )
    return 0


STATES = {0: "NOTACT", 1: "DISCOVER", 2: "STANDBY", 3: "MASTER"}
