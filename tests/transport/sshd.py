"""A real OpenSSH server on a loopback port, with its own keys and configuration, for one test."""

from __future__ import annotations

import getpass
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fixtures.transport.target import SshTarget

SSHD = "/usr/sbin/sshd"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """A key pair at `path` and `path.pub`; made once."""
    if not path.exists():
        size = ["-b", "2048"] if kind == "rsa" else []
        command = ["ssh-keygen", "-q", "-t", kind, *size, "-N", passphrase, "-f", str(path)]
        subprocess.run(command, check=True, capture_output=True)
    return path


@dataclass(frozen=True, slots=True)
class Sshd:
    """A running server and how to reach it."""

    folder: Path
    port: int
    pid: int

    def target(self, host: str = "r01-ct01", **changes: Any) -> SshTarget:
        given: dict[str, Any] = {
            "host": host,
            "address": "127.0.0.1",
            "port": self.port,
            "user": getpass.getuser(),
            "key_path": self.folder / "user_key",
            "known_hosts": self.folder / "known_hosts",
            "sudo": False,
        }
        return SshTarget(**(given | changes))

    def children(self) -> list[int]:
        """The processes that serve the connections of the moment."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def session_pids(self) -> list[int]:
        """Every process below the server, nearest first."""
        found, todo = [], self.children()
        while todo:
            pid = todo.pop(0)
            found.append(pid)
            path = Path(f"/proc/{pid}/task/{pid}/children")
            todo += [int(child) for child in path.read_text().split()] if path.exists() else []
        return found


@contextmanager
def sshd(folder: Path, **options: str) -> Iterator[Sshd]:
    """Start a server; `options` are lines of sshd_config. Ends it and what it serves."""
    folder.mkdir(exist_ok=True)
    port = free_port()
    host_key = make_key(folder / "host_key")
    make_key(folder / "user_key")
    (folder / "authorized_keys").write_text((folder / "user_key.pub").read_text())
    kind, blob = (folder / "host_key.pub").read_text().split()[:2]
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {kind} {blob}\n")
    settings = {
        "Port": str(port),
        "ListenAddress": "127.0.0.1",
        "HostKey": str(host_key),
        "AuthorizedKeysFile": str(folder / "authorized_keys"),
        "PidFile": "none",
        "UsePAM": "no",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
    }
    config = folder / "sshd_config"
    config.write_text("".join(f"{name} {value}\n" for name, value in (settings | options).items()))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with (folder / "sshd.log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=log)
    running = Sshd(folder, port, server.pid)
    try:
        _await_port(port)
        yield running
    finally:
        for pid in [*running.children(), server.pid]:
            end(pid)
        server.wait(5)


def end(pid: int) -> None:
    """SIGKILL to one process of ours, also to a stopped one; fine when it is gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _await_port(port: int) -> None:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"sshd did not listen on {port}")
