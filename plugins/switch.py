"""What keeps an interrupted run from starting more on its hosts while it is being ended.

A load runs in threads, which an interrupt does not reach: when the sweep has ended one command, its
thread goes on to the next one.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fixtures.model.errors import RackError
from fixtures.transport.base import Command, CommandResult, RemoteProcess, Transport

ALWAYS = "lease/"
"""Keys of what ends a load and gives its lease back."""


class Switch:
    """Whether this process may start something on a host, and where it is at work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: Counter[str] = Counter()
        self.is_off = False

    def off(self) -> None:
        """From now on nothing starts; what was begun before is seen by `busy`."""
        with self._lock:
            self.is_off = True

    def busy(self, host: str) -> bool:
        with self._lock:
            return self._busy[host] > 0

    @contextmanager
    def using(self, host: str, key: str) -> Iterator[None]:
        """Be at work on a host; raises RackError `interrupted` where that is over."""
        if key.startswith(ALWAYS):
            yield
            return
        with self._lock:
            if self.is_off:
                raise RackError(f"{host}: the run was interrupted", reason="interrupted")
            self._busy[host] += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy[host] -= 1


class SwitchedTransport:
    """A transport behind a switch."""

    def __init__(self, inner: Transport, switch: Switch) -> None:
        self._inner, self._switch = inner, switch

    @property
    def host(self) -> str:
        return self._inner.host

    def run(self, command: Command) -> CommandResult:
        with self._switch.using(self.host, command.key):
            return self._inner.run(command)

    def bundle(self, commands: Sequence[Command]) -> list[CommandResult]:
        with self._switch.using(self.host, commands[0].key if commands else ALWAYS):
            return self._inner.bundle(commands)

    def start(self, command: Command) -> RemoteProcess:
        with self._switch.using(self.host, command.key):
            return self._inner.start(command)

    def close(self) -> None:
        self._inner.close()
