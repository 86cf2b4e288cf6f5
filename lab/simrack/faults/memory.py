"""Faults of GPU memory: errors that were counted, rows that were or will be remapped."""

from __future__ import annotations

from lab.simrack.faults.changes import gpu, number
from lab.simrack.faults.declare import Fault, Params, Target, incomplete, rejected


def _sram(target: Target, params: Params) -> None:
    target.the_gpu.ecc["sram_uncorrectable_secded"] = int(number(params, "count"))


def _dram(target: Target, params: Params) -> None:
    """An uncorrectable error of DRAM costs a row, which waits for a reset."""
    target.the_gpu.ecc["dram_uncorrectable"] = int(number(params, "count"))
    target.the_gpu.remap_pending = True


def _correctable(target: Target, params: Params) -> None:
    target.the_gpu.rows_correctable = int(number(params, "rows"))


def _uncorrectable(target: Target, params: Params) -> None:
    target.the_gpu.rows_uncorrectable = int(number(params, "rows"))


MEMORY: tuple[Fault, ...] = (
    rejected(
        "gpu.ecc_sram", "gpu", _sram, "uncorrectable errors of SRAM since the driver was loaded",
        sees="gpu.ecc_uncorrectable_volatile gpu.ecc_sram_uncorrectable_aggregate", cases="C98",
        params={"count": "5"},
    ),
    rejected(
        "gpu.ecc_dram", "gpu", _dram,
        "an uncorrectable error of DRAM since the driver was loaded, and its row to be remapped",
        sees="gpu.ecc_uncorrectable_volatile gpu.row_remap_pending", cases="C95 C97",
        params={"count": "1"},
    ),
    incomplete(
        "gpu.ecc_unknown", "gpu", gpu(ecc_known=False),
        "the driver says N/A for the error counters of the GPU's memory",
        sees="gpu.ecc_uncorrectable_volatile", reason="unreadable", cases="C101 C127",
    ),
    rejected(
        "gpu.remapped_correctable", "gpu", _correctable,
        "more rows were remapped for correctable errors than new memory has",
        sees="gpu.row_remap_correctable", cases="C97", params={"rows": "11"},
    ),
    rejected(
        "gpu.remapped_uncorrectable", "gpu", _uncorrectable,
        "rows were remapped for uncorrectable errors",
        sees="gpu.row_remap_uncorrectable", cases="C97", params={"rows": "1"},
    ),
    rejected(
        "gpu.remap_pending", "gpu", gpu(remap_pending=True),
        "a memory row waits for a reset to be remapped",
        sees="gpu.row_remap_pending", cases="C97 C135",
    ),
    rejected(
        "gpu.remap_failed", "gpu", gpu(remap_failed=True),
        "a memory row could not be remapped: no spare is left in its bank",
        sees="gpu.row_remap_failure gpu.xid_fatal_count", cases="C97",
    ),
)  # fmt: skip
