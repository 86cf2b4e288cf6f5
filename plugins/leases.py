"""`leases`: the right to load hosts, taken on the hosts themselves, kept alive, and given back.

A lease is a file on each Linux host. Before it is given back, everything that the run started there
is ended, so that nothing outlives it; a runner that died leaves a lease that expires, and whoever
replaces it ends what that run left behind.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from fixtures.model.errors import Busy, RackError
from fixtures.model.lease import Held, Leases
from fixtures.model.policy import refuse_too_many
from fixtures.transport import lease
from fixtures.transport.base import Transport
from fixtures.transport.pool import collect
from fixtures.transport.reach import Transports
from fixtures.transport.sweep import sweep
from plugins import connect
from plugins.session import SESSION, Session, runner_mark

TTL_S = 300
RENEW_S = 100
INTERRUPTED_S = 3.0
"""How long an interrupted load is swept until its threads have ended; xdist kills workers at 10."""


@pytest.fixture(scope="session")
def leases(pytestconfig: pytest.Config, transports: Transports) -> Leases:
    """`with leases(hosts, topic) as held:`; hosts that others hold are in `held.refused`."""
    session = pytestconfig.stash[SESSION]
    owner = connect.owner()

    @contextmanager
    def hold(hosts: Collection[str], topic: str) -> Iterator[Held]:
        refuse_too_many(session.inventory, hosts)
        with _alone(session, hosts):
            yield from _hold(hosts, topic)

    def _hold(hosts: Collection[str], topic: str) -> Iterator[Held]:
        taken = collect(
            list(hosts), lambda host: _take(session, transports.to(host), owner, f"lease/{topic}")
        )
        refused = {host: found for host, found in taken.items() if isinstance(found, RackError)}
        ours = [host for host in hosts if host not in refused]
        note_loaded(session, ours)
        stop = threading.Event()
        beat = threading.Thread(target=_renew, args=(session, transports, owner, ours, stop))
        beat.daemon = True
        beat.start()
        try:
            yield Held(refused)
        except KeyboardInterrupt:
            session.switch.off()
            raise
        finally:
            stop.set()
            beat.join()  # a late heartbeat would find the lease gone and end the next load
            give_back(session, transports, owner, ours, topic)

    return hold


def _take(session: Session, transport: Transport, owner: str, topic: str) -> None:
    """Take a host's lease; one that a dead runner of ours still holds is ended first."""
    try:
        lease.take(transport, owner, session.run_id, TTL_S, topic=topic)
    except Busy as busy:
        if busy.owner != owner or not _is_dead(busy.run_id):
            raise
        sweep(transport, busy.run_id, topic=f"{topic}/dead-run")
        lease.release(transport, owner, busy.run_id, topic=f"{topic}/dead-run")
        lease.take(transport, owner, session.run_id, TTL_S, topic=f"{topic}/again")


def _is_dead(run_id: str) -> bool:
    """Whether a run of this very runner has ended: its id names the runner's boot and process
    space, and the process. Of any other run nothing is known, and its lease has to expire."""
    parts = run_id.rsplit("-", 3)
    if len(parts) != 4 or parts[1] != runner_mark() or not parts[3].isdecimal():
        return False
    return not Path(f"/proc/{parts[3]}").exists()


@contextmanager
def _alone(session: Session, hosts: Collection[str]) -> Iterator[None]:
    """Keep other loads of this run, in whatever process or thread, off the same hosts.

    The lease on the host is the run's as a whole, and the sweep that ends a load ends everything of
    the run there. Locks are taken in one order, so that no two loads wait for each other.
    """
    folder = session.shared / "locks"
    folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        for host in sorted(hosts):
            stack.enter_context(FileLock(folder / f"{host}.lock", thread_local=False))
        yield


def give_back(
    session: Session, transports: Transports, owner: str, hosts: Collection[str], topic: str
) -> None:
    """End what the run started on these hosts, then release their leases."""

    def end(host: str) -> None:
        transport, name = transports.to(host), f"lease/{topic}"
        sweep(transport, session.run_id, topic=name)
        deadline = time.monotonic() + INTERRUPTED_S
        while session.switch.is_off and session.switch.busy(host) and time.monotonic() < deadline:
            time.sleep(0.2)  # a thread that had just begun something when the run was interrupted
            sweep(transport, session.run_id, topic=f"{name}/again")
        lease.release(transport, owner, session.run_id, topic=name)

    ended = collect(list(hosts), end)
    left = {host for host, error in ended.items() if isinstance(error, RackError)}
    forget_loaded(session, [host for host in hosts if host not in left])


def note_loaded(session: Session, hosts: Collection[str]) -> None:
    """Remember where the run loads something, for the controller in case this process dies."""
    folder = session.shared / "loaded"
    folder.mkdir(exist_ok=True)
    for host in hosts:
        (folder / host).touch()


def forget_loaded(session: Session, hosts: Collection[str]) -> None:
    for host in hosts:
        (session.shared / "loaded" / host).unlink(missing_ok=True)


def still_loaded(session: Session) -> list[str]:
    """Hosts on which something of this run may still go on."""
    folder = session.shared / "loaded"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _renew(
    session: Session,
    transports: Transports,
    owner: str,
    hosts: Collection[str],
    stop: threading.Event,
) -> None:
    """Keep the leases alive. Where one was lost, end our load: another run may have begun there."""

    def renew(host: str) -> None:
        try:
            lease.renew(transports.to(host), owner, session.run_id, TTL_S)
        except Busy:
            sweep(transports.to(host), session.run_id, topic="lease/lost")

    while not stop.wait(RENEW_S):
        collect(list(hosts), renew)
