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
    target.the_port.moves.update({"symbol_error": count, "out_of_sequence": count})
    target.the_port.moves["local_ack_timeout_err"] = count
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
        sees="rdma.write_bw", names="pair", cases="C65 C41", params={"factor": "0.5"},
    ),
    rejected(
        "port.late", "port", _late, "what passes the port is late",
        sees="rdma.write_lat_typ", also="rdma.write_lat_p99", names="pair", params={"us": "2"},
    ),
    rejected(
        "port.tail", "port", _tail, "some of what passes the port is late",
        sees="rdma.write_lat_p99", names="pair", cases="C89", params={"factor": "4"},
    ),
    rejected(
        "port.lossy", "port", _lossy, "errors are counted while the port is loaded",
        sees="rdma.transport_errors", also="rdma.write_bw", names="pair", cases="C42 C58 C61",
        params={"count": "38", "loss": "0.01"},
    ),
    incomplete(
        "port.flaps", "port", port(flaps=True), "the link goes down when it is loaded",
        sees="rdma.write_bw", reason="tool-failed", names="pair", cases="C51 C115",
    ),
    rejected(
        "port.bypassed", "port", port(bypassed=True),
        "the port does not count what it is said to have moved: another one did it",
        sees="rdma.bytes_moved", names="pair", cases="C85 C86",
    ),
    incomplete(
        "port.counters_cleared", "port", _cleared,
        "somebody clears the port's counters while it is loaded",
        sees="rdma.bytes_moved", reason="counter-reset", names="pair", cases="C42",
    ),
    incomplete(
        "port.counters_saturated", "port", port(errors={"local_ack_timeout_err": SATURATED}),
        "an error counter of the port has stopped at its largest value",
        sees="rdma.transport_errors", reason="implausible", names="pair", cases="C43 C101",
    ),
    incomplete(
        "perftest.disordered", "port", _disordered,
        "perftest prints a 99th percentile below the typical latency",
        sees="rdma.write_lat_p99", reason="implausible", names="pair", cases="C133",
    ),
)  # fmt: skip
