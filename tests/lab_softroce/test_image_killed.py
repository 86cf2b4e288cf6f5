"""A build that is killed takes its processes and mounts along, and is not believed later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab_softroce.lab import gone

pytestmark = pytest.mark.lab

# Stands in for mmdebstrap: mounts something below the target, its last argument, and hangs.
_HANGING = """#!/bin/sh
for target; do :; done
mkdir -p "$target/mnt" && mount -t tmpfs rackgate-test "$target/mnt" || exit 1
sleep 60 &
touch "$target/mounted"
wait
"""


def _build(cache: Path, programs: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {
        "XDG_CACHE_HOME": str(cache),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    return subprocess.Popen(
        [sys.executable, "-c", "from lab.softroce.image import image; image()"],
        cwd=Path(__file__).parents[2],
        env=environment,
    )


def _processes_with(text: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes()
        except OSError:
            continue
        if text.encode() in words and not gone(int(path.parent.name)):
            found.append(int(path.parent.name))
    return found


def _until(what: str, *, holds: Callable[[], object]) -> None:
    until = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def test_killed_build_leaves_no_process_mount_or_image(require_lab: None, tmp_path: Path) -> None:
    cache, programs = tmp_path / "cache", tmp_path / "bin"
    programs.mkdir()
    (programs / "mmdebstrap").write_text(_HANGING)
    (programs / "mmdebstrap").chmod(0o755)
    build = _build(cache, programs)
    try:
        _until("nothing was mounted", holds=lambda: list(cache.rglob("mounted")))
    finally:
        build.kill()
        build.wait()
    _until("a process survives", holds=lambda: not _processes_with(str(programs)))
    assert str(cache) not in Path("/proc/mounts").read_text()
    left = [path.name for path in (cache / "rackgate/softroce").iterdir()]
    assert all(name == "build.lock" or ".building-" in name for name in left)
