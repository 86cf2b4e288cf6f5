"""What each fault and healthy variant looks like to the suite's own readers: kind to question.

A probe is asked about a part of a rack with the fault and without it: yes, then no.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from fixtures.model.errors import RackError
from fixtures.model.inventory_schema import normal_pci
from fixtures.model.parts import host_of
from fixtures.tools.addresses import pci_address
from fixtures.tools.binding import subnet_facts, subnet_window, virtual_functions
from fixtures.tools.binding.host_setup import HostSetup
from fixtures.tools.binding.kernel_facts import KernelFacts
from fixtures.tools.binding.nic_setup import NicSetup
from fixtures.tools.binding.slots import GpuSlot, PortSlot
from fixtures.tools.binding.subnet_facts import SubnetFacts
from fixtures.tools.binding.tray_facts import TrayFacts, commands
from fixtures.tools.collectives import nccl_log, nccl_tests
from fixtures.tools.collectives.collective import Collective
from fixtures.tools.collectives.nccl_command import Op
from fixtures.tools.collectives.nccl_command import command as collective
from fixtures.tools.collectives.nccl_report import Report
from fixtures.tools.collectives.sharp import Sharp
from fixtures.tools.fabric import ethtool_statistics, ib_port, ibqueryerrors, mlnx_qos, mlxlink
from fixtures.tools.gpus import dcgm_dmon, gpu_samples, nvidia_smi
from fixtures.tools.gpus.gpu_watch import Watched
from fixtures.tools.gpus.smi_log import Gpu
from fixtures.tools.hosts.nic_link import NicLink
from fixtures.tools.nvlink import nvbandwidth
from fixtures.tools.rdma import perftest
from fixtures.tools.rdma.perftest_command import Pair
from fixtures.transport.argv import in_bundle
from fixtures.transport.base import Command, CommandResult
from lab.simrack.execute import execute
from lab.simrack.faults.naming import next_tray
from tests.simrack.bench import Bench, as_result

OBSERVER = "r01-ct01"
Probe = Callable[[Bench, str], bool]
D2D: nvbandwidth.Test = "device_to_device_memcpy_read_ce"
H2D: nvbandwidth.Test = "host_to_device_memcpy_ce"


def facts(rack: Bench, part: str) -> TrayFacts:
    """The facts of the part's host, each command asked by itself."""
    host = rack.inventory.hosts[host_of(part)]
    asked = commands(host)

    async def answers() -> list[CommandResult]:
        machine = rack.site.machines[host.name]
        ran = [execute(machine, ("timeout", "0.3", *in_bundle(one))) for one in asked]
        outcomes = await asyncio.gather(*ran)
        return [
            as_result(host.name, *pair) for pair in zip(asked, outcomes, strict=True)
        ]  # fmt: skip

    counts = rack.inventory.profile.counts
    links = counts["nvlinks_per_gpu"].equals if "nvlinks_per_gpu" in counts else 0
    return TrayFacts(host, {one.key: one for one in asyncio.run(answers())}, links)


def slot(rack: Bench, part: str) -> GpuSlot:
    name = "/".join(part.split("/")[:2])
    return next(one for one in facts(rack, part).gpus if one.part == name)


def at_gpu(question: Callable[[Gpu], bool]) -> Probe:
    return lambda rack, part: question(slot(rack, part).device)


def at_slot(question: Callable[[GpuSlot], bool]) -> Probe:
    return lambda rack, part: question(slot(rack, part))


def at_host(question: Callable[[TrayFacts], bool]) -> Probe:
    return lambda rack, part: question(facts(rack, part))


def port_slot(rack: Bench, part: str) -> PortSlot:
    return next(one for one in facts(rack, part).ports if one.part == part)


def setup(rack: Bench, part: str) -> NicSetup:
    return NicSetup(facts(rack, part))


def functions(rack: Bench, part: str) -> list[str]:
    """How many virtual functions the NIC has, with what GUIDs, and their ports."""
    read = (
        virtual_functions.count,
        virtual_functions.guid_state,
        virtual_functions.port_state,
    )
    return [one(facts(rack, part), port_slot(rack, part)) for one in read]


def card_link(rack: Bench, part: str) -> NicLink:
    return setup(rack, part).link(port_slot(rack, part))


def keys(rack: Bench, part: str) -> tuple[int, ...]:
    return setup(rack, part).keys(port_slot(rack, part))


def gid_after_load(rack: Bench, part: str) -> str | None:
    """What sysfs has at the port's GID index once data was sent."""
    slot = port_slot(rack, part)
    traffic("ib_write_bw", part, rack)
    path = ib_port.gid_path(slot.fitted.name, slot.nic.gid_index or 0)
    asked = Command(argv=("grep", "-sH", "", path), key="facts/gid")
    (found,) = ib_port.read(rack.result(host_of(part), asked))
    return found.port().gids.get(slot.nic.gid_index or 0)


def qos(rack: Bench, part: str) -> mlnx_qos.Qos:
    """The settings of the network interface of a RoCE port."""
    asked = mlnx_qos.command(interface(rack, part), "facts/qos")
    return mlnx_qos.read(rack.result(host_of(part), asked))


def interface(rack: Bench, part: str) -> str:
    """The network interface of a RoCE port."""
    links, name = facts(rack, part).rdma_links, device(rack, part)
    return next(link.netdev or "" for link in links if link.ifname == name)


def priorities(rack: Bench, part: str) -> list[int]:
    """Those in which the port has sent anything once data was sent."""
    traffic("ib_write_bw", part, rack)
    asked = ethtool_statistics.command(interface(rack, part))
    counted = ethtool_statistics.read(rack.result(host_of(part), asked))
    return [at for at in range(8) if counted.value(f"tx_prio{at}_bytes")]


def rail_path(rack: Bench, part: str) -> str | None:
    """The way from a GPU to the NIC of the same number."""
    number = part[-1]
    nic = port_slot(rack, f"{host_of(part)}/mlx5_{number}/1")
    return setup(rack, part).rail_path(slot(rack, part), nic)


def at_port(question: Callable[[ib_port.Port], bool]) -> Probe:
    return lambda rack, part: question(port_slot(rack, part).fitted_port)


def at_nic(question: Callable[[PortSlot], bool]) -> Probe:
    return lambda rack, part: question(port_slot(rack, part))


def links(rack: Bench, part: str) -> tuple[int, float]:
    """Inactive links of the part's GPU, and its slowest rate; 0 where none is active."""
    found = slot(rack, part)
    summary = facts(rack, part).link_summary(found)
    return summary.inactive or 0, summary.slowest_gbytes or 0.0


def raises(reason: str, ask: Callable[[Bench, str], object]) -> Probe:
    """Whether reading fails, for this reason."""

    def probe(rack: Bench, part: str) -> bool:
        try:
            ask(rack, part)
        except RackError as error:
            return error.why == reason
        return False

    return probe


def smi(rack: Bench, part: str) -> object:
    return facts(rack, part).smi


def copies(test: nvbandwidth.Test) -> Callable[[Bench, str], nvbandwidth.Testcase]:
    def run(rack: Bench, part: str) -> nvbandwidth.Testcase:
        ran = rack.result(host_of(part), nvbandwidth.command(test))
        return nvbandwidth.read(ran).test(test)

    return run


def slow_copies(rack: Bench, part: str) -> int:
    return sum(gbytes < 731 for _, _, gbytes in copies(D2D)(rack, part).flows())


def kernel(rack: Bench, part: str) -> KernelFacts:
    return KernelFacts(facts(rack, part))


def at_setup(question: Callable[[HostSetup], bool]) -> Probe:
    return lambda rack, part: question(HostSetup(facts(rack, part)))


def gpu_of(part: str) -> str:
    return "/".join(part.split("/")[:2])


def xids(rack: Bench, part: str) -> list[int]:
    """The numbers of the errors that the kernel has logged of the part's GPU."""
    address = pci_of(rack, gpu_of(part))
    return [xid.code for xid in kernel(rack, part).log.xids if pci_address(address) == xid.pci]


def remembered_xids(rack: Bench, part: str) -> list[object]:
    """The last Xid of each of the tray's GPUs, as DCGM's gauge has it."""
    asked = dcgm_dmon.command([230])
    found = dcgm_dmon.parse(rack.ask(host_of(part), *asked.argv))
    return [sample.values["XIDER"] for sample in found.samples]


def collect(rack: Bench, part: str) -> Report:
    """all_reduce over the part's tray and the next one, launched from a third."""
    tray = host_of(part)
    hosts = [tray, next_tray(rack.inventory, tray)]
    asked = collective("all_reduce", hosts=hosts, slots=4, begin="1G", end="1G", key="load/nccl")
    head = next(one.name for one in rack.inventory.trays if one.name not in hosts)
    return nccl_tests.read(rack.result(head, asked))


def alone(rack: Bench, part: str, cycles: int | None = None) -> CommandResult:
    """all_reduce inside the part's tray, under a deadline."""
    tray = host_of(part)
    slots = len(rack.inventory.hosts[tray].gpus)
    asked = collective("all_reduce", hosts=[tray], slots=slots, begin="1G", end="1G", cycles=cycles)
    env = [f"{name}={value}" for name, value in asked.env.items()]
    argv = ("timeout", "3", "env", *env, *asked.argv)
    return as_result(tray, asked, rack.run(tray, *argv))


def over_rail(rack: Bench, devices: Mapping[str, str]) -> CommandResult:
    """all_reduce over one NIC of each host, by host, and over no NVLinks between them."""
    own = {host: ("NCCL_IB_HCA", f"={name}:1") for host, name in devices.items()}
    env = {"NCCL_MNNVL_ENABLE": "0"}
    asked = collective("all_reduce", hosts=list(devices), slots=1, own=own, env=env)
    passed = [f"{name}={value}" for name, value in asked.env.items()]
    head = next(iter(devices))
    return as_result(head, asked, rack.run(head, "env", *passed, *asked.argv))


def over_nic(rack: Bench, part: str) -> CommandResult:
    """The same over a NIC and the next tray's of its name."""
    tray, device, *_ = part.split("/")
    return over_rail(rack, {tray: device, next_tray(rack.inventory, tray): device})


def logged(rack: Bench, part: str) -> nccl_log.NcclLog:
    """What NCCL says of itself inside the part's tray."""
    return nccl_log.read(alone(rack, part))


def adapters(rack: Bench, part: str) -> list[str]:
    return [hca.name for hca in logged(rack, part).hcas or ()]


def at_scale(rack: Bench, part: str, op: Op = "all_reduce") -> CommandResult:
    """A collective over all trays."""
    hosts = [tray.name for tray in rack.inventory.trays]
    asked = collective(op, hosts=hosts, slots=4, begin="1G", end="1G")
    return rack.result(host_of(part), asked)


def collnet(rack: Bench) -> int | None:
    """Channels over CollNet of an all_reduce over all trays that may use it."""
    hosts = [tray.name for tray in rack.inventory.trays]
    env = {"NCCL_COLLNET_ENABLE": "1"}
    asked = collective("all_reduce", hosts=hosts, slots=4, begin="1G", end="1G", env=env)
    passed = [f"{name}={value}" for name, value in asked.env.items()]
    ran = as_result(hosts[0], asked, rack.run(hosts[0], "env", *passed, *asked.argv))
    return Sharp(Collective({"run": ran}, len(hosts) * 4, [1 << 30])).channels


def hangs(rack: Bench, part: str) -> bool:
    ran = alone(rack, part)
    return ran.timed_out and "Init COMPLETE" in ran.stdout


def spread(rack: Bench, part: str) -> float:
    run = Collective({"run": alone(rack, part, cycles=5)}, 4, [1 << 30])
    return run.spread(1 << 30)


def busbw(rack: Bench, part: str) -> float:
    row = collect(rack, part).rows[-1]
    assert row.out_of_place is not None
    return row.out_of_place.busbw_gbytes


def reached(rack: Bench, part: str) -> str:
    """What ssh says from a neighbour; empty where it lets in."""
    tray = host_of(part)
    words = ("ssh", "-o", "ConnectTimeout=0.01", tray, "true")
    return rack.run(next_tray(rack.inventory, tray), *words).stderr.decode()


def shown_clock(rack: Bench, part: str) -> float:
    tray = host_of(part)
    here, there = (
        float(rack.ask(host, "date", "+%s.%N")) for host in (tray, next_tray(rack.inventory, tray))
    )
    return here - there


def device(rack: Bench, part: str) -> str:
    found = port_slot(rack, part).device
    assert found is not None
    return found.name


def traffic(program: str, part: str, rack: Bench, cuda: int | None = None) -> CommandResult:
    """perftest from the part's port to the same slot of the next tray."""
    tray, name = host_of(part), part.split("/")[1]
    other = next_tray(rack.inventory, tray)
    nic = port_slot(rack, part).nic
    asked = Pair(
        program=program,  # type: ignore[arg-type]
        key="load/rdma",
        traffic_class=nic.traffic_class,
        port=18600,
        size_bytes=65536 if program.endswith("bw") else 2,
        iterations=1000,
    )
    index = nic.gid_index
    server = asked.server(device(rack, f"{other}/{name}/1"), gid_index=index, cuda=cuda)
    client = asked.client(device(rack, part), other, gid_index=index, cuda=cuda)
    server_argv = ("timeout", "2", *server.argv)
    bounded = client.argv if cuda is None else ("timeout", "0.5", *client.argv)
    _, ran = rack.together((other, server_argv), (tray, bounded))
    return as_result(tray, client, ran)


def bandwidth(rack: Bench, part: str) -> float:
    return perftest.read_bandwidth(traffic("ib_write_bw", part, rack))[-1].average_gbps


def gpu_traffic(rack: Bench, part: str) -> CommandResult:
    """`traffic` from GPU memory to GPU memory; it may take 0.5 s."""
    return traffic("ib_write_bw", part, rack, cuda=0)


def gpu_bandwidth(rack: Bench, part: str) -> float:
    return perftest.read_bandwidth(gpu_traffic(rack, part))[-1].average_gbps


def latency(rack: Bench, part: str) -> perftest.Latency:
    return perftest.read_latency(traffic("ib_write_lat", part, rack))[-1]


def counter(rack: Bench, part: str, name: str) -> int:
    asked = ib_port.counters_command([device(rack, part)])
    return ib_port.read_counters(rack.result(host_of(part), asked))[0].value(name)


def moved(rack: Bench, part: str, name: str) -> int:
    """By how much a counter moves while the port sends."""
    before = counter(rack, part, name)
    traffic("ib_write_bw", part, rack)
    return counter(rack, part, name) - before


def pci_of(rack: Bench, part: str) -> str:
    gpus = rack.inventory.hosts[host_of(part)].gpus
    return next(normal_pci(gpu.pci) for gpu in gpus if gpu.part == part)


def port_of(part: str) -> str:
    """A port of a host, for what a fault does to all of them."""
    return part if "/" in part else f"{part}/mlx5_1/1"


def wrong(rack: Bench, part: str) -> int:
    """Wrong values of the last row, as the suite's reader counts them."""
    tray = host_of(part)
    hosts = [tray, next_tray(rack.inventory, tray)]
    asked = collective("all_reduce", hosts=hosts, slots=4, begin="1G", end="1G", key="load/nccl")
    head = next(one.name for one in rack.inventory.trays if one.name not in hosts)
    ran = rack.run(head, *asked.argv)
    report = nccl_tests.parse(ran.stdout.decode())
    row = report.rows[-1].out_of_place
    return int(row.wrong or 0) if row else 0


def watched(rack: Bench, part: str) -> Watched:
    """What a sampler sees of the GPU while data is copied."""
    tray = host_of(part)
    sampler = gpu_samples.command(period_ms=50, deadline_s=0.3)
    load = nvbandwidth.command(H2D).argv
    seen, _ = rack.together((tray, ("timeout", "0.3", *sampler.argv)), (tray, load))
    found = gpu_samples.read(as_result(tray, sampler, seen))
    return found[pci_of(rack, part)]


def capped_under_load(rack: Bench, part: str) -> bool:
    """Whether the software cap is active while the GPU draws what it may."""
    tray = host_of(part)
    asked = nvidia_smi.command()
    _, seen = rack.together((tray, nvbandwidth.command(H2D).argv), (tray, asked.argv))
    log = nvidia_smi.read(as_result(tray, asked, seen))
    gpu = next(gpu for gpu in log.gpus if gpu.pci == pci_of(rack, part))
    full = (gpu.power_draw_w or 0) > 0.99 * (gpu.power_limit_w or 0)
    return full and "sw_power_cap" in (gpu.throttle or ())


def subnet(rack: Bench) -> SubnetFacts:
    """The fabric as the first of the inventory's observers sees it whose port is up."""
    observer = next(
        one
        for one in rack.inventory.observers
        if facts(rack, f"{one.host}/{one.ca}").ports[int(one.ca[-1])].fitted_port.state == "ACTIVE"
    )
    asked = subnet_facts.commands(observer.ca, observer.port, sudo=False, adaptive=True)
    answers = {one.key: rack.result(observer.host, one) for one in asked}
    return SubnetFacts(rack.inventory, answers, {})


def of_cable(question: Callable[[SubnetFacts, str], bool]) -> Probe:
    """Asked about the link of a cable, named by the cable's first end."""

    def probe(rack: Bench, at: str) -> bool:
        cables = rack.inventory.plan.cables
        return question(subnet(rack), next(c.ends[0] for c in cables if f"cable:{c.id}" == at))

    return probe


def of_subnet(question: Callable[[SubnetFacts, str], bool]) -> Probe:
    return lambda rack, at: question(subnet(rack), at)


def errors(rack: Bench, at: str, counter: str) -> int:
    """What both ends of a cable, or the ends of a switch port's, have counted after a transfer that
    uses it; the subnet's own report is read."""
    network = rack.site.world.network
    link = network.at.get(at) or network.cables[at.removeprefix("cable:")]
    for source in (link.near, link.far):
        link.carry(source, 1 << 30)
    report = ibqueryerrors.read(
        rack.result(OBSERVER, subnet_window.command("mlx5_0", 1, "after", sudo=False))
    )
    ports = [port for node in report.bad for port in node.ports]
    return sum(port.counters.get(counter, 0) for port in ports)


def raw_ber(rack: Bench, at: str) -> float | None:
    """What the NIC at the end of a cable receives wrong."""
    host, device, _ = rack.site.world.network.cables[at.removeprefix("cable:")].near.name.split("/")
    report = mlxlink.read(rack.result(host, mlxlink.command(device)))
    return report.counters.raw_ber if report.counters else None
