"""What is otherwise than the cut sheet has it, or than the inventory that is there has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from fixtures.model.inventory import Host, Inventory
from fixtures.model.parts import host_of
from plugins.draft.files import identities, repeated
from plugins.draft.shape import Drafted, Shape, most, versions_of


def against_sheet(drafted: Drafted) -> list[str]:
    """One line for each difference between what the sheet names and what answered."""
    lines = []
    if not drafted.product.profile:
        lines.append(
            f"no profile is shipped for {drafted.product.gpu}: write one, and name it and the "
            "product in the inventory (docs/inventory.md)"
        )
    lines += [
        f"{host}: left out, since neither it nor a host with a name like its own says what it is"
        for host in drafted.left_out
    ]
    for name, shape in drafted.shapes.items():
        lines += _devices(drafted, name, shape)
    lines += _racks(drafted)
    lines += _twice(drafted)
    lines += _odd_versions(drafted)
    for answer in drafted.answers.values():
        lines += [f"{answer.name}: left blank: {reason}" for reason in answer.silent]
    return lines


def _devices(drafted: Drafted, name: str, shape: Shape) -> Iterator[str]:
    answer = drafted.answers.get(name)
    if answer is None:
        return
    gpus = [gpu.pci for gpu in answer.gpus]
    for number, pci in enumerate(shape.gpus):
        if pci not in gpus:
            yield f"{name}/gpu{number}: no GPU at {pci}, where hosts like this one have it"
    for pci in gpus:
        if pci not in shape.gpus:
            yield f"{name}: a GPU at {pci}, where hosts like this one have none"
    bound = drafted.bound(name)
    for slot, *_ in shape.nics:
        if slot not in bound:
            others = ", ".join(nic.device for nic in answer.nics if nic.device not in bound)
            yield (
                f"{name}/{slot}/1: the sheet has a cable for it, the host has no such device"
                f"; it has, without a cable: {others or 'none'}"
            )
    for nic in answer.nics:
        if nic.device not in bound and nic.rate_gbps:
            yield f"{name}/{nic.device}/1: has a link, for which the sheet has no cable"


def _racks(drafted: Drafted) -> Iterator[str]:
    for rack, hosts in drafted.racks.items():
        said = {
            host: drafted.answers[host].chassis
            for host in hosts
            if host in drafted.answers and drafted.answers[host].chassis
        }
        own = most(said.values())
        for host, chassis in said.items():
            if chassis != own:
                yield f"{host}: is in chassis {chassis}; {rack} is {own}. Does it stand elsewhere?"


def _twice(drafted: Drafted) -> Iterator[str]:
    said = {name: answer.serial for name, answer in drafted.answers.items()}
    for name in drafted.shapes:
        said |= {f"{name}/{slot}/1": nic.guid for slot, nic in drafted.bound(name).items()}
    for identity, parts in repeated(said).items():
        yield f"{', '.join(parts)}: all say that they are {identity}; left blank"


def _odd_versions(drafted: Drafted) -> Iterator[str]:
    for name, answer in drafted.answers.items():
        odd = dict.fromkeys(
            f"{key} {version} (most have {drafted.versions[key]})"
            for key, version in versions_of(answer)
            if version != drafted.versions[key]
        )
        if odd:
            yield f"{name}: {', '.join(odd)}"


def as_bought(drafted: Drafted, inventory: Inventory) -> Drafted:
    """The same answers in the slots that an inventory has, for the hosts that it has."""
    shapes = {
        name: _shape(host) for name, host in inventory.hosts.items() if name in drafted.sheet.places
    }
    return replace(drafted, shapes=shapes)


def _shape(host: Host) -> Shape:
    return Shape(
        kind=host.kind,
        gpus=tuple(gpu.pci for gpu in host.gpus),
        nics=tuple((nic.slot, nic.rail, nic.link_layer, nic.vfs) for nic in host.nics),
    )


def since(inventory: Inventory, drafted: Drafted) -> list[str]:
    """One line for each part that another one has taken the place of, whole trays as one; then
    hosts that one side has alone, and versions that the inventory does not allow.

    `drafted` has the inventory's slots (`as_bought`). A host that did not answer has not changed.
    """
    old, new = known(inventory), identities(drafted)
    owner = {said: part for part, said in old.items() if said}
    lines: list[str] = []
    for name in drafted.shapes:
        if name in drafted.answers:
            parts = [part for part in new if host_of(part) == name]
            lines += _tray(name, parts, old, new, owner)
    lines += [
        f"{name}: is in the cut sheet and not in the inventory"
        for name in drafted.sheet.places
        if name not in inventory.hosts
    ]
    lines += [
        f"{name}: is in the inventory and not in the cut sheet"
        for name in inventory.hosts
        if name not in drafted.sheet.places
    ]
    return lines + list(_not_allowed(inventory, drafted))


def known(inventory: Inventory) -> dict[str, str]:
    """Serial or GUID by part, as an inventory has them."""
    found: dict[str, str] = {}
    for host in inventory.hosts.values():
        found[host.name] = host.serial
        found |= {gpu.part: gpu.serial for gpu in host.gpus}
        found |= {nic.port: nic.guid for nic in host.nics}
    return found


def _tray(
    name: str,
    parts: Iterable[str],
    old: Mapping[str, str],
    new: Mapping[str, str],
    owner: Mapping[str, str],
) -> list[str]:
    changed = [part for part in parts if new[part] != old.get(part, "")]
    real = [part for part in changed if new[part] and old.get(part)]
    came = {part: owner[new[part]] for part in real if new[part] in owner}
    inside = [part for part in parts if part != name and old.get(part)]
    if name in real and inside and set(inside) <= set(real):
        before = {host_of(part) for part in came.values()}
        if len(came) == len(real) and len(before) == 1:
            return [f"{name}: is the tray that was {before.pop()} ({new[name]})"]
        whole = f"with its {len(inside)} GPUs and ports"
        return [f"{name}: another tray, {whole}: {old[name]} -> {new[name]}"]
    lines = []
    for part in changed:
        if part in came:
            lines.append(f"{part}: is what was {came[part]} ({new[part]})")
        elif part in real:
            lines.append(f"{part}: another part: {old[part]} -> {new[part]}")
        elif new[part]:
            lines.append(f"{part}: now known: {new[part]}")
        else:
            lines.append(f"{part}: says nothing; it was {old[part]}")
    return lines


def _not_allowed(inventory: Inventory, drafted: Drafted) -> Iterator[str]:
    for name, answer in drafted.answers.items():
        found = {
            f"{key} {version}": allowed
            for key, version in versions_of(answer)
            if (allowed := getattr(inventory.firmware, key, [])) and version not in allowed
        }
        for said, allowed in found.items():
            yield f"{name}: {said}; the inventory allows {', '.join(allowed)}"
