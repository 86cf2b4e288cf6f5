"""What a host says that it is: serials, devices, addresses, versions. Nothing is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fixtures.model.errors import RackError
from fixtures.model.inventory import Host
from fixtures.tools import outcome
from fixtures.tools.binding import facts_bundle, nic_binding
from fixtures.tools.binding.host_setup import HostSetup
from fixtures.tools.binding.switch_facts import SwitchFacts
from fixtures.tools.binding.tray_facts import FOR_ROOT, TrayFacts
from fixtures.tools.fabric import ib_port
from fixtures.tools.gpus import nvidia_smi
from fixtures.tools.hosts import host_setup, nic_pci
from fixtures.tools.nvlink import nvos_platform
from fixtures.tools.sysfs import OK_STATUS
from fixtures.transport.base import Command, Transport
from fixtures.transport.once import Results
from plugins.draft.sheet import Place

T = TypeVar("T")
Buses = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFound:
    """`serial` may be that of a board which several GPUs share."""

    pci: str
    serial: str
    product: str
    vbios: str
    module: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NicFound:
    """An RDMA device. `guid` is that of its port, empty on Ethernet where the site chose it; `vfs`
    are its virtual functions, which are no devices of the host's own here."""

    device: str
    guid: str
    link_layer: str
    rate_gbps: float | None
    firmware: str
    psid: str
    vfs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One host. Empty text: it did not say; `silent` has why, fact by fact."""

    name: str
    kind: str
    serial: str
    chassis: str
    slot: int | None
    versions: Mapping[str, str]
    partition: tuple[str, int] | None
    gpus: tuple[GpuFound, ...]
    nics: tuple[NicFound, ...]
    silent: tuple[str, ...]


def commands(sudo: bool) -> list[Command]:
    """What each host is asked, of whatever kind it is; looking only."""
    wanted = [
        *facts_bundle.host(),
        nvidia_smi.command(),
        ib_port.command(),
        nic_pci.command(),
        facts_bundle.driver(),
        *(one for one in host_setup.commands() if one.key == "facts/ofed-info"),
        nvos_platform.platform_command(),
        nvos_platform.firmware_command(),
        nvos_platform.version_command(),
    ]
    return [replace(one, sudo=sudo and one.key in FOR_ROOT) for one in wanted]


def ask(transport: Transport, place: Place, *, sudo: bool) -> Answer:
    """Ask one host, in one round trip. Raises RackError where it does not answer at all."""
    asked = commands(sudo)
    results = transport.bundle(asked)
    return read(place, {c.key: r for c, r in zip(asked, results, strict=True)})


def read(place: Place, results: Results) -> Answer:
    """What the outputs say, by `facts/<name>`; a switch tray is known by its operating system."""
    facts = TrayFacts(_host(place), results)
    return _switch(place, facts) if _is_switch(facts) else _compute(place, facts)


def _is_switch(facts: TrayFacts) -> bool:
    try:
        return SwitchFacts(facts).image is not None
    except RackError:
        return False


def _switch(place: Place, facts: TrayFacts) -> Answer:
    said, silent = SwitchFacts(facts), _Silent()
    platform = silent.of(
        lambda: nvos_platform.read_platform(facts.result("nvos-platform")),
        nvos_platform.Platform(other={}),
    )
    return Answer(
        name=place.name,
        kind="switch",
        serial=platform.serial_number or "",
        chassis=platform.chassis_serial or "",
        slot=None,
        versions={
            "nvos": silent.of(lambda: said.image or "", ""),
            "switch_chip": silent.of(lambda: said.chip_firmware or "", ""),
        },
        partition=None,
        gpus=(),
        nics=(),
        silent=silent.reasons,
    )


def _compute(place: Place, facts: TrayFacts) -> Answer:
    silent = _Silent()
    has_driver = _answered(facts, "nvidia-version")
    no_gpus: Sequence[nvidia_smi.Gpu] = ()
    no_devices: Sequence[ib_port.Device] = ()
    nowhere: Buses = ({}, {})
    gpus = silent.of(lambda: facts.smi.gpus, no_gpus) if has_driver else no_gpus
    devices = silent.of(lambda: ib_port.read(facts.result("ib-sysfs")), no_devices)
    addresses, cards = silent.of(lambda: _on_the_bus(facts), nowhere) if devices else nowhere
    return Answer(
        name=place.name,
        kind="compute",
        serial=silent.of(lambda: facts.dmi.product_serial or "", ""),
        chassis=_one({gpu.chassis_serial for gpu in gpus}) or "",
        slot=_one({gpu.slot_number for gpu in gpus}),
        versions={
            "kernel": silent.of(lambda: facts.kernel, ""),
            "gpu_driver": silent.of(lambda: facts.driver, "") if has_driver else "",
            "ofed": silent.of(lambda: HostSetup(facts).ofed, "") if devices else "",
        },
        partition=_partition(gpus),
        gpus=tuple(sorted((_gpu(gpu) for gpu in gpus if gpu.pci), key=lambda gpu: gpu.pci)),
        nics=tuple(
            _nic(device, addresses, cards)
            for device in devices
            if device.ports and device.name not in cards
        ),
        silent=silent.reasons,
    )


class _Silent:
    """Collects why facts could not be read."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def of(self, read: Callable[[], T], otherwise: T) -> T:
        try:
            return read()
        except RackError as error:
            self._found[str(error)] = None
            return otherwise

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(self._found)


def _answered(facts: TrayFacts, name: str) -> bool:
    """Whether the host has what the command reads; a storage server has no GPU driver."""
    return facts.result(name).rc == 0


def _on_the_bus(facts: TrayFacts) -> Buses:
    """The address of each RDMA device, and of each virtual function that of its card."""
    text = outcome.output(facts.result("nic-pci"), ok=OK_STATUS)
    return nic_pci.parse(text), nic_pci.physical(text)


def _one(values: set[T | None]) -> T | None:
    known = values - {None}
    return next(iter(known)) if len(known) == 1 else None


def _partition(gpus: Sequence[nvidia_smi.Gpu]) -> tuple[str, int] | None:
    """The NVLink domain that all GPUs of the host say they are in."""
    said = {
        (one.cluster_uuid.lower(), one.clique_id)
        for gpu in gpus
        if (one := gpu.fabric) and one.clustered and one.cluster_uuid and one.clique_id is not None
    }
    return next(iter(said)) if len(said) == 1 else None


def _gpu(gpu: nvidia_smi.Gpu) -> GpuFound:
    return GpuFound(
        pci=gpu.pci or "",
        serial=gpu.serial or "",
        product=gpu.product or "",
        vbios=gpu.vbios or "",
        module=gpu.module_id,
    )


def _nic(
    device: ib_port.Device, addresses: Mapping[str, str], cards: Mapping[str, str]
) -> NicFound:
    port = device.ports[0]
    layer = "ethernet" if (port.link_layer or "").lower() == "ethernet" else "infiniband"
    return NicFound(
        device=device.name,
        guid="" if layer == "ethernet" else next(iter(nic_binding.guids(device)), ""),
        link_layer=layer,
        rate_gbps=port.rate_gbps if port.state == "ACTIVE" else None,
        firmware=device.fw_ver or "",
        psid=device.board_id or "",
        vfs=sum(card == addresses.get(device.name) for card in cards.values()),
    )


def _host(place: Place) -> Host:
    return Host(
        name=place.name,
        kind="compute",
        os="linux",
        sudo=False,
        address=place.address,
        port=place.port,
        peer_address=place.address,
        peer_name=place.name,
        serial="",
        label=place.label,
        rack=place.rack,
        gpus=(),
        nics=(),
    )
