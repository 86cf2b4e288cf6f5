"""Faults of how GPUs run: braked, hot, capped, slow, with memory that fails under load."""

from __future__ import annotations

from collections.abc import Callable

from lab.simrack.faults.changes import health, number
from lab.simrack.faults.declare import Fault, Params, Target, rejected

SLOWED = (
    "nccl.tray_all_reduce_busbw nccl.gpu_all_reduce_ratio nccl.rack_all_reduce_busbw "
    "nccl.all_reduce_busbw nccl.all_reduce_ratio "
    "nccl.scale_ratio nccl.all_gather_busbw nccl.all_to_all_busbw"
)


def _board_braked(target: Target, _: Params) -> None:
    """Half of the tray's GPUs: those that one board feeds."""
    gpus = target.host.gpus
    for one in gpus[len(gpus) // 2 :]:
        one.health.braked = "always"


def _margin(target: Target, params: Params) -> None:
    target.the_gpu.health.margin_c = int(number(params, "degrees"))


def _capped(target: Target, params: Params) -> None:
    target.the_gpu.health.capped_at = number(params, "share")


def _slow(target: Target, params: Params) -> None:
    target.the_gpu.health.clock_share = number(params, "share")


def _limit_after(target: Target, params: Params) -> None:
    target.the_gpu.health.limit_after_w = number(params, "watts")


def _failing(kind: str) -> Callable[[Target, Params], None]:
    def change(target: Target, params: Params) -> None:
        target.the_gpu.health.errors_per_load[kind] = int(number(params, "count"))

    return change


def _returned(target: Target, params: Params) -> None:
    target.the_gpu.health.old_errors["sram_uncorrectable_parity"] = int(number(params, "count"))


RUNNING: tuple[Fault, ...] = (
    rejected(
        "gpu.power_brake", "gpu", health(braked="always"),
        "the power brake of the hardware is on, idle and loaded, and the GPU is slow",
        sees="gpu.power_brake gpu.power_brake_loaded gpu.sm_clock_loaded", also=SLOWED,
        cases="C94",
    ),
    rejected(
        "gpu.power_brake_loaded", "gpu", health(braked="loaded"),
        "the power brake of the hardware comes on when the GPU is loaded",
        sees="gpu.power_brake_loaded gpu.sm_clock_loaded", also=SLOWED, cases="C94",
    ),
    rejected(
        "tray.power_brake", "host", _board_braked,
        "after a power event the brake of a board stays on, and half of the tray's GPUs are slow",
        sees="gpu.power_brake gpu.power_brake_loaded gpu.sm_clock_loaded", also=SLOWED,
        cases="C94",
    ),
    rejected(
        "gpu.hot", "gpu", _margin, "the GPU is too hot under load, and its hardware slows it",
        sees="gpu.thermal_margin_loaded gpu.throttle_hw_thermal_events gpu.sm_clock_loaded",
        cases="C103", params={"degrees": "-2"},
    ),
    rejected(
        "gpu.warm", "gpu", _margin, "the driver slows the GPU for its heat, its hardware not yet",
        sees="gpu.thermal_margin_loaded gpu.sm_clock_loaded", cases="C103",
        params={"degrees": "-1"},
    ),
    rejected(
        "gpu.capped_at_low_power", "gpu", _capped,
        "the software power cap holds the GPU far below its power limit",
        sees="gpu.capped_power gpu.sm_clock_loaded", cases="C103", params={"share": "0.44"},
    ),
    rejected(
        "gpu.power_limit_left", "gpu", _limit_after,
        "a load leaves a lower power limit behind",
        sees="gpu.power_limit_loaded", cases="C107", params={"watts": "500"},
    ),
    rejected(
        "gpu.slow_clock", "gpu", _slow,
        "the GPU does not reach its clock, and names no reason",
        sees="gpu.sm_clock_loaded", cases="C106", params={"share": "0.856"},
    ),
    rejected(
        "gpu.ecc_correctable_loaded", "gpu", _failing("dram_correctable"),
        "memory errors are corrected by the thousand under load, and none at idle",
        sees="gpu.ecc_correctable_delta", cases="C95", params={"count": "4647"},
    ),
    rejected(
        "gpu.ecc_uncorrectable_loaded", "gpu", _failing("sram_uncorrectable_secded"),
        "every load brings an uncorrectable error of SRAM",
        sees="gpu.ecc_uncorrectable_delta", params={"count": "1"},
    ),
    rejected(
        "gpu.ecc_sram_returned", "gpu", _returned,
        "a GPU that was returned for errors of its SRAM has come back",
        sees="gpu.ecc_sram_uncorrectable_aggregate", cases="C98", params={"count": "5"},
    ),
)  # fmt: skip
