"""A hand-made domain of two racks for the tests of blame: 2 x 3 trays, 4 GPUs and 2 NICs each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from fixtures.analysis.signals import Row
from fixtures.analysis.topology import Topology
from fixtures.model.verdicts import Verdict

RACKS = {f"r{r:02}": tuple(f"r{r:02}-ct{t:02}" for t in (1, 2, 3)) for r in (1, 2)}
HOSTS = [host for members in RACKS.values() for host in members]
GPUS = [f"{host}/gpu{g}" for host in HOSTS for g in range(4)]
PORTS = [f"{host}/mlx5_{n}/1" for host in HOSTS for n in range(2)]
_ids = itertools.count()


def small_domain() -> Topology:
    slots = dict.fromkeys(GPUS, "gpu") | {port[:-2]: "nic" for port in PORTS}
    rails = {p: f"rail{port[-3]}" for port in PORTS for p in (port, port[:-2])}
    return Topology(
        domain="dom",
        racks=RACKS,
        kinds=dict.fromkeys(HOSTS, "host") | slots | dict.fromkeys(PORTS, "port"),
        labels={"r01-ct01": "U21", "r01-ct01/gpu2": "U21 slot 3"},
        serials={},
        rails=rails,
        leaves={port: f"leaf-r{port[-3]}-1" for port in PORTS},
        prerequisites=frozenset({"reach.ssh", "gpu.responsive"}),
        gates=("reach", "identity", "compute", "nvlink", "infiniband", "rdma", "nccl"),
        rack_of={host: rack for rack, members in RACKS.items() for host in members},
    )


def row(
    metric: str,
    subject: str,
    verdict: Verdict | str = "PASS",
    reason: str = "",
    *,
    warned: bool = False,
    absent: bool = False,
    evidence: tuple[str, ...] = (),
) -> Row:
    gate = {"gpu": "compute", "host": "identity", "ib": "infiniband"}
    domain = metric.partition(".")[0]
    return Row(
        id=f"id{next(_ids)}",
        gate=gate.get(domain, domain),
        metric=metric,
        subject=subject,
        verdict=Verdict(verdict),
        reason=reason,
        warned=warned,
        absent=absent,
        evidence=evidence,
    )


def rows(metric: str, subjects: Iterable[str], bad: Iterable[str] = ()) -> list[Row]:
    """One row per subject; FAIL for the bad ones, PASS for the others."""
    failing = set(bad)
    return [row(metric, s, "FAIL" if s in failing else "PASS") for s in subjects]


def cells(host: str) -> list[str]:
    gpus = [f"{host}/gpu{g}" for g in range(4)]
    return [f"{a}->{b}" for a in gpus for b in gpus if a != b]
