"""The process that owns a lab's switch and guests, and ends them with the lab's own end.

It reads one JSON line on standard input (what to start), starts it, writes the registry entry and
answers with one JSON line (the pids). Then it waits:

- attached (the rule): for the end of standard input. The owner keeps the pipe open; it closes when
  the owner stops the lab, and also when the owner dies, however it dies;
- detached (`up`): for SIGTERM only.

Should the keeper itself be killed, its children get SIGKILL from the kernel (setpriv --pdeathsig);
what even that misses is ended at the next start, from the registry.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from lab.softroce.order import Order
from lab.softroce.registry import Entry, Process, identify, write_entry


async def keep(order: Order, stdin: asyncio.StreamReader) -> None:
    """Start everything, say so, wait for the end, and end everything."""
    children: dict[str, asyncio.subprocess.Process] = {}
    entry = Path(order.entry)
    over = asyncio.Event()
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(sig, over.set)
    try:
        for name, argv in order.commands.items():
            children[name] = await _start(name, argv, Path(order.folder))
        processes = [identify(name, child.pid) for name, child in children.items()]
        write_entry(entry, Entry(keeper=identify("keeper", os.getpid()), processes=processes))
        _say(processes)
        await _until_over(over, stdin if order.attached else None)
    finally:
        for child in children.values():
            with contextlib.suppress(ProcessLookupError):
                child.kill()
        for child in children.values():
            await child.wait()
        entry.unlink(missing_ok=True)


async def _start(name: str, argv: list[str], folder: Path) -> asyncio.subprocess.Process:
    with (folder / f"{name}.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            *("setpriv", "--pdeathsig", "KILL", *argv),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(folder)},
        )


def _say(processes: list[Process]) -> None:
    print(json.dumps([asdict(process) for process in processes]), flush=True)


async def _until_over(over: asyncio.Event, stdin: asyncio.StreamReader | None) -> None:
    waits = [asyncio.create_task(over.wait())]
    if stdin is not None:
        waits.append(asyncio.create_task(_end_of(stdin)))
    _, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()


async def _end_of(stdin: asyncio.StreamReader) -> Literal[True]:
    while await stdin.read(1024):
        pass
    return True


async def main() -> None:
    """Read the order from standard input and keep the lab."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    order = Order(**json.loads(await reader.readline()))
    await keep(order, reader)


if __name__ == "__main__":
    asyncio.run(main())
