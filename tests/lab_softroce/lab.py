"""One lab of three guests for the whole session, and how these tests run a command in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.softroce.__main__ import ssh_command
from lab.softroce.guests import start_guests
from lab.softroce.handle import LabHandle
from lab.softroce.spec import GuestSpec

NAMES = ("r01-ct01", "r01-ct02", "r01-ct03")
"""The third is there to be killed, so no other test uses it."""

COMMAND_DEADLINE_S = 60.0


@pytest.fixture(scope="session")
def require_lab() -> None:
    """Skip where RACKGATE_NO_LAB=1 says so; a machine that just lacks QEMU must fail instead."""
    if os.environ.get("RACKGATE_NO_LAB") == "1":
        pytest.skip("RACKGATE_NO_LAB=1")


@pytest.fixture(scope="session")
def lab(require_lab: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHandle]:
    """Three booted guests, r01-ct01 to r01-ct03."""
    handle = start_guests(specs(NAMES), state_dir=tmp_path_factory.mktemp("softroce"), seed=1)
    yield handle
    handle.stop()


def specs(names: tuple[str, ...]) -> list[GuestSpec]:
    """Guests 1, 2, 3, … with serials SN-1, SN-2, …"""
    return [
        GuestSpec(name=name, index=index, serial=f"SN-{index}")
        for index, name in enumerate(names, 1)
    ]


def ssh_argv(handle: LabHandle, name: str, command: str, *options: str) -> list[str]:
    """The client's command line, without any configuration of this machine's user."""
    words = ssh_command(handle.info, name).split()
    fixed = ["-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
    return [words[0], *fixed, *options, *words[1:], command]


def ssh(handle: LabHandle, name: str, command: str) -> str:
    """Standard output of a shell command in a guest; fails the test unless it exits with 0."""
    done = attempt(ssh_argv(handle, name, command))
    assert done.returncode == 0, f"{name}: {command}: {done.stdout}{done.stderr}"
    return done.stdout


def attempt(argv: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command of this machine, whatever its exit status."""
    return subprocess.run(
        argv,
        capture_output=True,
        text=True,
        timeout=COMMAND_DEADLINE_S,
        stdin=subprocess.DEVNULL,
    )


def reaches(handle: LabHandle, source: str, target: str) -> bool:
    """Whether one ping over the fabric comes back within two seconds."""
    return attempt(ssh_argv(handle, source, f"ping -c 1 -W 2 {target}")).returncode == 0


def gone(pid: int) -> bool:
    """Whether no such process is left; a zombie that nobody reaped counts as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
