"""dcgmi on many hosts at once: one report is read, of two none."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.gpus.dcgm_readers import DCGM_READERS
from tests.tools.captures import capture, ended


def labelled(text: str, task: int) -> str:
    return "".join(f"{task}: {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("name", sorted(DCGM_READERS))
def test_one_task_of_srun_is_read_and_two_are_not(name: str) -> None:
    read, text = DCGM_READERS[name], capture(name, "healthy.txt")
    noise = labelled("srun: launching\nslurmstepd: hello\n", 1)
    assert read(ended(noise + labelled(text, 0))) == read(ended(text))
    with pytest.raises(Unreadable, match="2 reports in one output"):
        read(ended(labelled(text, 0) + labelled(text, 1)))


@pytest.mark.parametrize("digit", ["²", "٣"])
def test_digits_of_other_scripts_are_no_numbers(digit: str) -> None:
    health = capture("dcgmi-health", "degraded.txt").replace("-> 2 ", f"-> {digit} ")
    diag = capture("dcgmi-diag", "degraded.txt").replace("GPU0: ", f"GPU{digit}: ")
    for name, text in (("dcgmi-health", health), ("dcgmi-diag", diag)):
        with pytest.raises(Unreadable):
            DCGM_READERS[name](ended(text))
    dmon = capture("dcgmi-dmon", "healthy.txt").replace("GPU 1", f"GPU {digit}")
    assert {one.id for one in DCGM_READERS["dcgmi-dmon"](ended(dmon)).samples} == {0}
