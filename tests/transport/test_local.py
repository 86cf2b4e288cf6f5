"""This machine as a host: the same answers as over SSH."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fixtures.model.errors import DeadlineError, TransportError
from fixtures.transport.base import Command, Transport
from fixtures.transport.local import LocalTransport
from fixtures.transport.ssh import SshTransport

COMMANDS = [
    Command(argv=("sh", "-c", "echo out; echo err >&2; exit 3"), key="k/plain"),
    Command(argv=("no-such-program",), key="k/missing"),
    Command(argv=("cat",), key="k/stdin", stdin=b"x" * 300_000),
    Command(argv=("printf", r"\377\000"), key="k/bytes"),
    Command(argv=("head", "-c", "5000", "/dev/zero"), key="k/cut", output_limit_bytes=10),
    Command(argv=("sh", "-c", 'echo "$A$RACKGATE_RUN"'), key="k/env", env={"A": "a b '"}),
    Command(argv=("true",), key="k/root", sudo=True),
]


def test_same_results_as_over_ssh(host: SshTransport) -> None:
    local: Transport = LocalTransport("r01-ct01", run_id="run1")
    for command in COMMANDS:
        here, there = local.run(command), host.run(command)
        for name in ("host", "key", "argv", "rc", "stdout_bytes", "timed_out", "truncated"):
            assert getattr(here, name) == getattr(there, name), (command.key, name)


def test_bundle_runs_with_the_same_script() -> None:
    results = LocalTransport(run_id="run1").bundle(
        [Command(argv=("echo", str(n)), key=f"k/{n}") for n in range(5)]
    )
    assert [result.stdout for result in results] == [f"{n}\n" for n in range(5)]


def test_child_that_keeps_the_streams_open_is_not_waited_for() -> None:
    command = Command(argv=("sh", "-c", "echo early; sleep 3 & exit 0"), key="k")
    result = LocalTransport(run_id="run1").run(command)
    assert (result.rc, result.stdout) == (0, "early\n")
    assert result.duration_s < 2.5


def test_started_program_is_stopped(tmp_path: Path) -> None:
    text = "echo begun; sleep 30; echo late"
    process = LocalTransport(run_id="run1").start(Command(argv=("sh", "-c", text), key="k"))
    time.sleep(0.2)
    assert process.stop().stdout == "begun\n"
    other = LocalTransport(run_id="run1").start(Command(argv=("sleep", "30"), key="k"))
    with pytest.raises(DeadlineError, match=r"'k' did not end within 0.1 s"):
        other.wait(0.1)


def test_machine_without_the_wrapping_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TransportError, match="has no 'setsid'; install util-linux") as caught:
        LocalTransport(run_id="run1").run(Command(argv=("true",), key="k"))
    assert caught.value.why == "tool-missing"


def test_sudo_that_asks_for_a_password_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C149: sudo without a terminal and without NOPASSWD."""
    fake = tmp_path / "sudo"
    fake.write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    host = LocalTransport("r01-ct01", run_id="run1")
    with pytest.raises(TransportError, match="a password is required'; allow it") as caught:
        host.run(Command(argv=("dmidecode",), key="k", sudo=True))
    assert caught.value.why == "forbidden"
