"""What perftest's traffic does to the counters of both ports."""

from __future__ import annotations

from lab.simrack.devices import PortState
from lab.simrack.flows import Flow
from lab.simrack.views.perftest_text import LatencyResult, Result

MTU, HEADER_BYTES, ACK_BYTES = 4096, 30, 30


def move(program: str, result: Result, flow: Flow, near: PortState, far: PortState) -> None:
    """Count the traffic at both ends of every link: data one way and acknowledgements back, or
    ping and pong."""
    ways = [(far, near)] if "read" in program else [(near, far)]
    if isinstance(result, LatencyResult):
        ways = [(near, far), (far, near)]
    packets = result.iterations * -(-result.size // MTU)
    data = result.iterations * result.size + packets * HEADER_BYTES
    for source, target in ways:
        flow.carry(source, data, packets)
        flow.carry(target, result.iterations * ACK_BYTES, result.iterations)
        if "write" in program:
            target.write_requests += result.iterations
    flow.trouble()
    for port in (near, far):
        _clear(port)


def flap(near: PortState, far: PortState) -> None:
    """The link of one of them goes down and comes back; its peer waits for it in vain."""
    for port in (near, far):
        if port.flaps:
            port.end.add("link_downed", 1)
        else:
            port.end.add("local_ack_timeout_err", 7)


def _clear(port: PortState) -> None:
    """Somebody clears the counters of a port that is not left alone."""
    if port.cleared:
        port.cleared = False
        port.end.clear()
        port.write_requests = 0
