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
    with pytest.raises(Unreadable, match="2 hosts"):
        read(ended(labelled(text, 0) + labelled(text, 1)))
