"""Putting faults into a world: every name is checked before anything is started."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fixtures.model.errors import InventoryError
from fixtures.model.lab import FaultSpec
from fixtures.model.suggest import did_you_mean
from lab.simrack.faults import LIBRARY
from lab.simrack.faults.declare import Fault, Params, Target
from lab.simrack.links import End, Link
from lab.simrack.state import HostState, World

CABLE = "cable:"
CABLES = ("host", "fabric", "trunk")
"""What kinds of links are cables; the others are traces of boards and backplanes."""
_LINK = re.compile(r"link(\d{1,3})")


def inject(world: World, faults: Sequence[FaultSpec]) -> None:
    """Apply all faults; raises InventoryError for a kind, part or parameter that does not exist."""
    for spec in faults:
        fault = LIBRARY.get(spec.kind)
        if fault is None:
            raise InventoryError(
                f"--fault {spec}: simrack has no fault {spec.kind!r}"
                f"{did_you_mean(spec.kind, LIBRARY)}; `python -m lab.simrack faults` lists them"
            )
        params = _params(spec, fault)
        for target in _targets(world, spec, fault):
            try:
                fault.apply(target, params)
            except InventoryError as error:
                raise InventoryError(f"--fault {spec}: {error}") from error


def _params(spec: FaultSpec, fault: Fault) -> Params:
    for name in spec.params:
        if name not in fault.params:
            raise InventoryError(
                f"--fault {spec}: {fault.kind} has no parameter {name!r}"
                f"{did_you_mean(name, fault.params)}; it has {', '.join(fault.params) or 'none'}"
            )
    return {**fault.params, **spec.params}


def _targets(world: World, spec: FaultSpec, fault: Fault) -> list[Target]:
    if fault.takes == "subnet":
        if spec.part != world.name:
            raise _no_such(spec, fault.takes, [world.name])
        return [Target(world=world)]
    if fault.takes in ("cable", "switch", "switch-port"):
        return [_cabled(world, spec, fault)]
    if fault.takes == "switch-tray":
        trays = [name for name, host in world.hosts.items() if host.kind == "switch"]
        if spec.part not in trays:
            raise _no_such(spec, fault.takes, trays)
        return [Target(world=world, at=world.hosts[spec.part])]
    host, _, inner = spec.part.partition("/")
    if not inner and fault.takes == "host":
        hosts = world.members(spec.part)
        if not hosts:
            known = [world.name, *world.racks, *world.hosts]
            raise _no_such(spec, "host, rack or inventory", known)
        return [Target(world=world, at=member) for member in hosts]
    if host not in world.hosts:
        raise InventoryError(
            f"--fault {spec}: {world.name} has no host {host!r}{did_you_mean(host, world.hosts)}"
        )
    return [_inner(world, world.hosts[host], inner, spec, fault)]


def _cabled(world: World, spec: FaultSpec, fault: Fault) -> Target:
    """A cable by its id, a leaf or a spine, or the end of a cable at a switch of any kind."""
    network = world.network
    if fault.takes == "switch":
        if spec.part not in network.switches:
            raise _no_such(spec, fault.takes, list(network.switches))
        return Target(world=world, switch=network.switches[spec.part])
    links = [one for one in _links(world) if one.kind in (fault.of or CABLES)]
    if fault.takes == "cable":
        fitting = {one.cable: one for one in links}
        cable = fitting.get(spec.part.removeprefix(CABLE))
        if cable is None:
            raise _no_such(spec, fault.takes, [f"{CABLE}{name}" for name in fitting])
        return Target(world=world, cable=cable)
    ends = {end.name: (one, end) for one in links for end in (one.near, one.far)}
    known = [name for name, (_, end) in ends.items() if _at_switch(world, end)]
    if spec.part not in known:
        raise _no_such(spec, fault.takes, known)
    link, end = ends[spec.part]
    switch, at = network.switches.get(end.node), world.hosts.get(end.node)
    return Target(world=world, at=at, switch=switch, end=end, cable=link)


def _links(world: World) -> list[Link]:
    """Every cable of the InfiniBand fabric, and every link at a port of a switch tray."""
    trays = [link for ports in world.nvlinks.ports.values() for link in ports.values()]
    return [*world.network.cables.values(), *trays]


def _at_switch(world: World, end: End) -> bool:
    host = world.hosts.get(end.node)
    return end.node in world.network.switches or (host is not None and host.kind == "switch")


def _inner(world: World, host: HostState, inner: str, spec: FaultSpec, fault: Fault) -> Target:
    if fault.takes == "port":
        for port in host.ports:
            if f"{host.name}/{inner}" in (port.part, f"{port.part}/1"):
                return Target(world=world, at=host, port=port)
        raise _no_such(spec, "port", [f"{port.part}/1" for port in host.ports])
    slot, _, link = inner.partition("/")
    gpu = next((gpu for gpu in host.gpus if gpu.slot == slot), None)
    match = _LINK.fullmatch(link)
    fits = fault.takes in ("gpu", "link") and (not link or (match and fault.takes == "link"))
    if gpu is None or not fits:
        raise _no_such(spec, fault.takes, _parts(host, fault))
    return Target(world=world, at=host, gpu=gpu, link=int(match[1]) if match else None)


def _parts(host: HostState, fault: Fault) -> list[str]:
    if fault.takes == "host":
        return [host.name]
    if fault.takes == "gpu":
        return [gpu.part for gpu in host.gpus]
    return [f"{gpu.part}/link{index}" for gpu in host.gpus for index in range(len(gpu.links))]


def _no_such(spec: FaultSpec, kind: str, known: list[str]) -> InventoryError:
    return InventoryError(
        f"--fault {spec}: {spec.kind} takes a {kind}, and there is no {spec.part!r}"
        f"{did_you_mean(spec.part, known)}"
    )
