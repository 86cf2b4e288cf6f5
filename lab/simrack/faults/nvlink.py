"""Faults of NVLinks, and of the NVLink fabric that GPUs register in."""

from __future__ import annotations

from lab.simrack.faults.changes import fabric, link_of, number
from lab.simrack.faults.declare import Change, Fault, Params, Target, rejected
from lab.simrack.state import uuid_of

SLOWED = (
    "nvlink.d2d_bandwidth nccl.tray_all_reduce_busbw nccl.gpu_all_reduce_ratio "
    "nccl.all_reduce_busbw nccl.rack_all_reduce_busbw nccl.all_reduce_ratio "
    "nccl.scale_ratio nccl.all_gather_busbw nccl.all_to_all_busbw"
)
APART = f"fabric.partition {SLOWED}"
STOPPED = "nccl.tray_completed nccl.gpu_completed"


def _down(target: Target, params: Params) -> None:
    target.the_gpu.links[link_of(target, params)].up = False


def _slow_lane(target: Target, params: Params) -> None:
    target.the_gpu.links[link_of(target, params)].share *= number(params, "factor")


def _several_down(target: Target, params: Params) -> None:
    for link in target.the_gpu.links[: int(number(params, "count"))]:
        link.up = False


def _all_down(target: Target, _: Params) -> None:
    for link in target.the_gpu.links:
        link.up = False


def _slow_pair(target: Target, params: Params) -> None:
    gpus = target.host.gpus
    other = gpus[(gpus.index(target.the_gpu) + 1) % len(gpus)]
    target.the_gpu.slow_to[other.slot] = number(params, "factor")


def _clique(target: Target, params: Params) -> None:
    target.the_gpu.fabric.clique = int(number(params, "clique"))


def _other_cluster(target: Target, _: Params) -> None:
    """The tray was registered in another rack's domain; the clique is the same everywhere."""
    for one in target.host.gpus:
        one.fabric.cluster = uuid_of(0, target.world.name, "another domain")


def _ailing(flag: str) -> Change:
    return fabric(ailing={flag})


def _unwell(kind: str, change: Change, about: str, cases: str = "C01") -> Fault:
    return rejected(
        kind, "gpu", change, about, sees="fabric.health", cases=cases, fabric=True
    )  # fmt: skip


FABRIC: tuple[Fault, ...] = (
    rejected(
        "fabric.in_progress", "gpu", fabric(state="In Progress", status="N/A"),
        "the GPU has not joined its NVLink fabric yet",
        sees="fabric.state", also=f"fabric.status fabric.health fabric.partition {STOPPED}",
        cases="C03",
    ),
    rejected(
        "fabric.not_started", "gpu", fabric(state="Not Started", status="N/A"),
        "the GPU has not begun to join its NVLink fabric",
        sees="fabric.state", also=f"fabric.status fabric.health fabric.partition {STOPPED}",
        cases="C03",
    ),
    rejected(
        "fabric.insufficient_resources", "gpu", fabric(status="Insufficient Resources"),
        "the NVLink fabric had no resources for the GPU",
        sees="fabric.status", also=f"fabric.health fabric.partition {STOPPED}", cases="C02",
    ),
    rejected(
        "fabric.no_cluster", "gpu",
        fabric(cluster="00000000-0000-0000-0000-000000000000", clique=0),
        "the GPU says that it has joined, and is in no cluster",
        sees="fabric.partition", also=SLOWED, cases="C02", fabric=True,
    ),
    rejected(
        "fabric.wrong_clique", "gpu", _clique, "the GPU is in another partition of its domain",
        sees="fabric.partition", also=SLOWED, cases="C19", params={"clique": "7"}, fabric=True,
    ),
    rejected(
        "fabric.other_cluster", "host", _other_cluster,
        "the tray's GPUs are registered in another rack's domain",
        sees="fabric.partition", also=SLOWED, cases="C19 C21", fabric=True,
    ),
    _unwell("fabric.unhealthy", fabric(summary="Unhealthy"),
            "the GPU has joined its fabric, whose health is bad in summary"),
    _unwell("fabric.bandwidth_degraded", fabric(degraded=True),
            "the fabric gives the GPU less than its bandwidth"),
    _unwell("fabric.route_unhealthy", _ailing("route_unhealthy"),
            "a route of the GPU's fabric is bad"),
    _unwell("fabric.route_recovery", _ailing("route_recovery_in_progress"),
            "a route of the GPU's fabric is being recovered"),
    _unwell("fabric.access_timeout", _ailing("access_timeout_recovery"),
            "the GPU's fabric recovers from accesses that timed out"),
    _unwell("fabric.misconfigured", _ailing("incorrect_configuration"),
            "the GPU's fabric is not configured as it has to be"),
    _unwell("fabric.health_unknown", fabric(reported=False),
            "the driver says nothing about the health of the GPU's fabric", "C01 C101"),
)  # fmt: skip
LINKS: tuple[Fault, ...] = (
    rejected(
        "nvlink.link_down", "link", _down, "an NVLink is inactive (of a GPU: the one of `link`)",
        sees="nvlink.links_active nvlink.inactive_links", also=f"fabric.health {SLOWED}",
        names="gpu", cases="C07 C11", params={"link": "0"},
    ),
    rejected(
        "nvlink.slow_lane", "link", _slow_lane,
        "an NVLink trained to a part of its rate (of a GPU: the one of `link`)",
        sees="nvlink.link_rate", also=f"fabric.health {SLOWED}", names="gpu",
        params={"link": "0", "factor": "0.5"},
    ),
    rejected(
        "nvlink.several_down", "gpu", _several_down, "several NVLinks of the GPU are inactive",
        sees="nvlink.links_active nvlink.inactive_links nvlink.d2d_bandwidth",
        also=f"fabric.health {SLOWED}", cases="C07", params={"count": "4"},
    ),
    rejected(
        "nvlink.all_down", "gpu", _all_down, "all NVLinks of the GPU are inactive",
        sees="nvlink.links_active nvlink.inactive_links", also=f"fabric.health {SLOWED}",
        cases="C14 C09",
    ),
    rejected(
        "nvlink.slow_pair", "gpu", _slow_pair,
        "copies to the GPU from the next slot are slow, all others are not",
        sees="nvlink.d2d_bandwidth", names="pair", cases="C33 C123", params={"factor": "0.6"},
    ),
)  # fmt: skip
NVLINK = (*FABRIC, *LINKS)
