"""Two faults at once, of any kinds and at any places: both are named, and little else is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.analysis.blame import findings
from fixtures.model.parts import contains, ends, host_of
from tests.analysis.rack import row
from tests.analysis.site import GPUS, HOSTS, LINKS, PORTS, SWITCHES, TRAYS, leaf_of, site

COPIES = [f"{a}->{b}" for host in HOSTS
          for a, b in permutations([g for g in GPUS if host_of(g) == host], 2)]  # fmt: skip
RINGS = [f"{a}->{b}" for rail in "01" for ports in [[p for p in PORTS if p[-3] == rail]]
         for a, b in zip(ports, [*ports[1:], ports[0]], strict=True)]  # fmt: skip
Rows = dict[tuple[str, str], tuple[str, str]]
"""Metric and subject to verdict and reason."""
TOPOLOGY = site()


def healthy() -> Rows:
    subjects = {
        "reach.ssh": HOSTS, "gpu.bound": GPUS, "nvlink.links_active": GPUS,
        "nvlink.inactive_links": GPUS, "nvlink.d2d_bandwidth": COPIES, "port.state": PORTS,
        "rdma.write_bw": RINGS, "nccl.rack_all_reduce_busbw": list(TRAYS),
        "nccl.all_reduce_busbw": ["dom"],
    }  # fmt: skip
    return {(metric, one): ("PASS", "") for metric, many in subjects.items() for one in many}


def fail(rows: Rows, metric: str, subject: str) -> None:
    if rows.get((metric, subject), ("PASS", ""))[0] != "INCONCLUSIVE":
        rows[metric, subject] = ("FAIL", "")


def block(rows: Rows, by: str, part: str, *, all_of_it: bool) -> None:
    """Everything that needs a part, and what is in it, is left unjudged."""
    rack = TOPOLOGY.rack_of[host_of(part)]
    for metric, subject in list(rows):
        gate = metric.partition(".")[0]
        touched = any(contains(part, end) for end in ends(subject)) or (
            gate == "nccl" and subject in (rack, "dom")
        )
        if touched and metric != by and (all_of_it or metric != "reach.ssh"):
            rows[metric, subject] = ("INCONCLUSIVE", f"blocked-by:{by}@{part}")


def missing_gpu(rows: Rows, place: int) -> str:
    gpu = GPUS[place % len(GPUS)]
    block(rows, "gpu.bound", gpu, all_of_it=False)
    rows["gpu.bound", gpu] = ("FAIL", "")
    return gpu


def dead_tray(rows: Rows, place: int) -> str:
    host = HOSTS[place % len(HOSTS)]
    block(rows, "reach.ssh", host, all_of_it=True)
    rows["reach.ssh", host] = ("INCONCLUSIVE", "unreachable")
    return host


def dead_link(rows: Rows, place: int) -> str:
    link = f"{GPUS[place % len(GPUS)]}/link{place % LINKS}"
    _links_down(rows, [link])
    return link


def dead_chip(rows: Rows, place: int) -> str:
    rack, number = sorted(TRAYS)[place % 3], place % LINKS
    _links_down(rows, [f"{gpu}/link{number}" for gpu in GPUS if gpu.startswith(rack)])
    fail(rows, "nccl.rack_all_reduce_busbw", rack)
    return SWITCHES[rack][number // 2]


def _links_down(rows: Rows, links: list[str]) -> None:
    for link in links:
        gpu = link.rpartition("/")[0]
        if rows["nvlink.links_active", gpu][0] != "INCONCLUSIVE":
            for part in (gpu, link):
                fail(rows, "nvlink.inactive_links", part)
            fail(rows, "nvlink.links_active", gpu)


def slow_copies(rows: Rows, place: int) -> str:
    gpu = GPUS[place % len(GPUS)]
    for cell in COPIES:
        if gpu in ends(cell):
            fail(rows, "nvlink.d2d_bandwidth", cell)
    return gpu


def dead_leaf(rows: Rows, place: int) -> str:
    leaf = leaf_of(PORTS[place % len(PORTS)])
    for port in PORTS:
        if leaf_of(port) == leaf:
            _port_down(rows, port)
    return leaf


def dead_port(rows: Rows, place: int) -> str:
    port = PORTS[place % len(PORTS)]
    _port_down(rows, port)
    return port


def _port_down(rows: Rows, port: str) -> None:
    fail(rows, "port.state", port)
    for cell in RINGS:
        if port in ends(cell) and rows["rdma.write_bw", cell][0] != "INCONCLUSIVE":
            rows["rdma.write_bw", cell] = ("INCONCLUSIVE", "tool-failed")


PLANT: list[Callable[[Rows, int], str]] = [
    dead_tray, missing_gpu, dead_link, dead_chip, slow_copies, dead_leaf, dead_port,
]  # fmt: skip
places = st.tuples(st.sampled_from(PLANT), st.integers(0, 10**6))


def named(*plants: tuple[Callable[[Rows, int], str], int]) -> tuple[list[str], list[str]]:
    """What was planted, and what the findings name, best first."""
    rows = healthy()
    blocking_first = sorted(plants, key=lambda one: PLANT.index(one[0]))
    planted = [plant(rows, place) for plant, place in blocking_first]
    record = [row(metric, one, *found) for (metric, one), found in rows.items()]
    return planted, [one.part for one in findings(record, TOPOLOGY)]


def covers(found: str, planted: str) -> bool:
    """A GPU may stand for its link."""
    return found == planted or found == planted.rpartition("/")[0]


@settings(max_examples=60, deadline=None)
@given(places)
def test_one_fault_is_one_finding(one: tuple[Callable[[Rows, int], str], int]) -> None:
    (planted,), found = named(one)
    assert len(found) == 1
    assert covers(found[0], planted)


@settings(max_examples=150, deadline=None)
@given(places, places)
def test_two_faults_are_both_named(
    one: tuple[Callable[[Rows, int], str], int], other: tuple[Callable[[Rows, int], str], int]
) -> None:
    planted, found = named(one, other)
    hosts = {host_of(part) for part in planted}
    chips = {chip.tray for part in planted if (chip := TOPOLOGY.wiring.chip(part))}
    hidden = any(TOPOLOGY.holds(a, b) for a, b in permutations(planted, 2)) or chips & hosts
    if len(hosts) < len(planted) or hidden:
        return  # two faults in one tray are the tray's, and a dead leaf hides what is behind it
    first = found[:3]
    assert all(any(covers(part, wanted) for part in first) for wanted in planted), found
    assert len(found) <= 3  # and a slow rack with both as its suspects
