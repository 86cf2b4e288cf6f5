"""Retransmissions between two ports are 0 only where both ports counted them and none came."""

from __future__ import annotations

import pytest

from fixtures.model.errors import CounterReset, Implausible, Unreadable
from fixtures.model.inventory import Nic
from fixtures.tools.rdma.pair_run import PairRun
from fixtures.tools.rdma.perftest_pair import HARDWARE
from fixtures.transport.base import CommandResult
from tests.areas.answers import answer

SATURATED = 0xFFFFFFFF
PORT = "/sys/class/infiniband/mlx5_0/ports/1"


def nic(part: str) -> Nic:
    return Nic(
        part=part,
        slot="mlx5_0",
        rail=0,
        link_layer="infiniband",
        gid_index=None,
        traffic_class=None,
        guid="",
        label="",
    )


def counted(**hw_counters: int | str) -> CommandResult:
    lines = [f"{PORT}/hw_counters/{name}:{value}" for name, value in hw_counters.items()]
    return answer("\n".join([f"{PORT}/counters/port_xmit_data:0", *lines, ""]))


def errors(before: CommandResult, after: CommandResult) -> int:
    """The errors of a run in which the client counted nothing and the server this."""
    quiet = counted(out_of_sequence=0)
    results = {
        "client-before": quiet, "client-after": quiet,
        "server-before": before, "server-after": after,
    }  # fmt: skip
    return PairRun(
        dict(results), HARDWARE, (nic("a/mlx5_0"), nic("b/mlx5_0")), 1
    ).transport_errors()


def test_errors_are_those_of_all_counters_that_both_ends_have() -> None:
    before = counted(out_of_sequence=5, packet_seq_err=0, lifespan=12)
    assert errors(before, before) == 0
    assert errors(before, counted(out_of_sequence=7, packet_seq_err=1, lifespan=12)) == 3


@pytest.mark.parametrize(
    "silent", [counted(), counted(lifespan=12), counted(out_of_sequence="N/A")]
)
def test_a_port_without_error_counters_was_not_judged(silent: CommandResult) -> None:
    with pytest.raises(Unreadable, match="b/mlx5_0: has none of the error counters"):
        errors(silent, silent)


@pytest.mark.parametrize("start", [0, SATURATED])
def test_a_counter_that_stands_at_its_end_was_not_judged(start: int) -> None:
    with pytest.raises(Implausible, match="out_of_sequence: 4294967295 is saturated"):
        errors(counted(out_of_sequence=start), counted(out_of_sequence=SATURATED))


def test_a_counter_that_vanished_was_not_judged() -> None:
    some = counted(packet_seq_err=0)
    with pytest.raises(Unreadable, match="out_of_sequence: no such counter"):
        errors(counted(out_of_sequence=5, packet_seq_err=0), some)
    with pytest.raises(Unreadable, match="out_of_sequence: no such counter"):
        errors(some, counted(out_of_sequence=5, packet_seq_err=0))


def test_a_counter_that_went_back_was_reset() -> None:
    with pytest.raises(CounterReset, match="b/mlx5_0: out_of_sequence went from 5 back to 0"):
        errors(counted(out_of_sequence=5), counted(out_of_sequence=0))
