"""Pairs that share a NIC wait for each other, load goes to the device that a NIC really has, and a
NIC without a partner is said to be one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.model.errors import RackError
from fixtures.model.policy import waves
from fixtures.rdma import _alone
from fixtures.tools.binding.facts import Facts
from fixtures.tools.rdma.loaded_ports import LoadedPorts
from fixtures.tools.rdma.pair_run import PairRun
from fixtures.tools.rdma.perftest_pair import HARDWARE, End, PairRunner
from fixtures.transport.base import Command, CommandResult, RemoteProcess
from fixtures.transport.reach import Transports
from tests.areas.answers import answer, shipped
from tests.areas.test_nic_slots import sysfs


def test_pairs_of_an_odd_rail_that_share_a_nic_run_one_after_the_other() -> None:
    assert waves(["a-b", "c-d", "e-a", "f-g"], lambda s: s.split("-")) == [
        ["a-b", "c-d", "f-g"],
        ["e-a"],
    ]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20, unique=True))
def test_no_part_is_in_two_of_one_wave(pairs: list[tuple[int, int]]) -> None:
    names = {f"{a}-{b}": {str(a), str(b)} for a, b in pairs}
    found = waves(names, names.__getitem__)
    assert sorted(name for wave in found for name in wave) == sorted(names)
    for wave in found:
        parts = [part for name in wave for part in names[name]]
        assert len(parts) == len(set(parts))


def test_a_nic_alone_on_its_rail_was_not_measured() -> None:
    nic = shipped("hgx8").hosts["hgx01"].nics[3]
    with pytest.raises(RackError, match="hgx01/mlx5_3/1: no partner on its rail 3") as caught:
        _alone(nic, HARDWARE).bandwidth()
    assert caught.value.why == "not-run"


class Recorder:
    """A transport on which everything goes well at once, and which remembers what was asked."""

    def __init__(self, host: str, asked: list[tuple[str, Command]]) -> None:
        self.host, self._asked = host, asked

    def run(self, command: Command) -> CommandResult:
        self._asked.append((self.host, command))
        return answer(argv=command.argv)

    def start(self, command: Command) -> RemoteProcess:
        self._asked.append((self.host, command))
        return Ended()


class Ended:
    over = True

    def wait(self, deadline_s: float) -> CommandResult:
        return answer()

    def stop(self) -> CommandResult:
        return answer()


def test_load_and_counters_are_those_of_the_device_that_a_nic_really_has() -> None:
    rack = shipped("rack7")
    client, server = (rack.hosts[name].nics[0] for name in ("r01-ct01", "r01-ct02"))
    devices = {"r01-ct01": {"mlx5_7": client.guid}, "r01-ct02": {"mlx5_0": server.guid}}
    answers = {host: {"facts/ib-sysfs": answer(sysfs(shown))} for host, shown in devices.items()}
    found = Facts(rack, {host: dict(results) for host, results in answers.items()})
    asked: list[tuple[str, Command]] = []
    ends = tuple(
        End(nic, rack.hosts[host], found.of(host).device_name(nic))
        for host, nic in (("r01-ct01", client), ("r01-ct02", server))
    )
    PairRunner(Transports(lambda host: Recorder(host, asked)), ends, 18515, None).run(HARDWARE)  # type: ignore[arg-type,return-value]
    at = {(host, word) for host, c in asked for word in c.argv if "mlx5_" in word}
    assert {word for host, word in at if host == "r01-ct01" and "/" not in word} == {"mlx5_7"}
    assert {word for host, word in at if host == "r01-ct02" and "/" not in word} == {"mlx5_0"}
    assert all("/mlx5_7/" in word for host, word in at if host == "r01-ct01" and "/" in word)


def test_a_server_that_died_says_why_nothing_was_measured() -> None:
    nic = shipped("rack7").hosts["r01-ct01"].nics[0]
    refused = answer(err="Couldn't connect to r01-ct02:18515", rc=1)
    for rc, why in ((127, "tool-missing"), (139, "tool-failed")):
        died = answer(err="no ib_write_bw here", rc=rc)
        run = PairRun({"bw": refused, "bw-server": died}, HARDWARE, (nic, nic), 1)
        with pytest.raises(RackError, match="no ib_write_bw here") as caught:
            run.bandwidth()
        assert caught.value.why == why
    stopped = answer(rc=143)
    with pytest.raises(RackError, match="Couldn't connect"):
        PairRun({"bw": refused, "bw-server": stopped}, HARDWARE, (nic, nic), 1).bandwidth()


def test_a_port_has_counted_what_it_counted_in_each_of_its_transfers() -> None:
    nic = shipped("rack7").hosts["r01-ct01"].nics[0]
    other = replace(nic, part="r01-ct02/mlx5_0")
    line = "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error:%d\n"

    def run(moved: int) -> PairRun:
        quiet = {f"client-{when}": answer(line % 7) for when in ("before", "after")}
        server = {"server-before": answer(line % 5), "server-after": answer(line % (5 + moved))}
        return PairRun({**quiet, **server}, HARDWARE, (other, nic), 1)

    lost = PairRun({"error": RackError("gone", reason="unreachable")}, HARDWARE, (nic, other), 1)
    moved = LoadedPorts([run(3), run(0), run(1), lost]).moved("symbol_error")
    assert moved == {nic.port: 4, other.port: 0}
    unread = LoadedPorts([lost]).moved("symbol_error")[nic.port]
    assert isinstance(unread, RackError)
    assert unread.why == "unreachable"


def test_counters_are_read_under_the_name_that_the_device_has() -> None:
    nic = shipped("rack7").hosts["r01-ct01"].nics[0]
    line = "/sys/class/infiniband/mlx5_7/ports/1/hw_counters/out_of_sequence:%d\n"
    results = {f"{end}-before": answer(line % 4) for end in ("client", "server")}
    results |= {f"{end}-after": answer(line % 5) for end in ("client", "server")}
    other = replace(nic, part="r01-ct02/mlx5_0")
    assert PairRun(dict(results), HARDWARE, (nic, other), 1).transport_errors() == 2
