"""Hosts that stop answering, at every step: the call ends in time and says at which."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fixtures.model.errors import DeadlineError, RackError, TransportError
from fixtures.transport.base import Command
from fixtures.transport.connect import Connector
from fixtures.transport.pool import collect
from fixtures.transport.ssh import SshTransport
from fixtures.transport.target import SshTarget
from tests.transport import bad_servers
from tests.transport.sshd import Sshd

TRUE = Command(argv=("true",), key="test/true", deadline_s=5)


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


def failure(target: SshTarget, command: Command = TRUE) -> TransportError:
    host = SshTransport(target, run_id="run1")
    try:
        with pytest.raises(TransportError) as caught:
            host.run(command)
    finally:
        host.close()
    return caught.value


@pytest.mark.parametrize(
    ("serve", "kind", "said"),
    [
        (bad_servers.mute, DeadlineError, "accepts connections and then says nothing"),
        (bad_servers.only_banner, DeadlineError, "after its banner 'SSH-2.0-mute'"),
        (bad_servers.hangs_up, TransportError, "hung up before its SSH banner"),
        (bad_servers.speaks_http, TransportError, "is something else listening there"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_port_that_is_no_ssh_server(
    server: Sshd, serve: Callable[[Any], None], kind: type[RackError], said: str
) -> None:
    with bad_servers.socket_server(serve) as port, ends_within(4):
        error = failure(server.target(port=port, connect_deadline_s=1.2))
    assert type(error) is kind
    assert error.why == ("timeout" if kind is DeadlineError else "unreachable")
    assert said in str(error)
    assert f"r01-ct01 (127.0.0.1:{port})" in str(error)


async def silent(process: Any) -> None:
    await process.stdin.read()


def test_refused_login_is_not_tried_again(keys: Path) -> None:
    """C142: an authentication error is no reason to try again."""
    bouncer = bad_servers.Bouncer
    with bad_servers.ssh_server(keys, silent, bouncer) as target, ends_within(2):
        error = failure(target)
    assert "login as 'tester' refused" in str(error)


def test_command_that_never_ends_is_given_up_here_too(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The far end ignores its own `timeout`, and answers keepalives."""
    monkeypatch.setattr("fixtures.transport.exchange.MARGIN_S", -4.0)

    async def hang(process: Any) -> None:
        await process.stdin.read()
        await asyncio.sleep(60)

    command = Command(argv=("sleep", "60"), key="test/hang", deadline_s=1)
    with bad_servers.ssh_server(keys, hang) as target, ends_within(5):
        error = failure(target, command)
    assert isinstance(error, DeadlineError)
    assert "'test/hang': no end within 2 s" in str(error)


def test_flood_from_a_stranger_is_cut(keys: Path) -> None:
    async def flood(process: Any) -> None:
        for _ in range(20):
            process.stdout.write(b"x" * 1_000_000)
            process.stderr.write(b"y" * 1_000_000)
            await process.stdout.drain()
            await process.stderr.drain()
        process.exit(0)

    command = Command(argv=("x",), key="k", deadline_s=20, output_limit_bytes=1_000_000)
    with bad_servers.ssh_server(keys, flood) as target:
        host = SshTransport(target, run_id="run1")
        result = host.run(command)
        host.close()
    assert (len(result.stdout_bytes), len(result.stderr_bytes)) == (1_000_000, 1_000_000)
    assert (result.rc, result.truncated) == (0, True)


def test_end_without_status_is_no_status(keys: Path) -> None:
    async def leave(process: Any) -> None:
        process.stdout.write(b"half")
        process.channel.close()

    with bad_servers.ssh_server(keys, leave) as target:
        host = SshTransport(target, run_id="run1")
        result = host.run(TRUE)
        host.close()
    assert (result.rc, result.stdout) == (None, "half")


def test_signal_is_no_status(keys: Path) -> None:
    async def die(process: Any) -> None:
        process.exit_with_signal("SEGV")

    with bad_servers.ssh_server(keys, die) as target:
        host = SshTransport(target, run_id="run1")
        assert host.run(TRUE).rc is None
        host.close()


@contextmanager
def stopped_soon(server: Sshd, before: set[int], after_s: float) -> Iterator[None]:
    """SIGSTOP what serves the connections made since `before`, and let it go on at the end."""
    stopped: list[int] = []

    def stop() -> None:
        stopped.extend(set(server.children()) - before)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)

    timer = threading.Timer(after_s, stop)
    timer.start()
    try:
        yield
    finally:
        timer.join()
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("text", ["sleep 12", "yes"], ids=["quiet", "writing"])
def test_host_that_stops_in_mid_command(server: Sshd, text: str) -> None:
    """C143: a stopped peer stays 'active' for ever; silence ends it."""
    before = set(server.children())
    host = SshTransport(server.target(inactivity_deadline_s=1.5), run_id="run1")
    host.run(TRUE)
    command = Command(argv=("sh", "-c", text), key="test/stop", deadline_s=12)
    with stopped_soon(server, before, 0.5), ends_within(4):
        with pytest.raises(DeadlineError, match=r"r01-ct01: 'test/stop': the host went silent"):
            host.run(command)
        host.close()


def test_bundle_of_a_host_that_stops(server: Sshd) -> None:
    before = set(server.children())
    host = SshTransport(server.target(inactivity_deadline_s=1.5), run_id="run1")
    host.run(TRUE)
    command = Command(argv=("sleep", "12"), key="facts/slow", deadline_s=12)
    with stopped_soon(server, before, 0.5), ends_within(4):
        with pytest.raises(DeadlineError, match="went silent"):
            host.bundle([command])
        host.close()


def test_idle_connection_to_a_dead_host_is_made_again(server: Sshd) -> None:
    """The old connection is given up after the silence it may keep; nothing had started on it."""
    before = set(server.children())
    host = SshTransport(server.target(inactivity_deadline_s=1), run_id="run1")
    host.run(TRUE)
    with stopped_soon(server, before, 0.0), ends_within(5):
        time.sleep(0.2)
        assert host.run(TRUE).rc == 0
    host.close()


def test_quiet_command_is_no_dead_host(server: Sshd) -> None:
    host = SshTransport(server.target(inactivity_deadline_s=0.5), run_id="run1")
    assert host.run(Command(argv=("sleep", "1.2"), key="test/quiet", deadline_s=10)).rc == 0
    host.close()


def test_mute_hosts_cost_nobody_else_time(server: Sshd) -> None:
    """A hundred mute hosts and one that answers: each takes its own deadline, all at once."""
    with bad_servers.socket_server(bad_servers.mute) as port:
        hosts = {
            f"r{n:03}": SshTransport(
                server.target(f"r{n:03}", address=f"127.0.1.{n}", port=port, connect_deadline_s=1),
                run_id="run1",
            )
            for n in range(1, 31)
        }
        hosts |= {
            f"r{n:03}": SshTransport(
                server.target(f"r{n:03}", port=port, connect_deadline_s=1), run_id="run1"
            )
            for n in range(101, 104)
        }
        hosts["good"] = SshTransport(server.target("good"), run_id="run1")
        with ends_within(4):
            answers = collect(hosts, lambda name: hosts[name].run(TRUE))
    good = answers.pop("good")
    assert not isinstance(good, RackError)
    assert good.rc == 0
    assert list(answers) == [name for name in hosts if name != "good"]
    assert all(isinstance(answer, TransportError) for answer in answers.values())
    for host in hosts.values():
        host.close()


def test_hosts_behind_a_mute_jump_host_share_its_deadline(
    server: Sshd, connector: Connector
) -> None:
    with bad_servers.socket_server(bad_servers.mute) as port:
        jump = server.target("jump1", port=port, connect_deadline_s=1)
        hosts = {
            f"r{n}": SshTransport(
                server.target(f"r{n}", jump=(jump,)), run_id="run1", connector=connector
            )
            for n in range(40)
        }
        with ends_within(3):
            answers = collect(hosts, lambda name: hosts[name].run(TRUE))
    for name, answer in answers.items():
        assert isinstance(answer, DeadlineError)
        assert f"{name}: cannot pass hop 1, jump1" in str(answer)
