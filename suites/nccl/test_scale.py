"""Collectives work over some trays, over more, and over all, and not by all_reduce alone."""

from collections.abc import Sequence

import pytest

from fixtures.model.measure import Measure
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.ladder import Climbed, ended, ratios


@pytest.mark.load
@pytest.mark.judges("nccl.scale_completed", "nccl.scale_ratio", "nccl.all_gather_busbw",
                    "nccl.all_to_all_busbw")  # fmt: skip
def test_collectives_work_at_every_scale(
    domain: str, ladder: Sequence[Climbed], measure: Measure
) -> None:
    """Over 2, 3, 4 and 8 trays, inside racks and across, collectives end and keep their rate."""
    for one in ladder:
        measure("nccl.scale_completed", one.completed, at=domain, detail=one.detail,
                evidence=one.evidence, when=one.conditions)  # fmt: skip
    for one in ended(ladder, "all_reduce"):
        measure("nccl.scale_ratio", ratios(ladder)[one.step], at=domain, detail=one.detail,
                evidence=one.evidence, when=one.conditions)  # fmt: skip
    for one in ended(ladder, "all_gather"):
        measure("nccl.all_gather_busbw", one.busbw, at=domain, detail=one.detail,
                evidence=one.evidence, when=one.conditions)  # fmt: skip
    for one in ended(ladder, "alltoall"):
        measure("nccl.all_to_all_busbw", one.busbw, at=domain, detail=one.detail,
                evidence=one.evidence, when=one.conditions)  # fmt: skip


@pytest.mark.load
@pytest.mark.judges("nccl.all_to_all_completed", "nccl.all_to_all_wrong")
def test_everybody_talks_to_everybody(
    domain: str, all_to_all: Collective, measure: Measure
) -> None:
    """all_to_all over all GPUs, where every rank has a connection to every other, ends rightly."""
    run = all_to_all
    measure("nccl.all_to_all_completed", run.completed, at=domain, detail=run.trouble,
            evidence=run.evidence)  # fmt: skip
    measure("nccl.all_to_all_wrong", run.wrong, at=domain, evidence=run.evidence)
