"""What the process that starts the rack and the one that serves it agree on, without SSH."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lab.simrack.state import World

LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What a client needs, in the lab's folder."""

    folder: Path

    @property
    def key(self) -> Path:
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def log(self) -> Path:
        return self.folder / "simrack.log"


def send_world(world: World, pipe: IO[bytes]) -> None:
    """Write the world, as a pickle between two processes of ours."""
    data = pickle.dumps(world)
    pipe.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)
    pipe.flush()


def receive_world(pipe: IO[bytes]) -> World:
    """Read what `send_world` wrote."""
    length = int.from_bytes(pipe.read(LENGTH_BYTES), "big")
    world = pickle.loads(pipe.read(length))
    assert isinstance(world, World)
    return world
