"""What is true of each GPU and each port, and what the fault library changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.simrack.cards import Card
from lab.simrack.gpu_health import Health
from lab.simrack.links import End, Link

NO_CLUSTER = "00000000-0000-0000-0000-000000000000"


@dataclass(slots=True, kw_only=True)
class FabricState:
    """Membership of the NVLink fabric as NVML names it.

    `ailing` are the flags of its health that are raised; `reported` is False where the driver has
    no health to report. An empty `summary` follows from the flags and the links.
    """

    state: str = "Completed"
    status: str = "Success"
    clique: int = 0
    cluster: str = NO_CLUSTER
    summary: str = ""
    degraded: bool = False
    ailing: set[str] = field(default_factory=set)
    reported: bool = True

    @property
    def joined(self) -> bool:
        """Whether CUDA starts on the GPU: it is registered, or says so."""
        return (self.state, self.status) == ("Completed", "Success")


@dataclass(slots=True, kw_only=True)
class GpuState:
    """One GPU slot. `links` are its NVLinks, each to a switch chip, in the order of their numbers.

    `copy_factor` and `nccl_factor` scale what copies and collectives reach, `slow_to` copies to one
    other slot; `wrong` is the number of wrong values that a collective containing this GPU finds
    per row; with `nccl_hangs` one never ends, `nccl_unsteady` is what some of its rows reach.
    `ecc` counts memory errors since the driver was loaded, by nvidia-smi's name for them.
    """

    slot: str
    part: str
    pci: str
    serial: str
    uuid: str
    module: int
    vbios: str
    limit_w: float
    fabric: FabricState
    links: list[Link]
    product: str
    present: bool = True
    lost: bool = False
    pcie_width: int = 16
    pcie_gen: int = 5
    switch_width: int = 16
    ecc: dict[str, int] = field(default_factory=dict)
    ecc_known: bool = True
    rows_correctable: int = 0
    rows_uncorrectable: int = 0
    remap_pending: bool = False
    remap_failed: bool = False
    health: Health = field(default_factory=Health)
    process: str = ""
    copy_factor: float = 1.0
    nccl_factor: float = 1.0
    slow_to: dict[str, float] = field(default_factory=dict)
    wrong: int = 0
    rank_crashes: bool = False
    nccl_hangs: bool = False
    nccl_unsteady: float = 1.0

    @property
    def domain(self) -> tuple[str, int]:
        """The NVLink domain that it is in: GPUs of two domains do not reach each other."""
        return self.fabric.cluster, self.fabric.clique


def _nowhere() -> Link:
    """A port that is plugged into something that nobody models."""
    return Link(kind="host", near=End(node="", port="1"), far=End(node="", port=""), rate=400.0)


@dataclass(slots=True, kw_only=True)
class PortState:
    """Port 1 of one NIC slot: a state, and an end of a link that counts what passes.

    `slow` scales the bandwidth, `late_us` and `tail` the latency and its percentiles.
    `flaps`: the link goes down under load. `cleared`: somebody clears its counters the first time
    that it is loaded. `raw_ber` is the part of the bits received that is wrong before
    correction. `nccl_fails`: what collectives send over it is never confirmed.
    What its link trained to (`rate_gbps`, `width`) is true of both ends. `physical` is
    the NIC that a virtual function is one of, which its policy may have `held_down`.
    """

    device: str
    part: str
    guid: str
    rail: int
    link_layer: str
    gid_index: int
    lid: int
    firmware: str
    link: Link = field(default_factory=_nowhere)
    card: Card = field(default_factory=Card)
    present: bool = True
    state: str = "ACTIVE"
    phys: str = "LinkUp"
    sm_lid: int = 1
    slow: float = 1.0
    late_us: float = 0.0
    tail: float = 1.0
    flaps: bool = False
    cleared: bool = False
    nccl_fails: bool = False
    write_requests: int = 0
    raw_ber: float = 3e-10
    physical: PortState | None = None
    held_down: bool = False

    @property
    def up(self) -> bool:
        return self.state == "ACTIVE"

    @property
    def end(self) -> End:
        """Its end of the link, with its counters by sysfs's names."""
        return self.link.near

    @property
    def rate_gbps(self) -> int:
        return round(self.link.rate * self.link.share)

    @rate_gbps.setter
    def rate_gbps(self, gbps: int) -> None:
        self.link.share = gbps / self.link.rate

    @property
    def width(self) -> int:
        return self.link.lanes

    @width.setter
    def width(self, lanes: int) -> None:
        self.link.lanes = lanes

    @property
    def errors(self) -> dict[str, int]:
        return self.end.errors

    @errors.setter
    def errors(self, counts: dict[str, int]) -> None:
        self.end.errors = counts

    @property
    def moves(self) -> dict[str, int]:
        return self.end.moves

    @moves.setter
    def moves(self, counts: dict[str, int]) -> None:
        self.end.moves = counts

    @property
    def bypassed(self) -> bool:
        return self.end.bypassed

    @bypassed.setter
    def bypassed(self, value: bool) -> None:
        self.end.bypassed = value
