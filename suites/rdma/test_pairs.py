"""Every NIC moves data to its neighbour on the rail, at rate and in time."""

from collections.abc import Mapping

import pytest

from fixtures.model.measure import Measure, MeasureAll, Reading
from fixtures.tools.rdma.pair_run import PairRun


@pytest.mark.load
@pytest.mark.judges("rdma.write_bw", "rdma.bytes_moved", "rdma.transport_errors",
                    "rdma.write_bw_gdr")  # fmt: skip
def test_pair_moves_data_at_full_rate(
    rail_pair: str,
    pair_run: PairRun,
    bandwidths: Mapping[str, Reading],
    gpu_bandwidths: Mapping[str, Reading],
    measure: Measure,
    measure_all: MeasureAll,
) -> None:
    """RDMA writes reach the rail's bandwidth, both ports count them, and none is repeated."""
    seen, gbps = pair_run.evidence, pair_run.bandwidth().average_gbps
    measure_all("rdma.write_bw", {rail_pair: gbps}, among=bandwidths, evidence={rail_pair: seen})
    measure("rdma.bytes_moved", pair_run.moved(), at=rail_pair, evidence=seen)
    measure("rdma.transport_errors", pair_run.transport_errors(), at=rail_pair, evidence=seen)
    if rail_pair in gpu_bandwidths:
        measure("rdma.write_bw_gdr", gpu_bandwidths[rail_pair], at=rail_pair, evidence=seen)


@pytest.mark.load
@pytest.mark.judges("rdma.write_lat_typ", "rdma.write_lat_p99")
def test_pair_answers_in_time(rail_pair: str, pair_run: PairRun, measure: Measure) -> None:
    """RDMA writes of 2 bytes arrive within the latency of the pair's distance, tail included."""
    seen, latency, hops = pair_run.evidence, pair_run.latency(), pair_run.distance
    measure("rdma.write_lat_typ", latency.typical_us, at=rail_pair, evidence=seen, when=hops)
    measure("rdma.write_lat_p99", latency.p99_us, at=rail_pair, evidence=seen, when=hops)


@pytest.mark.load
@pytest.mark.judges("rdma.gdr_completed", "rdma.gdr_ratio")
def test_gpu_memory_moves_as_fast(
    pair_runs: Mapping[str, PairRun],
    gpu_writes: Mapping[str, Mapping[str, Reading]],
    measure_all: MeasureAll,
) -> None:
    """RDMA writes from GPU to GPU come to their end, and are as fast as those from host memory."""
    seen = {subject: run.evidence for subject, run in pair_runs.items()}
    measure_all("rdma.gdr_completed", gpu_writes["rdma.gdr_completed"], evidence=seen)
    measure_all("rdma.gdr_ratio", gpu_writes["rdma.gdr_ratio"], evidence=seen)
