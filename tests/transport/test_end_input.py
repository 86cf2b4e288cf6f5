"""The end of standard input never follows a channel's own CLOSE."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

from fixtures.transport.drain import end_input


class FakeChannel:
    """As much of a paramiko channel as ending its input touches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.eof_sent = False
        self.held_while_sending: list[bool] = []
        send = lambda message: self.held_while_sending.append(self.lock.locked())  # noqa: E731
        self.transport: Any = SimpleNamespace(_send_user_message=send)

    def _send_eof(self) -> str | None:
        if self.eof_sent:
            return None
        self.eof_sent = True
        return "EOF"


def test_the_channel_is_held_until_the_end_is_sent() -> None:
    channel: Any = FakeChannel()
    end_input(channel)
    assert channel.held_while_sending == [True]
    assert not channel.lock.locked()


def test_the_end_is_sent_once() -> None:
    channel: Any = FakeChannel()
    end_input(channel)
    end_input(channel)
    assert channel.held_while_sending == [True]
