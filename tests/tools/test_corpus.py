"""The readers give the right values for outputs of real tools (see `tests/tools/corpus`)."""

from __future__ import annotations

import pytest

from tests.tools.corpus.entries import CORPUS, Entry, entries, misses

ABSENT = not CORPUS.is_dir()
WHY = "no folder shared/corpus beside the repository: readers not held to real outputs"
ENTRIES = entries()
NOT_READ = {"nvidia-smi/23-h100-default-table.txt"}
"""The table for people: nothing in it that `-q` does not say better, so nothing reads it."""


@pytest.mark.skipif(ABSENT, reason=WHY)
@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])
def test_a_real_output_is_read_right(entry: Entry) -> None:
    assert not misses(entry)


@pytest.mark.skipif(ABSENT, reason=WHY)
def test_every_sample_is_held_to_something() -> None:
    files = {
        f"{path.parent.name}/{path.name}"
        for path in CORPUS.glob("*/*")
        if not path.name.startswith(".")
    }
    held = {entry.sample for entry in ENTRIES if entry.checks}
    assert files - held <= NOT_READ
    assert held <= files
