"""What faults do to the state: values that they set, and the few that need more than that.

gpu(lost=True)      a change that sets GpuState.lost; likewise `host` and `port`
fabric(state="…")   the same for the GPU's membership of its NVLink fabric
health(braked="…")  the same for its clocks, heat, power and memory under load
"""

from __future__ import annotations

from fixtures.model.errors import InventoryError
from lab.simrack.devices import PortState
from lab.simrack.faults.declare import Change, Params, Target
from lab.simrack.state import HostState


def host(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        _set(target.host, values)

    return change


def gpu(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        _set(target.the_gpu, values)

    return change


def fabric(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        _set(target.the_gpu.fabric, values)

    return change


def health(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        _set(target.the_gpu.health, values)

    return change


def port(**values: object) -> Change:
    def change(target: Target, _: Params) -> None:
        _set(target.the_port, values)

    return change


def collectives(**values: object) -> Change:
    """Change how the host is set up for collectives."""

    def change(target: Target, _: Params) -> None:
        _set(target.host.nccl, values)

    return change


def foreign_nic(host: HostState, device: str) -> PortState:
    """An Ethernet NIC that no slot of the inventory lists."""
    extra = PortState(
        device=device,
        part=f"{host.name}/{device}",
        guid="b8e924ff00000001",
        rail=-1,
        link_layer="ethernet",
        gid_index=3,
        lid=0,
        firmware="24.41.1000",
    )
    extra.rate_gbps = 200
    return extra


def _set(state: object, values: dict[str, object]) -> None:
    """Set what is there; the states have slots, so that a misspelt name raises AttributeError."""
    for name, value in values.items():
        setattr(state, name, value.copy() if isinstance(value, dict | set) else value)


def number(params: Params, name: str) -> float:
    """A parameter as a number; InventoryError where it is none."""
    try:
        return float(params[name])
    except ValueError as error:
        raise InventoryError(f"{name}={params[name]!r} is not a number") from error


def link_of(target: Target, params: Params) -> int:
    """The link that is meant: the one in the part's name, else that of the parameter `link`."""
    index = target.link if target.link is not None else int(number(params, "link"))
    if not 0 <= index < len(target.the_gpu.links):
        last = len(target.the_gpu.links) - 1
        raise InventoryError(
            f"{target.the_gpu.part} has no link {index}; it has link0 to link{last}"
        )
    return index
