"""What goes through a jump host keeps the order that its SSH server insists on."""

from __future__ import annotations

import threading
from typing import Any

import paramiko
import pytest
from paramiko.common import MSG_CHANNEL_CLOSE, MSG_CHANNEL_DATA, MSG_CHANNEL_EOF

from fixtures.transport.tunnel import Tunnel, shut, tunnelled


class Slow:
    """A connection whose first message is under way until `go` is set."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.under_way, self.go = threading.Event(), threading.Event()

    def _send_user_message(self, message: paramiko.Message) -> None:
        if not self.under_way.is_set():
            self.under_way.set()
            assert self.go.wait(10)
        self.sent.append(message.asbytes()[0])


def opened(transport: Slow) -> Tunnel:
    channel: Any = paramiko.Channel(1)
    channel.transport, channel.active, channel.remote_chanid = transport, True, 7
    channel.out_window_size = channel.out_max_packet_size = 1000
    return tunnelled(channel)


@pytest.mark.parametrize("closes", ["close", "the server does"])
def test_nothing_is_sent_behind_a_close(closes: str) -> None:
    transport = Slow()
    tunnel = opened(transport)
    sender = threading.Thread(target=tunnel.send, args=(b"data",))
    sender.start()
    assert transport.under_way.wait(10)
    if closes == "close":
        tunnel.close()
    else:
        with tunnel.lock:
            assert tunnel._close_internal() == (None, None)
    with tunnel.lock:
        assert tunnel._close_internal() == (None, None)  # both ends may
    with pytest.raises(OSError, match="closed"):
        tunnel.send(b"more")
    transport.go.set()
    sender.join(10)
    assert transport.sent == [MSG_CHANNEL_DATA, MSG_CHANNEL_EOF, MSG_CHANNEL_CLOSE]


def test_a_tunnel_that_nobody_uses_is_closed_at_once() -> None:
    transport = Slow()
    transport.under_way.set()
    tunnel = opened(transport)
    assert tunnel.send(b"data") == 4
    tunnel.close()
    tunnel.close()
    assert transport.sent == [MSG_CHANNEL_DATA, MSG_CHANNEL_EOF, MSG_CHANNEL_CLOSE]


def test_what_is_dead_is_closed_without_a_word() -> None:
    class Dead:
        def close(self) -> None:
            raise EOFError

    shut(Dead(), Dead())
