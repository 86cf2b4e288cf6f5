"""Every pair of GPUs in a tray copies at the profile's rate."""

from collections.abc import Mapping

import pytest

from fixtures.gpus import GpuLoad
from fixtures.model.inventory import Host
from fixtures.model.measure import MeasureAll, Reading


@pytest.mark.load
@pytest.mark.judges("nvlink.d2d_bandwidth")
def test_gpus_copy_at_full_rate(
    tray: Host,
    copy_bandwidth: Mapping[str, float],
    copy_bandwidths: Mapping[str, Reading],
    gpu_load: GpuLoad,
    measure_all: MeasureAll,
) -> None:
    """Each directed pair of the tray's GPUs reaches the bandwidth of its product."""
    seen = dict.fromkeys(copy_bandwidth, gpu_load.evidence("d2d"))
    measure_all("nvlink.d2d_bandwidth", copy_bandwidth, among=copy_bandwidths, evidence=seen)
