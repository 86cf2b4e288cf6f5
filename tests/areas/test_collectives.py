"""A collective fails where it had begun; what kept it from beginning says nothing of hardware."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import LaunchError, RackError, ToolMissing
from fixtures.tools.binding.facts import Facts
from fixtures.tools.collectives import launch
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.launcher import Launched, Launcher
from fixtures.tools.collectives.plan import Plan
from fixtures.transport.base import CommandResult, Transport
from fixtures.transport.reach import Transports
from tests.areas.answers import answer, facts, shipped
from tests.tools.captures import capture

RULE = "-" * 74
NO_PROGRAM = f"""{RULE}
mpirun was unable to find the specified executable file, and therefore
did not launch the job.  This error was first reported for process
rank 0; it may have occurred for other processes as well.

Node:       r01-ct02
Executable: all_reduce_perf
{RULE}
72 total processes failed to start
"""
NO_DAEMON = f"bash: line 1: orted: command not found\n{RULE}\nORTE was unable to reliably start"
NO_LIBRARY = "all_reduce_perf: error while loading shared libraries: libnccl.so.2: cannot open"
MPIRUN = ("mpirun", "-np", "72", "all_reduce_perf")


def collective(result: CommandResult) -> Collective:
    return Collective({"run": replace(result, argv=MPIRUN)}, 72, [1])


@pytest.mark.parametrize(
    ("said", "rc", "error", "message"),
    [
        (NO_PROGRAM, 133, ToolMissing, "all_reduce_perf: not found on r01-ct02"),
        (NO_DAEMON, 1, ToolMissing, "orted: not found"),
        (NO_LIBRARY, 127, ToolMissing, "all_reduce_perf needs libnccl.so.2"),
        ("timeout: failed to run command 'mpirun'", 127, ToolMissing, "mpirun: not found"),
        ('mpirun: Error: unknown option "--allow-run-as-root"', 1, LaunchError, "unknown option"),
        (capture("nccl-tests", "launch.txt"), 255, LaunchError, "No route to host"),
        ("", 0, LaunchError, "no rank had begun, exit status 0"),
    ],
)
def test_a_program_that_had_not_begun_was_not_judged(
    said: str, rc: int, error: type[RackError], message: str
) -> None:
    run = collective(answer(err=said, rc=rc))
    for read in ("completed", "trouble", "wrong"):
        with pytest.raises(error, match=message):
            getattr(run, read)


def test_a_hang_before_any_rank_had_begun_was_not_judged() -> None:
    with pytest.raises(LaunchError, match="not ended by its deadline"):
        _ = collective(answer(rc=124, timed_out=True)).completed


@pytest.mark.parametrize(
    "said",
    [
        capture("nccl-tests", "failed.txt"),
        "# nThread 1 nGpus 1 minBytes 8\n",
        "nid006352: Test NCCL failure common.cu:958 'invalid usage'\n",
        "  node: Test CUDA failure common.cu:1208 'unknown error'\n",
    ],
)
def test_a_program_that_had_begun_and_broke_did_not_complete(said: str) -> None:
    broken = collective(answer(said, rc=3))
    assert (broken.completed, bool(broken.trouble)) == (False, True)
    hung = collective(answer(said, rc=124, timed_out=True))
    assert (hung.completed, hung.trouble) == (False, "it did not end within its deadline")


@pytest.mark.parametrize("name", ["healthy.txt", "old-no-header.txt"])
def test_a_report_is_complete(name: str) -> None:
    assert collective(answer(capture("nccl-tests", name))).completed


def launched(text: str, expected: dict[str, str]) -> Launched:
    return Launched({"run": answer(text, argv=("mpirun", "hostname"))}, expected)


def test_trays_are_known_by_the_name_that_they_give_themselves() -> None:
    expected = {"r01-ct01": "gb200-0001", "r01-ct02": "r01-ct02"}
    assert launched("gb200-0001.dc1\nR01-CT02\n", expected).state == "complete"


def test_a_launch_without_all_trays_was_not_judged() -> None:
    partial = launched("a\n", {"r01-ct01": "a", "r01-ct02": "b"})
    with pytest.raises(LaunchError, match="2 trays expected, no answer of r01-ct02"):
        _ = partial.state


def test_two_trays_of_one_name_answer_twice() -> None:
    expected = {"r01-ct01": "localhost", "r01-ct02": "localhost"}
    assert launched("localhost\nlocalhost\n", expected).state == "complete"
    assert launched("localhost\n", expected).missing == "r01-ct02"


def test_a_launch_that_fails_is_a_launch_that_fails() -> None:
    failed = Launched({"run": answer(err="ssh: no route", rc=1)}, {"r01-ct01": "r01-ct01"})
    with pytest.raises(LaunchError, match="ssh: no route"):
        _ = failed.state


def test_a_host_says_its_own_name() -> None:
    tray = shipped("rack7").hosts["r01-ct01"]
    assert (
        facts(tray, {"hostname": answer("GB200-0001.dc1.example\n")}).own_name
        == "GB200-0001.dc1.example"
    )


@pytest.mark.parametrize("silent", [{}, {"hostname": answer(rc=None)}, {"hostname": answer("\n")}])
def test_a_host_that_did_not_say_has_the_inventorys(silent: dict[str, CommandResult]) -> None:
    assert facts(shipped("rack7").hosts["r01-ct01"], silent).own_name == "r01-ct01"


def test_hosts_are_launched_on_by_the_peer_address_that_the_inventory_gives() -> None:
    rack, host = shipped("rack7"), shipped("rack7").hosts["r01-ct02"]

    def address(peer_name: str, said: CommandResult | RackError) -> str:
        hosts = {host.name: replace(host, peer_name=peer_name)}
        key = "error" if isinstance(said, RackError) else "facts/hostname"
        found = Facts(replace(rack, hosts=hosts), {host.name: {key: said}})
        launcher = Launcher(replace(rack, hosts=hosts), Transports(_nobody), None, found)  # type: ignore[arg-type]
        [name] = launcher.addresses([host.name])
        return name

    assert (host.peer_name, shipped("softroce").hosts["g2"].peer_name) == ("r01-ct02", "10.77.0.2")
    assert address(host.peer_name, answer("gb200-0002\n")) == "r01-ct02"
    assert address("ct02-ib0.dc1", answer("gb200-0002\n")) == "ct02-ib0.dc1"
    assert address("10.77.0.2", answer("gb200-0002\n")) == "gb200-0002"
    assert address("10.77.0.2", RackError("mute", reason="unreachable")) == "r01-ct02"
    assert launch.login("g2", "10.77.0.2", "t").argv[-2:] == ("10.77.0.2", "true")


def test_hosts_without_gpus_take_no_part() -> None:
    rack = shipped("rack7")
    bare = replace(rack.hosts["r01-ct01"], gpus=())
    plan = Plan.of(replace(rack, hosts={**rack.hosts, "r01-ct01": bare}), "r01", "fabric.health")
    assert (len(plan.hosts), plan.slots, plan.ranks) == (17, 4, 68)


def _nobody(host: str) -> Transport:
    raise AssertionError(host)
