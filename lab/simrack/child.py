"""The lab's own process: reads its world from the parent, serves it, ends when the parent does.

The parent writes the world on standard input and keeps the pipe open; when it closes, whoever
started the rack is gone. One line of JSON on standard output says that every host listens.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import signal
import sys
from pathlib import Path

from lab.simrack.handover import Files, receive_world
from lab.simrack.machine import Site
from lab.simrack.server import serve
from lab.simrack.state import World


def main(state_dir: Path) -> int:
    """Serve until standard input ends or SIGTERM comes."""
    files = Files(folder=state_dir)
    logging.basicConfig(
        filename=files.log, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("asyncssh").setLevel(logging.ERROR)
    world = receive_world(sys.stdin.buffer)
    asyncio.run(_serve(world, files))
    return 0


async def _serve(world: World, files: Files) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    loop.add_reader(sys.stdin.fileno(), over.set)
    server = await serve(Site.of(world), files)
    # What is alive now stays alive: full collections over it would only cost time.
    gc.freeze()
    endpoints = {name: (host.address, server.port) for name, host in world.hosts.items()}
    sys.stdout.write(json.dumps({"user": world.user, "endpoints": endpoints}) + "\n")
    sys.stdout.flush()
    await over.wait()
