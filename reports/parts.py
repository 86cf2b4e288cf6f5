"""parts.json: what was bought, as far as a report needs it long after the inventory has changed."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from fixtures.analysis.topology import Topology
from reports.jsonfile import read_json, write_json
from reports.runfolder import RunFolder, RunFolderError

SCHEMA = 1


def write_parts(run: RunFolder, topology: Topology) -> None:
    """Keep racks, kinds, labels and serials with the run."""
    found: dict[str, Any] = {"schema": SCHEMA}
    for field in (one for one in fields(Topology) if one.init):
        value = getattr(topology, field.name)
        found[field.name] = sorted(value) if isinstance(value, frozenset) else value
    write_json(run.parts, found)


def read_parts(run: RunFolder) -> Topology:
    """Raises RunFolderError where the file is not one of ours."""
    given = read_json(run.parts)
    try:
        if not 1 <= given["schema"] <= SCHEMA:
            raise RunFolderError(f"{run.parts}: schema {given['schema']} is newer than this suite")
        return Topology(
            domain=given["domain"],
            racks={rack: tuple(hosts) for rack, hosts in given["racks"].items()},
            kinds=given["kinds"],
            labels=given["labels"],
            serials=given["serials"],
            rails=given["rails"],
            leaves=given["leaves"],
            prerequisites=frozenset(given["prerequisites"]),
            gates=tuple(given["gates"]),
            rack_of=given["rack_of"],
            domains=given.get("domains", {}),
            cables={name: tuple(ends) for name, ends in given.get("cables", {}).items()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise RunFolderError(f"{run.parts}: not a list of parts: {error}") from error
