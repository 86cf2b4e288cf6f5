"""A virtual rack's cut sheet, and what its hosts answer when a draft asks them."""

from __future__ import annotations

import csv
from pathlib import Path

from fixtures.model.inventory import Inventory
from fixtures.model.lab import LabEndpoints
from fixtures.model.plan import PLACE_COLUMNS
from plugins.draft import answers
from plugins.draft.answers import Answer
from plugins.draft.sheet import Sheet, read_sheet
from tests.simrack.bench import Bench


def sheet_of(inventory: Inventory, path: Path, lab: LabEndpoints | None = None) -> Sheet:
    """The cut sheet of an embedded inventory with a management cable to each host."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["cable", "kind", "a", "b", *PLACE_COLUMNS])
        for cable in inventory.plan.cables:
            table.writerow([cable.id, cable.kind, *cable.ends, "", "", "", ""])
        for number, host in enumerate(inventory.hosts.values(), 1):
            address, port = lab.endpoints[host.name] if lab else (host.address, "")
            near, far = f"{host.name}/eth0", f"management-1/{number}"
            table.writerow([f"M{number}", "management", near, far, host.label, address, port, ""])
    return read_sheet(path)


def asked(rack: Bench, sheet: Sheet, *, silent: tuple[str, ...] = ()) -> dict[str, Answer]:
    """What each host of a rack says; `silent` ones say nothing."""
    found: dict[str, Answer] = {}
    for name, place in sheet.places.items():
        if name not in silent:
            commands = answers.commands(sudo=False)
            results = {one.key: rack.result(name, one) for one in commands}
            found[name] = answers.read(place, dict[str, object](results))  # type: ignore[arg-type]
    return found
