"""A virtual rack that answers inside this process (`--lab-transport=memory`).

Programs, deadlines, bundles, leases and faults are those of the rack behind SSH, and commands are
wrapped and their answers read by the same code; only the connection is left out. For runs by the
hundred, in which SSH is not what is looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from typing import Literal, Protocol

import pytest

from fixtures.model.errors import DeadlineError, TransportError
from fixtures.model.inventory import Inventory
from fixtures.model.lab import FaultSpec
from fixtures.transport import argv as words
from fixtures.transport.base import Command
from fixtures.transport.exchange import Exchange, budget_s
from fixtures.transport.outcome import Outcome, Stream


class Ended(Protocol):
    """What a rack says of a command line that has ended."""

    @property
    def rc(self) -> int: ...
    @property
    def stderr(self) -> bytes: ...
    @property
    def skipped_s(self) -> float: ...


class Running(Protocol):
    """A command line that runs (a Future)."""

    def result(self, timeout: float | None = None) -> Ended: ...


class Rack(Protocol):
    """A rack in this process; `pace` is the part of its own time that really passes."""

    @property
    def pace(self) -> float: ...

    @property
    def user(self) -> str: ...

    def door(self, host: str) -> Literal["open", "refused", "mute", "key-changed"]: ...

    def begin(self, host: str, argv: Sequence[str], sink: Callable[[bytes], None]) -> Running: ...


RACK = pytest.StashKey[Rack]()


def start(
    config: pytest.Config, inventory: Inventory, seed: int, faults: Sequence[FaultSpec]
) -> None:
    """Start the inventory's rack in this process, until the run ends."""
    from lab.simrack import memory

    rack = memory.start(inventory, seed=seed, faults=faults)
    config.add_cleanup(rack.stop)
    config.stash[RACK] = rack


class MemoryTransport(Exchange):
    """One host of a rack in this process. Fails where, and as, it would over SSH."""

    def __init__(self, host: str, rack: Rack, *, run_id: str, connect_deadline_s: float) -> None:
        self._rack = rack
        self._connect_deadline_s = connect_deadline_s
        super().__init__(host, run_id=run_id, sudo=rack.user != "root")

    def close(self) -> None:
        """Nothing is kept open between commands."""

    def begin(self, argv: Sequence[str], command: Command) -> Callable[[], Outcome]:
        words.quote(argv)  # refuses what no host would take
        self._log_in()
        stdout = Stream(command.output_limit_bytes)
        running = self._rack.begin(self.host, argv, stdout.add)
        return lambda: self._read(running, stdout, command)

    def _log_in(self) -> None:
        """Raise what connecting over SSH raises where a host does not let us in."""
        host, door = f"{self.host} (in memory)", self._rack.door(self.host)
        if door == "refused":
            raise TransportError(f"{host}: Connection refused")
        if door == "mute":
            time.sleep(self._connect_deadline_s * self._rack.pace)
            raise DeadlineError(
                f"{host}: accepts connections and then says nothing; no SSH handshake within"
                f" {self._connect_deadline_s:g} s; look at the host's console"
            )
        if door == "key-changed":
            raise TransportError(
                f"{host}: the host key changed. If the host was reinstalled, compare the"
                " fingerprint at its console; if not, something else answers at this address"
            )

    def _read(self, running: Running, stdout: Stream, command: Command) -> Outcome:
        stderr = Stream(command.output_limit_bytes)
        rc, skipped_s = None, 0.0
        lost: TransportError | None = None
        try:
            ended = running.result(budget_s(command))
            stderr.add(ended.stderr)
            rc, skipped_s = ended.rc, ended.skipped_s
        except NotYet:
            pass  # no status, as of a channel that is given up
        except CancelledError:
            lost = TransportError(f"{self.host}: '{command.key}': the rack in memory was stopped")
        return Outcome(
            stdout=bytes(stdout.data),
            stderr=bytes(stderr.data),
            rc=rc,
            truncated=stdout.truncated or stderr.truncated,
            lost=lost,
            skipped_s=skipped_s,
        )
