"""Faults that only traffic shows: the port is up in every field, and something is wrong with it."""

from __future__ import annotations

from lab.simrack.faults.changes import number, port
from lab.simrack.faults.declare import Fault, Params, Target, incomplete, rejected

SATURATED = 2**32 - 1
LONG_USED = {"sent_bytes": 7_318_022_144_000, "received_bytes": 7_305_771_008_000}
"""Traffic of weeks, so that counters can be seen to fall."""


def _slow(target: Target, params: Params) -> None:
    target.the_port.slow = number(params, "factor")


def _late(target: Target, params: Params) -> None:
    target.the_port.late_us = number(params, "us")


def _tail(target: Target, params: Params) -> None:
    target.the_port.tail = number(params, "factor")


def _lossy(target: Target, params: Params) -> None:
    """Symbols are damaged on the way; what was lost is sent again."""
    count = int(number(params, "count"))
    lost = ("symbol_error", "port_rcv_errors", "out_of_sequence", "local_ack_timeout_err")
    target.the_port.moves.update(dict.fromkeys(lost, count))
    target.the_port.slow = 1 - number(params, "loss")


def _cleared(target: Target, _: Params) -> None:
    target.the_port.cleared = True
    target.the_port.end.sent_bytes = LONG_USED["sent_bytes"]
    target.the_port.end.received_bytes = LONG_USED["received_bytes"]


def _disordered(target: Target, _: Params) -> None:
    target.the_port.tail = 0.5


RDMA: tuple[Fault, ...] = (
    rejected(
        "port.slow", "port", _slow, "the port is well in every field and moves less than it should",
        sees="rdma.write_bw", cases="C65 C41", params={"factor": "0.5"},
    ),
    rejected(
        "port.late", "port", _late, "what passes the port is late",
        sees="rdma.write_lat_typ", also="rdma.write_lat_p99", params={"us": "2"},
    ),
    rejected(
        "port.tail", "port", _tail, "some of what passes the port is late",
        sees="rdma.write_lat_p99", cases="C89", params={"factor": "4"},
    ),
    rejected(
        "port.lossy", "port", _lossy, "errors are counted while the port is loaded",
        sees="counters.symbol_errors_delta counters.port_rcv_errors_delta rdma.transport_errors",
        also="rdma.write_bw link.errors_delta", cases="C42",
        params={"count": "38", "loss": "0.01"},
    ),
    rejected(
        "port.recovers", "port",
        port(moves={"link_error_recovery": 3, "local_link_integrity_errors": 2}),
        "the link has to recover from errors, again and again, while it is loaded",
        sees="counters.link_error_recovery_delta counters.local_link_integrity_delta",
        also="link.errors_delta", cases="C42",
    ),
    rejected(
        "port.overrun", "port", port(moves={"excessive_buffer_overrun_errors": 2}),
        "the port's buffers overrun while it is loaded",
        sees="counters.excessive_buffer_overrun_delta", also="link.errors_delta", cases="C42",
    ),
    rejected(
        "port.not_ready", "port", port(moves={"rnr_nak_retry_err": 12}),
        "the port's host is not ready to receive, and senders give up",
        sees="counters.rnr_nak_retry_err_delta rdma.transport_errors",
    ),
    rejected(
        "port.flaps", "port", port(flaps=True), "the link goes down when it is loaded",
        sees="counters.link_downed_delta", also="link.errors_delta", cases="C51 C115",
    ),
    rejected(
        "port.bypassed", "port", port(bypassed=True),
        "the port does not count what it is said to have moved: another one did it",
        sees="rdma.bytes_moved", cases="C85 C86",
    ),
    incomplete(
        "port.counters_cleared", "port", _cleared,
        "somebody clears the port's counters while it is loaded",
        sees="rdma.bytes_moved", reason="counter-reset", names="pair", cases="C42",
    ),
    incomplete(
        "port.counters_saturated", "port", port(errors={"local_ack_timeout_err": SATURATED}),
        "an error counter of the port has stopped at its largest value",
        sees="rdma.transport_errors", reason="implausible", cases="C43 C101",
    ),
    incomplete(
        "perftest.disordered", "port", _disordered,
        "perftest prints a 99th percentile below the typical latency",
        sees="rdma.write_lat_p99", reason="implausible", cases="C133",
    ),
)  # fmt: skip
