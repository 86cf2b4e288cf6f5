"""Starts guests and the switch between them."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from fixtures.model.lab import LabEndpoints
from lab.softroce.errors import LabError, tail
from lab.softroce.handle import LabHandle, end_keeper, read_console
from lab.softroce.identity import make_identity
from lab.softroce.image import Image, image
from lab.softroce.order import Order
from lab.softroce.qemu import READY, qemu_argv, reserve_ports
from lab.softroce.recipe import HERE
from lab.softroce.registry import Process, end_leftovers, entry_path
from lab.softroce.spec import GuestSpec, check_specs
from lab.softroce.switch import CONTROL

BOOT_DEADLINE_S = 180.0
"""For all guests together, which boot at once; four take about 25 s on two cores."""

_POLL_S = 0.1
_SWITCH = "_switch"
"""Name of the switch's process; no guest can have it."""


def start_guests(
    specs: Sequence[GuestSpec],
    *,
    state_dir: Path,
    seed: int = 0,
    attached: bool = True,
    deadline_s: float = BOOT_DEADLINE_S,
) -> LabHandle:
    """Boot all guests at once and return when each answers SSH.

    `state_dir` gets the run's keys, consoles, logs and sockets. An attached lab ends with this
    process. Raises LabError, with the end of the console, for a guest that does not come up.
    """
    check_specs(specs)
    boot = image()
    end_leftovers()
    _prepare(state_dir)
    identity = make_identity(state_dir / "keys", specs)
    for spec in specs:
        (state_dir / f"{spec.name}.disk").write_bytes(identity.guest_disk(spec, specs))
    with contextlib.ExitStack() as reserved:
        held = [reserved.enter_context(sock) for sock in reserve_ports(len(specs))]
        ports = {spec.name: sock.getsockname()[1] for spec, sock in zip(specs, held, strict=True)}
        known_hosts = state_dir / "known_hosts"
        known_hosts.write_text(identity.known_hosts(ports))
        order = _order(specs, boot, ports, state_dir=state_dir, seed=seed, attached=attached)
        keeper, processes = _start_keeper(order)
        try:
            _await_ready(state_dir, processes, ports, deadline_s)
        except BaseException:
            end_keeper(keeper, processes.values())
            raise
    info = LabEndpoints(
        endpoints={name: ("127.0.0.1", port) for name, port in ports.items()},
        known_hosts=known_hosts,
        user="root",
        key=identity.client.private,
    )
    return LabHandle(info=info, folder=state_dir, keeper=keeper, processes=processes)


def _prepare(folder: Path) -> None:
    """An own folder without sockets and consoles of an earlier lab."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for pattern in ("*.leaf", "*.nic", "*.qmp", "*.console", "*.disk", CONTROL):
        for stale in folder.glob(pattern):
            stale.unlink()


def _order(
    specs: Sequence[GuestSpec],
    boot: Image,
    ports: Mapping[str, int],
    *,
    state_dir: Path,
    seed: int,
    attached: bool,
) -> Order:
    names = [spec.name for spec in specs]
    commands = {_SWITCH: [sys.executable, "-I", str(HERE / "switch.py"), str(seed), *names]}
    for spec in specs:
        commands[spec.name] = qemu_argv(spec, boot, ssh_port=ports[spec.name])
    return Order(
        folder=str(state_dir.resolve()),
        entry=str(entry_path(state_dir)),
        attached=attached,
        commands=commands,
    )


def _start_keeper(order: Order) -> tuple[subprocess.Popen[bytes], dict[str, Process]]:
    log = Path(order.folder) / "keeper.log"
    with log.open("wb") as errors:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "lab.softroce.keeper"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=HERE.parents[1],
            start_new_session=True,
        )
    assert keeper.stdin
    assert keeper.stdout
    keeper.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
    keeper.stdin.flush()
    answer = keeper.stdout.readline()
    keeper.stdout.close()
    if not answer:
        end_keeper(keeper, [])
        raise LabError(f"softroce lab: nothing was started:\n{tail(log.read_text())}")
    processes = [Process(**fields) for fields in json.loads(answer)]
    return keeper, {process.name: process for process in processes}


def _await_ready(
    folder: Path, processes: Mapping[str, Process], ports: Mapping[str, int], deadline_s: float
) -> None:
    until = time.monotonic() + deadline_s
    waiting = list(ports)
    while waiting:
        for name in list(waiting):
            if READY in read_console(folder, name) and _ssh_answers(ports[name], deadline_s):
                waiting.remove(name)
            elif not processes[name].alive() or not processes[_SWITCH].alive():
                raise _not_up(folder, name, "ended while it booted")
            elif time.monotonic() > until:
                raise _not_up(folder, name, f"was not ready after {deadline_s:.0f} s")
        time.sleep(_POLL_S)


def _ssh_answers(port: int, deadline_s: float) -> bool:
    """Whether an SSH server speaks; QEMU accepts connections long before the guest does."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=deadline_s) as sock:
            return sock.recv(4) == b"SSH-"
    except OSError:
        return False


def _not_up(folder: Path, name: str, what: str) -> LabError:
    logs = "".join(
        (folder / f"{process}.log").read_text(errors="replace") for process in (name, _SWITCH)
    )
    return LabError(
        f"softroce lab: guest {name} {what}; logs are in {folder}\n"
        f"  console:\n{tail(read_console(folder, name))}\n"
        f"  QEMU and switch:\n{tail(logs)}"
    )
