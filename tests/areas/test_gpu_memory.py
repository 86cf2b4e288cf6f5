"""GPU memory goes over the NIC of its rail, and a transfer of it that hangs has been measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.model.errors import Blocked, RackError
from fixtures.tools.rdma.gpu_memory import number_in_cuda
from fixtures.tools.rdma.pair_run import PairRun
from fixtures.tools.rdma.perftest_command import Pair
from fixtures.tools.rdma.perftest_pair import HARDWARE
from fixtures.transport.once import Results
from tests.areas.answers import answer
from tests.simrack.bench import bench
from tests.simrack.probes import facts, gpu_traffic, traffic

PART = "hgx01/mlx5_1/1"
FEW = replace(HARDWARE, bw_iterations=1000, gdr_iterations=1000)


def measured(*faults: str, **changes: object) -> PairRun:
    rack = bench("hgx8", *faults)
    nics = (rack.inventory.hosts["hgx01"].nics[1], rack.inventory.hosts["hgx02"].nics[1])
    results: Results = {"bw": traffic("ib_write_bw", PART, rack), "gdr": gpu_traffic(rack, PART)}
    return PairRun(results | changes, FEW, nics, 1)  # type: ignore[arg-type]


def test_memory_is_that_of_the_rails_gpu_by_its_address() -> None:
    tray = facts(bench("hgx8", "gpu.missing@hgx01/gpu1"), "hgx01")
    numbers = [number_in_cuda(tray, nic) for nic in tray.host.nics]
    assert [numbers[0], *numbers[2:]] == [0, 1, 2, 3, 4, 5, 6]
    assert isinstance(numbers[1], Blocked)


@pytest.mark.parametrize(
    ("fault", "metric"),
    [("fabric.not_started", "fabric.state"), ("fabric.insufficient_resources", "fabric.status")],
)
def test_a_gpu_whose_fabric_is_not_up_moves_nothing(fault: str, metric: str) -> None:
    tray = facts(bench("hgx8", f"{fault}@hgx01/gpu1"), "hgx01")
    said = number_in_cuda(tray, tray.host.nics[1])
    assert isinstance(said, Blocked)
    assert said.why == f"blocked-by:{metric}@hgx01/gpu1"


def test_cuda_counts_by_address_where_gpus_are_used() -> None:
    asked = Pair(program="ib_write_bw", key="k", port=18515, size_bytes=65536, iterations=10)
    with_it, without = asked.client("mlx5_1", "hgx02", cuda=3), asked.client("mlx5_1", "hgx02")
    assert "--use_cuda=3" in with_it.argv
    assert with_it.env == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert not without.env


def test_healthy_gpus_are_as_fast_as_their_hosts() -> None:
    assert measured().gdr_ratio() == pytest.approx(1, abs=0.02)
    assert measured(f"nic.far_from_gpu@{PART}").gdr_ratio() == pytest.approx(0.24, abs=0.01)


def test_a_transfer_that_hangs_was_measured() -> None:
    run = measured(f"nic.gdr_hangs@{PART}")
    assert run.gdr_completed is False
    with pytest.raises(Blocked, match="the transfer hangs"):
        run.gdr_ratio()


def test_what_never_began_was_not_measured() -> None:
    with pytest.raises(RackError, match="no GPU"):
        measured(gdr=RackError("no GPU")).gdr_ratio()
    old = answer(err="unrecognized option '--use_cuda=1'", rc=1)
    with pytest.raises(RackError, match="unrecognized option") as caught:
        measured(gdr=old).gdr_ratio()
    assert caught.value.why == "tool-failed"
