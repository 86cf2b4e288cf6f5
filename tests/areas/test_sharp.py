"""In-network reduction, as NCCL's log tells it: lines of connections, and no number of channels."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Blocked, ToolFailed
from fixtures.tools.collectives import nccl_log
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.sharp import Sharp, plugin, refuse_without_plugin
from tests.simrack.bench import bench
from tests.simrack.probes import collnet, logged
from tests.tools.captures import ended

SAYS = "h1:1:2 [0] NCCL INFO "
CHANNELS = (
    f"{SAYS}24 coll channels, 24 collnet channels, 16 nvls channels, "
    "32 p2p channels, 2 p2p channels per peer\n"
)
USED = "".join(
    f"{SAYS}CollNet {at:02d}/0 : 0 [{way}] via COLLNET/SHARP/{at}/GDRDMA\n"
    for at in range(8)
    for way in ("send", "receive")
)
REPORT = (
    "  1073741824     268435456     float     sum      -1   4000.0  268.43  469.76      0"
    "   4000.0  268.43  469.76      0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 469.76\n"
)


def channels(log: str, rc: int = 0) -> int | None:
    return Sharp(Collective({"run": ended(log, rc=rc)}, 64, [1 << 30])).channels


def test_connections_are_counted_and_the_number_beside_the_others_is_not() -> None:
    assert channels(CHANNELS + USED + REPORT) == 8
    assert channels(CHANNELS + REPORT) == 0


def test_a_silent_log_says_nothing_and_a_broken_run_is_no_fall_back() -> None:
    assert channels(f"{SAYS}Using network IB\n{REPORT}") is None
    with pytest.raises(ToolFailed):
        channels(CHANNELS + "h1: Test NCCL failure common.cu:1 'unhandled'\n", rc=3)


@pytest.mark.parametrize(
    ("line", "found"),
    [("NET/Plugin: Loaded collnet plugin SHARP (v10)", "loaded"), ("cudaDriverVersion 1", "none")],
)
def test_a_tray_has_the_plugin_or_not(line: str, found: str) -> None:
    assert plugin(nccl_log.parse(f"{SAYS}{line}\n{SAYS}Using network IB\n")) == found
    assert plugin(nccl_log.parse(f"{SAYS}{line}\n{SAYS}cudaDriverVersion 13000\n")) is None


def test_a_tray_without_the_plugin_keeps_the_domain_from_being_judged() -> None:
    using = f"{SAYS}Using network IB\n"
    with pytest.raises(Blocked) as why:
        refuse_without_plugin("h1", nccl_log.parse(using))
    assert why.value.why == "blocked-by:nccl.sharp_plugin@h1"
    loaded = f"{SAYS}NET/Plugin: Loaded collnet plugin SHARP (v10)\n"
    refuse_without_plugin("h1", nccl_log.parse(loaded + using))
    refuse_without_plugin("h1", nccl_log.parse(f"{SAYS}cudaDriverVersion 13000\n"))


def test_the_lab_reduces_in_switches_where_it_was_bought() -> None:
    assert (collnet(bench("hgx8")) or 0) >= 8
    assert collnet(bench("rack7")) == 0
    assert plugin(logged(bench("rack7"), "r01-ct01")) == "none"
