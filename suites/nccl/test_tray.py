"""all_reduce runs inside every tray by itself; where it does not, the GPU is looked for."""

from collections.abc import Mapping

import pytest

from fixtures.model.inventory import Host
from fixtures.model.measure import Measure
from fixtures.tools.collectives.alone import Pair
from fixtures.tools.collectives.collective import Collective


@pytest.mark.load
@pytest.mark.judges("nccl.tray_completed", "nccl.tray_wrong", "nccl.gpu_completed",
                    "nccl.gpu_wrong", "nccl.gpu_all_reduce_ratio")  # fmt: skip
def test_tray_reduces_rightly(
    tray: Host, tray_collective: Collective, gpu_pairs: Mapping[str, Pair], measure: Measure
) -> None:
    """all_reduce over the tray's GPUs ends, and has no wrong value; else the GPU is looked for."""
    run, at = tray_collective, tray.name
    measure("nccl.tray_completed", run.completed, at=at, detail=run.trouble, evidence=run.evidence)
    for part, pair in gpu_pairs.items():
        measure("nccl.gpu_completed", pair.completed, at=part, evidence=pair.evidence)
        if pair.completed:
            measure("nccl.gpu_wrong", pair.wrong, at=part, evidence=pair.evidence)
            measure("nccl.gpu_all_reduce_ratio", pair.ratio, at=part, evidence=pair.evidence)
    measure("nccl.tray_wrong", run.wrong, at=at, evidence=run.evidence)


@pytest.mark.load
@pytest.mark.judges("nccl.tray_all_reduce_busbw", "nccl.tray_all_reduce_spread")
def test_tray_reduces_at_full_rate(
    tray: Host, tray_collective: Collective, measure: Measure
) -> None:
    """all_reduce over the tray's GPUs reaches the rated bandwidth, each time that it is run."""
    run = tray_collective
    for size, busbw in run.judged_busbw():
        when = {"ranks": run.ranks, "size_bytes": size}
        measure("nccl.tray_all_reduce_busbw", busbw, at=tray.name, evidence=run.evidence,
                samples=run.cycles(size), when=when)  # fmt: skip
        measure("nccl.tray_all_reduce_spread", run.spread(size), at=tray.name,
                evidence=run.evidence, samples=run.cycles(size))  # fmt: skip
