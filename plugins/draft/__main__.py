"""`python -m plugins.draft CUTSHEET.csv`: docs/draft.md explains it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from fixtures.model.errors import InventoryError, RackError
from fixtures.model.inventory import Inventory
from fixtures.model.inventory_schema import SshSchema
from fixtures.model.loading import load_inventory
from fixtures.model.text import printable
from fixtures.transport.known_hosts import HostKey, fingerprint
from plugins.draft import changes, files, trust
from plugins.draft.answers import Answer
from plugins.draft.files import Files
from plugins.draft.reach import Reach
from plugins.draft.shape import draft
from plugins.draft.sheet import Place, Sheet, read_sheet
from plugins.session import INVENTORIES

DONE, DIFFERENT, UNTRUSTED, USAGE_ERROR, INTERRUPTED = 0, 1, 3, 4, 130


@dataclass(slots=True, kw_only=True)
class Found:
    """What became of the hosts of a sheet. `keys` are those accepted, by the server's name in
    known_hosts; `trouble` is why a host said nothing; `unknown` are keys nobody has accepted."""

    answers: dict[str, Answer] = field(default_factory=dict)
    keys: dict[str, HostKey] = field(default_factory=dict)
    trouble: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, HostKey] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> int:
    """0: nothing differs. 1: something differs, or a host does not answer. 2, of argparse: options.
    3: nobody has accepted the keys of some hosts, which were not asked. 4: files. 130: interrupted.
    """
    options = _options(arguments)
    try:
        sheet = read_sheet(options.sheet)
        out = Files(inventory=options.out or INVENTORIES / f"{options.sheet.stem}.yaml")
        before = _before(out, update=options.update)
        ssh = before.ssh if before else _ssh(options, out)
        lists = trust.read_lists([*options.keys, *([out.known_hosts] if before else [])])
        with tempfile.TemporaryDirectory(prefix="rackgate-draft-") as scratch:
            reach = Reach(ssh=ssh, folder=out.inventory.parent, scratch=Path(scratch))
            found = _find(sheet, reach, lists, input if sys.stdin.isatty() else None)
        if before:
            return _show_changes(sheet, found, before, out, update=options.update)
        return _write(sheet, found, ssh, out)
    except InventoryError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    except (KeyboardInterrupt, EOFError):
        print("\ninterrupted: nothing was written", file=sys.stderr)
        return INTERRUPTED


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m plugins.draft",
        description="Write an inventory from a cut sheet and what its hosts answer; run again, "
        "show what has changed since. Only looks.",
    )
    add = parser.add_argument
    add("sheet", type=Path, metavar="CUTSHEET.csv")
    add(
        "--out",
        type=Path,
        metavar="NAME.yaml",
        help="the inventory to write; default: the cut sheet's name in inventories/",
    )
    add(
        "--keys",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="host keys or fingerprints that are right (from BMCs, say); may be given again",
    )
    add("--user", default="root", help="login; any other than root needs `sudo -n`")
    add("--port", type=int, default=22, help="TCP port of hosts whose row names none")
    add("--key", type=Path, metavar="FILE", help="private key to log in with")
    add("--agent", action="store_true", help="log in with the SSH agent's keys")
    add(
        "--jump",
        action="append",
        default=[],
        metavar="ADDRESS[:PORT]",
        help="jump host, nearest first; may be given again",
    )
    add(
        "--update",
        action="store_true",
        help="after a swap: write the inventory's parts and host keys anew",
    )
    return parser.parse_args(arguments)


def _before(out: Files, *, update: bool) -> Inventory | None:
    if out.inventory.exists():
        return load_inventory(str(out.inventory), INVENTORIES)
    if update:
        raise InventoryError(f"--update: there is no inventory {out.inventory} yet")
    for path in (out.parts, out.cables, out.known_hosts):
        if path.exists():
            raise InventoryError(
                f"{path} is there without {out.inventory}, and would be lost; move it away, or "
                "give --out another name"
            )
    return None


def _ssh(options: argparse.Namespace, out: Files) -> SshSchema:
    if not options.key and not options.agent:
        raise InventoryError("nothing to log in with: give --key FILE or --agent")
    if options.key and not options.key.is_file():
        raise InventoryError(f"--key: there is no file {options.key}")
    return SshSchema(
        user=options.user,
        port=options.port,
        key=str(options.key.resolve()) if options.key else "",
        agent=options.agent,
        known_hosts=str(out.known_hosts.relative_to(out.inventory.parent)),
        jump=options.jump,
    )


def _find(
    sheet: Sheet, reach: Reach, lists: trust.Lists, person: Callable[[str], str] | None
) -> Found:
    """See everybody's key, jump hosts first; then ask those whose key was accepted."""
    found = Found()
    for hop in reach.hops():
        if not _meet([hop], reach, lists, person, found):
            return found
    places = list(sheet.places.values())
    met = _meet(places, reach, lists, person, found)
    for name, said in reach.ask(met, found.keys).items():
        if isinstance(said, RackError):
            found.trouble[name] = str(said)
        else:
            found.answers[name] = said
    return found


def _meet(
    places: Sequence[Place],
    reach: Reach,
    lists: trust.Lists,
    person: Callable[[str], str] | None,
    found: Found,
) -> list[Place]:
    """The places whose keys were accepted; `found` is told of all others."""
    shown: dict[str, HostKey] = {}
    for name, said in reach.show(places, lists, found.keys).items():
        if isinstance(said, RackError):
            found.trouble[name] = str(said)
        else:
            shown[name] = said
    for clones in trust.shared(shown):
        print(f"{', '.join(clones)}: show the same host key; were they cloned from one image?")
    names = {place.name: reach.names(place) for place in places}
    decision = trust.decide(shown, names, lists, print, person)
    found.trouble |= decision.refused
    found.unknown |= decision.unknown
    met = [place for place in places if place.name in decision.accepted]
    found.keys |= {reach.name(place): decision.accepted[place.name] for place in met}
    print(f"{len(met)} of {len(places)} host keys accepted")
    return met


def _write(sheet: Sheet, found: Found, ssh: SshSchema, out: Files) -> int:
    if not found.answers:
        _tell(found.trouble)
        return _untrusted(found, out) or DIFFERENT
    drafted = draft(sheet, found.answers, INVENTORIES / "profiles")
    lines = changes.against_sheet(drafted)
    out.write(files.contents(out, drafted, ssh, found.keys, date.today().isoformat()))
    print(f"written: {out.inventory}, and in {out.folder}/: parts.csv, cables.csv, known_hosts")
    _tell(found.trouble)
    if lines or not found.trouble:
        print(printable("\n".join(lines)) or "nothing differs from the cut sheet")
    try:
        loaded = load_inventory(str(out.inventory), INVENTORIES)
        print(f"{_summary(loaded)}\nnext: pytest --inventory={out.inventory} --plan")
    except InventoryError as error:
        print(f"it cannot run yet: {error}")
        lines.append(str(error))
    return _untrusted(found, out) or (DIFFERENT if lines or found.trouble else DONE)


def _show_changes(
    sheet: Sheet, found: Found, before: Inventory, out: Files, *, update: bool
) -> int:
    drafted = changes.as_bought(draft(sheet, found.answers, INVENTORIES / "profiles"), before)
    lines = changes.since(before, drafted)
    _tell(found.trouble)
    answered = f"of {len(sheet.places)} hosts {len(found.answers)} answered"
    said = [*lines, f"{answered}; {len(lines)} differences from {out.inventory}"]
    print(printable("\n".join(said)))
    if update:
        out.write(files.updated(out, files.identities(drafted), found.keys))
        print(f"written anew: {out.parts}, {out.known_hosts}")
    return _untrusted(found, out) or (DIFFERENT if lines or found.trouble else DONE)


def _tell(trouble: dict[str, str]) -> None:
    for name, why in trouble.items():
        print(printable(f"{name}: {why.removeprefix(f'{name}: ')}"))


def _untrusted(found: Found, out: Files) -> int:
    """Write down the keys that nobody has accepted, for somebody to compare."""
    if not found.unknown:
        return 0
    path = out.inventory.with_suffix(".host-keys")
    text = "".join(
        f"{host} {fingerprint(key.blob)} {key.kind}\n" for host, key in found.unknown.items()
    )
    out.write({path: text})
    print(
        f"{len(found.unknown)} hosts were not asked: nobody has accepted their keys, which are in "
        f"{path}. Compare them with the consoles (BMC), delete what is wrong, and run again with "
        f"--keys {path}; or run this at a terminal"
    )
    return UNTRUSTED


def _summary(inventory: Inventory) -> str:
    gpus = sum(len(tray.gpus) for tray in inventory.trays)
    nics = sum(len(tray.nics) for tray in inventory.trays)
    return (
        f"{inventory.name}: {inventory.product} ({inventory.profile.name}), "
        f"{len(inventory.racks)} racks, {len(inventory.hosts)} hosts, {gpus} GPUs, {nics} NICs"
    )


if __name__ == "__main__":
    sys.exit(main())
