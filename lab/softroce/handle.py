"""A running lab: how to reach its guests, how to hurt them, how to end it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fixtures.model.lab import LabEndpoints
from lab.softroce import control
from lab.softroce.errors import LabError
from lab.softroce.qemu import console_file
from lab.softroce.registry import Process
from lab.softroce.switch import CONTROL

_KILL_DEADLINE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabHandle:
    """A running lab: how to reach it, how to hurt it, how to end it."""

    info: LabEndpoints
    folder: Path
    keeper: subprocess.Popen[bytes]
    processes: Mapping[str, Process]

    @property
    def pids(self) -> list[int]:
        """Every process of the lab: the keeper, the switch, and the guests that still run."""
        kept = [process.pid for process in self.processes.values() if process.alive()]
        return [self.keeper.pid, *kept] if self.keeper.poll() is None else kept

    def kill(self, name: str) -> None:
        """End the guest at once, as when its power is lost; it does not come back."""
        process = self._guest(name)
        process.send(signal.SIGKILL)
        _await_end(process)

    def freeze(self, name: str) -> None:
        """Stop the guest's processor: connections stay open and nothing answers."""
        self._guest(name).send(signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let a frozen guest go on."""
        self._guest(name).send(signal.SIGCONT)

    def pull_cable(self, name: str) -> None:
        """Take the carrier from the guest's fabric NIC: the kernel sees the link go down."""
        self._set_link(name, up=False)

    def plug_cable(self, name: str) -> None:
        """Give the carrier back."""
        self._set_link(name, up=True)

    def impair(
        self, name: str, *, cut: bool = False, drop_percent: float = 0.0, delay_ms: float = 0.0
    ) -> None:
        """Set how badly the switch treats the guest's port; without arguments it is healthy.

        A cut port loses everything in silence, the link stays up. Loss and delay hold for what
        the guest sends, not for what it receives.
        """
        self._guest(name)
        order = {"cut": cut, "drop_percent": drop_percent, "delay_ms": delay_ms}
        control.ask(self.folder / CONTROL, {"do": "set", "port": name, **order})

    def counters(self) -> dict[str, dict[str, int]]:
        """Frames that the switch has received, sent and dropped, by guest."""
        answer = control.ask(self.folder / CONTROL, {"do": "count"})
        ports = answer["ports"]
        assert isinstance(ports, dict)
        return ports

    def console(self, name: str) -> str:
        """What the guest has printed on its console."""
        return read_console(self.folder, name)

    def stop(self) -> None:
        """End the lab; when this returns none of its processes is left. May be called twice."""
        end_keeper(self.keeper, self.processes.values())

    def _guest(self, name: str) -> Process:
        if name not in self.info.endpoints:
            known = ", ".join(self.info.endpoints)
            raise LabError(f"softroce lab: there is no guest {name}; expected one of {known}")
        return self.processes[name]

    def _set_link(self, name: str, *, up: bool) -> None:
        self._guest(name)
        control.qmp(self.folder / f"{name}.qmp", "set_link", name="fabric", up=up)


def end_keeper(keeper: subprocess.Popen[bytes], processes: Iterable[Process]) -> None:
    """End a lab through its keeper, and by pid whatever the keeper does not end in time."""
    if keeper.stdin:
        keeper.stdin.close()
    if keeper.poll() is None:
        keeper.terminate()
    try:
        keeper.wait(timeout=_KILL_DEADLINE_S)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()
    for process in processes:
        process.send(signal.SIGKILL)


def read_console(folder: Path, name: str) -> str:
    """The console of a guest so far; empty when it has printed nothing."""
    path = console_file(folder, name)
    return path.read_text(errors="replace") if path.exists() else ""


def _await_end(process: Process) -> None:
    until = time.monotonic() + _KILL_DEADLINE_S
    while process.alive():
        if time.monotonic() > until:
            raise LabError(f"softroce lab: {process.name} (pid {process.pid}) survives SIGKILL")
        time.sleep(0.01)
