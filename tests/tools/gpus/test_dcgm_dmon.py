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


def test_old_versions_end_values_where_titles_end() -> None:
    found = dcgm_dmon.parse(saved("right.txt"))
    assert found.units == {"TMPTR": "C", "POWER": "W"}
    assert [list(one.values.values()) for one in found.samples] == [
        [0.0, 47.0, 187.25, 43141028112.0], [1.0, 46.0, 190.014, None],
    ]  # fmt: skip


def test_numbers_have_exponents_and_blanks() -> None:
    for printed, value in (("2.07e+11", 2.07e11), ("9223372036854775794", None), ("1e-05", 1e-05)):
        found = dcgm_dmon.parse(f"#Entity TOTEC MCUTL\nID mJ\nGPU 0 {printed} 4\n")
        assert found.samples[0].values == {"TOTEC": value, "MCUTL": 4.0}
    fp64 = dcgm_dmon.parse("#Entity TOTEC MCUTL\nID mJ\nGPU 0 140737488355330.000 4\n")
    assert fp64.samples[0].values["TOTEC"] is None


def test_times_that_others_put_in_front_are_not_read() -> None:
    stamped = "".join(f"2025-02-04 10:11:12 {line}\n" for line in saved("healthy.txt").splitlines())
    assert dcgm_dmon.parse(stamped) == dcgm_dmon.parse(saved("healthy.txt"))


def test_watches_that_could_not_be_set_are_a_failed_tool() -> None:
    with pytest.raises(ToolFailed, match="Unable to watch"):
        DCGM_READERS["dcgmi-dmon"](ended(saved("failed.txt"), rc=227))


@pytest.mark.parametrize(
    "text",
    [
        saved("empty.txt"),
        "#Entity\nID\nGPU 0 41\n",
        saved("healthy.txt") + saved("one.txt"),
        "".join(saved("healthy.txt").splitlines(keepends=True)[:2]),
        saved("healthy.txt").rstrip()[:-10],
        saved("healthy.txt").replace("TMPTR", "POWER"),
    ],
)
def test_a_table_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        dcgm_dmon.parse(text)
