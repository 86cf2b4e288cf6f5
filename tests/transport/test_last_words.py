"""What a long silent command prints with its last breath is read, however its end is noticed."""

from __future__ import annotations

import os
import selectors
import time
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.transport import drain, local
from fixtures.transport.outcome import Stream


class LateChannel:
    """A channel whose output and status arrive while its reader looks the other way.

    As OpenSSH does, the rest of the output may come behind the status, and EOF later still.
    """

    def __init__(self) -> None:
        self.arrived: list[bytes] = []
        self.status: int | None = None
        self.closed = self.eof_received = False
        self.in_buffer = self.in_stderr_buffer = SimpleNamespace(set_event=lambda _: None)
        self.lock: Any = None
        self.transport: Any = None

    def exit_status_ready(self) -> bool:
        return self.status is not None

    @property
    def exit_status(self) -> int:
        return -1 if self.status is None else self.status

    def recv_ready(self) -> bool:
        return bool(self.arrived)

    def recv(self, _: int) -> bytes:
        return self.arrived.pop(0)

    def recv_stderr_ready(self) -> bool:
        return False


class Ends:
    """The pulse of a host; when it is felt for the n-th time, the command ends."""

    poll_s = 0.01

    def __init__(self, *happens: Any) -> None:
        self._happens = list(happens)

    def check(self) -> None:
        if self._happens:
            self._happens.pop(0)()


def read(channel: LateChannel, *happens: Any) -> Any:
    anything: Any = channel
    pulse: Any = Ends(*happens)
    return drain.drain(anything, stdin=b"", budget_s=30, limit=100, pulse=pulse, where="r01-ct01")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The streams have been silent for longer than a left-behind child may keep them open."""
    monkeypatch.setattr(drain, "end_input", lambda _: None)
    monkeypatch.setattr(drain, "LINGER_S", 0.05)
    monkeypatch.setattr(local, "LINGER_S", 0.05)


def test_output_and_status_that_come_together() -> None:
    channel = LateChannel()

    def end() -> None:
        time.sleep(0.1)
        channel.arrived.append(b"the answer")
        channel.status = 0

    assert read(channel, end).stdout == b"the answer"


def test_output_that_comes_behind_the_status() -> None:
    channel = LateChannel()

    def end() -> None:
        time.sleep(0.1)
        channel.status = 0

    assert read(channel, end, lambda: channel.arrived.append(b"late")).stdout == b"late"


def test_a_left_behind_child_is_not_waited_for() -> None:
    channel = LateChannel()
    channel.status = 3
    began = time.monotonic()
    assert read(channel).rc == 3
    assert time.monotonic() - began < 10


def test_a_local_program_that_ends_between_two_looks() -> None:
    reading, writing = os.pipe()

    class Late:
        """Writes and ends when it is asked for the second time whether it has ended."""

        asked = 0

        def poll(self) -> int | None:
            self.asked += 1
            if self.asked < 2:
                return None
            if self.asked == 2:
                os.write(writing, b"the answer")
            return 0

    stream, process = Stream(100), Late()
    silent: Any = process
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ, stream)
        assert local._pump(selector, silent, time.monotonic() + 30)
    os.close(reading)
    os.close(writing)
    assert bytes(stream.data) == b"the answer"
