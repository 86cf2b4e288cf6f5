"""Cut sheets of the embedded inventories: rail-optimised leaves, a spine, and NVLink trunks.

A tray's n-th NIC goes to a leaf of rail n. A leaf is a 64-port NDR switch: 32 ports down, 32 up.
Trunks join the switch trays of every two racks; a switch tray has one port for each other rack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

_DOWN = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """How many spines there are, and with how many cables each leaf reaches each of them."""

    rails: int
    spines: int
    cables_per_spine: int


Ends = tuple[str, str, str]
"""Kind of cable, and its two ends."""


def cut_sheet(hosts: Sequence[str], fabric: Fabric, switches: Sequence[Sequence[str]] = ()) -> str:
    """The CSV text for these hosts; `switches` are the switch trays rack by rack."""
    cables = [*_host(hosts, fabric), *_fabric(len(hosts), fabric), *_trunks(switches)]
    lines = [f"C{number:04d},{kind},{a},{b}" for number, (kind, a, b) in enumerate(cables, 1)]
    return "\n".join(["cable,kind,a,b", *lines, ""])


def _host(hosts: Sequence[str], fabric: Fabric) -> Iterator[Ends]:
    for index, host in enumerate(hosts):
        for rail in range(fabric.rails):
            leaf = f"leaf-r{rail}-{index // _DOWN + 1}"
            yield "host", f"{host}/mlx5_{rail}/1", f"{leaf}/{index % _DOWN + 1}"


def _fabric(hosts: int, fabric: Fabric) -> Iterator[Ends]:
    leaves_per_rail = -(-hosts // _DOWN)
    used = dict.fromkeys(range(fabric.spines), 0)
    for rail in range(fabric.rails):
        for leaf in range(1, leaves_per_rail + 1):
            for link in range(fabric.spines * fabric.cables_per_spine):
                spine = link // fabric.cables_per_spine
                used[spine] += 1
                yield (
                    "fabric",
                    f"leaf-r{rail}-{leaf}/{_DOWN + 1 + link}",
                    f"spine-{spine + 1:02d}/{used[spine]}",
                )


def _trunks(switches: Sequence[Sequence[str]]) -> Iterator[Ends]:
    for one, other in combinations(range(len(switches)), 2):
        for near, far in zip(switches[one], switches[other], strict=True):
            yield "trunk", f"{near}/sw1p{other}s1", f"{far}/sw1p{one + 1}s1"


def switch_rows(cables: str) -> list[str]:
    """The rows of a parts table for the leaves and spines of a cut sheet: label, serial, GUID.

    Serials and GUIDs are invented; the OUI of the GUIDs is NVIDIA's.
    """
    ends = [cell for line in cables.split() for cell in line.split(",")[2:]]
    names = sorted({end.partition("/")[0] for end in ends if end.startswith(("leaf-", "spine-"))})
    return [
        f"{name},network {name},MT2512T{number:05d},b0cf0e{0x40000000 + number:010x},"
        for number, name in enumerate(names, 1)
    ]
