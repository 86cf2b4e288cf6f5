"""Commands over SSH against a real OpenSSH server."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from fixtures.model.errors import DeadlineError, TransportError
from fixtures.transport.base import Command, CommandResult
from fixtures.transport.connect import Connector
from fixtures.transport.ssh import SshTransport
from fixtures.transport.sweep import sweep
from tests.transport.sshd import Sshd, end


def run(
    host: SshTransport, *argv: str, deadline_s: float = 10, stdin: bytes = b""
) -> CommandResult:
    return host.run(Command(argv=argv, key="test/run", deadline_s=deadline_s, stdin=stdin))


def sh(text: str, *, key: str = "test/sh", deadline_s: float = 20) -> Command:
    return Command(argv=("sh", "-c", text), key=key, deadline_s=deadline_s)


def alive(pid: str) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("rc", [0, 1, 3, 124, 255])
def test_status_passes_through(host: SshTransport, rc: int) -> None:
    result = run(host, "sh", "-c", f"exit {rc}")
    assert (result.rc, result.timed_out) == (rc, False)


def test_missing_program_is_127(host: SshTransport) -> None:
    result = run(host, "no-such-program")
    assert result.rc == 127
    assert "no-such-program" in result.stderr


def test_arguments_arrive_unchanged(host: SshTransport) -> None:
    arguments = ["a b", "'", '"', "$HOME", "`id`", "\\", "*", "", "\n", "ü", "a;b|c&d>e"]
    printed = run(host, "printf", r"%s\0", *arguments).stdout
    assert printed.split("\0")[:-1] == arguments


def test_bytes_that_are_no_text_arrive(host: SshTransport) -> None:
    assert run(host, "printf", r"\377\000\n\r").stdout_bytes == b"\xff\0\n\r"


def test_long_output_on_both_streams_does_not_deadlock(host: SshTransport) -> None:
    """C141: 8 MiB on stdout and 3 MiB on stderr."""
    text = "head -c 3145728 /dev/zero >&2; head -c 8388608 /dev/zero"
    result = run(host, "sh", "-c", text)
    assert (len(result.stdout_bytes), len(result.stderr_bytes)) == (8388608, 3145728)
    assert (result.rc, result.truncated) == (0, False)


def test_flood_is_cut_and_its_status_kept(host: SshTransport) -> None:
    command = Command(
        argv=("sh", "-c", "head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 4"),
        key="test/flood",
        output_limit_bytes=1000,
    )
    result = host.run(command)
    assert (result.rc, result.truncated) == (4, True)
    assert (len(result.stdout_bytes), len(result.stderr_bytes)) == (1000, 1000)


def test_stdin_is_given(host: SshTransport) -> None:
    data = bytes(range(256)) * 20_000
    assert run(host, "cat", stdin=data).stdout_bytes == data


def test_program_past_its_deadline_is_a_result(host: SshTransport) -> None:
    result = run(host, "sh", "-c", "echo begun; sleep 30", deadline_s=1)
    assert (result.timed_out, result.rc, result.stdout) == (True, 124, "begun\n")
    assert result.duration_s < 4


def test_killed_program_has_no_innocent_status(host: SshTransport) -> None:
    result = run(host, "sh", "-c", "kill -SEGV $$")
    assert result.rc in (None, 139)
    assert not result.timed_out


def test_child_that_keeps_the_streams_open_is_not_waited_for(host: SshTransport) -> None:
    result = run(host, "sh", "-c", "echo early; sleep 5 & exit 0")
    assert (result.rc, result.stdout) == (0, "early\n")
    assert result.duration_s < 4


def test_no_terminal_and_tagged(host: SshTransport) -> None:
    result = run(host, "sh", "-c", 'test -t 0 || test -t 1 || echo "$RACKGATE_RUN $LC_ALL"')
    assert result.stdout == "run1 C\n"


def test_bundle_in_one_exec(host: SshTransport) -> None:
    commands = [sh(f"echo {n}; exit {n}", key=f"facts/{n}") for n in range(20)]
    results = host.bundle(commands)
    assert [result.stdout for result in results] == [f"{n}\n" for n in range(20)]
    assert [result.rc for result in results] == list(range(20))
    assert all(abs((result.host_time or 0) - time.time()) < 5 for result in results)
    assert host.bundle([]) == []


def test_many_threads_share_one_connection(host: SshTransport, server: Sshd) -> None:
    before = len(server.children())
    with ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(run, host, "echo", str(n)) for n in range(15)]
        assert [future.result().stdout for future in asked] == [f"{n}\n" for n in range(15)]
    assert len(server.children()) <= before + 1


def test_connection_that_died_in_between_is_made_again(host: SshTransport, server: Sshd) -> None:
    before = set(server.children())
    run(host, "true")
    for pid in set(server.children()) - before:
        end(pid)
    assert run(host, "echo", "again").stdout == "again\n"


def test_command_that_may_have_started_is_not_run_again(
    host: SshTransport, server: Sshd, tmp_path: Path
) -> None:
    count = tmp_path / "count"
    before = set(server.children())
    run(host, "true")
    serving = set(server.children()) - before

    def cut() -> None:
        while not count.exists():
            time.sleep(0.01)
        for pid in serving:
            end(pid)

    cutter = threading.Thread(target=cut)
    cutter.start()
    with pytest.raises(TransportError, match=r"r01-ct01: 'test/run'.*(lost|broke)"):
        run(host, "sh", "-c", f"echo x >>{count}; sleep 2")
    cutter.join()
    assert run(host, "true").rc == 0
    assert count.read_text() == "x\n"


def test_started_program_is_stopped_with_its_group(host: SshTransport) -> None:
    other = host.start(sh("echo $$; sleep 30; echo late", key="load/other"))
    mine = host.start(sh("echo $$; sleep 31 & sleep 32; echo late", key="load/mine"))
    time.sleep(0.5)
    result = mine.stop()
    assert (result.key, result.stdout.count("\n")) == ("load/mine", 1)
    assert not alive(result.stdout.strip())
    assert result.rc != 0
    assert mine.stop() == result
    still = other.stop()
    assert "late" not in still.stdout
    left = run(host, "sh", "-c", "grep -l -s RACKGATE_KEY= /proc/[0-9]*/environ | wc -l")
    assert left.stdout.strip() == "0"


def test_started_program_that_ignores_sigterm_is_killed(host: SshTransport) -> None:
    process = host.start(sh("trap '' TERM; echo $$; while :; do sleep 1; done", key="load/x"))
    time.sleep(0.4)
    result = process.stop()
    assert not alive(result.stdout.strip())


def test_wait_gives_the_result(host: SshTransport) -> None:
    process = host.start(sh("echo hello; exit 2"))
    result = process.wait(5)
    assert (result.rc, result.stdout) == (2, "hello\n")


def test_wait_past_its_deadline_ends_the_group(host: SshTransport) -> None:
    process = host.start(sh("echo $$; sleep 30", key="load/server"))
    with pytest.raises(DeadlineError, match=r"r01-ct01: 'load/server' did not end within 0.5 s"):
        process.wait(0.5)
    assert not alive(process.stop().stdout.strip())


def test_left_overs_of_a_dead_runner_are_found_and_ended(
    server: Sshd, connector: Connector
) -> None:
    """C150: without a terminal nothing ends them; the next run does, and only them."""
    dead = SshTransport(server.target(), run_id="dead1", connector=connector)
    before = set(server.children())
    process = dead.start(sh("echo $$; sleep 60", key="load/server"))
    pid = shell_of("dead1")
    for serving in set(server.children()) - before:
        end(serving)
    with pytest.raises(TransportError, match=r"lost|broke"):
        process.wait(5)
    assert alive(pid)
    following = SshTransport(server.target(), run_id="run2", connector=connector)
    bystander = following.start(sh("sleep 60", key="load/other"))
    assert pid in {str(swept.pid) for swept in sweep(following, "dead1")}
    assert not alive(pid)
    with pytest.raises(DeadlineError):
        bystander.wait(0.1)
    following.close()


def shell_of(run_id: str) -> str:
    """The pid of the shell that was started under a run's mark, once it is there."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                marks = (folder / "environ").read_bytes().split(b"\0")
                name = (folder / "comm").read_text()
                if name == "sh\n" and f"RACKGATE_RUN={run_id}".encode() in marks:
                    return folder.name
        time.sleep(0.05)
    raise AssertionError(f"nothing of {run_id} was started")


def test_too_many_sessions_wait_for_each_other(server: Sshd, connector: Connector) -> None:
    host = SshTransport(server.target(), run_id="run1", connector=connector)
    with ThreadPoolExecutor(24) as pool:
        asked = [pool.submit(run, host, "sleep", "0.2") for _ in range(24)]
        assert {future.result().rc for future in asked} == {0}
    host.close()
