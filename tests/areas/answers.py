"""Answers of hosts, as a transport would give them, and the trays that gave them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fixtures.model.inventory import Host, Inventory
from fixtures.model.loading import load_inventory
from fixtures.tools.binding.tray_facts import TrayFacts
from fixtures.transport.base import CommandResult

INVENTORIES = Path(__file__).parents[2] / "inventories"


def shipped(name: str) -> Inventory:
    """An inventory that comes with the suite."""
    return load_inventory(name, INVENTORIES)


def answer(
    out: str = "", err: str = "", *, rc: int | None = 0, argv: tuple[str, ...] = ("x",),
    timed_out: bool = False,
) -> CommandResult:  # fmt: skip
    return CommandResult(
        host="h",
        key="k",
        argv=argv,
        rc=rc,
        stdout_bytes=out.encode(),
        stderr_bytes=err.encode(),
        timed_out=timed_out,
    )


def facts(host: Host, answers: Mapping[str, CommandResult]) -> TrayFacts:
    """The facts of a host that gave these answers, by name without `facts/`."""
    return TrayFacts(host, {f"facts/{name}": result for name, result in answers.items()})
