"""No NVLink counts errors while it is loaded, nor has had to recover again and again."""

from collections.abc import Mapping

import pytest

from fixtures.gpus import GpuLoad
from fixtures.model.measure import Measure, MeasureAll
from fixtures.tools.binding.link_counters import Window
from fixtures.tools.binding.tray_facts import TrayFacts


@pytest.mark.load
@pytest.mark.judges("nvlink.error_counters_delta", "nvlink.effective_ber", "nvlink.symbol_ber")
def test_links_count_no_errors_under_load(
    link_windows: Mapping[str, Window], facts: TrayFacts, gpu_load: GpuLoad, measure: Measure
) -> None:
    """No error counter of a link moves while the tray's GPUs copy to each other."""
    seen = (*facts.evidence("nvlink-e"), *gpu_load.evidence("links"))
    for window in link_windows.values():
        for part, errors in window.errors().items():
            measure("nvlink.error_counters_delta", errors, at=part, evidence=seen)
    gpu_load.device_to_device()  # without the copies, there is nothing to count errors of
    for window in link_windows.values():
        for part, ratio in window.ratios("effective_errors").items():
            measure("nvlink.effective_ber", ratio, at=part, evidence=seen)
        for part, ratio in window.ratios("symbol_errors").items():
            measure("nvlink.symbol_ber", ratio, at=part, evidence=seen)


@pytest.mark.judges("nvlink.recoveries")
def test_links_have_not_recovered_often(
    domain: str, link_recoveries: Mapping[str, Mapping[str, int]], measure_all: MeasureAll
) -> None:
    """No link has healed itself often since its counters were cleared, nor far more than others."""
    worst = {part: max(links.values(), default=None) for part, links in link_recoveries.items()}
    measure_all("nvlink.recoveries", worst)
