"""A run leaves the garbage collector alone, and gives it back as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.plugins.runs import ROOT, WITHIN_S, environment

PROGRAM = """
import gc, json, sys
import pytest

class Watch:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self):
        seen.append([gc.get_threshold()[0], gc.get_freeze_count() > 10_000])

seen = []
before = [gc.get_threshold()[0], gc.get_freeze_count() > 0]
pytest.main(sys.argv[1:], plugins=[Watch()])
print()
print(json.dumps([before, *seen, [gc.get_threshold()[0], gc.get_freeze_count() > 0]]))
"""


def watched(*arguments: str) -> list[list[int]]:
    """Its threshold, and whether objects are set aside: before, while and after pytest runs."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, "-p", "no:hypothesispytest", *arguments],
        cwd=ROOT, capture_output=True, text=True, env=environment(), timeout=WITHIN_S, check=True,
    )  # fmt: skip
    found: list[list[int]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def test_a_run_sets_aside_what_it_has_loaded_and_gives_it_back(
    tiny_rack: Path, tmp_path: Path
) -> None:
    before, meanwhile, after = watched(
        f"--inventory={tiny_rack}", "-mnvl72", f"--run-dir={tmp_path / 'run'}",
        "--lab-transport=memory", "-ktest_host_answers_over_ssh",
    )  # fmt: skip
    assert meanwhile == [20_000, True]
    assert after == before


def test_tests_of_our_own_are_collected_as_ever() -> None:
    before, meanwhile, after = watched("tests/reports/test_page.py", "-k", "nothing")
    assert before == meanwhile == after
