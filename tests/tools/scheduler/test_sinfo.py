"""sinfo's tables, by their titles."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.scheduler import sinfo
from fixtures.tools.scheduler.readers import READERS
from tests.tools.captures import capture, ended


def saved(name: str) -> str:
    return capture("sinfo", name)


def test_partitions_have_rows_by_state() -> None:
    first, second, none = sinfo.parse(saved("healthy.txt")).rows
    assert (first.partition, first.default, first.available, first.nodes) == (
        *("batch", True, "up", 3),
    )
    assert (first.hosts, second.hosts) == (("ct01", "ct02", "ct03"), ("ct04",))
    assert (none.partition, none.default, none.state, none.hosts) == ("none", False, None, ())


def test_nodes_have_reasons_with_blanks() -> None:
    rows = sinfo.parse(saved("degraded.txt")).rows
    assert [(row.hosts, row.state and row.state.base, row.reason) for row in rows] == [
        (("ct01",), "down", "link of rail 3 is do"),
        (("ct02",), "drained", "hw"),
        (("ct03",), "idle", None),
    ]
    assert rows[0].state is not None
    assert rows[0].state.mark == "*"
    assert rows[1].cells["S:C:T"] == "2:56:2"


def test_a_column_may_be_empty() -> None:
    first, second = sinfo.parse(saved("long.txt")).rows
    assert (first.cells["RESERVATION"], first.hosts) == ("", ("ct01", "ct02"))
    assert (second.cells["RESERVATION"], second.hosts) == ("repair", ("ct03",))


def test_a_column_may_be_too_narrow_for_what_stands_before_an_empty_one() -> None:
    wide = saved("long.txt").replace(
        "1-infinite   no       NO        all      2", "1-9999999999 no NO all,bob 2"
    )
    assert [(row.nodes, row.hosts) for row in sinfo.parse(wide).rows] == [
        (2, ("ct01", "ct02")), (1, ("ct03",)),
    ]  # fmt: skip
    *_, none = sinfo.parse(
        "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
        "batch        up 365-00:00:00        1/0/0/1 ct01\n"
        "none         up 365-00:00:00        0/0/0/0 \n"
    ).rows
    assert (none.partition, none.hosts) == ("none", ())


def test_a_prompt_is_no_row_and_a_state_no_prompt() -> None:
    text = " $ sinfo -o '%t %N'\n STATE NODELIST\n idle# ct[01-02]\n alloc% ct03\n $ date\n"
    for prompt in ("me@login:~> date", "(base) me@login:~$", "[me@login ~]$ ls -l", "bash-5.1$ w"):
        rows = sinfo.parse(text + prompt + "\n").rows
        assert [(row.state and row.state.mark, len(row.hosts)) for row in rows] == [
            ("#", 2), ("%", 1),
        ]  # fmt: skip


def test_reasons_may_stand_first_and_between_bars() -> None:
    first, second = sinfo.parse(saved("reasons.txt")).rows
    assert (first.reason, first.cells["USER"]) == ("link of rail 3 is do", "ops")
    assert second.hosts == ("ct07",)
    _, down = sinfo.parse(saved("bars.txt")).rows
    assert (down.reason, down.cells["GRES"]) == ("two words of it", "(null)")


def test_clusters_have_a_table_each() -> None:
    assert [(row.cluster, row.hosts) for row in sinfo.parse(saved("clusters.txt")).rows] == [
        ("east", ("e1",)), ("west", ("w1",)),
    ]  # fmt: skip


def test_json_says_the_same() -> None:
    first, none = sinfo.parse(saved("degraded.json")).rows
    assert (first.partition, first.nodes, first.reason) == ("batch", 2, "hw")
    assert first.hosts == ("ct01", "ct02")
    assert first.state is not None
    assert first.state.flags == ("DRAIN",)
    assert (none.state, none.hosts) == (None, ())
    old = sinfo.parse(capture("scontrol-node", "old.json")).rows
    assert [(row.partition, row.hosts) for row in old] == [("p", ("ct07",))]


def test_no_controller_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="Unable to contact"):
        READERS["sinfo"](ended(stderr=saved("failed.txt"), rc=1))


@pytest.mark.parametrize(
    "text",
    [
        saved("empty.txt"),
        saved("no-header.txt"),
        saved("healthy.txt") * 2,
        saved("healthy.txt").replace("      3  alloc ct[01-03]", "     33  al"),
        saved("long.txt").replace("2       mixed             ct", "3       mixed  ct"),
        saved("long.txt").replace("ct[01-02]", ""),
        saved("healthy.txt").replace("3  alloc", "4  alloc"),
        saved("bars.txt").replace("ct01|", "ct01|x|"),
        saved("degraded.json")[:-30],
        '{"sinfo": []}',
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        sinfo.parse(text)


def test_rows_that_were_left_out_are_missed() -> None:
    text = saved("healthy.txt").replace(
        "batch*       up   infinite      1", "(...)\nbatch*       up   infinite      1"
    )
    report = sinfo.parse(text)
    assert (report.rows, report.complete) == (sinfo.parse(saved("healthy.txt")).rows, False)
