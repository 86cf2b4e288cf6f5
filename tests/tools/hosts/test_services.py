"""Units of systemd, several at once."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts import services
from tests.tools.captures import capture


def test_a_node_with_nvswitches() -> None:
    found = services.parse(capture("services", "healthy-hgx.txt"))
    manager, imex = found["nvidia-fabricmanager"], found["nvidia-imex"]
    assert (manager.state, manager.at_boot, manager.active_since_s) == ("running", True, 31.204118)
    assert (imex.state, imex.installed, imex.enabled, imex.active_since_s) == (
        "absent", False, None, None,
    )  # fmt: skip


def test_masked_and_running_but_not_at_boot() -> None:
    found = services.parse(capture("services", "degraded.txt"))
    assert found["nvidia-fabricmanager"].state == "masked"
    assert (found["nvidia-imex"].state, found["nvidia-imex"].at_boot) == ("running", False)


def test_a_unit_that_failed() -> None:
    (unit,) = services.parse(capture("services", "failed.txt")).values()
    assert (unit.state, unit.running) == ("failed", False)


@pytest.mark.parametrize(
    "text",
    [
        capture("services", "empty.txt"),
        capture("services", "failed.txt") + "\n" + capture("services", "failed.txt"),
        "Id=a.service\nLoadState=loaded\n",
        "System has not been booted with systemd as init system (PID 1). Can't operate.\n",
    ],
)
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        services.parse(text)
