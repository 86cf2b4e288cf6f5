"""Nodes as `scontrol show node` prints them: state, flags and reason, whatever is written there."""

from __future__ import annotations

import textwrap

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.scheduler import nodes
from fixtures.tools.scheduler.node_state import NodeState, state
from fixtures.tools.scheduler.readers import READERS
from tests.tools.captures import capture, ended


def saved(name: str) -> str:
    return capture("scontrol-node", name)


def test_every_field_is_read() -> None:
    first, second = nodes.parse(saved("healthy.txt"))
    assert (first.name, second.name, first.state.base, second.state.base) == (
        *("ct01", "ct02", "MIXED", "IDLE"),
    )
    assert (first.cpus, first.cpus_allocated, first.cpu_load) == (224, 16, 3.18)
    assert (first.real_memory_mib, first.free_memory_mib, first.sockets) == (2063937, 1998112, 2)
    assert (first.gres, first.gres_used) == ("gpu:b200:8(S:0-1)", "gpu:b200:2(IDX:0,4)")
    assert (first.partitions, first.features) == (("batch", "debug"), ("hall2", "ib"))
    assert (first.reason, first.reason_user) == (None, None)
    assert first.others["CfgTRES"] == "cpu=224,mem=2063937M,billing=224,gres/gpu=8"


def test_an_operating_system_has_blanks_and_hashes() -> None:
    for name in ("healthy.txt", "one-line.txt"):
        assert nodes.parse(saved(name))[0].os == (
            "Linux 6.8.0-51-generic #52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024"
        )


def test_a_reason_is_text_with_equal_signs_and_lines() -> None:
    first, second = nodes.parse(saved("degraded.txt"))
    assert first.reason == ("link mlx5_3 = down, State=bad Comment=see ticket\nsecond line of it")
    assert (first.reason_user, first.reason_time) == ("ops", "2025-02-04T10:11:12")
    assert (first.comment, first.extra) == ("slot=17 of rack 3", '{"serial": "A=1"}')
    assert first.reservation == "repair"
    assert (second.reason, second.reason_user, second.gres) == ("Not responding", "slurm", None)


def test_one_line_says_the_same() -> None:
    first, second = nodes.parse(saved("one-line.txt"))
    assert first.reason == "link mlx5_3 = down, State=bad Comment=see ticket"
    assert (first.comment, first.extra) == ("slot=17 of rack 3", '{"serial": "A=1"}')
    assert (second.name, second.state.base, second.reason) == ("ct05", "ALLOCATED", None)


def test_keys_come_behind_the_text_too() -> None:
    for name in ("newest.txt", "newest-one-line.txt"):
        [node] = nodes.parse(saved(name))
        assert (node.reason, node.reason_user) == ("rail 2: State=bad", "ops")
        assert (node.comment, node.extra, node.reservation) == ("see INC-7", "slot=4", "jun")
        assert node.others["Topology"] == "halls:core:leaf3,nvl:b2"
        assert (node.others["InstanceId"], node.others["InstanceType"]) == ("i-07", "gb200.4x")
        assert node.complete


def test_lines_broken_by_a_mail_client_are_whole_again() -> None:
    mail = textwrap.TextWrapper(
        60, initial_indent="> ", subsequent_indent="> ", break_on_hyphens=False
    )
    folded = "\n".join(mail.fill(line) for line in saved("newest.txt").split("\n"))
    assert folded.count("\n") > saved("newest.txt").count("\n") + 3
    assert nodes.parse(folded) == nodes.parse(saved("newest.txt"))


def test_lines_that_were_left_out_are_missed() -> None:
    lines = saved("newest.txt").splitlines(keepends=True)
    grepped = [line for line in lines if "Name" in line or "State" in line]
    for text in ("".join(grepped), "".join([*lines[:4], "   [...]\n", *lines[5:]])):
        [node] = nodes.parse(text)
        assert (node.state.flags, node.complete) == (("DRAIN",), False)


def test_a_node_without_its_blank_line_may_go_on() -> None:
    lines = saved("newest.txt").rstrip().splitlines(keepends=True)
    for at in range(17, len(lines)):
        assert not nodes.parse("".join(lines[:at]))[0].complete
    assert nodes.parse("".join(lines) + "\n\n")[0].complete


def test_json_says_the_same() -> None:
    first, second = nodes.parse(saved("degraded.json"))
    assert first.state == NodeState(base="IDLE", flags=("DRAIN",))
    assert (first.reason, first.reason_user, first.reason_set_s) == (
        *("link = down", "ops", 1738663872),
    )
    assert (second.reason, second.reason_user, second.reason_set_s) == (None, None, None)
    assert not second.state.responds
    [old] = nodes.parse(saved("old.json"))
    assert (old.state, old.free_memory_mib) == (NodeState(base="idle", flags=("DRAIN",)), None)
    assert old.features == ("a", "b")


@pytest.mark.parametrize(
    ("text", "found", "usable"),
    [
        ("IDLE", NodeState(base="IDLE"), True),
        ("IDLE+DRAIN", NodeState(base="IDLE", flags=("DRAIN",)), False),
        ("DOWN*", NodeState(base="DOWN", mark="*"), False),
        ("DOWN*+DRAIN", NodeState(base="DOWN", flags=("DRAIN",), mark="*"), False),
        ("idle~", NodeState(base="idle", mark="~"), False),
        ("mix-", NodeState(base="mix", mark="-"), True),
        ("comp", NodeState(base="comp"), True),
        ("alloc+", NodeState(base="alloc", mark="+"), True),
        ("drng@", NodeState(base="drng", mark="@"), False),
        ("IDLE+CLOUD+POWERED_DOWN", NodeState(base="IDLE", flags=("CLOUD", "POWERED_DOWN")), False),
        ("MIXED+REBOOT_REQUESTED", NodeState(base="MIXED", flags=("REBOOT_REQUESTED",)), False),
        ("MIXED+NOT_RESPONDING", NodeState(base="MIXED", flags=("NOT_RESPONDING",)), False),
    ],
)  # fmt: skip
def test_states_have_a_base_flags_and_a_mark(text: str, found: NodeState, usable: bool) -> None:
    assert state(text, "t") == found
    assert found.usable == usable


def test_what_stands_around_is_not_a_node() -> None:
    for name in ("degraded.txt", "one-line.txt", "newest.txt"):
        text = f"$ scontrol show node\n{saved(name)}ops@login:~$ exit\n"
        assert nodes.parse(text) == nodes.parse(saved(name))
        fenced = f"```\n{saved(name).rstrip()}\n```\nand that is all\n"
        assert nodes.parse(fenced) == nodes.parse(saved(name))


@pytest.mark.parametrize("name", ["failed.txt", "failed.json"])
def test_no_controller_is_a_failed_tool(name: str) -> None:
    with pytest.raises(ToolFailed):
        READERS["scontrol-node"](ended(saved(name)))
    for others in ("", saved("healthy.txt")):
        with pytest.raises(ToolFailed, match="ct99 not found"):
            READERS["scontrol-node"](ended(f"{others}Node ct99 not found\n"))


@pytest.mark.parametrize(
    "text",
    [
        saved("empty.txt"),
        saved("healthy.txt") * 2,
        saved("healthy.txt").replace("State=IDLE", "Stat=IDLE"),
        saved("healthy.txt").replace("State=IDLE", "State=12"),
        saved("healthy.txt").replace("CPUTot=224", "CPUTot=many"),
        saved("healthy.txt").replace("CPUTot=224", "CPUTot=224 torn"),
        saved("one-line.txt")[:300],
        saved("degraded.json")[:-30],
        saved("degraded.json").replace("ct04", "ct03"),
        '{"nodes": []}',
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nodes.parse(text)


@pytest.mark.parametrize("name", ["healthy.txt", "one-line.txt", "degraded.json"])
def test_one_task_of_a_launcher_is_read_and_two_are_not(name: str) -> None:
    tasks = ["".join(f"{n}: {line}\n" for line in saved(name).splitlines()) for n in (0, 1)]
    assert nodes.parse(tasks[0]) == nodes.parse(saved(name))
    with pytest.raises(Unreadable, match="2 reports in one output"):
        nodes.parse("".join(tasks))
