"""The suite's readers read every view, healthy, and find what the inventory says."""

from __future__ import annotations

import pytest

from fixtures.tools.binding import facts_bundle
from fixtures.tools.fabric import ib_port, ibstat, rdma_link
from fixtures.tools.gpus import gpu_samples, nvidia_smi
from fixtures.tools.hosts import host_facts
from fixtures.tools.nvlink import nvbandwidth, nvlink_status
from fixtures.tools.rdma import perftest
from fixtures.transport import bundle
from tests.simrack.bench import Bench, as_result, bench

RACKS = [("rack7", "r01-ct05"), ("hgx8", "hgx03")]


@pytest.fixture(params=RACKS, ids=[name for name, _ in RACKS])
def at(request: pytest.FixtureRequest) -> tuple[Bench, str]:
    name, host = request.param
    return bench(name), host


def test_the_whole_facts_bundle_is_answered(at: tuple[Bench, str]) -> None:
    rack, name = at
    host = rack.inventory.hosts[name]
    commands = facts_bundle.commands(
        [gpu.pci for gpu in host.gpus], [nic.slot for nic in host.nics]
    )
    nonce = bundle.new_nonce("run-1")
    outcome = rack.run(name, *bundle.encode(commands, nonce=nonce))
    results = bundle.decode(outcome.stdout, commands, nonce=nonce, host=name, started=0.0)
    assert [result.key for result in results] == [command.key for command in commands]
    imex = {"facts/imex-channels": 2, "facts/imex-nodes": 1}
    absent = imex if name.startswith("hgx") else {"facts/fabric-manager-version": 127}
    assert {r.key: r.rc for r in results if r.rc != 0} == {
        "facts/perftest": 1, "facts/nccl-conf": 2, "facts/nccl-env": 1,
        "facts/pci-path": 2, **absent,
    }  # fmt: skip
    facts = {result.key.removeprefix("facts/"): result for result in results}
    assert host_facts.read(facts["clock"], host_facts.clock) > 0
    assert host_facts.read(facts["uname"], host_facts.kernel) == rack.inventory.firmware.kernel[0]
    assert host_facts.read(facts["boot-id"], host_facts.boot_id)
    assert host_facts.read(facts["os-release"], host_facts.os_release).id == "ubuntu"
    assert host_facts.read(facts["meminfo"], host_facts.memory_total_bytes) > 2**40
    assert host_facts.read(facts["dmi"], host_facts.dmi).product_serial == host.serial
    driver = host_facts.read(facts["nvidia-version"], host_facts.nvidia_driver)
    assert [driver.version] == rack.inventory.firmware.gpu_driver
    assert perftest.read_version(facts["perftest"]) >= (6, 24)


def test_nvidia_smi_says_what_was_bought(at: tuple[Bench, str]) -> None:
    rack, name = at
    log = nvidia_smi.read(rack.result(name, nvidia_smi.command()))
    bought = {gpu.pci: gpu.serial for gpu in rack.inventory.hosts[name].gpus}
    assert {gpu.pci: gpu.serial for gpu in log.gpus} == bought
    assert {gpu.product for gpu in log.gpus} == {rack.inventory.profile.gpu_product}
    assert {gpu.vbios for gpu in log.gpus} == set(rack.inventory.firmware.vbios)
    assert {gpu.power_limit_w for gpu in log.gpus} == {rack.inventory.power.gpu_limit_w}
    assert not any(gpu.lost or gpu.processes for gpu in log.gpus)
    for gpu in log.gpus:
        assert gpu.fabric is not None
        assert (gpu.fabric.state, gpu.fabric.status) == ("Completed", "Success")
        assert gpu.ecc_volatile.uncorrectable == 0
        assert gpu.remapped.pending is False
        assert gpu.pcie_width_current == 16


def test_nvlinks_are_all_active(at: tuple[Bench, str]) -> None:
    rack, name = at
    gpus = nvlink_status.read(rack.result(name, nvlink_status.command()))
    log = nvidia_smi.read(rack.result(name, nvidia_smi.command()))
    assert {gpu.uuid for gpu in gpus} == {gpu.uuid for gpu in log.gpus}
    assert {gpu.active for gpu in gpus} == {18}


def test_infiniband_views_agree(at: tuple[Bench, str]) -> None:
    rack, name = at
    nics = rack.inventory.hosts[name].nics
    shown = ib_port.read(rack.result(name, ib_port.command()))
    virtual = {one.device for one in rack.site.world.hosts[name].virtual}
    devices = [device for device in shown if device.name not in virtual]
    assert len(shown) == len(nics) + sum(nic.vfs for nic in nics)
    assert {d.name: d.node_guid for d in devices} == {nic.slot: nic.guid for nic in nics}
    assert {d.port().rate_gbps for d in devices} == {400}
    assert {d.port().width for d in devices} == {"4X"}
    assert all(d.port().gids[0].replace(":", "").endswith(d.node_guid or "?") for d in devices)
    lids = {d.port().lid for d in devices}
    assert len(lids) == len(nics)
    links = rdma_link.read(rack.result(name, rdma_link.command()))
    assert {link.ifname for link in links} == {device.name for device in shown}
    adapters = ibstat.read(rack.result(name, ibstat.command()))
    assert len(adapters) == len(shown)


def test_nvbandwidth_is_typical(at: tuple[Bench, str]) -> None:
    rack, name = at
    typical = rack.site.world.product
    d2d = nvbandwidth.read(
        rack.result(name, nvbandwidth.command("device_to_device_memcpy_read_ce"))
    ).test("device_to_device_memcpy_read_ce")
    assert all(cell == pytest.approx(typical.d2d_gbytes, rel=0.01) for cell in d2d.cells)
    h2d = nvbandwidth.read(rack.result(name, nvbandwidth.command("host_to_device_memcpy_ce")))
    cells = h2d.test("host_to_device_memcpy_ce").cells
    assert len(cells) == len(rack.inventory.hosts[name].gpus)


def test_links_run_at_full_speed_while_nvbandwidth_runs() -> None:
    rack = bench("rack7")
    file = "/sys/bus/pci/devices/0008:01:00.0/current_link_speed"
    load = nvbandwidth.command("host_to_device_memcpy_ce").argv
    look = ("cat", file)
    _, busy = rack.together(("r01-ct05", load), ("r01-ct05", look))
    assert busy.stdout == b"32.0 GT/s PCIe\n"
    assert rack.ask("r01-ct05", *look) == "2.5 GT/s PCIe\n"


def test_a_sampler_sees_the_links_of_a_loaded_tray() -> None:
    rack = bench("rack7", "gpu.lost@r01-ct06/gpu2")
    sampler = gpu_samples.command(period_ms=50, deadline_s=0.3)
    argv = ("timeout", "0.3", *sampler.argv)
    load = nvbandwidth.command("host_to_device_memcpy_ce").argv
    outcomes = rack.together(("r01-ct05", load), ("r01-ct05", argv), ("r01-ct06", argv))
    peaks = [gpu_samples.read(as_result("host", sampler, outcome)) for outcome in outcomes[1:]]
    assert {peak.generation for peak in peaks[0].values()} == {5}
    assert set(peaks[1]) == {"0008:01:00.0", "0009:01:00.0", "0019:01:00.0"}
    idle = {sample.generation for peak in peaks[1].values() for sample in peak.samples}
    assert idle == {1}


def test_a_slow_gpu_has_a_slow_row_and_column() -> None:
    rack = bench("rack7", "gpu.slow_copy@r01-ct05/gpu2")
    command = nvbandwidth.command("device_to_device_memcpy_read_ce")
    case = nvbandwidth.read(rack.result("r01-ct05", command)).test(
        "device_to_device_memcpy_read_ce"
    )
    slow = {(a, b) for a, b, gbytes in case.flows() if gbytes < 700}
    assert slow == {(a, b) for a in range(4) for b in range(4) if a != b and 2 in (a, b)}


def test_readers_take_a_lost_gpu_as_lost() -> None:
    rack = bench("rack7", "gpu.lost@r01-ct05/gpu2")
    log = nvidia_smi.read(rack.result("r01-ct05", nvidia_smi.command()))
    assert [gpu.pci for gpu in log.gpus if gpu.lost] == ["0018:01:00.0"]
    links = nvlink_status.read(rack.result("r01-ct05", nvlink_status.command()))
    assert [gpu.index for gpu in links if gpu.links is None] == [2]


def test_switch_trays_have_only_a_clock_and_a_kernel() -> None:
    rack = bench("rack7")
    results = [rack.run("r01-sw01", *command.argv) for command in facts_bundle.host()[:2]]
    assert [outcome.rc for outcome in results] == [0, 0]
    assert rack.run("r01-sw01", "nvidia-smi").rc == 127
