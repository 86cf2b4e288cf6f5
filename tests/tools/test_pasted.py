"""What people and launchers put around a report is known, and nothing that tools print is."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools import pasted


@pytest.mark.parametrize(
    "line",
    [
        "[root@r01-ct01 ~]# ibstat",
        "root@r01-ct01:~# nvidia-smi -q",
        "admin@leaf-1:~$ nv show interface",
        "(base) user@gpu-7:/opt/x$ ",
        "r01-ct01:~ # ibstat",
        "bash-5.1$ ibstatus",
        "ksh-93.1$ ibstatus",
        "[r01-ct01 ~]$ sinfo",
        "~/logs $ tail -f opensm.log",
        "(base) $ nvidia-smi",
        "➜  ~ nvidia-smi",
        r"PS C:\Users\x> nvidia-smi",
        "$ dcgmi diag -r 1",
        "# ibstat",
        "+ ibnetdiscover",
    ],
)
def test_prompts_are_known(line: str) -> None:
    assert pasted.is_prompt(line)
    assert pasted.is_around(line)


@pytest.mark.parametrize(
    "line",
    [
        "srun: job 17 queued and waiting for resources",
        "Warning: Permanently added '10.0.0.1' (ED25519) to the list of known hosts.",
        "libibverbs: Warning: couldn't load driver 'libmlx4-rdmav34.so'",
        "r01-ct01:71:71 [0] NCCL INFO Bootstrap : Using eth0",
        "[1732972800.123456] [r01-ct01:4711 :0] ucp_context.c:1774 UCX  WARN  transport is missing",
        "Every 2.0s: perfquery",
        "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 5)",
        "-bash: warning: setlocale: LC_ALL: cannot change locale (de_DE)",
        "^C",
        "```text",
        "Copy code",
        "[...]",
        ". . .",
        "[... snip ...]",
        "... 24 more lines ...",
        "[... 24 lines omitted ...]",
        "--- snip ---",
        "<snip: 40 ports>",
        "[... other ports ...]",
        "⋮",
        "...",
        "<snip>",
        "",
    ],
)
def test_chatter_is_known(line: str) -> None:
    assert pasted.is_around(line)
    assert not pasted.is_prompt(line)


@pytest.mark.parametrize(
    "line",
    [
        "#bytes     #iterations    BW peak[Gb/sec]",
        "#       size         count      type",
        "GPU 0: NVIDIA GB200 (UUID: GPU-1)",
        "LinkDownedCounter:...............0",
        "        State: Active",
        "vendid=0x2c9",
        '[1](b8e9240300000100) \t"H-b8e924"[1]',
        "Nodes From\\To  1   2",
        "SwitchName=leaf-1 Nodes=r01-ct[01-18]",
        "4: ACTIVE",
        "idle# 4",
        "[1]# ",
        "----",
        "...17: 4",
        "1.5e-254",
        "N/A",
    ],
)
def test_what_tools_print_is_not_taken_for_it(line: str) -> None:
    assert not pasted.is_around(line)


def test_the_command_at_a_prompt_is_known() -> None:
    assert pasted.typed("(base) [me@r01 ~]$ sudo ibstat mlx5_0 ") == "sudo ibstat mlx5_0"
    assert pasted.typed("admin@leaf-1:mgmt:~$ nv show interface") == "nv show interface"
    assert pasted.typed("  me@r01:~$ ") == ""
    assert pasted.typed("+ ibstat") == "ibstat"
    assert pasted.typed("State: Active") is None


def test_marks_of_some_lines_and_of_a_comment_are_taken_off() -> None:
    assert pasted.unmarked([" > >   State: Active ", ">", "  on"]) == [
        "  State: Active ",
        "",
        "  on",
    ]
    assert pasted.unmarked([">Port", "> 1  "]) == ["Port", " 1  "]
    assert pasted.uncommented(["# a", "#", "#   b", ""]) == ["a", "", "  b", ""]
    assert pasted.uncommented(["# ibstat", "CA 'x'"]) == ["# ibstat", "CA 'x'"]


def test_quotes_are_taken_off_and_indentation_stays() -> None:
    assert pasted.unquoted("  > >  State: Active ") == "State: Active"
    assert pasted.unquoted_block(["> a", ">   b", ""]) == ["a", "  b", ""]
    assert pasted.unquoted_block([">> a", ">>  b"]) == ["a", " b"]
    assert pasted.unquoted_block(["> a", "b"]) == ["> a", "b"]


def test_one_process_has_the_report() -> None:
    found = ["0: CA 'x'", "0: more", "1: noise"]
    found_bare = ["CA 'x'", "more"]
    assert pasted.one_source(found, "t", lambda line: line.startswith("CA")) == found_bare
    with pytest.raises(Unreadable, match="2 reports in one output, of the processes '0:', '1:'"):
        pasted.one_source([*found, "1: CA 'y'"], "t", lambda line: line.startswith("CA"))
    assert pasted.one_source(["srun: queued", *found[:2]], "t", lambda _: False) == found_bare
    assert pasted.one_source(found, "t", lambda _: False) == found


def test_a_report_is_freed_of_marks_and_labels() -> None:
    text = "> 0: CA 'x'\n> 0:   State\n> srun: error: node-7\n"
    assert pasted.report_lines(text, "t", lambda line: line.startswith("CA")) == [
        "CA 'x'",
        "  State",
    ]


def test_a_json_object_is_taken_out_of_what_is_around_it() -> None:
    assert pasted.json_object(["$ x -j", "> {", '> "a": 1', "> }", "$"]) == '{\n"a": 1\n}'
    assert pasted.json_object(["State: up"]) == "State: up"
    assert pasted.has_object(["$ x", "  {"])
    assert not pasted.has_object(["x {"])
