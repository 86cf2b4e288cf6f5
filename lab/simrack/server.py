"""The SSH server: every host of the world at its own loopback address, all in one process."""

from __future__ import annotations

import asyncio
import errno
import shlex
import socket
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from lab.simrack.execute import LOG, answer
from lab.simrack.handover import Files
from lab.simrack.machine import Machine, Outcome, Site

ALGORITHMS = {
    "kex_algs": ["curve25519-sha256", "curve25519-sha256@libssh.org"],
    "encryption_algs": ["aes128-gcm@openssh.com", "aes128-ctr"],
    "mac_algs": ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-256"],
    "compression_algs": ["none"],
}
USAGE = 2
EOF_WITHIN_S = 5.0
"""How long a paramiko client may take to end its input before the channel is closed.

Commands end within microseconds here. paramiko sends EOF from one thread and answers CLOSE from
another: its EOF can follow its own CLOSE, which asyncssh, like OpenSSH, answers by dropping the
connection.
"""
_TRIES = 20


@dataclass(slots=True, kw_only=True)
class Server:
    """Listening hosts; `mute` keeps the connections of hosts that never speak."""

    site: Site
    files: Files
    port: int
    sockets: dict[str, socket.socket]
    closed: list[socket.socket]
    mute: set[asyncio.StreamWriter]


async def serve(site: Site, files: Files) -> Server:
    """Start every host, write the client's key and known_hosts; returns when all listen."""
    sockets, port = _bind([host.address for host in site.world.hosts.values()])
    server = Server(site=site, files=files, port=port, sockets=sockets, closed=[], mute=set())
    client = asyncssh.generate_private_key("ssh-ed25519")
    _write_private(files.key, client.export_private_key())
    trusted = asyncssh.import_authorized_keys(client.export_public_key().decode())
    known = []
    for name, machine in site.machines.items():
        shown = asyncssh.generate_private_key("ssh-ed25519")
        published = shown
        if machine.state.key_changed:
            published = asyncssh.generate_private_key("ssh-ed25519")
        public = published.export_public_key().decode().strip()
        known.append(f"[{machine.state.address}]:{port} {public}\n")
        await _listen(server, machine, shown, trusted)
        LOG.debug("%s listens at %s:%d", name, machine.state.address, port)
    files.known_hosts.write_text("".join(known), encoding="utf-8")
    return server


def _write_private(path: Path, key: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(key)


def _bind(addresses: list[str]) -> tuple[dict[str, socket.socket], int]:
    """One TCP port that is free at every address, bound at each; not listening yet."""
    for _ in range(_TRIES):
        bound: dict[str, socket.socket] = {}
        port = 0
        try:
            for address in addresses:
                bound[address] = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
                bound[address].bind((address, port))
                port = bound[address].getsockname()[1]
        except OSError as error:
            for taken in bound.values():
                taken.close()
            if error.errno != errno.EADDRINUSE:
                raise
            continue
        return bound, port
    raise OSError(errno.EADDRINUSE, f"no TCP port is free at all of {len(addresses)} addresses")


async def _listen(
    server: Server,
    machine: Machine,
    key: asyncssh.SSHKey,
    trusted: asyncssh.SSHAuthorizedKeys,
) -> None:
    host = machine.state
    sock = server.sockets[host.address]
    if host.reach == "refused":
        # Bound and not listening: refused here, and no other lab can take the place.
        server.closed.append(sock)
        return
    if host.reach == "mute":
        await asyncio.start_server(lambda _, writer: server.mute.add(writer), sock=sock)
        return

    async def handle(process: asyncssh.SSHServerProcess[bytes]) -> None:
        await _answer(machine, process)

    await asyncssh.listen(
        sock=sock,
        server_host_keys=[key],
        authorized_client_keys=trusted,
        process_factory=handle,
        encoding=None,
        password_auth=False,
        kbdint_auth=False,
        gss_host=None,
        allow_pty=False,
        agent_forwarding=False,
        x11_forwarding=False,
        allow_scp=False,
        line_editor=False,
        **ALGORITHMS,
    )


async def _answer(machine: Machine, process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Run what a client asked for, and give it the end."""
    standard_input = asyncio.ensure_future(process.stdin.read())
    outcome = await _command(machine, process)
    if "paramiko" in str(process.get_extra_info("client_version")):
        await asyncio.wait((standard_input,), timeout=EOF_WITHIN_S)
    standard_input.cancel()
    await asyncio.gather(standard_input, return_exceptions=True)
    if process.channel.is_closing():
        return
    process.stdout.write(outcome.stdout)
    process.stderr.write(outcome.stderr)
    process.exit(outcome.rc)


async def _command(machine: Machine, process: asyncssh.SSHServerProcess[bytes]) -> Outcome:
    command = process.command
    if command is None:
        text = f"simrack: {machine.state.name} has no shell; give it a command\n"
        return Outcome(rc=USAGE, stderr=text.encode())
    try:
        words = shlex.split(command)
    except ValueError as error:
        text = f"sh: 1: Syntax error: {error}\n"
        return Outcome(rc=USAGE, stderr=text.encode())

    def sink(data: bytes) -> None:
        if not process.channel.is_closing():
            process.stdout.write(data)

    return await answer(machine, words, sink=sink)
