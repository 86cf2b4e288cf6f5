"""Which transport a run uses, with evidence being kept: SSH, a lab in this process, or an earlier
run's evidence."""

from __future__ import annotations

import getpass
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.model.inventory import Host, Inventory
from fixtures.model.inventory_schema import SshSchema
from fixtures.transport.base import Transport
from fixtures.transport.connect import Connector
from fixtures.transport.evidence import RecordingTransport
from fixtures.transport.limiter import HandshakeLimiter
from fixtures.transport.reach import Transports
from fixtures.transport.replay import ReplayIndex, ReplayTransport
from fixtures.transport.ssh import SshTransport
from fixtures.transport.store import EvidenceStore
from fixtures.transport.target import SshTarget
from plugins.lab_memory import RACK, MemoryTransport, Rack
from plugins.session import INVENTORY, SESSION, Session
from plugins.switch import SwitchedTransport

DEFAULT_PORT = 22


def transports(config: pytest.Config) -> Transports:
    """A recorded transport for every host of the inventory, opened on demand."""
    session, inventory = config.stash[SESSION], config.stash[INVENTORY]
    store = EvidenceStore(session.folder.path, session.process)
    if session.replay is not None:
        index = ReplayIndex.load(session.replay)
        return Transports(lambda host: RecordingTransport(ReplayTransport(host, index), store))
    rack = config.stash.get(RACK, None)
    if rack is not None:
        return memory_transports(rack, inventory, session, store)
    return ssh_transports(inventory, session, store)


def memory_transports(
    rack: Rack, inventory: Inventory, session: Session, store: EvidenceStore
) -> Transports:
    def connect(host: str) -> Transport:
        inner = MemoryTransport(
            host,
            rack,
            run_id=session.run_id,
            connect_deadline_s=inventory.ssh.connect_deadline_s,
        )
        return SwitchedTransport(RecordingTransport(inner, store), session.switch)

    return Transports(connect)


def ssh_transports(inventory: Inventory, session: Session, store: EvidenceStore) -> Transports:
    connector = Connector(HandshakeLimiter(inventory.ssh.handshakes_per_server))

    def connect(host: str) -> Transport:
        target = target_of(inventory, inventory.hosts[host])
        inner = SshTransport(target, run_id=session.run_id, connector=connector)
        return SwitchedTransport(RecordingTransport(inner, store), session.switch)

    return Transports(connect, [connector])


def target_of(inventory: Inventory, host: Host) -> SshTarget:
    """How to log in to a host of the inventory."""
    ssh = inventory.ssh
    hops = tuple(_target(inventory, name, *split_hop(name)) for name in ssh.jump)
    return replace(_target(inventory, host.name, host.address, host.port or ssh.port), jump=hops)


def owner() -> str:
    """Who holds a lease: user and runner, in the letters that a lease file allows."""
    name = f"{getpass.getuser()}@{socket.gethostname()}"
    return "".join(letter if letter.isalnum() or letter in "._@+-" else "-" for letter in name)[
        :128
    ]


def _target(inventory: Inventory, name: str, address: str, port: int) -> SshTarget:
    known_hosts = file_of(inventory.folder, inventory.ssh.known_hosts)
    return server(inventory.ssh, inventory.folder, name, (address, port), known_hosts)


def server(
    ssh: SshSchema, folder: Path, name: str, where: tuple[str, int], known_hosts: Path
) -> SshTarget:
    """A server at an address and TCP port, without jump hosts, as an inventory's `ssh` says."""
    return SshTarget(
        host=name,
        address=where[0],
        port=where[1],
        user=ssh.user,
        known_hosts=known_hosts,
        key_path=file_of(folder, ssh.key) if ssh.key else None,
        use_agent=ssh.agent,
        connect_deadline_s=ssh.connect_deadline_s,
        inactivity_deadline_s=ssh.inactivity_deadline_s,
        sudo=ssh.user != "root",
    )


def split_hop(hop: str) -> tuple[str, int]:
    """Address and port of a jump host, as an inventory writes it."""
    address, _, port = hop.partition(":")
    return address, int(port) if port.isdecimal() else DEFAULT_PORT


def file_of(folder: Path, name: str) -> Path:
    """A file that an inventory in this folder names."""
    return folder / Path(name).expanduser()
