"""What a host brings to collectives beside its hardware: its library, its settings, its launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LIBRARY = "2.28.3+cuda13.0"
TESTS = "2.17.6"
PLUGIN = "NCCL RDMA Plugin v10"
OLD_TESTS = "2.12.0"
"""A release whose table has a column of differences, and no lines before the header."""


@dataclass(slots=True, kw_only=True)
class NcclSetup:
    """How collectives are set up on one host.

    Without `verbs` NCCL finds no network but sockets. `mpi` says what is wrong with the launch:
    ranks that know nothing of each other, or that never leave MPI_Init. `multicast_stale`: the
    switches have forgotten the GPUs' multicast groups since the GPUs were last reset. Jobs of more
    than `most_ranks` ranks crash, and ranks with more than `most_peers` connections lack resources.
    Where the ports of ranks are `closed`, no other host can connect to them. `sharp`: the plugin
    that reduces in switches is installed.
    """

    library: str = LIBRARY
    tests: str = TESTS
    verbs: bool = True
    mpi: Literal["", "apart", "stuck"] = ""
    multicast_stale: bool = False
    closed: bool = False
    sharp: bool = False
    most_ranks: int | None = None
    most_peers: int | None = None

    @property
    def version(self) -> tuple[int, ...]:
        """The library's version as numbers: 2, 28, 3."""
        return tuple(int(part) for part in self.library.partition("+")[0].split("."))

    @property
    def code(self) -> int:
        """The same as the library counts: 22803."""
        major, minor, patch = self.version
        return major * 10_000 + minor * 100 + patch
