"""From a cut sheet and answers to what an inventory says: what is equal on most hosts is written
once, and a host that lacks some of it is not written as if it had been bought so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ClusterShell.NodeSet import NodeSet

from fixtures.model.parts import host_of
from fixtures.model.yamlfile import read_yaml
from plugins.draft.answers import Answer, NicFound
from plugins.draft.sheet import Place, Sheet

H = TypeVar("H", bound=Hashable)
LINK_PROFILES = {400.0: "ndr", 200.0: "hdr"}
"""By the rate of most ports, in Gb/s: 4X NDR and 4X HDR (InfiniBand Architecture, link speeds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is in hosts of one kind. NICs: rail, link layer and number of virtual functions."""

    kind: str
    gpus: tuple[str, ...] = ()
    nics: tuple[tuple[str, int, str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """The profiles that fit what was found; empty where none of the shipped ones does. `gpu` is
    what most GPUs are called, empty where there are none."""

    gpu: str
    product: str
    profile: str
    link_profile: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """Everything that will be written. `left_out` are hosts of which nobody can say what they are:
    they did not answer, and neither did another with a name like theirs."""

    sheet: Sheet
    answers: Mapping[str, Answer]
    shapes: Mapping[str, Shape]
    left_out: tuple[str, ...]
    racks: Mapping[str, tuple[str, ...]]
    product: Product
    partitions: Mapping[tuple[str, int], tuple[str, ...]]
    versions: Mapping[str, str]

    def bound(self, host: str) -> Mapping[str, NicFound]:
        """The RDMA device in each NIC slot of a host that has one of that name."""
        answer = self.answers.get(host)
        found = {nic.device: nic for nic in answer.nics} if answer else {}
        return {slot: found[slot] for slot, *_ in self.shapes[host].nics if slot in found}


def draft(sheet: Sheet, answers: Mapping[str, Answer], profiles: Path) -> Drafted:
    """Work out shapes, racks, product and versions."""
    shapes = _shapes(sheet, answers)
    racks = _racks(sheet, answers, shapes)
    domains: dict[tuple[str, int], list[str]] = {}
    for answer in answers.values():
        if answer.partition:
            domains.setdefault(answer.partition, []).append(answer.name)
    return Drafted(
        sheet=sheet,
        answers=answers,
        shapes=shapes,
        left_out=tuple(name for name in sheet.places if name not in shapes),
        racks=racks,
        product=_product(answers, bool(sheet.plan.cables) and len(racks) > 1, profiles),
        partitions={key: tuple(hosts) for key, hosts in domains.items()},
        versions=_versions(answers),
    )


def stem(name: str) -> str:
    """A host's name without its numbers: hosts of one stem are taken to be of one kind."""
    return re.sub(r"\d+", "#", name)


def most(values: Iterable[H]) -> H | None:
    """The most frequent value; of equally frequent ones the first."""
    return next((value for value, _ in Counter(values).most_common(1)), None)


def folded(hosts: Iterable[str]) -> str:
    """`r01-ct[01-18]` for its hosts."""
    return str(NodeSet.fromlist(list(hosts)))


def switch_ends(sheet: Sheet) -> set[str]:
    """Hosts that trunks end at: switch trays, whether they answer or not."""
    return {host_of(end) for c in sheet.plan.cables if c.kind == "trunk" for end in c.ends}


def _shapes(sheet: Sheet, answers: Mapping[str, Answer]) -> dict[str, Shape]:
    """One for each host of the sheet; that of its stem, with its own cabled NICs."""
    trunks = switch_ends(sheet)
    stems: dict[str, list[Answer]] = {}
    for answer in answers.values():
        stems.setdefault(stem(answer.name), []).append(answer)
    shapes: dict[str, Shape] = {}
    for name, place in sheet.places.items():
        alike = stems.get(stem(name), [])
        kind = answers[name].kind if name in answers else most(one.kind for one in alike)
        if kind is None and (name in trunks or place.nics):
            kind = "switch" if name in trunks else "compute"
        if kind == "switch":
            shapes[name] = Shape(kind=kind)
        elif kind is not None:
            gpus = most(tuple(gpu.pci for gpu in one.gpus) for one in alike) or ()
            shapes[name] = Shape(kind=kind, gpus=gpus, nics=_nics(place, alike))
    return shapes


def _nics(place: Place, alike: Sequence[Answer]) -> tuple[tuple[str, int, str, int], ...]:
    """The slots of the cut sheet; a host with no cable in it has none that could be judged."""
    found = [{nic.device: nic for nic in one.nics} for one in alike]
    slots = []
    for rail, slot in enumerate(place.nics):
        known = [devices[slot] for devices in found if slot in devices]
        layer = most(nic.link_layer for nic in known) or "infiniband"
        slots.append((slot, rail, layer, most(nic.vfs for nic in known) or 0))
    return tuple(slots)


def _racks(
    sheet: Sheet, answers: Mapping[str, Answer], shapes: Mapping[str, Shape]
) -> dict[str, tuple[str, ...]]:
    """As the sheet says; else by the chassis that trays of an NVL rack say they are in, which is
    named for what its hosts' names have in common."""
    said: dict[str, list[str]] = {}
    for name, place in sheet.places.items():
        if place.rack and name in shapes:
            said.setdefault(place.rack, []).append(name)
    if said:
        return {rack: tuple(hosts) for rack, hosts in said.items()}
    prefixes = {one.name.partition("-")[0] for one in answers.values() if one.chassis}
    named: dict[str, list[str]] = {}
    for name in shapes:
        prefix = name.partition("-")[0]
        if "-" in name and prefix in prefixes:
            named.setdefault(prefix, []).append(name)
    return {rack: tuple(hosts) for rack, hosts in named.items()}


def _product(answers: Mapping[str, Answer], several: bool, profiles: Path) -> Product:
    gpu = most(gpu.product for answer in answers.values() for gpu in answer.gpus) or ""
    rates = [nic for answer in answers.values() for nic in answer.nics]
    layer = most(nic.link_layer for nic in rates)
    rate = most(nic.rate_gbps for nic in rates if nic.rate_gbps)
    link = "roce" if layer == "ethernet" else LINK_PROFILES.get(rate or 0.0, "")
    if not gpu:
        return Product(gpu="", product="rdma-hosts", profile="rdma-hosts", link_profile=link)
    shipped: list[tuple[str, str]] = []
    for path in sorted(profiles.glob("*.yaml")):
        said: Any = read_yaml(path).value
        if said.get("gpu_product") == gpu:
            shipped.append((str(said["product"]), str(said["profile"])))
    fitting = [one for one in shipped if one[0] == "nvl576"] if several else []
    fitting = fitting or [one for one in shipped if one[0] != "nvl576"]
    product, profile = fitting[0] if fitting else ("", "")
    return Product(gpu=gpu, product=product, profile=profile, link_profile=link)


def _versions(answers: Mapping[str, Answer]) -> dict[str, str]:
    """By key of `firmware:`: the version that most hosts, GPUs or NICs have."""
    found: dict[str, list[str]] = {}
    for answer in answers.values():
        for key, version in versions_of(answer):
            found.setdefault(key, []).append(version)
    return {key: most(versions) or "" for key, versions in sorted(found.items())}


def versions_of(answer: Answer) -> list[tuple[str, str]]:
    """Every version that a host shows, by key of `firmware:`."""
    found = [(key, version) for key, version in answer.versions.items()]
    found += [("vbios", gpu.vbios) for gpu in answer.gpus]
    found += [
        (key, v) for nic in answer.nics for key, v in (("nic", nic.firmware), ("psid", nic.psid))
    ]
    return [(key, version) for key, version in found if version]
