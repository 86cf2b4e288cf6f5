"""Whether Fabric Manager runs: systemctl, the journal, and the tool's own words."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolMissing, Unreadable
from fixtures.tools.nvlink import fabric_manager_status
from tests.tools.captures import capture, ended

HEALTHY = capture("fabric-manager-status", "healthy.txt")


def test_a_running_service_is_read() -> None:
    status = fabric_manager_status.read(ended(HEALTHY))
    assert (status.running, status.active_state, status.sub_state) == (True, "active", "running")
    assert (status.unit, status.main_pid) == ("nvidia-fabricmanager.service", 5183)
    assert status.messages[1].text == "Connected to 1 node."


def test_a_failed_service_says_why() -> None:
    status = fabric_manager_status.read(ended(capture("fabric-manager-status", "failed.txt"), rc=3))
    assert (status.running, status.active_state, status.result) == (False, "failed", "exit-code")
    assert (status.exit_code, status.exit_status) == ("exited", "1")
    assert "doesn't match with driver version" in status.messages[0].text


def test_nothing_to_do_means_no_switch() -> None:
    """The warning stands on a line of its own, indented, after the message it belongs to."""
    status = fabric_manager_status.parse(capture("fabric-manager-status", "no-switch.txt"))
    assert (status.no_switch, status.running) == (True, False)
    assert status.messages[1].text.endswith("[NV_WARN_NOTHING_TO_DO]")


@pytest.mark.parametrize(
    ("text", "state", "detail", "result"),
    [
        ("Active: inactive (dead)", "inactive", "dead", None),
        ("Active: failed (Result: signal) since Mon; 5 days ago", "failed", None, "signal"),
        (
            "Active: activating (auto-restart) (Result: exit-code) since Mon; 3s ago",
            "activating",
            "auto-restart",
            "exit-code",
        ),
        ("ActiveState=active\nSubState=running", "active", "running", None),
        ("failed", "failed", None, None),
    ],
)
def test_states_are_read(text: str, state: str, detail: str | None, result: str | None) -> None:
    status = fabric_manager_status.parse(text)
    assert (status.active_state, status.sub_state, status.result) == (state, detail, result)


def test_months_are_in_the_words_of_the_locale() -> None:
    said = "nv-fabricmanager[41]: no device [NV_WARN_NOTHING_TO_DO]"
    for stamp in ("11月 15 14:15:47", "févr. 03 07:01:00", "Nov 15 14:15:47"):
        status = fabric_manager_status.parse(f"{stamp} ct01 {said}\n")
        assert (status.no_switch, len(status.messages)) == (True, 1)


def test_lines_of_the_journal_may_lack_their_time() -> None:
    text = "nv-fabricmanager[9]: a\nsystemd[1]: nvidia-fabricmanager.service: b\nsystemd[1]:\n"
    messages = fabric_manager_status.parse(text).messages
    assert [item.program for item in messages] == ["nv-fabricmanager", "systemd"]


def test_a_version_is_read() -> None:
    text = capture("fabric-manager-status", "version.txt")
    assert fabric_manager_status.parse(text).version == "570.10.01"


def test_digits_of_other_scripts_are_no_number() -> None:
    status = fabric_manager_status.parse("ActiveState=active\nMainPID=1\u0663\n")
    assert status.main_pid is None


def test_a_unit_that_is_not_there_is_a_missing_tool() -> None:
    with pytest.raises(ToolMissing):
        fabric_manager_status.parse("Unit nvidia-fabricmanager.service could not be found.\n")


@pytest.mark.parametrize("text", ["", "hello\n", HEALTHY * 2, "Active: 17\n"])
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        fabric_manager_status.parse(text)
