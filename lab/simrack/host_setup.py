"""How a host is set up, and what its kernel has logged: the state behind configuration drift.

Times are seconds since boot. What the kernel logs because of a GPU's or a NIC's own state follows
from that state (`views.kernel_log`); `messages` holds what is left of something that is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lab.simrack.devices import GpuState

Level = Literal["emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"]
BOOT_S, DRIVER_S, SERVICES_S, TROUBLE_S = 0.0, 9.700, 31.204, 4_211.5
"""When the kernel began, the GPU driver was loaded, services ran, and something went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One line of the kernel's log."""

    text: str
    level: Level = "info"
    at_s: float = TROUBLE_S


@dataclass(slots=True, kw_only=True)
class Service:
    """A unit of systemd; `installed` may be `masked`. `since_s` is when it became active."""

    installed: Literal["loaded", "masked", "not-found"] = "loaded"
    active: Literal["active", "inactive", "failed"] = "active"
    enabled: bool = True
    since_s: float = SERVICES_S


@dataclass(slots=True, kw_only=True)
class HostSetup:
    """What is installed, running and configured.

    `sudo_asks`: it wants a password, and gets none. `log_begins_s` is later than the boot where the
    kernel's ring buffer has run over. Versions that are empty are those of the loaded driver.
    `memlock_kib` is None for unlimited, `ofed` empty for the distribution's own stack. `files` are
    those of NCCL, by path; `.nccl.conf` lies in the home. `environment` is what a login finds set.
    `remembered_xids`: what DCGM's gauge still shows of an earlier boot, by the GPU's bus address.
    """

    sudo_asks: bool = False
    messages: list[Message] = field(default_factory=list)
    log_begins_s: float = BOOT_S
    remembered_xids: dict[str, int] = field(default_factory=dict)
    services: dict[str, Service] = field(default_factory=dict)
    fabric_manager_version: str = ""
    installed_driver: str = ""
    ofed: str = ""
    memlock_kib: int | None = None
    memory_lost: float = 0.0
    cma_kib: int = 65536
    files: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)


def healthy_setup(*, gpus: bool, clustered: bool, ofed: str) -> HostSetup:
    """The services of a product: NVL trays export memory over NVLink, HGX nodes have NVSwitches."""
    if not gpus:
        return HostSetup(ofed=ofed)
    absent = Service(installed="not-found", active="inactive", enabled=False)
    services = {
        "nvidia-fabricmanager": absent if clustered else Service(),
        "nvidia-imex": Service() if clustered else absent,
        "nvidia-persistenced": Service(),
    }
    return HostSetup(ofed=ofed, services=services)


UNKNOWN = "pid='<unknown>', name=<unknown>"
NVLINK_UNITS = {
    "RLW_RXPIPE": (145, 0x06),
    "NETIR_LINK_EVT": (149, 0x11),
    "NETIR_BER_EVENT": (149, 0x13),
}
"""Xid of a unit, and its bits in the first register since R575 (`nvlink5_catalogue.yaml`)."""


def xid(gpu: GpuState, code: int, text: str, *, at_s: float = TROUBLE_S, who: str = "") -> Message:
    """A numbered error of a GPU as the NVIDIA driver logs it; `who` is the process, as printed."""
    address = gpu.pci.rsplit(".", 1)[0].lower()
    words = ", ".join(word for word in (str(code), who, text) if word)
    return Message(text=f"NVRM: Xid (PCI:{address}): {words}", level="err", at_s=at_s)


def nvlink_xid(
    gpu: GpuState, unit: str, link: int, *, fatal: bool, reason: int = 0, status: int = 0
) -> Message:
    """Xid 144 to 150 as drivers since R575 print them: what a unit of the link has noticed."""
    code, bits = NVLINK_UNITS[unit]
    registers = (reason << 20 | link << 13 | bits, status, 0, 0, 0, 0)
    words = " ".join(f"0x{register:08x}" for register in registers)
    severity = "Fatal" if fatal else "Nonfatal"
    return xid(gpu, code, f"{unit} {severity} XC0 i0 Link {link:02d} ({words})")
