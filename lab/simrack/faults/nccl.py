"""Faults that show in workloads alone: collectives, and the programs that measure."""

from __future__ import annotations

from lab.simrack.faults.changes import gpu, host, number
from lab.simrack.faults.declare import Change, Fault, Params, Target, incomplete, rejected

PERFTEST = ("ib_write_bw", "ib_write_lat")


def _slow(target: Target, params: Params) -> None:
    target.the_gpu.nccl_factor *= number(params, "factor")


def _wrong(target: Target, params: Params) -> None:
    target.the_gpu.wrong += int(number(params, "count"))


def _without(*programs: str) -> Change:
    def change(target: Target, _: Params) -> None:
        target.host.missing.update(programs)

    return change


def _crashing(program: str) -> Change:
    def change(target: Target, _: Params) -> None:
        target.host.crashing.add(program)

    return change


NCCL: tuple[Fault, ...] = (
    rejected(
        "nccl.slow_gpu", "gpu", _slow,
        "collectives that contain the GPU reach a part of their bandwidth",
        sees="nccl.rack_all_reduce_busbw|nccl.all_reduce_busbw", also="nccl.all_reduce_ratio",
        names="rack", cases="C41 C106", params={"factor": "0.6"},
    ),
    rejected(
        "nccl.wrong_data", "gpu", _wrong,
        "collectives that contain the GPU compute wrong values",
        sees="nccl.wrong", also="nccl.rack_wrong", names="rack", cases="C11 C73",
        params={"count": "3"},
    ),
    rejected(
        "nccl.rank_crashes", "gpu", gpu(rank_crashes=True),
        "the rank on the GPU dies of a segmentation fault",
        sees="nccl.completed", also="nccl.rack_completed", names="rack", cases="C17 C18",
    ),
    incomplete(
        "nccl.not_installed", "host", _without("all_reduce_perf"),
        "nccl-tests is not installed on the host",
        sees="nccl.completed", reason="tool-missing", names="rack", extra=1,
    ),
    incomplete(
        "nvbandwidth.not_installed", "host", _without("nvbandwidth"),
        "nvbandwidth is not installed on the host",
        sees="nvlink.d2d_bandwidth", reason="tool-missing",
    ),
    incomplete(
        "nvbandwidth.crashes", "host", _crashing("nvbandwidth"),
        "nvbandwidth dies of a segmentation fault",
        sees="nvlink.d2d_bandwidth gpu.pcie_gen_loaded", reason="tool-failed", cases="C99",
    ),
    incomplete(
        "nvbandwidth.test_fails", "host", host(copies_fail=True),
        "a test of nvbandwidth fails, and the program ends with 0",
        sees="nvlink.d2d_bandwidth", reason="tool-failed", cases="C99",
    ),
    incomplete(
        "perftest.not_installed", "host", _without(*PERFTEST),
        "perftest is not installed on the host",
        sees="rdma.write_bw rdma.write_lat_typ", reason="tool-missing",
    ),
    incomplete(
        "perftest.crashes", "host", _crashing("perftest"),
        "perftest dies of a segmentation fault",
        sees="rdma.write_bw rdma.write_lat_typ", reason="tool-failed", cases="C99",
    ),
)  # fmt: skip
