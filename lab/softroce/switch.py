"""The lab's leaf switch: a process that forwards Ethernet frames between guests by MAC address.

Every port is a pair of Unix datagram sockets in the working folder: QEMU owns `<port>.nic`, the
switch owns `<port>.leaf`. A control socket, `switch.sock`, takes one JSON object a line:

    {"do": "set", "port": "a", "cut": true, "drop_percent": 5.0, "delay_ms": 20.0}
    {"do": "count"}

A cut port passes nothing in either direction; loss and delay hold for what the port's guest sends.
Loss is drawn from a random generator with the seed given, so that a run can be repeated.

    python -m lab.softroce.switch SEED PORT...
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import socket
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

CONTROL = "switch.sock"
QUEUE_FRAMES = 8000
"""Frames that wait for a slow guest. perftest keeps 128 messages of 64 KiB in flight, 2,048 frames
of 4 KiB: a shorter queue loses frames on a busy machine, and the gate sees a retransmission."""

BURST_FRAMES = 64
"""Frames taken from one port before the others get their turn."""

_FRAME_LIMIT = 70_000


@dataclass(slots=True, kw_only=True)
class Port:
    """One port: its sockets, what is set on it, and what has passed."""

    name: str
    sock: socket.socket
    cut: bool = False
    drop_percent: float = 0.0
    delay_ms: float = 0.0
    received: int = 0
    sent: int = 0
    dropped: int = 0
    queue: deque[bytes] = field(default_factory=deque)

    def counters(self) -> dict[str, int]:
        """Frames received from the guest, sent to it, and dropped on either way."""
        return {"received": self.received, "sent": self.sent, "dropped": self.dropped}


class Switch:
    """Learns which MAC address is behind which port, and floods what it does not know."""

    def __init__(self, ports: Mapping[str, Port], chance: random.Random) -> None:
        self._ports = ports
        self._chance = chance
        self._port_of: dict[bytes, Port] = {}
        self._loop = asyncio.get_running_loop()
        for port in ports.values():
            self._loop.add_reader(port.sock, self._receive, port)

    def control(self, order: Mapping[str, object]) -> dict[str, object]:
        """Carry out one order; the answer has `ok`, or `error` with what was wrong."""
        if order.get("do") == "count":
            return {"ok": True, "ports": {p.name: p.counters() for p in self._ports.values()}}
        port = self._ports.get(str(order.get("port")))
        if order.get("do") != "set" or port is None:
            return {"error": f"expected set or count of {', '.join(self._ports)}, found {order}"}
        port.cut = bool(order.get("cut", port.cut))
        port.drop_percent = float(str(order.get("drop_percent", port.drop_percent)))
        port.delay_ms = float(str(order.get("delay_ms", port.delay_ms)))
        return {"ok": True}

    def _receive(self, port: Port) -> None:
        for _ in range(BURST_FRAMES):
            try:
                frame = port.sock.recv(_FRAME_LIMIT)
            except (BlockingIOError, ConnectionError):
                return
            port.received += 1
            self._port_of[frame[6:12]] = port
            if port.cut or self._chance.random() * 100 < port.drop_percent:
                port.dropped += 1
            elif port.delay_ms:
                self._loop.call_later(port.delay_ms / 1000, self._forward, port, frame)
            else:
                self._forward(port, frame)

    def _forward(self, source: Port, frame: bytes) -> None:
        # Bit 0 of the first byte marks broadcast and multicast.
        known = None if frame[0] & 1 else self._port_of.get(frame[:6])
        for port in [known] if known else self._ports.values():
            if port is not source:
                self._send(port, frame)

    def _send(self, port: Port, frame: bytes) -> None:
        if port.cut or len(port.queue) >= QUEUE_FRAMES:
            port.dropped += 1
            return
        port.queue.append(frame)
        if len(port.queue) == 1:
            self._drain(port)

    def _drain(self, port: Port) -> None:
        while port.queue:
            try:
                port.sock.send(port.queue[0])
            except BlockingIOError:
                self._loop.add_writer(port.sock, self._drain, port)
                return
            except OSError:
                # Not connected yet, or the guest is gone; try once to reach it (again).
                if not _connect(port):
                    port.dropped += len(port.queue)
                    port.queue.clear()
                continue
            port.queue.popleft()
            port.sent += 1
        self._loop.remove_writer(port.sock)


def _connect(port: Port) -> bool:
    # A connected socket is what makes "writable" mean that the guest has room.
    try:
        port.sock.connect(f"{port.name}.nic")
    except OSError:
        return False
    return True


def open_port(name: str) -> Port:
    """Bind the switch's side of a port in the working folder."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.setblocking(False)
    sock.bind(f"{name}.leaf")
    return Port(name=name, sock=sock)


async def serve(seed: int, names: list[str]) -> None:
    """Forward frames and take orders until SIGTERM."""
    switch = Switch({name: open_port(name) for name in names}, random.Random(seed))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            async for line in reader:
                writer.write(json.dumps(_obey(switch, line)).encode() + b"\n")
                await writer.drain()
        writer.close()

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with await asyncio.start_unix_server(answer, CONTROL):
        await stop.wait()


def _obey(switch: Switch, line: bytes) -> dict[str, object]:
    try:
        order = json.loads(line)
        return switch.control(order)
    except (ValueError, AttributeError) as error:
        return {"error": f"not an order: {line!r} ({error})"}


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2:]))
