"""The inventory's files: NAME.yaml, and beside it NAME/ with parts, cut sheet and host keys."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from fixtures.model.errors import InventoryError
from fixtures.model.inventory_schema import SshSchema
from fixtures.model.textfile import LARGEST_TABLE_BYTES, read_text
from fixtures.transport.known_hosts import HostKey
from plugins.draft.shape import Drafted, Shape, folded

PARTS = ("part", "label", "serial", "guid", "address", "port")

HEAD = """\
# Drafted by `python -m plugins.draft {sheet}` on {date}.
# Serials, GUIDs and versions are what the hosts said of themselves that day: compare them with the
# delivery note before anybody relies on them. From then on they show every part that was changed.
# docs/inventory.md explains each key. What a draft cannot know, and you should add:
#   power.gpu_limit_w, imex, sharp, launcher, observers, and policy.max_effect: load for a full run.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Where the files of an inventory lie."""

    inventory: Path

    @property
    def folder(self) -> Path:
        return self.inventory.with_suffix("")

    @property
    def parts(self) -> Path:
        return self.folder / "parts.csv"

    @property
    def cables(self) -> Path:
        return self.folder / "cables.csv"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def write(self, contents: Mapping[Path, str]) -> None:
        """Write each file whole or not at all; raises InventoryError where the disk refuses."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for path, text in contents.items():
                fresh = path.with_name(f"{path.name}.new")
                fresh.write_text(text, encoding="utf-8")
                fresh.replace(path)
        except OSError as error:
            raise InventoryError(
                f"{error.filename}: {error.strerror}; nothing else was written"
            ) from error


def contents(
    files: Files, drafted: Drafted, ssh: SshSchema, keys: Mapping[str, HostKey], date: str
) -> dict[Path, str]:
    """The text of every file; the inventory last, so that it never names what is not there."""
    return {
        files.cables: read_text(drafted.sheet.path, LARGEST_TABLE_BYTES),
        files.parts: _csv([PARTS, *_parts(drafted)]),
        files.known_hosts: known_hosts(keys),
        files.inventory: HEAD.format(sheet=drafted.sheet.path.name, date=date)
        + yaml.safe_dump(_inventory(files, drafted, ssh), sort_keys=False, width=100),
    }


def updated(files: Files, said: Mapping[str, str], keys: Mapping[str, HostKey]) -> dict[Path, str]:
    """Parts and host keys after a swap: what hosts say now (`said`, by part) and the keys that were
    accepted take the place of what the files have; all else stays as it is, line by line."""
    lines = list(csv.reader(io.StringIO(read_text(files.parts, LARGEST_TABLE_BYTES))))
    header = next(line for line in lines if line and not line[0].startswith("#"))
    for line in lines:
        part = dict(zip(header, line, strict=False)).get("part", "")
        column = header.index("guid" if part.count("/") == 2 else "serial")
        if said.get(part):
            line[column] = said[part]
    old = read_text(files.known_hosts, LARGEST_TABLE_BYTES).splitlines(keepends=True)
    stay = [line for line in old if line.partition(" ")[0] not in keys]
    return {files.parts: _csv(lines), files.known_hosts: "".join(stay) + known_hosts(keys)}


def known_hosts(keys: Mapping[str, HostKey]) -> str:
    """The lines for keys by the name that known_hosts has of their server."""
    return "".join(
        f"{name} {key.kind} {base64.b64encode(key.blob).decode()}\n" for name, key in keys.items()
    )


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def identities(drafted: Drafted) -> dict[str, str]:
    """Serial or GUID by part, where the host said one that no other part of its kind has."""
    found: dict[str, str] = {}
    for name, shape in drafted.shapes.items():
        answer = drafted.answers.get(name)
        found[name] = answer.serial if answer else ""
        gpus = {gpu.pci: gpu.serial for gpu in answer.gpus} if answer else {}
        found |= {f"{name}/gpu{n}": gpus.get(pci, "") for n, pci in enumerate(shape.gpus)}
        bound = drafted.bound(name)
        found |= {
            f"{name}/{slot}/1": bound[slot].guid if slot in bound else "" for slot, *_ in shape.nics
        }
    twice = {part for parts in repeated(found).values() for part in parts}
    return {part: "" if part in twice else said for part, said in found.items()}


def repeated(said: Mapping[str, str]) -> dict[str, list[str]]:
    """Hosts' serials and ports' GUIDs that stand in several places, and in which. GPUs of one board
    may share its serial."""
    places: dict[str, list[str]] = {}
    for part, identity in said.items():
        if identity and part.count("/") != 1:
            places.setdefault(identity, []).append(part)
    return {identity: parts for identity, parts in places.items() if len(parts) > 1}


def _parts(drafted: Drafted) -> Iterator[Sequence[str]]:
    said = identities(drafted)
    for name, shape in drafted.shapes.items():
        place, answer = drafted.sheet.places[name], drafted.answers.get(name)
        address = "" if place.address == name else place.address
        label = place.label or (f"slot {answer.slot}" if answer and answer.slot else "")
        yield name, label, said[name], "", address, str(place.port or "")
        modules = {gpu.pci: gpu.module for gpu in answer.gpus} if answer else {}
        for number, pci in enumerate(shape.gpus):
            module, part = modules.get(pci), f"{name}/gpu{number}"
            yield part, "" if module is None else f"module {module}", said[part], "", "", ""
        for slot, *_ in shape.nics:
            yield f"{name}/{slot}/1", "", "", said[f"{name}/{slot}/1"], "", ""


def _inventory(files: Files, drafted: Drafted, ssh: SshSchema) -> dict[str, Any]:
    product = drafted.product
    found: dict[str, Any] = {
        "schema": 1,
        "name": files.inventory.stem,
        "product": product.product,
        "profile": product.profile,
        "link_profile": product.link_profile,
        "parts": str(files.parts.relative_to(files.inventory.parent)),
        "cables": str(files.cables.relative_to(files.inventory.parent)),
        "ssh": ssh.model_dump(exclude_defaults=True),
        "hosts": [_group(shape, hosts, ssh) for shape, hosts in _groups(drafted).items()],
        "racks": [{"name": rack, "hosts": folded(hosts)} for rack, hosts in drafted.racks.items()],
        "partitions": _partitions(drafted),
        "firmware": dict(drafted.versions),
        "policy": {"max_effect": "observe"},
    }
    return {key: value for key, value in found.items() if value}


def _groups(drafted: Drafted) -> dict[Shape, list[str]]:
    groups: dict[Shape, list[str]] = {}
    for name, shape in drafted.shapes.items():
        groups.setdefault(shape, []).append(name)
    return groups


def _group(shape: Shape, hosts: Sequence[str], ssh: SshSchema) -> dict[str, Any]:
    group: dict[str, Any] = {
        "names": folded(hosts),
        "kind": shape.kind,
        "os": "nvos" if shape.kind == "switch" else "linux",
    }
    if shape.kind == "compute" and ssh.user != "root":
        group["sudo"] = True
    if shape.gpus:
        group["gpus"] = {f"gpu{number}": pci for number, pci in enumerate(shape.gpus)}
    if shape.nics:
        group["nics"] = {
            slot: {"rail": rail, "link_layer": layer} | ({"vfs": vfs} if vfs else {})
            for slot, rail, layer, vfs in shape.nics
        }
    return group


def _partitions(drafted: Drafted) -> list[dict[str, Any]] | str:
    """By what GPUs say; hosts whose GPUs say nothing, where others do, go into the only one that
    there is, so that a tray that has fallen out of its domain is not drafted as if it stood alone.
    Where no GPU says anything an NVL product stays silent: its fabric may not be up yet.
    """
    if not drafted.partitions:
        return "none" if drafted.product.product == "hgx" else ""
    owned = {host for hosts in drafted.partitions.values() for host in hosts}
    rest = [n for n, shape in drafted.shapes.items() if shape.gpus and n not in owned]
    alone = len(drafted.partitions) == 1
    return [
        {
            "name": "domain" if alone else f"domain{number}",
            "hosts": folded([*hosts, *(rest if alone else ())]),
            "cluster_uuid": uuid,
            "clique": clique,
        }
        for number, ((uuid, clique), hosts) in enumerate(drafted.partitions.items(), 1)
    ]
