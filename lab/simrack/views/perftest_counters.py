"""What perftest's traffic does to the counters of both ports."""

from __future__ import annotations

from lab.simrack.devices import PortState
from lab.simrack.views.perftest_text import LatencyResult, Result

MTU, HEADER_BYTES, ACK_BYTES = 4096, 30, 30


def move(program: str, result: Result, near: PortState, far: PortState) -> None:
    """Count the traffic at both ends: data one way and acknowledgements back, or ping and pong."""
    ways = [(far, near)] if "read" in program else [(near, far)]
    if isinstance(result, LatencyResult):
        ways = [(near, far), (far, near)]
    packets = result.iterations * -(-result.size // MTU)
    data = result.iterations * result.size + packets * HEADER_BYTES
    for source, target in ways:
        _count(source, target, data, packets)
        _count(target, source, result.iterations * ACK_BYTES, result.iterations)
        if "write" in program:
            target.write_requests += result.iterations
    for port in (near, far):
        _trouble(port)


def flap(near: PortState, far: PortState) -> None:
    """The link of one of them goes down and comes back; its peer waits for it in vain."""
    for port in (near, far):
        if port.flaps:
            _add(port, "link_downed", 1)
        else:
            _add(port, "local_ack_timeout_err", 7)


def _trouble(port: PortState) -> None:
    """What load does to the counters of a port that is not well, or not left alone."""
    for name, count in port.moves.items():
        _add(port, name, count)
    if port.cleared:
        port.errors.clear()
        port.sent_bytes = port.sent_packets = 0
        port.received_bytes = port.received_packets = port.write_requests = 0


def _add(port: PortState, name: str, count: int) -> None:
    port.errors[name] = port.errors.get(name, 0) + count


def _count(source: PortState, target: PortState, size: int, packets: int) -> None:
    if not source.bypassed:
        source.sent_bytes += size
        source.sent_packets += packets
    if not target.bypassed:
        target.received_bytes += size
        target.received_packets += packets
