"""However a lab ends, nothing of it is left running."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from lab.softroce.guests import start_guests
from lab.softroce.registry import entry_path, read_entry
from tests.lab_softroce.lab import gone, specs

pytestmark = pytest.mark.lab

_OWNER = """
import sys
from pathlib import Path
from lab.softroce.guests import start_guests
from tests.lab_softroce.lab import specs
lab = start_guests(specs(("owned",)), state_dir=Path(sys.argv[1]))
print(*lab.pids, flush=True)
sys.stdin.read()
"""


def _all_gone(pids: Iterable[int], within_s: float = 15.0) -> bool:
    until = time.monotonic() + within_s
    while not all(map(gone, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_stop_leaves_nothing(require_lab: None, tmp_path: Path) -> None:
    lab = start_guests(specs(("one", "two")), state_dir=tmp_path)
    pids = lab.pids
    assert len(pids) == 4
    lab.freeze("two")
    lab.stop()
    lab.stop()
    assert _all_gone(pids, within_s=0.0)
    assert read_entry(entry_path(tmp_path)) is None


@pytest.mark.parametrize("victim", ["owner", "keeper"])
def test_death_of_a_parent_ends_the_lab(require_lab: None, tmp_path: Path, victim: str) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    try:
        assert owner.stdout
        pids = [int(word) for word in owner.stdout.readline().split()]
        entry = read_entry(entry_path(tmp_path))
        assert entry
        if victim == "owner":
            owner.kill()
        else:
            entry.keeper.send(signal.SIGKILL)
        assert _all_gone(pids)
    finally:
        owner.kill()
        owner.communicate()
