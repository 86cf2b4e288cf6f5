"""What a row of the fault library says: the fault, what has to see it, and whom it must name.

    rejected("gpu.lost", "gpu", gpu(lost=True), "the driver has lost the GPU and says so",
             sees="gpu.responsive", cases="C87")

`sees` are the metrics that must fail (or, with a reason, must stay unjudged for it), `also` those
that may fail because of it as well; `a|b` is one of both, as products judge by different ones. Any
other metric that fails is not as declared. Case numbers are those of the collection of public
reports that the kinds were taken from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from fixtures.model.verdicts import Outcome
from lab.simrack.devices import GpuState, PortState
from lab.simrack.links import End, Link
from lab.simrack.network import SwitchState
from lab.simrack.state import HostState, World

PartKind = Literal[
    "host", "gpu", "link", "port", "cable", "switch", "switch-port", "switch-tray", "subnet"
]  # fmt: skip
"""What a fault is at. A cable is one of the plan, a switch a leaf or a spine, a switch port an end
of a cable at a leaf, a spine or a switch tray, a switch tray one of an NVLink rack; the subnet
goes by the inventory's name."""
Names = Literal["itself", "gpu", "nic", "pair", "swapped", "cable", "host", "rack", "domain"]
"""The part that must be named: the one that the fault is at; a link's GPU or a port's NIC as well;
a pair that it is an end of; either part of a swap; a cable or the port at an end of it; the host
of it, or something in that; its rack; the whole domain."""
Needs = Literal["", "gpus", "nvswitches", "sudo", "ufm", "sharp", "vfs"]
"""What only some inventories have: GPUs, nodes with NVSwitches of their own, hosts on which sudo is
asked for, a log of UFM, reduction in switches, NICs with virtual functions."""
Params = Mapping[str, str]
GATES: Mapping[str, str] = {
    "reach": "reach",
    "identity": "identity",
    "gpu": "compute",
    "fabric": "nvlink",
    "nvlink": "nvlink",
    "imex": "nvlink",
    "port": "infiniband",
    "nic": "infiniband",
    "link": "infiniband",
    "switch": "infiniband",
    "subnet": "infiniband",
    "counters": "infiniband",
    "ber": "infiniband",
    "rdma": "rdma",
    "launch": "rdma",
    "nccl": "nccl",
}
"""The gate in which metrics of a domain are judged; a test holds it against the profiles."""

FROM_GPUS = frozenset({"rdma.write_bw_gdr"})
"""What is slow as well where writes from host memory are."""
OVER_NETWORK = frozenset(
    {"nccl.all_reduce_busbw", "nccl.scale_ratio", "nccl.all_gather_busbw", "nccl.all_to_all_busbw"}
)
"""What any fault of a port, a cable or a switch may slow, where nodes have nothing else between
them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a part of the inventory is in the state; only what the fault's kind needs is set."""

    world: World
    at: HostState | None = None
    gpu: GpuState | None = None
    link: int | None = None
    port: PortState | None = None
    cable: Link | None = None
    end: End | None = None
    switch: SwitchState | None = None

    @property
    def host(self) -> HostState:
        assert self.at is not None
        return self.at

    @property
    def the_cable(self) -> Link:
        assert self.cable is not None
        return self.cable

    @property
    def the_end(self) -> End:
        """A switch's end of a cable."""
        assert self.end is not None
        return self.end

    @property
    def the_switch(self) -> SwitchState:
        assert self.switch is not None
        return self.switch

    @property
    def the_gpu(self) -> GpuState:
        assert self.gpu is not None
        return self.gpu

    @property
    def the_port(self) -> PortState:
        assert self.port is not None
        return self.port


Change = Callable[[Target, Params], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A kind of fault, or with the outcome ACCEPTED a healthy variant.

    `fabric` kinds need an NVLink domain over trays; `peer` kinds show only on hosts other than the
    one that launches. `extra` findings may stand beside the right one. `of` are the kinds of cables
    (see `links.LinkKind`) that it can be at, or whose switch ports; of all kinds where it is empty.
    """

    kind: str
    takes: PartKind
    apply: Change
    about: str
    outcome: Outcome
    sees: tuple[str, ...] = ()
    reason: str = ""
    also: tuple[str, ...] = ()
    names: Names = "itself"
    cases: tuple[str, ...] = ()
    params: Params = field(default_factory=dict)
    fabric: bool = False
    peer: bool = False
    extra: int = 0
    of: tuple[str, ...] = ()
    needs: Needs = ""

    @property
    def gates(self) -> tuple[str, ...]:
        """The gates that must see it, in the order of its metrics."""
        return tuple(dict.fromkeys(GATES[metric.partition(".")[0]] for metric in self.sees))

    @property
    def may_fail(self) -> frozenset[str]:
        """Every metric that may fail because of it."""
        named = self.also if self.reason else (*self.sees, *self.also)
        slowed = OVER_NETWORK if self.takes in ("port", "cable", "switch") else frozenset()
        found = frozenset(metric for one in named for metric in one.split("|")) | slowed
        return found | FROM_GPUS if "rdma.write_bw" in found else found


def rejected(
    kind: str,
    takes: PartKind,
    apply: Change,
    about: str,
    *,
    sees: str,
    also: str = "",
    names: Names = "itself",
    cases: str = "",
    params: Params | None = None,
    fabric: bool = False,
    peer: bool = False,
    extra: int = 0,
    of: str = "",
) -> Fault:
    """A fault that makes a limit fail. Several metrics or cases are divided by blanks."""
    return Fault(
        kind=kind,
        takes=takes,
        apply=apply,
        about=about,
        outcome=Outcome.REJECTED,
        sees=tuple(sees.split()),
        also=tuple(also.split()),
        names=names,
        cases=tuple(cases.split()),
        params=params or {},
        fabric=fabric,
        peer=peer,
        extra=extra,
        of=tuple(of.split()),
    )


def incomplete(
    kind: str,
    takes: PartKind,
    apply: Change,
    about: str,
    *,
    sees: str,
    reason: str,
    names: Names = "itself",
    cases: str = "",
    params: Params | None = None,
    peer: bool = False,
    extra: int = 0,
    of: str = "",
) -> Fault:
    """A fault that keeps something from being judged, for a reason that must be given."""
    return Fault(
        kind=kind,
        takes=takes,
        apply=apply,
        about=about,
        outcome=Outcome.INCOMPLETE,
        sees=tuple(sees.split()),
        reason=reason,
        names=names,
        cases=tuple(cases.split()),
        params=params or {},
        peer=peer,
        extra=extra,
        of=tuple(of.split()),
    )


def accepted(
    kind: str,
    takes: PartKind,
    apply: Change,
    about: str,
    *,
    cases: str = "",
    params: Params | None = None,
    of: str = "",
) -> Fault:
    """A healthy variant: it looks like a fault and is none."""
    return Fault(
        kind=kind,
        takes=takes,
        apply=apply,
        about=about,
        outcome=Outcome.ACCEPTED,
        cases=tuple(cases.split()),
        params=params or {},
        of=tuple(of.split()),
    )
