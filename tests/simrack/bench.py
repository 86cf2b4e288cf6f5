"""A virtual rack without SSH: command lines run on its machines in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.lab import parse_fault
from fixtures.model.loading import load_inventory
from fixtures.transport.base import Command, CommandResult
from lab.simrack.execute import execute
from lab.simrack.inject import inject
from lab.simrack.machine import Outcome, Site
from lab.simrack.state import build

INVENTORIES = Path(__file__).parents[2] / "inventories"


@dataclass(frozen=True, slots=True)
class Bench:
    """One rack on the bench; `ask` for text, `result` for what a reader takes."""

    inventory: Inventory
    site: Site

    def run(self, host: str, *argv: str) -> Outcome:
        return asyncio.run(execute(self.site.machines[host], argv))

    def ask(self, host: str, *argv: str) -> str:
        outcome = self.run(host, *argv)
        assert outcome.rc == 0, outcome.stderr.decode()
        return outcome.stdout.decode()

    def together(self, *lines: tuple[str, Sequence[str]]) -> list[Outcome]:
        """Several command lines at once, in the order given."""

        async def gathered() -> list[Outcome]:
            runs = [execute(self.site.machines[host], argv) for host, argv in lines]
            return list(await asyncio.gather(*runs))

        return asyncio.run(gathered())

    def result(self, host: str, command: Command) -> CommandResult:
        return as_result(host, command, self.run(host, *command.argv))


def as_result(host: str, command: Command, outcome: Outcome) -> CommandResult:
    return CommandResult(
        host=host,
        key=command.key,
        argv=command.argv,
        rc=outcome.rc,
        stdout_bytes=outcome.stdout,
        stderr_bytes=outcome.stderr,
        timed_out=outcome.timed_out,
    )


def with_sudo(inventory: Inventory) -> Inventory:
    """The inventory of a site that logs in as somebody and asks for sudo on every host."""
    hosts = {name: replace(host, sudo=True) for name, host in inventory.hosts.items()}
    return replace(inventory, hosts=hosts)


def bench(name: str, *faults: str, seed: int = 1, sudo: bool = False) -> Bench:
    """An inventory as hardware, with faults as they are written on the command line."""
    inventory = load_inventory(name, INVENTORIES)
    inventory = with_sudo(inventory) if sudo else inventory
    world = build(inventory, seed)
    inject(world, [parse_fault(text) for text in faults])
    return Bench(inventory, Site.of(world))
