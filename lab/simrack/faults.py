"""The fault library: every fault is one row of a table and one change of the state.

    gpu.missing@r03-ct07/gpu1      clock.skew@r01-ct02:seconds=90      host.hangs@r03

`python -m lab.simrack faults` prints the table. Faults are checked against the inventory and
applied before the server starts, in the order given; several may hit the same part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fixtures.model.errors import InventoryError
from lab.simrack.devices import GpuState, PortState
from lab.simrack.state import HostState

PartKind = Literal["host", "gpu", "link", "port"]
Params = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a part of the inventory is in the state; only what the fault's kind needs is set."""

    host: HostState
    gpu: GpuState | None = None
    link: int | None = None
    port: PortState | None = None

    @property
    def the_gpu(self) -> GpuState:
        assert self.gpu is not None
        return self.gpu

    @property
    def the_port(self) -> PortState:
        assert self.port is not None
        return self.port


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`seen_by` is the metric that must see it, `verdict` what it must say."""

    kind: str
    about: str
    takes: PartKind
    apply: Callable[[Target, Params], None]
    seen_by: str
    verdict: Literal["FAIL", "INCONCLUSIVE"]
    params: Params = field(default_factory=dict)


def _reach(value: Literal["refused", "mute"]) -> Callable[[Target, Params], None]:
    def change(target: Target, _: Params) -> None:
        target.host.reach = value

    return change


def _key_changed(target: Target, _: Params) -> None:
    target.host.key_changed = True


def _missing(target: Target, params: Params) -> None:
    target.host.missing.add(params["tool"])


def _hanging(target: Target, params: Params) -> None:
    target.host.hanging.add(params["tool"])


def _driver(target: Target, params: Params) -> None:
    target.host.driver = params["version"]


def _skew(target: Target, params: Params) -> None:
    target.host.skew_s += _number(params, "seconds")


def _gpu_missing(target: Target, _: Params) -> None:
    target.the_gpu.present = False


def _gpu_lost(target: Target, _: Params) -> None:
    target.the_gpu.lost = True


def _remap_pending(target: Target, _: Params) -> None:
    target.the_gpu.remap_pending = True


def _in_progress(target: Target, _: Params) -> None:
    target.the_gpu.fabric.state, target.the_gpu.fabric.status = "In Progress", "N/A"


def _insufficient(target: Target, _: Params) -> None:
    target.the_gpu.fabric.status = "Insufficient Resources"


def _link(target: Target, params: Params) -> int:
    index = target.link if target.link is not None else int(_number(params, "link"))
    if not 0 <= index < len(target.the_gpu.links):
        last = len(target.the_gpu.links) - 1
        raise InventoryError(
            f"{target.the_gpu.part} has no link {index}; it has link0 to link{last}"
        )
    return index


def _link_down(target: Target, params: Params) -> None:
    target.the_gpu.links[_link(target, params)] = None


def _slow_lane(target: Target, params: Params) -> None:
    index = _link(target, params)
    rate = target.the_gpu.links[index]
    if rate is not None:
        target.the_gpu.links[index] = rate * _number(params, "factor")


def _slow_copy(target: Target, params: Params) -> None:
    target.the_gpu.copy_factor *= _number(params, "factor")


def _slow_nccl(target: Target, params: Params) -> None:
    target.the_gpu.nccl_factor *= _number(params, "factor")


def _wrong_data(target: Target, params: Params) -> None:
    target.the_gpu.wrong += int(_number(params, "count"))


def _port_down(target: Target, _: Params) -> None:
    target.the_port.state, target.the_port.phys = "DOWN", "Polling"


def _wrong_rate(target: Target, params: Params) -> None:
    target.the_port.rate_gbps = int(_number(params, "gbps"))


def _number(params: Params, name: str) -> float:
    try:
        return float(params[name])
    except ValueError as error:
        raise InventoryError(f"{name}={params[name]!r} is not a number") from error


FAULTS: Sequence[Fault] = (
    Fault(
        kind="host.unreachable",
        about="nothing listens at the host's SSH port",
        takes="host",
        apply=_reach("refused"),
        seen_by="reach.ssh",
        verdict="INCONCLUSIVE",
    ),
    Fault(
        kind="host.hangs",
        about="the host accepts connections and never speaks",
        takes="host",
        apply=_reach("mute"),
        seen_by="reach.ssh",
        verdict="INCONCLUSIVE",
    ),
    Fault(
        kind="host.key_changed",
        about="the host shows another key than known_hosts has",
        takes="host",
        apply=_key_changed,
        seen_by="reach.ssh",
        verdict="INCONCLUSIVE",
    ),
    Fault(
        kind="tool.missing",
        about="a program is not installed",
        takes="host",
        apply=_missing,
        seen_by="gpu.bound",
        verdict="INCONCLUSIVE",
        params={"tool": "nvidia-smi"},
    ),
    Fault(
        kind="tool.hangs",
        about="a program sleeps until its deadline ends it",
        takes="host",
        apply=_hanging,
        seen_by="gpu.bound",
        verdict="INCONCLUSIVE",
        params={"tool": "nvidia-smi"},
    ),
    Fault(
        kind="driver.mismatch",
        about="the host runs another GPU driver than the site allows",
        takes="host",
        apply=_driver,
        seen_by="identity.driver",
        verdict="FAIL",
        params={"version": "570.172.08"},
    ),
    Fault(
        kind="clock.skew",
        about="the host's clock is ahead (or behind, where negative)",
        takes="host",
        apply=_skew,
        seen_by="reach.clock_skew",
        verdict="FAIL",
        params={"seconds": "30"},
    ),
    Fault(
        kind="gpu.missing",
        about="the GPU is not on the bus; the driver numbers the others anew",
        takes="gpu",
        apply=_gpu_missing,
        seen_by="gpu.bound",
        verdict="FAIL",
    ),
    Fault(
        kind="gpu.lost",
        about="the driver has lost the GPU and says so",
        takes="gpu",
        apply=_gpu_lost,
        seen_by="gpu.responsive",
        verdict="FAIL",
    ),
    Fault(
        kind="gpu.remap_pending",
        about="a memory row waits for a reset to be remapped",
        takes="gpu",
        apply=_remap_pending,
        seen_by="gpu.row_remap_pending",
        verdict="FAIL",
    ),
    Fault(
        kind="gpu.slow_copy",
        about="copies to and from the GPU reach a part of their bandwidth",
        takes="gpu",
        apply=_slow_copy,
        seen_by="nvlink.d2d_bandwidth",
        verdict="FAIL",
        params={"factor": "0.6"},
    ),
    Fault(
        kind="fabric.in_progress",
        about="the GPU has not joined its NVLink fabric yet",
        takes="gpu",
        apply=_in_progress,
        seen_by="fabric.state",
        verdict="FAIL",
    ),
    Fault(
        kind="fabric.insufficient_resources",
        about="the NVLink fabric had no resources for the GPU",
        takes="gpu",
        apply=_insufficient,
        seen_by="fabric.status",
        verdict="FAIL",
    ),
    Fault(
        kind="nvlink.link_down",
        about="an NVLink is inactive (of a GPU: the one of `link`)",
        takes="link",
        apply=_link_down,
        seen_by="nvlink.links_active",
        verdict="FAIL",
        params={"link": "0"},
    ),
    Fault(
        kind="nvlink.slow_lane",
        about="an NVLink trained to a part of its rate (of a GPU: the one of `link`)",
        takes="link",
        apply=_slow_lane,
        seen_by="nvlink.link_rate",
        verdict="FAIL",
        params={"link": "0", "factor": "0.5"},
    ),
    Fault(
        kind="nccl.slow_gpu",
        about="collectives that contain the GPU reach a part of their bandwidth",
        takes="gpu",
        apply=_slow_nccl,
        seen_by="nccl.rack_all_reduce_busbw",
        verdict="FAIL",
        params={"factor": "0.6"},
    ),
    Fault(
        kind="nccl.wrong_data",
        about="collectives that contain the GPU compute wrong values",
        takes="gpu",
        apply=_wrong_data,
        seen_by="nccl.wrong",
        verdict="FAIL",
        params={"count": "3"},
    ),
    Fault(
        kind="port.down",
        about="the port is DOWN and polling",
        takes="port",
        apply=_port_down,
        seen_by="port.state",
        verdict="FAIL",
    ),
    Fault(
        kind="port.wrong_rate",
        about="the port trained to another rate",
        takes="port",
        apply=_wrong_rate,
        seen_by="port.rate",
        verdict="FAIL",
        params={"gbps": "200"},
    ),
)
BY_KIND: Mapping[str, Fault] = {fault.kind: fault for fault in FAULTS}
