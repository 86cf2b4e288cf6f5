"""What perftest's traffic does to the counters of both ports."""

from __future__ import annotations

from lab.simrack.devices import PortState
from lab.simrack.flows import Flow
from lab.simrack.views.perftest_text import LatencyResult, Result

Sent = list[tuple[PortState, PortState, int]]
"""Sender, receiver, and bytes."""
MTU, HEADER_BYTES, ACK_BYTES = 4096, 30, 30


def move(program: str, result: Result, flow: Flow, near: PortState, far: PortState) -> Sent:
    """Count the traffic at both ends of every link: data one way and acknowledgements back, or
    ping and pong."""
    ways = [(far, near)] if "read" in program else [(near, far)]
    if isinstance(result, LatencyResult):
        ways = [(near, far), (far, near)]
    packets = result.iterations * -(-result.size // MTU)
    data = result.iterations * result.size + packets * HEADER_BYTES
    sent: Sent = []
    for source, target in ways:
        sent += [(source, target, data), (target, source, result.iterations * ACK_BYTES)]
        flow.carry(source, data, packets)
        flow.carry(target, result.iterations * ACK_BYTES, result.iterations)
        if "write" in program:
            target.write_requests += result.iterations
    flow.trouble()
    for port in (near, far):
        _clear(port)
    return sent


def sort(traffic_class: int, sent: Sent) -> None:
    """Count it by priority at both ends, each as it sorts what carries that mark."""
    for source, target, size in sent:
        mark = source.card.mark(traffic_class)
        if not source.bypassed:
            source.card.sent[source.card.priority(mark)] += size
        if not target.bypassed:
            target.card.received[target.card.priority(mark)] += size


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
