"""The bundle script as hosts run it, under every shell that a host's `sh` may be."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fixtures.model.errors import TransportError
from fixtures.transport import bundle, scripts
from fixtures.transport.base import Command, CommandResult
from fixtures.transport.outcome import Outcome

SHELLS = (["dash"], ["bash"], ["busybox", "sh"])
LIMIT = 1_000_000


def ask(
    shell: list[str], commands: list[Command], env: dict[str, str] | None = None
) -> list[CommandResult]:
    nonce = bundle.new_nonce("run1")
    argv = bundle.encode(commands, nonce=nonce)
    ended = subprocess.run(
        [*shell, *argv[1:]], capture_output=True, timeout=30, env=env or dict(os.environ)
    )
    outcome = Outcome(stdout=ended.stdout, stderr=ended.stderr, rc=0, truncated=False)
    return bundle.answer(outcome, commands, nonce=nonce, host="h", started=time.time())


def sh(key: str, text: str, *, deadline_s: float = 10) -> Command:
    return Command(
        argv=("sh", "-c", text), key=key, deadline_s=deadline_s, output_limit_bytes=LIMIT
    )


def leftovers() -> set[str]:
    folders = [*Path("/tmp").glob("rackgate.*"), *Path("/dev/shm").glob("rackgate.*")]
    return {str(folder) for folder in folders}


EVERY_KIND = [
    sh("plain", "echo out; echo err >&2; exit 3"),
    sh("nothing", "true"),
    Command(argv=("no-such-program",), key="missing"),
    Command(argv=("printf", "%s|", "a b", "'", "$HOME", "", "*"), key="quoting"),
    sh("bytes", r"printf '\377\000\n\r'"),
    sh("flood", "yes 0123456789 | head -c 20000000"),
    sh("flood-err", "yes 0123456789 | head -c 20000000 >&2; exit 4"),
    sh("hangs", "echo begun; sleep 30", deadline_s=1),
    sh("ignores", "trap '' TERM; sleep 30 & wait; sleep 30", deadline_s=1),
    sh("child", "echo early; sleep 10 & exit 0"),
    sh("stdin", "cat; echo done"),
    sh("killed", "kill -9 $$"),
    sh("tag", 'echo "$RACKGATE_RUN"'),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, CommandResult]]:
    """Every kind of command under all shells, and one that cannot be killed, all at once: most of
    it is waiting."""
    shells = [shell for shell in SHELLS if shutil.which(shell[0])]
    before = leftovers()
    began = time.monotonic()
    with ThreadPoolExecutor(len(shells) + 1) as pool:
        stuck = pool.submit(ask_for_a_stuck_command, tmp_path_factory.mktemp("stuck"))
        found = list(pool.map(lambda shell: ask(shell, EVERY_KIND), shells))
        results = dict(zip((shell[0] for shell in shells), found, strict=True))
        results["stuck"] = stuck.result()
    assert time.monotonic() - began < 15
    assert leftovers() <= before
    return {name: {result.key: result for result in found} for name, found in results.items()}


def ask_for_a_stuck_command(folder: Path) -> list[CommandResult]:
    """A stand-in for a process in state D: a `timeout` that never comes back."""
    fake = folder / "timeout"
    fake.write_text(
        "#!/bin/sh\n"
        'if [ "$1" != -k ] || [ "$4" != stuck ]; then exec /usr/bin/timeout "$@"; fi\n'
        f"echo $$ >{folder}/pid\necho begun\ntrap '' TERM\nwhile :; do sleep 1; done\n"
    )
    fake.chmod(0o755)
    env = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}")
    stuck = Command(argv=("stuck",), key="stuck", deadline_s=1)
    try:
        return ask(["sh"], [stuck, sh("other", "echo fine", deadline_s=1)], env)
    finally:
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("shell", [shell[0] for shell in SHELLS])
def test_bundle_survives_every_kind_of_command(
    answers: dict[str, dict[str, CommandResult]], shell: str
) -> None:
    if shell not in answers:
        pytest.skip(f"no {shell} on this machine")
    results = answers[shell]
    plain = results["plain"]
    assert (plain.stdout, plain.stderr, plain.rc) == ("out\n", "err\n", 3)
    assert (results["nothing"].rc, results["nothing"].stdout) == (0, "")
    assert results["missing"].rc == 127
    assert "no-such-program" in results["missing"].stderr
    assert results["quoting"].stdout == "a b|'|$HOME||*|"
    assert results["bytes"].stdout_bytes == b"\xff\0\n\r"
    for key, stream in (("flood", "stdout"), ("flood-err", "stderr")):
        assert len(getattr(results[key], stream)) == LIMIT, key
        assert results[key].truncated, key
    assert (results["hangs"].timed_out, results["hangs"].stdout) == (True, "begun\n")
    assert results["ignores"].timed_out
    assert (results["child"].rc, results["child"].stdout) == (0, "early\n")
    assert results["stdin"].stdout == "done\n"
    assert results["killed"].rc == 137
    assert not results["killed"].timed_out
    assert results["tag"].stdout == "run1\n"
    assert abs((plain.host_time or 0) - time.time()) < 30
    assert 0.9 <= results["hangs"].duration_s < 3


def test_command_that_cannot_be_killed_is_given_up(
    answers: dict[str, dict[str, CommandResult]],
) -> None:
    stuck, other = answers["stuck"]["stuck"], answers["stuck"]["other"]
    assert (stuck.rc, stuck.timed_out, stuck.stdout) == (None, True, "begun\n")
    assert (other.rc, other.stdout) == (0, "fine\n")


def in_small_tmp(size: str, commands: list[Command]) -> list[CommandResult]:
    """Run a bundle where /tmp and /dev/shm hold `size`, in a mount namespace of its own."""
    mounts = "".join(
        f"mount -t tmpfs -o size={size} none {folder} && " for folder in ("/tmp", "/dev/shm")
    )
    fill = "{ head -c 20000 /dev/zero >/tmp/x; head -c 20000 /dev/zero >/dev/shm/x; } 2>/dev/null;"
    enter = ["unshare", "-rm", "sh", "-c"]
    if subprocess.run([*enter, f"{mounts}true"], capture_output=True).returncode:
        pytest.skip("mount namespaces are not allowed here")
    nonce = bundle.new_nonce("run1")
    argv = bundle.encode(commands, nonce=nonce)
    text = f'{mounts}{fill if size == "4k" else ""} exec "$@"'
    ended = subprocess.run([*enter, text, "enter", *argv], capture_output=True, timeout=20)
    outcome = Outcome(stdout=ended.stdout, stderr=ended.stderr, rc=0, truncated=False)
    return bundle.answer(outcome, commands, nonce=nonce, host="h", started=0.0)


def test_full_tmp_is_a_clear_error() -> None:
    with pytest.raises(TransportError, match="no room for a temporary folder in /tmp"):
        in_small_tmp("4k", [sh("a", "echo a")])


def test_output_that_fills_tmp_is_a_clear_error() -> None:
    small, big = in_small_tmp(
        "128k", [sh("small", "echo a"), sh("big", "sleep 0.5; head -c 400000 /dev/zero")]
    )
    assert (small.rc, small.stdout) == (0, "a\n")
    assert big.rc is None
    assert "no room in /tmp for the output" in big.stdout + big.stderr


def test_host_without_timeout_is_a_clear_error(tmp_path: Path) -> None:
    for tool in ("sh", "mktemp", "mkfifo"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    with pytest.raises(TransportError, match="this host has no 'timeout'"):
        ask([str(tmp_path / "sh")], [sh("a", "echo a")], {"PATH": str(tmp_path)})


@pytest.mark.parametrize("name", ["BUNDLE", "SWEEP", "LEASE"])
def test_scripts_are_posix_and_small(name: str) -> None:
    text: str = getattr(scripts, name)
    assert text.isascii()
    assert len(text) < 8000
    for shell in SHELLS:
        if shutil.which(shell[0]):
            subprocess.run([*shell, "-n", "-c", text], check=True)
