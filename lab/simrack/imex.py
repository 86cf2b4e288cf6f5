"""IMEX on a tray: who it takes for members of its domain, and under which number it joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

NODES_CONFIG = "/etc/nvidia-imex/nodes_config.cfg"
CHANNELS = "/dev/nvidia-caps-imex-channels"


@dataclass(slots=True, kw_only=True)
class ImexState:
    """`nodes` are the addresses of its nodes_config, in order; a node's number is its place there.

    `number` is another one that it joined under. `version` is that of the package, `channels` how
    many the driver has made.
    """

    nodes: list[str] = field(default_factory=list)
    version: str = ""
    number: int | None = None
    channels: int = 1


def joined(members: Sequence[str], version: str) -> ImexState:
    """A tray whose domain is these addresses."""
    return ImexState(nodes=list(members), version=version)
