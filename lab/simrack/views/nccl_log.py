"""What NCCL logs of itself with `NCCL_DEBUG=INFO` and the subsystems INIT, NET and ENV.

Release 2.28 on Linux: its settings, the adapters and the network that it found, and how each rank
came into its communicator. Format strings of src/init.cc, src/misc/param.cc and src/transport.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.simrack.devices import GpuState, PortState
from lab.simrack.machine import Machine
from lab.simrack.nccl_setup import PLUGIN
from lab.simrack.state import HostState

INTERFACE = "eth0"
CUDA_DRIVER = 13000
CHANNELS, P2P_CHANNELS, PER_PEER = 24, 32, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One rank of a job: a process on a machine, with a GPU of its own; `env` is what the launcher
    passes on to it."""

    number: int
    machine: Machine
    device: int
    gpu: GpuState
    pid: int
    env: Mapping[str, str]

    def says(self, text: str, level: str = "INFO") -> str:
        host = self.machine.state.name
        return f"{host}:{self.pid}:{self.pid + 1} [{self.device}] NCCL {level} {text}\n"

    def warns(self, place: str, text: str) -> str:
        """A warning names the place in the source before its level."""
        host = self.machine.state.name
        return f"\n{host}:{self.pid}:{self.pid + 1} [{self.device}] {place} NCCL WARN {text}\n"


def text(ranks: Sequence[Rank], clustered: bool) -> str:
    """The log of a job whose ranks have come together."""
    env = ranks[0].env
    if env.get("NCCL_DEBUG") != "INFO":
        library = ranks[0].machine.state.nccl.library
        return f"NCCL version {library}\n" if "NCCL_DEBUG" in env else ""
    nodes = list(dict.fromkeys(id(rank.machine) for rank in ranks))
    return "".join(
        line
        for rank in ranks
        for line in (
            *_found(rank),
            *_joined(rank, ranks, len(nodes), clustered),
            *_collnet(rank, ranks),
        )
    )


def own_settings(host: HostState) -> dict[str, str]:
    """What ranks find on their host: its files of settings, and the environment of logins."""
    lines = [line for text in host.setup.files.values() for line in text.splitlines()]
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    environment = host.setup.environment
    return {
        **{name.strip(): value.strip() for name, _, value in pairs},
        **{name: value for name, value in environment.items() if name.startswith("NCCL_")},
    }


def over_nvlinks(clustered: bool, ranks: Sequence[Rank]) -> bool:
    """Whether NVLinks carry collectives between the trays of a domain: unless it is told not to."""
    return clustered and all(rank.env.get("NCCL_MNNVL_ENABLE") != "0" for rank in ranks)


def adapters_of(rank: Rank) -> list[PortState]:
    """The ports that NCCL takes for a rank."""
    host = rank.machine.state
    if not host.nccl.verbs:
        return []
    return adapters(host.fitted, {**own_settings(host), **rank.env}.get("NCCL_IB_HCA", ""))


def adapters(ports: Sequence[PortState], chosen: str) -> list[PortState]:
    """The ports that NCCL takes: those that are up, of the names that NCCL_IB_HCA gives."""
    exact = chosen.startswith("=")
    names = [name.partition(":")[0] for name in chosen.lstrip("=").split(",") if name]
    up = [port for port in ports if port.up]
    if not names:
        return up
    return [
        port
        for port in up
        if any(port.device == name if exact else port.device.startswith(name) for name in names)
    ]


def _found(rank: Rank) -> Iterator[str]:
    host = rank.machine.state
    passed = {name: value for name, value in rank.env.items() if name.startswith("NCCL_")}
    settings = {**own_settings(host), **passed}
    yield rank.says(f"Bootstrap: Using {INTERFACE}:{host.address}<0>")
    yield rank.says(f"cudaDriverVersion {CUDA_DRIVER}")
    if rank.number == 0:
        yield rank.says(f"NCCL version {host.nccl.library}")
    for name, value in settings.items():
        yield rank.says(f"{name} set by environment to {value}.")
    if host.nccl.sharp:
        yield rank.says(f"NET/Plugin: Loaded net plugin {PLUGIN} (v10)")
        yield rank.says("NET/Plugin: Loaded collnet plugin SHARP (v10)")
    ports = adapters_of(rank)
    if not host.nccl.verbs:
        yield rank.says("Failed to open libibverbs.so[.1]")
    if ports:
        listed = " ".join(
            f"[{at}]{port.device}:1/{_layer(port, host.nccl.sharp)}"
            for at, port in enumerate(ports)
        )
        yield rank.says(f"NET/IB : Using {listed} [RO]; OOB {INTERFACE}:{host.address}<0>")
    else:
        yield rank.says("NET/IB : No device found.")
        yield rank.says(f"NET/Socket : Using [0]{INTERFACE}:{host.address}<0>")
    over = PLUGIN if host.nccl.sharp else "IB"
    yield rank.says(f"Using network {over if ports else 'Socket'}")


def _layer(port: PortState, sharp: bool) -> str:
    """The plugin says of each InfiniBand adapter that it can reduce in switches."""
    if port.link_layer != "infiniband":
        return "RoCE"
    return "IB/SHARP" if sharp else "IB"


def _collnet(rank: Rank, ranks: Sequence[Rank]) -> Iterator[str]:
    """The first rank of each host connects a channel for each NIC; only where all hosts can."""
    if rank.env.get("NCCL_COLLNET_ENABLE") != "1" or rank.device or not _aggregates(ranks):
        return
    for at, _ in enumerate(adapters_of(rank)):
        for way in ("receive", "send"):
            yield rank.says(
                f"CollNet {at:02d}/0 : {rank.number} [{way}] via COLLNET/SHARP/{at}/GDRDMA"
            )


def _aggregates(ranks: Sequence[Rank]) -> bool:
    """Whether a job of several hosts gets a tree of switches from the manager of aggregation."""
    hosts = {rank.machine.state.name: rank.machine.state for rank in ranks}
    manager = ranks[0].machine.site.world.network.manager
    able = all(host.nccl.sharp and host.nccl.verbs for host in hosts.values())
    return len(hosts) > 1 and able and manager.aggregates and manager.answers


def _joined(rank: Rank, ranks: Sequence[Rank], nodes: int, clustered: bool) -> Iterator[str]:
    number, count = rank.number, len(ranks)
    comm, job = f"0x{0x5600_0000 + rank.pid * 16:x}", f"0x{ranks[0].pid * 65537:x}"
    bus = f"{bus_number(rank.gpu.pci):x}"
    about = (
        f"ncclCommInitRankConfig comm {comm} rank {number} nranks {count} cudaDev {rank.device} "
        f"nvmlDev {rank.device} busId {bus} commId {job}"
    )
    local = [one for one in ranks if one.machine is rank.machine]
    mnnvl = int(clustered and nodes > 1)
    yield rank.says(f"{about} - Init START")
    if count > 2:
        yield rank.says(f"NVLS multicast support is available on dev {rank.device}")
    yield rank.says(
        f"comm {comm} rank {number} nRanks {count} nNodes {nodes} localRanks {len(local)} "
        f"localRank {rank.device} MNNVL {mnnvl}"
    )
    if number == 0:
        yield rank.says(
            f"{CHANNELS} coll channels, {CHANNELS} collnet channels, 16 nvls channels, "
            f"{P2P_CHANNELS} p2p channels, {PER_PEER} p2p channels per peer"
        )
    yield rank.says(f"{about} - Init COMPLETE")


def bus_number(pci: str) -> int:
    """An address as NCCL counts it: domain, bus, device and function as one number."""
    domain, bus, rest = pci.split(":")
    device, _, function = rest.partition(".")
    return int(domain, 16) << 20 | int(bus, 16) << 12 | int(device, 16) << 4 | int(function, 16)
