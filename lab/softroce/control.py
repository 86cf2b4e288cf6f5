"""Orders to the lab's own sockets: the switch's, and QEMU's machine protocol (QMP)."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from io import BufferedRWPair
from pathlib import Path

from lab.softroce.errors import LabError

_ANSWER_DEADLINE_S = 10.0


def ask(path: Path, *orders: Mapping[str, object], greeting: bool = False) -> dict[str, object]:
    """Send JSON orders one by one and return the last answer; raises LabError for an error.

    `greeting` is for servers that speak first, as QMP does.
    """
    try:
        with _connected(path) as stream:
            answer: dict[str, object] = json.loads(stream.readline()) if greeting else {}
            for order in orders:
                stream.write(json.dumps(order).encode() + b"\n")
                stream.flush()
                answer = _answer(stream, path)
    except OSError as error:
        raise LabError(
            f"softroce lab: {path} does not answer ({error}); is the lab or guest still running?"
        ) from error
    if "error" in answer:
        raise LabError(f"softroce lab: {path.name} refused {orders[-1]}: {answer['error']}")
    return answer


def qmp(path: Path, command: str, **arguments: object) -> dict[str, object]:
    """One QMP command, for example `qmp(p, "set_link", name="fabric", up=False)`."""
    hello = {"execute": "qmp_capabilities"}
    return ask(path, hello, {"execute": command, "arguments": arguments}, greeting=True)


def _answer(stream: BufferedRWPair, path: Path) -> dict[str, object]:
    while True:
        line = stream.readline()
        if not line:
            raise LabError(f"softroce lab: {path} closed the connection without an answer")
        answer: dict[str, object] = json.loads(line)
        # QMP mixes events with answers.
        if "event" not in answer:
            return answer


@contextlib.contextmanager
def _connected(path: Path) -> Iterator[BufferedRWPair]:
    # Through the folder's descriptor: a Unix socket's path may have 107 bytes only.
    folder = os.open(path.parent, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(_ANSWER_DEADLINE_S)
            sock.connect(f"/proc/self/fd/{folder}/{path.name}")
            with sock.makefile("rwb") as stream:
                yield stream
    finally:
        os.close(folder)
