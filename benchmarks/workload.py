"""What is asked of every host, the same for all contenders, and what counts as the same answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fixtures.model.errors import TransportError
from fixtures.model.inventory import Inventory
from fixtures.model.lab import LabEndpoints
from fixtures.model.loading import load_inventory
from fixtures.tools.binding import tray_facts
from fixtures.transport import argv as words
from fixtures.transport import bundle
from fixtures.transport.base import Command, CommandResult

INVENTORIES: Final = Path(__file__).parents[1] / "inventories"
NONCE: Final = "bench:0123456789abcdef01234567"
"""What frames an answer where we do not make the nonce ourselves."""

_VOLATILE: Final = re.compile(rb"<timestamp>[^<]*</timestamp>")
"""What differs from one asking to the next on an idle host, besides its clock."""

Answers = dict[str, list[CommandResult]]
"""What each host answered, in the order asked; empty for a host whose answer was not whole."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One bundle of facts for every host of an inventory that a lab serves."""

    inventory: Inventory
    lab: LabEndpoints

    @classmethod
    def of(cls, name: str, lab: LabEndpoints) -> Workload:
        return cls(load_inventory(name, INVENTORIES).at(lab), lab)

    @property
    def hosts(self) -> Mapping[str, str]:
        """Host name to address; the lab's hosts all listen at one port."""
        return {name: address for name, (address, _) in self.lab.endpoints.items()}

    @property
    def port(self) -> int:
        return next(iter(self.lab.endpoints.values()))[1]

    def commands(self, host: str) -> list[Command]:
        return tray_facts.commands(self.inventory.hosts[host])

    def line(self, host: str) -> str:
        """The exec string, letter for letter what our transport sends apart from the nonce."""
        return words.quote(bundle.encode(self.commands(host), nonce=NONCE, sudo=False))

    def decoded(self, host: str, output: bytes) -> list[CommandResult]:
        """The answer of a tool that gave `output`; empty where nothing of it is certain."""
        try:
            return bundle.decode(output, self.commands(host), nonce=NONCE, host=host, started=0.0)
        except TransportError:
            return []


def digest(results: list[CommandResult]) -> str:
    """Equal for equal answers: statuses and both streams of every command, without the clock."""
    total = hashlib.sha256()
    for result in results:
        said = b"" if result.key == "facts/clock" else _VOLATILE.sub(b"", result.stdout_bytes)
        head = f"{result.key} {result.rc} {result.timed_out} {result.truncated} {len(said)}\n"
        total.update(head.encode() + said + result.stderr_bytes)
    return total.hexdigest() if results else ""
