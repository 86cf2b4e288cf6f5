"""dcgmi dmon: values under the titles they stand at."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import dcgm_dmon
from fixtures.tools.gpus.dcgm_readers import DCGM_READERS
from tests.tools.captures import capture, ended


def saved(name: str) -> str:
    return capture("dcgmi-dmon", name)


def test_titles_come_again_and_units_may_be_missing() -> None:
    found = dcgm_dmon.parse(saved("healthy.txt"))
    assert found.units == {"TMPTR": "C", "POWER": "W"}
    assert [(one.group, one.id, one.values["TMPTR"]) for one in found.samples] == [
        ("GPU", 0, 41.0), ("GPU", 1, 40.0), ("GPU", 0, 42.0), ("GPU", 1, 40.0),
    ]  # fmt: skip
    assert found.samples[0].values["NAME"] == "NVIDIA B200"
    pasted = dcgm_dmon.parse("#Entity GPUTL MCUTL\nID\nGPU 0 93 51\n")
    [one] = dcgm_dmon.parse(saved("one.txt")).samples
    assert one.values == pasted.samples[0].values == {"GPUTL": 93.0, "MCUTL": 51.0}


def test_what_is_not_available_is_none() -> None:
    lost = dcgm_dmon.parse(saved("degraded.txt")).samples[1]
    assert lost.values == {"NAME": None, "TMPTR": None, "POWER": None}


def test_watches_that_could_not_be_set_are_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="Unable to watch"):
        DCGM_READERS["dcgmi-dmon"](ended(saved("failed.txt"), rc=227))


@pytest.mark.parametrize(
    "text",
    [
        saved("empty.txt"),
        saved("healthy.txt") + saved("one.txt"),
        "".join(saved("healthy.txt").splitlines(keepends=True)[:2]),
        saved("healthy.txt").rstrip()[:-10],
        saved("healthy.txt").replace("TMPTR", "POWER"),
    ],
)
def test_a_table_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        dcgm_dmon.parse(text)
