"""Starts the virtual hardware that a lab inventory stands for, and stops it with the run.

Nothing in `suites` or `fixtures` knows that a lab exists: they see hosts that answer, over SSH or
(`--lab-transport=memory`) inside this process.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import pytest

from fixtures.model.errors import InventoryError, RackError
from fixtures.model.inventory import Inventory
from fixtures.model.lab import FaultSpec, LabEndpoints, parse_fault
from plugins import lab_memory
from plugins.session import INVENTORY, SESSION, Session


class LabHandle(Protocol):
    """A started lab."""

    @property
    def info(self) -> LabEndpoints: ...

    def stop(self) -> None: ...


WIRE = "rackgate-lab"
LAB = pytest.StashKey[LabHandle]()
FAULTS = pytest.StashKey[Sequence[FaultSpec]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rackgate")
    group.addoption(
        "--fault",
        action="append",
        default=[],
        metavar="KIND@PART[:key=value,…]",
        help="put a fault into the virtual rack (lab inventories only; may be given again)",
    )
    group.addoption(
        "--lab-transport",
        choices=("ssh", "memory"),
        help="how a virtual rack is reached (lab: simrack only): over SSH, as hardware is "
        "(default), or inside this process, which is quicker and leaves SSH out",
    )


def pytest_configure(config: pytest.Config) -> None:
    faults = config.getoption("--fault")
    if INVENTORY not in config.stash:
        for option, given in (("fault", faults), ("lab-transport", _chosen(config))):
            if given:
                raise pytest.UsageError(f"\n--{option} needs --inventory with a lab inventory")
        return
    inventory = config.stash[INVENTORY]
    if faults and not inventory.lab:
        raise pytest.UsageError(
            f"\n--fault: {inventory.name} is real hardware, not a lab inventory"
        )
    _refuse_transport(config, inventory)
    try:
        config.stash[FAULTS] = [parse_fault(text) for text in faults]
    except InventoryError as error:
        raise pytest.UsageError(f"\n{error}") from None
    given = getattr(config, "workerinput", {}).get(WIRE)
    if given:
        config.stash[INVENTORY] = inventory.at(from_wire(given))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Tell an xdist worker where the started lab is (an xdist hook; runs in the controller)."""
    config = node.config  # type: ignore[attr-defined]
    if LAB in config.stash:
        node.workerinput[WIRE] = to_wire(config.stash[LAB].info)  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    state = config.stash.get(SESSION, None)
    if state is None or not state.controller or state.replay or not state.inventory.lab:
        return
    try:
        if transport_of(config) == "memory":
            lab_memory.start(config, state.inventory, state.seed, config.stash[FAULTS])
        else:
            _serve(config, state)
    except RackError as error:
        raise pytest.UsageError(f"\nthe lab did not start: {error}") from None


def transport_of(config: pytest.Config) -> Literal["", "ssh", "memory"]:
    """How this run's lab is reached; empty where there is none."""
    if not config.stash[INVENTORY].lab:
        return ""
    return "memory" if _chosen(config) == "memory" else "ssh"


def _chosen(config: pytest.Config) -> str | None:
    chosen: str | None = config.getoption("--lab-transport")
    return chosen


def _refuse_transport(config: pytest.Config, inventory: Inventory) -> None:
    chosen = _chosen(config)
    if not chosen:
        return
    option = f"\n--lab-transport={chosen}"
    if inventory.lab != "simrack":
        raise pytest.UsageError(f"{option}: {inventory.name} has no `lab: simrack`")
    if config.getoption("--replay"):
        raise pytest.UsageError(f"{option}: a replay asks no lab; leave the option away")
    workers = config.getoption("numprocesses", None) or config.getoption("tx", None)
    if chosen == "memory" and workers:
        raise pytest.UsageError(
            f"{option}: the rack lives in one process, and workers (-n) are several; "
            "leave one of the options away"
        )


def _serve(config: pytest.Config, state: Session) -> None:
    """Start the lab behind SSH, and let the inventory lead there."""
    handle = _start(state.inventory, state.shared / "lab", state.seed, config.stash[FAULTS])
    config.stash[LAB] = handle
    config.add_cleanup(handle.stop)
    config.stash[INVENTORY] = state.inventory.at(handle.info)
    state.inventory = config.stash[INVENTORY]


def _start(
    inventory: Inventory, state_dir: Path, seed: int, faults: Sequence[FaultSpec]
) -> LabHandle:
    state_dir.mkdir(parents=True, exist_ok=True)
    if inventory.lab == "simrack":
        from lab import simrack

        return simrack.start(inventory, state_dir=state_dir, seed=seed, faults=faults)
    from lab.softroce import bridge

    return bridge.start(inventory, state_dir=state_dir, seed=seed, faults=faults)


def to_wire(info: LabEndpoints) -> dict[str, object]:
    """A lab's addresses in the plain types that xdist can send."""
    return {
        "endpoints": {name: list(where) for name, where in info.endpoints.items()},
        "known_hosts": str(info.known_hosts),
        "user": info.user,
        "key": str(info.key),
    }


def from_wire(wire: dict[str, object]) -> LabEndpoints:
    endpoints = wire["endpoints"]
    assert isinstance(endpoints, dict)
    return LabEndpoints(
        endpoints={name: (str(where[0]), int(where[1])) for name, where in endpoints.items()},
        known_hosts=Path(str(wire["known_hosts"])),
        user=str(wire["user"]),
        key=Path(str(wire["key"])),
    )
