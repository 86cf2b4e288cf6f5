"""A plugin for runs that must not leave their process: a network socket or a child is an error."""

from __future__ import annotations

import socket
import sys

FAMILIES = (socket.AF_INET, socket.AF_INET6)
"""An event loop wakes itself through a pair of local sockets; those are none of a network."""


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.__new__" and arguments[1] in FAMILIES:
        raise RuntimeError("a network socket was opened")
    if event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
        raise RuntimeError(f"a process was started: {arguments[0]!r}")


sys.addaudithook(_refuse)
