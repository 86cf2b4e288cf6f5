"""The model of the hardware: what is true of each host, and how it is built; see also `devices`.

Faults change these values before the server starts; views print them and change none. Traffic
counters are the one thing that moves while the rack runs.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from typing import Literal

from fixtures.model.inventory import Gpu, Host, Inventory, Nic
from fixtures.model.subjects import partition_of
from lab.simrack import network, nvlinks, virtual
from lab.simrack.cards import Card, roce_gids
from lab.simrack.devices import FabricState, GpuState
from lab.simrack.devices import PortState as PortState
from lab.simrack.host_setup import HostSetup, healthy_setup
from lab.simrack.imex import ImexState, joined
from lab.simrack.links import Link
from lab.simrack.nccl_setup import NcclSetup
from lab.simrack.network import Network
from lab.simrack.nvlinks import NvlinkDomain
from lab.simrack.nvos import CHIP_FIRMWARE, IMAGE, SwitchTray
from lab.simrack.products import GpuProduct, gpu_product

Reach = Literal["up", "refused", "mute"]
DriverTrouble = Literal["", "not-loaded", "library-mismatch"]
NVOS_KERNEL = "6.1.0-22-2-amd64"
_NO_FIRMWARE = {
    "kernel": "6.8.0-generic",
    "gpu_driver": "580.95.05",
    "vbios": "00",
    "nic": "00",
    "ofed": "",
    "psid": "00",
}
_NO_FIRMWARE |= {"nvos": IMAGE, "switch_chip": CHIP_FIRMWARE}


@dataclass(slots=True, kw_only=True)
class HostState:
    """One host, and how it answers. `skew_s` is how far its clock is ahead.

    `own_name` is how it calls itself; `driver_trouble` what keeps programs from the GPU driver;
    `crashing` programs end at once; peers cannot log in where `peers_refused`, and `left_out` hosts
    get no ranks although nobody complains. `chatty` perftest warns of its clock first. `switch` is
    what is special of a switch tray, `imex` of a tray that exports memory over NVLink, `virtual`
    are virtual functions of its NICs.
    """

    name: str
    kind: str
    os: str
    rack: str
    rack_serial: str
    tray: int
    slot: int
    serial: str
    names: tuple[str, ...]
    address: str
    kernel: str
    driver: str
    boot_id: str
    gpus: list[GpuState]
    ports: list[PortState]
    own_name: str
    reach: Reach = "up"
    key_changed: bool = False
    skew_s: float = 0.0
    missing: set[str] = field(default_factory=set)
    hanging: set[str] = field(default_factory=set)
    crashing: set[str] = field(default_factory=set)
    driver_trouble: DriverTrouble = ""
    peers_refused: bool = False
    left_out: bool = False
    copies_fail: bool = False
    perftest: str = "25.01"
    chatty: bool = False
    setup: HostSetup = field(default_factory=HostSetup)
    switch: SwitchTray = field(default_factory=SwitchTray)
    nccl: NcclSetup = field(default_factory=NcclSetup)
    imex: ImexState | None = None
    virtual: list[PortState] = field(default_factory=list)

    @property
    def on_bus(self) -> list[GpuState]:
        """The GPUs that PCI enumerates, in order of their addresses; lost ones among them."""
        return sorted((gpu for gpu in self.gpus if gpu.present), key=lambda gpu: gpu.pci)

    @property
    def shown(self) -> list[GpuState]:
        """Those that the driver enumerates; none without a driver that answers."""
        return [] if self.driver_trouble else self.on_bus

    @property
    def fitted(self) -> list[PortState]:
        """The ports of the NICs that are there, virtual ones among them, by name."""
        physical = [port for port in self.ports if port.present]
        return sorted(physical + virtual.present(self.virtual), key=lambda port: port.device)

    def pci_of(self, port: PortState) -> str:
        """The PCI address of a NIC; virtual functions follow the NIC that they are of."""
        if port.physical:
            mates = [one.device for one in self.virtual if one.physical is port.physical]
            return f"{self.pci_of(port.physical)[:-1]}{mates.index(port.device) + 1}"
        cards = [one.device for one in self.fitted if not one.physical]
        return f"{cards.index(port.device):04x}:03:00.0"


@dataclass(slots=True, kw_only=True)
class World:
    """The whole inventory as hardware. `nvlinks` joins the GPUs of its hosts, `user` logs in."""

    name: str
    seed: int
    product: GpuProduct
    hosts: dict[str, HostState]
    racks: dict[str, tuple[str, ...]]
    nvlinks: NvlinkDomain
    network: Network
    user: str = "root"

    def noise(self, *about: object, spread: float = 0.004) -> float:
        """A factor near 1 that is the same for the same seed and subject."""
        return 1.0 + random.Random(f"{self.seed}:{about}").uniform(-spread, spread)

    def members(self, part: str) -> list[HostState]:
        """The hosts of the inventory's name, of a rack, or the host of that name; may be empty."""
        if part == self.name:
            return list(self.hosts.values())
        names = self.racks.get(part, (part,))
        return [self.hosts[name] for name in names if name in self.hosts]


def build(inventory: Inventory, seed: int) -> World:
    """Healthy hardware, exactly as the inventory says it was bought."""
    product = gpu_product(inventory.product)
    domain = nvlinks.wire(inventory, product)
    lids = iter(range(16, 0xBFFF))
    taken = {name: [next(lids) for _ in host.nics] for name, host in inventory.hosts.items()}
    fabric = network.wire(inventory, lids)
    return World(
        name=inventory.name,
        seed=seed,
        product=product,
        racks=dict(inventory.racks),
        nvlinks=domain,
        hosts={
            name: _host(inventory, host, product, domain, fabric, seed, taken[name])
            for name, host in inventory.hosts.items()
        },
        network=fabric,
        user="acceptance" if any(host.sudo for host in inventory.hosts.values()) else "root",
    )


def _host(
    inventory: Inventory,
    host: Host,
    product: GpuProduct,
    nvlinks: NvlinkDomain,
    network: Network,
    seed: int,
    lids: list[int],
) -> HostState:
    switch = host.kind == "switch"
    mates = [h for h in inventory.racks.get(host.rack, ()) if inventory.hosts[h].kind == host.kind]
    tray = mates.index(host.name) if host.name in mates else 0
    driver = _bought(inventory, "gpu_driver")
    ports = [_port(inventory, network, *one) for one in zip(host.nics, lids, strict=True)]
    return HostState(
        name=host.name,
        kind=host.kind,
        os=host.os,
        rack=host.rack,
        rack_serial=f"18202250{_digits(host.rack or inventory.name):05d}",
        tray=tray,
        slot=tray + 1 if tray < 8 else tray + 10,
        serial=host.serial,
        names=tuple(dict.fromkeys((host.name, host.address, host.peer_address))),
        address=host.address,
        kernel=NVOS_KERNEL if switch else _bought(inventory, "kernel"),
        driver=driver,
        boot_id=uuid_of(seed, host.name, "boot"),
        gpus=[
            _gpu(inventory, gpu, product, nvlinks.of_gpu[gpu.part], index)
            for index, gpu in enumerate(host.gpus)
        ],
        ports=ports,
        virtual=virtual.of(host.nics, ports),
        own_name=host.name,
        setup=healthy_setup(
            gpus=bool(host.gpus), clustered=product.clustered, ofed=_bought(inventory, "ofed")
        ),
        imex=_imex(inventory, host, driver),
        nccl=NcclSetup(sharp=inventory.sharp),
        switch=SwitchTray(
            image=_bought(inventory, "nvos"), chip_firmware=_bought(inventory, "switch_chip")
        ),
    )


def _imex(inventory: Inventory, host: Host, driver: str) -> ImexState | None:
    """A tray exports memory to all trays of its partition, where the site runs IMEX as a domain."""
    partition = partition_of(inventory, host.name)
    if partition is None or inventory.imex != "domain" or not host.gpus:
        return None
    return joined([inventory.hosts[name].address for name in partition.hosts], driver)


def _bought(inventory: Inventory, kind: str) -> str:
    allowed: list[str] = getattr(inventory.firmware, kind)
    return allowed[0] if allowed else _NO_FIRMWARE[kind]


def _gpu(
    inventory: Inventory, gpu: Gpu, product: GpuProduct, links: list[Link], index: int
) -> GpuState:
    partition = partition_of(inventory, gpu.part.split("/", 1)[0])
    fabric = FabricState()
    if partition is not None:
        fabric.cluster = partition.cluster_uuid or uuid_of(0, inventory.name, partition.name)
        fabric.clique = partition.clique or 0
    return GpuState(
        slot=gpu.slot,
        part=gpu.part,
        pci=gpu.pci,
        serial=gpu.serial or f"165{_digits(gpu.part):010d}",
        uuid=f"GPU-{uuid_of(0, inventory.name, gpu.part)}",
        module=_module(gpu.label, index),
        vbios=_bought(inventory, "vbios"),
        limit_w=float(inventory.power.gpu_limit_w or product.limit_w),
        fabric=fabric,
        links=links,
        product=product.name,
    )


def _module(label: str, index: int) -> int:
    words = label.split()
    return int(words[-1]) if words and words[-1].isdecimal() else index + 1


def _port(inventory: Inventory, network: Network, nic: Nic, lid: int) -> PortState:
    port = PortState(
        device=nic.slot,
        part=nic.part,
        guid=nic.guid or f"b8e924{_digits(nic.part):010x}"[:16],
        rail=nic.rail,
        link_layer=nic.link_layer,
        gid_index=nic.gid_index or 0,
        lid=lid,
        firmware=_bought(inventory, "nic"),
        card=Card(
            psid=_bought(inventory, "psid"),
            gids=roce_gids(nic.guid or "0" * 16) if nic.link_layer == "ethernet" else {},
        ),
    )
    network.fit(port, nic.port)
    return port


def uuid_of(seed: int, *about: str) -> str:
    """An identifier that is the same for the same subject in every run."""
    text = hashlib.sha256(":".join((str(seed), *about)).encode()).hexdigest()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"


def _digits(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % 100_000
