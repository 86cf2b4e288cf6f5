"""The rack inside the process that asks: the same machines and programs, without SSH and sockets.

    rack = start(inventory, seed=1, faults=faults)
    outcome = rack.begin("r01-ct01", ["nvidia-smi", "-L"], sink=chunks.append).result()

A thread runs the model. What programs say they take passes `PACE` times as fast; what they print,
and the durations that they report, are as behind SSH.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Literal

from fixtures.model.errors import TransportError
from fixtures.model.inventory import Inventory
from fixtures.model.lab import FaultSpec
from lab.simrack.execute import answer
from lab.simrack.inject import inject
from lab.simrack.machine import Outcome, Sink, Site
from lab.simrack.state import build

Door = Literal["open", "refused", "mute", "key-changed"]
PACE: Final = 50
"""A copy of 0.9 s takes 18 ms here, a hung program with a deadline of 30 s takes 0.6 s."""
_STOP_S: Final = 5.0


@dataclass(slots=True, kw_only=True)
class MemoryRack:
    """A rack that runs. Safe to use from several threads; `stop` ends it and what runs on it."""

    site: Site
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread

    @property
    def user(self) -> str:
        """Who asks: root, or somebody who has to use sudo."""
        return self.site.world.user

    @property
    def pace(self) -> float:
        """The part of the modelled time that really passes."""
        return self.site.pace

    def door(self, host: str) -> Door:
        """What a client meets that wants to log in to a host."""
        state = self.site.machines[host].state
        if state.reach != "up":
            return state.reach
        return "key-changed" if state.key_changed else "open"

    def begin(self, host: str, argv: Sequence[str], sink: Sink) -> Future[Outcome]:
        """Start a command line as the user that logs in; `sink` gets standard output, in the
        rack's thread. What is begun first runs first. Cancelled where the rack stops before its
        end; TransportError where it has stopped."""
        if not self.thread.is_alive():
            raise TransportError(f"{host}: the rack in memory has been stopped")
        machine = self.site.machines[host]
        return asyncio.run_coroutine_threadsafe(answer(machine, argv, sink), self.loop)

    def stop(self) -> None:
        """End the thread; safe to call twice."""
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join(_STOP_S)


def start(inventory: Inventory, *, seed: int = 0, faults: Sequence[FaultSpec] = ()) -> MemoryRack:
    """The inventory as a rack in this process; raises InventoryError for a fault that does not
    fit."""
    world = build(inventory, seed)
    inject(world, faults)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_run, args=(loop,), name="rackgate-simrack", daemon=True)
    thread.start()
    return MemoryRack(site=Site.of(world, 1 / PACE), loop=loop, thread=thread)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run until `loop.stop`, then cancel what is left."""
    try:
        loop.run_forever()
        loop.run_until_complete(_cancel_all())
    finally:
        loop.close()


async def _cancel_all() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
