"""Servers that misbehave: plain sockets for what happens before SSH, asyncssh for what happens in
it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncssh

from fixtures.transport.target import SshTarget
from tests.transport.sshd import make_key

BANNER = b"SSH-2.0-mute\r\n"


@contextmanager
def socket_server(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """A listener that hands every connection to `serve` in a thread; yields its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    accepted: list[socket.socket] = []

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                accepted.append(connection)
                serve(connection)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
        for connection in accepted:
            connection.close()


def mute(connection: socket.socket) -> None:
    """Says nothing, ever."""


def only_banner(connection: socket.socket) -> None:
    connection.sendall(BANNER)


def hangs_up(connection: socket.socket) -> None:
    connection.close()


def speaks_http(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
    connection.close()


Handler = Callable[[Any], Coroutine[Any, Any, None]]


class BadServer(asyncssh.SSHServer):
    """Lets everybody in, or nobody."""

    lets_in = True

    def __init__(self, connections: list[asyncssh.SSHServerConnection]) -> None:
        self._connections = connections

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connections.append(conn)

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return self.lets_in

    def password_auth_supported(self) -> bool:
        return not self.lets_in

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return True


class Bouncer(BadServer):
    lets_in = False


@contextmanager
def ssh_server(
    folder: Path, handle: Handler, server: type[BadServer] = BadServer, **options: Any
) -> Iterator[SshTarget]:
    """An asyncssh server whose commands are all answered by `handle`; yields how to reach it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    connections: list[asyncssh.SSHServerConnection] = []
    host_key, user_key = make_key(folder / "host_key"), make_key(folder / "user_key")

    async def listen() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=lambda: server(connections),
            server_host_keys=[str(host_key)],
            process_factory=handle,
            encoding=None,
            **options,
        )

    listener = asyncio.run_coroutine_threadsafe(listen(), loop).result(10)
    port = listener.get_port()
    kind, blob = (folder / "host_key.pub").read_text().split()[:2]
    known = folder / f"known_{port}"
    known.write_text(f"[127.0.0.1]:{port} {kind} {blob}\n")

    async def shut() -> None:
        listener.close()
        for connection in connections:
            connection.abort()
            await connection.wait_closed()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)  # transports close in the loop's next turn

    try:
        yield SshTarget(
            host="r01-ct01",
            address="127.0.0.1",
            port=port,
            user="tester",
            known_hosts=known,
            key_path=user_key,
            connect_deadline_s=3,
            inactivity_deadline_s=2,
        )
    finally:
        asyncio.run_coroutine_threadsafe(shut(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()
