"""all_reduce runs over every rack and the whole domain, right and fast."""

from collections.abc import Mapping

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.collectives.collective import Collective, rack_median


@pytest.mark.load
@pytest.mark.judges("nccl.rack_completed", "nccl.rack_ranks", "nccl.rack_wrong",
                    "nccl.rack_all_reduce_busbw")  # fmt: skip
def test_rack_reduces_at_full_rate(
    rack: str, all_reduces: Mapping[str, Collective], measure: Measure
) -> None:
    """all_reduce over the rack ends, has all ranks, no wrong value, and the rated bandwidth."""
    run = all_reduces[rack]
    measure(
        "nccl.rack_completed", run.completed, at=rack, detail=run.trouble, evidence=run.evidence
    )
    measure("nccl.rack_ranks", run.report().ranks, at=rack, evidence=run.evidence)
    measure("nccl.rack_wrong", run.wrong, at=rack, evidence=run.evidence)
    for size, busbw in run.judged_busbw():
        measure("nccl.rack_all_reduce_busbw", busbw, at=rack, evidence=run.evidence,
                when={"ranks": run.ranks, "size_bytes": size})  # fmt: skip


@pytest.mark.load
@pytest.mark.judges("nccl.completed", "nccl.ranks", "nccl.wrong", "nccl.all_reduce_busbw")
def test_domain_reduces_at_full_rate(
    domain: str, all_reduces: Mapping[str, Collective], measure: Measure
) -> None:
    """all_reduce over all GPUs ends, has all ranks, no wrong value, and the rated bandwidth."""
    run = all_reduces[domain]
    measure("nccl.completed", run.completed, at=domain, detail=run.trouble, evidence=run.evidence)
    measure("nccl.ranks", run.report().ranks, at=domain, evidence=run.evidence)
    measure("nccl.wrong", run.wrong, at=domain, evidence=run.evidence)
    for size, busbw in run.judged_busbw():
        measure("nccl.all_reduce_busbw", busbw, at=domain, evidence=run.evidence,
                when={"ranks": run.ranks, "size_bytes": size})  # fmt: skip


@pytest.mark.load
@pytest.mark.judges("nccl.all_reduce_ratio")
def test_domain_keeps_the_racks_rate(
    domain: str, all_reduces: Mapping[str, Collective], measure: Measure
) -> None:
    """The domain's bandwidth is near that of its racks: what joins them does not hold it back."""
    whole = dict(all_reduces[domain].judged_busbw())
    for size, median in rack_median(all_reduces, domain).items():
        seen = all_reduces[domain].evidence
        measure("nccl.all_reduce_ratio", whole[size] / median, at=domain, evidence=seen)
