"""Starting the rack from outside: one child process, and what its clients need to know."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fixtures.model.errors import RackError
from fixtures.model.inventory import Inventory
from fixtures.model.lab import FaultSpec, LabEndpoints
from lab.simrack.handover import Files, send_world
from lab.simrack.inject import inject
from lab.simrack.state import build

CHECKOUT = Path(__file__).parents[2]
READY_WITHIN_S = 30.0
_TERM_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabHandle:
    """A running rack. It ends with `stop`, or when the process that started it ends."""

    info: LabEndpoints
    child: subprocess.Popen[bytes]

    @property
    def pids(self) -> list[int]:
        """The processes of the lab that still run."""
        return [self.child.pid] if self.child.poll() is None else []

    def stop(self) -> None:
        """End the server; safe to call twice."""
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(_TERM_S)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                pipe.close()


def start(
    inventory: Inventory, *, state_dir: Path, seed: int = 0, faults: Sequence[FaultSpec] = ()
) -> LabHandle:
    """Start the inventory as a virtual rack; returns when every host listens.

    `state_dir` gets the client's key, known_hosts and simrack.log. Raises InventoryError for a
    fault that does not fit, RackError when the server does not come up.
    """
    world = build(inventory, seed)
    inject(world, faults)
    state_dir.mkdir(parents=True, exist_ok=True)
    files = Files(folder=state_dir.resolve())
    with files.log.open("ab") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "lab.simrack", "serve", "--state-dir", str(files.folder)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    assert child.stdin is not None
    try:
        send_world(world, child.stdin)
        ready = json.loads(_first_line(child))
    except (OSError, ValueError) as error:
        child.kill()
        child.wait()
        raise RackError(
            f"simrack did not start within {READY_WITHIN_S:.0f} s ({error or 'it said nothing'}); "
            f"see {files.log}"
        ) from error
    return LabHandle(
        child=child,
        info=LabEndpoints(
            endpoints={name: (host, port) for name, (host, port) in ready["endpoints"].items()},
            known_hosts=files.known_hosts,
            user=ready["user"],
            key=files.key,
        ),
    )


def _first_line(child: subprocess.Popen[bytes]) -> bytes:
    """The child's first line of output, or less where its deadline passes or it ends."""
    assert child.stdout is not None
    end = time.monotonic() + READY_WITHIN_S
    line = b""
    while not line.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
            break
        data = os.read(child.stdout.fileno(), 65536)
        if not data:
            break
        line += data
    return line
