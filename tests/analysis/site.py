"""A hand-made domain with switch trays, leaves, spines and trunks, for the tests of far ends.

Three racks of four trays with four GPUs and two NICs each, three switch trays (six chips, so that a
GPU has six links), two leaves per rail, two spines, and a trunk between the trays of any two racks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fixtures.analysis.topology import Topology

TRAYS = {f"r{r:02}": tuple(f"r{r:02}-ct{t:02}" for t in range(1, 5)) for r in (1, 2, 3)}
SWITCHES = {rack: tuple(f"{rack}-sw{t:02}" for t in (1, 2, 3)) for rack in TRAYS}
HOSTS = [host for members in TRAYS.values() for host in members]
GPUS = [f"{host}/gpu{g}" for host in HOSTS for g in range(4)]
PORTS = [f"{host}/mlx5_{n}/1" for host in HOSTS for n in range(2)]
LINKS = 6


def leaf_of(port: str) -> str:
    return f"leaf-r{port[-3]}-{1 if HOSTS.index(port.split('/')[0]) < 6 else 2}"


def _cables() -> Iterator[tuple[str, ...]]:
    for port in PORTS:
        yield "host", port, f"{leaf_of(port)}/{HOSTS.index(port.split('/')[0]) % 6 + 1}"
    for leaf in dict.fromkeys(map(leaf_of, PORTS)):
        for spine in (1, 2):
            for link in (1, 2, 3):
                number = spine * 10 + link
                yield "fabric", f"{leaf}/{number}", f"spine-{spine:02}/{leaf[-3]}{leaf[-1]}{link}"
    for one, other in combinations(SWITCHES, 2):
        for near, far in zip(SWITCHES[one], SWITCHES[other], strict=True):
            yield "trunk", f"{near}/sw1p{other[-1]}s1", f"{far}/sw1p{one[-1]}s1"


CABLES = {f"C{number:03}": cable for number, cable in enumerate(_cables(), 1)}


def cable_at(end: str) -> str:
    return next(f"cable:{name}" for name, (_, *ends) in CABLES.items() if end in ends)


def site() -> Topology:
    kinds = dict.fromkeys(HOSTS, "host") | dict.fromkeys(GPUS, "gpu")
    kinds |= {tray: "switch" for trays in SWITCHES.values() for tray in trays}
    kinds |= {port[:-2]: "nic" for port in PORTS} | dict.fromkeys(PORTS, "port")
    racks = {rack: (*TRAYS[rack], *SWITCHES[rack]) for rack in TRAYS}
    return Topology(
        domain="dom",
        racks=racks,
        kinds=kinds,
        labels={"r02-sw02": "U24", "r01-ct01": "U11"},
        serials={},
        rails={part: f"rail{port[-3]}" for port in PORTS for part in (port, port[:-2])},
        leaves={port: leaf_of(port) for port in PORTS},
        prerequisites=frozenset({"reach.ssh", "gpu.bound", "gpu.responsive"}),
        gates=("reach", "identity", "compute", "nvlink", "infiniband", "rdma", "nccl"),
        rack_of={host: rack for rack, members in racks.items() for host in members},
        domains=dict.fromkeys(HOSTS, "domain"),
        cables=CABLES,
    )
