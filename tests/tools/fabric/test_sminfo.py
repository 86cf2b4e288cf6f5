"""`sminfo`: the state of the subnet manager, in number and word."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric.sminfo import parse
from fixtures.tools.readers import READERS
from tests.tools.captures import capture, ended

HEALTHY = capture("sminfo", "healthy.txt")


def test_a_master_is_read() -> None:
    manager = parse(HEALTHY)
    assert manager.is_master
    assert (manager.lid, manager.guid, manager.priority) == (1, "0000000000100001", 0)
    assert (manager.activity_count, manager.state) == (155, "MASTER")


def test_a_standby_is_no_master() -> None:
    manager = parse(capture("sminfo", "degraded.txt"))
    assert not manager.is_master
    assert manager.guid == "0c42a1030011aa02"


def test_lid_0_of_a_direct_path_is_unknown() -> None:
    assert parse(HEALTHY.replace("sm lid 1 ", "sm lid 0 ")).lid is None


def test_a_state_without_name_is_kept_as_a_number() -> None:
    manager = parse(HEALTHY.replace("state 3 SMINFO_MASTER", "state 7 ???"))
    assert (manager.state_number, manager.state) == (7, None)


def test_state_and_name_must_agree() -> None:
    with pytest.raises(Unreadable, match="a state with its name"):
        parse(HEALTHY.replace("state 3", "state 2"))


def test_two_reports_and_half_a_report_are_refused() -> None:
    with pytest.raises(Unreadable, match="2 reports"):
        parse(HEALTHY * 2)
    with pytest.raises(Unreadable, match="expected 'sm lid 1"):
        parse(HEALTHY[: HEALTHY.index("priority")])


def test_a_failed_query_is_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="failed: query"):
        parse(capture("sminfo", "failed.txt"))
    with pytest.raises(ToolFailed, match="failed: query"):
        READERS["sminfo"](ended(capture("sminfo", "failed.txt"), rc=255))
    with pytest.raises(Unreadable, match="found none"):
        parse(capture("sminfo", "empty.txt"))


def test_a_line_that_a_mail_client_broke_is_read() -> None:
    broken = HEALTHY.replace(" priority 0 state", " priority 0\nstate")
    assert parse(broken) == parse(HEALTHY)
    assert parse("> " + broken.replace("\n", "\n> ")) == parse(HEALTHY)


@pytest.mark.parametrize(
    "said",
    [
        "sminfo: iberror: query failed",
        "sminfo: iberror: [pid 17] main: failed: query",
        "sminfo: iberror: failed: Failed to open 'mlx5_0' port '1'",
        "ibpanic: [17] main: can't resolve sm port (null): (Invalid argument)",
    ],
)
def test_every_form_of_its_failure_is_one(said: str) -> None:
    with pytest.raises(ToolFailed, match="sminfo"):
        parse(said + "\n")


def test_the_programs_own_words_go_before_the_librarys() -> None:
    warning = "ibwarn: [7] mad_rpc: _do_madrpc failed; dport (Lid 3)\n"
    with pytest.raises(ToolFailed, match="iberror: failed: query"):
        READERS["sminfo"](ended("sminfo: iberror: failed: query\n", stderr=warning, rc=255))
