"""How a GPU runs follows from what is wrong with it, the same in every tool that is asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fixtures.tools.gpus import gpu_samples, nvidia_smi, smi_query
from fixtures.tools.gpus.gpu_watch import Sample
from fixtures.tools.gpus.smi_log import Gpu
from fixtures.tools.nvlink import nvbandwidth
from tests.simrack import probes
from tests.simrack.bench import Bench, as_result, bench

TRAY, PART, PCI = "r01-ct02", "r01-ct02/gpu1", "0009:01:00.0"
LOAD = nvbandwidth.command(probes.H2D).argv
REASONS = {
    "gpu_idle": 0x1, "sw_power_cap": 0x4, "hw_slowdown": 0x8, "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40, "hw_power_brake_slowdown": 0x80,
}  # fmt: skip
KINDS = (
    "gpu.power_brake", "gpu.power_brake_loaded", "gpu.hot", "gpu.warm", "gpu.capped_at_low_power",
    "gpu.slow_clock", "gpu.ecc_sram",
)  # fmt: skip


def loaded(rack: Bench) -> tuple[Gpu, Sample]:
    """What both forms say of the GPU in the midst of a load."""
    whole, sampler = nvidia_smi.command(), gpu_samples.command(period_ms=50)
    lines: Sequence[tuple[str, Sequence[str]]] = (
        (TRAY, LOAD), (TRAY, whole.argv), (TRAY, ("timeout", "0.1", *sampler.argv)),
    )  # fmt: skip
    _, said, seen = rack.together(*lines)
    gpus = nvidia_smi.read(as_result(TRAY, whole, said)).gpus
    watched = gpu_samples.read(as_result(TRAY, sampler, seen))
    return next(gpu for gpu in gpus if gpu.pci == PCI), watched[PCI].samples[0]


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_the_log_and_the_query_say_the_same(kind: str) -> None:
    gpu, sample = loaded(bench("rack7", *([f"{kind}@{PART}"] if kind else [])))
    mask = sum(REASONS[reason] for reason in gpu.throttle or ())
    assert (gpu.sm_clock_mhz, gpu.thermal_margin_c) == (sample.clock_mhz, sample.margin_c)
    assert (gpu.power_draw_w, gpu.power_limit_w) == (sample.draw_w, sample.limit_w)
    assert mask == sample.reasons
    assert gpu.ecc_volatile.uncorrectable == sample.uncorrected


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_what_holds_a_clock_back_saves_power(kind: str) -> None:
    healthy, _ = loaded(bench("rack7"))
    held, _ = loaded(bench("rack7", f"{kind}@{PART}"))
    assert (held.sm_clock_mhz or 0) < 0.9 * (healthy.sm_clock_mhz or 0)
    assert (held.power_draw_w or 0) < (healthy.power_draw_w or 0)


def test_a_brake_slows_collectives_and_a_lower_clock_does_not_yet() -> None:
    busbw = {
        kind: probes.busbw(bench("rack7", *([f"{kind}@{PART}"] if kind else [])), PART)
        for kind in ("", "gpu.power_brake", "gpu.slow_clock")
    }
    assert busbw["gpu.power_brake"] < 0.85 * busbw[""]
    assert busbw["gpu.slow_clock"] == busbw[""]


def test_temperatures_have_no_unit_in_a_query() -> None:
    asked = smi_query.command("temperature.gpu", "temperature.gpu.tlimit", "clocks.sm")
    row = smi_query.read(bench("rack7").result(TRAY, asked)).rows[0]
    assert row.values["temperature.gpu"] + row.values["temperature.gpu.tlimit"] == 87  # type: ignore[call-overload,operator]
