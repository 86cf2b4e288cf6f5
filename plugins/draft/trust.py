"""Whose host keys are trusted: those that a list has, or that a person accepts. No other is asked.

A list is a file of known_hosts lines, or of lines with a host's name (or address) and fingerprints
as `ssh-keygen -l` prints them: what a BMC's console or the delivery says, one host a line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fixtures.model.errors import InventoryError
from fixtures.model.textfile import LARGEST_TABLE_BYTES, read_text
from fixtures.transport.known_hosts import HostKey, KnownHosts, fingerprint

Standing = Literal["listed", "changed", "revoked", "unknown"]

FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """What is known of host keys before any host is asked."""

    known: Sequence[KnownHosts]
    fingerprints: Mapping[str, frozenset[str]]

    def kinds(self, names: Sequence[str]) -> tuple[str, ...]:
        """The kinds of key that a host is known by, so that it shows one of these."""
        return tuple(dict.fromkeys(key.kind for known in self.known for key in known.find(*names)))

    def standing(self, names: Sequence[str], shown: HostKey) -> Standing:
        """How the key that a host shows stands to what the lists say of it."""
        keys = [key for known in self.known for key in known.find(*names)]
        if any(key.revoked for key in keys if key.blob == shown.blob):
            return "revoked"
        listed = {fingerprint(key.blob) for key in keys if not key.revoked}
        for name in names:
            listed |= self.fingerprints.get(name, frozenset())
        if fingerprint(shown.blob) in listed:
            return "listed"
        return "changed" if listed else "unknown"


def read_lists(paths: Iterable[Path]) -> Lists:
    """Read the lists; raises InventoryError for a file with neither known_hosts lines nor
    fingerprints."""
    known, fingerprints = [], defaultdict[str, frozenset[str]](frozenset)
    for path in paths:
        text = read_text(path, LARGEST_TABLE_BYTES)
        found = _fingerprints(text)
        if found:
            for name, digests in found.items():
                fingerprints[name] |= digests
        elif "ssh-" in text or "ecdsa-" in text:
            known.append(KnownHosts.load(path))
        else:
            raise InventoryError(
                f"{path}: no host keys in it; expected known_hosts lines, or lines with a host's "
                "name and its SHA256: fingerprint"
            )
    return Lists(known=known, fingerprints=dict(fingerprints))


def _fingerprints(text: str) -> dict[str, frozenset[str]]:
    """By every word of a line beside its fingerprints, which its host's name is one of."""
    found: dict[str, frozenset[str]] = {}
    for line in text.splitlines():
        digests = frozenset(FINGERPRINT.findall(line))
        for word in FINGERPRINT.sub(" ", line).replace(",", " ").split() if digests else ():
            found[word] = found.get(word, frozenset()) | digests
    return found


@dataclass(slots=True, kw_only=True)
class Decision:
    """What became of the keys that hosts show, by host. `refused` has a key other than the known
    one, or a revoked one, with why; `unknown` is what nobody has accepted."""

    accepted: dict[str, HostKey] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, HostKey] = field(default_factory=dict)


def decide(
    shown: Mapping[str, HostKey],
    names: Mapping[str, Sequence[str]],
    lists: Lists,
    say: Callable[[str], None],
    answer: Callable[[str], str] | None,
) -> Decision:
    """Hold every key against the lists, and ask a person about the rest; `answer` is None where
    there is none. `names` is what lists may call each host."""
    decision = Decision()
    for host, key in shown.items():
        standing, digest = lists.standing(names[host], key), f"{key.kind} {fingerprint(key.blob)}"
        if standing == "listed":
            decision.accepted[host] = key
        elif standing == "unknown":
            decision.unknown[host] = key
        elif standing == "revoked":
            decision.refused[host] = f"not asked: it shows a revoked key, {digest}"
        else:
            decision.refused[host] = (
                f"not asked: it shows {digest}, and its known key is another. Was it reinstalled "
                f"or swapped? Then compare at its console, and give --keys a file with the line "
                f"'{host} {fingerprint(key.blob)}'"
            )
    if decision.unknown and answer is not None:
        for host in ask(decision.unknown, say, answer):
            decision.accepted[host] = decision.unknown.pop(host)
    return decision


def shared(shown: Mapping[str, HostKey]) -> list[list[str]]:
    """Hosts that show the same key as others: clones of one image, which no key tells apart."""
    by_blob: dict[bytes, list[str]] = defaultdict(list)
    for host, key in shown.items():
        by_blob[key.blob].append(host)
    return [hosts for hosts in by_blob.values() if len(hosts) > 1]


def ask(
    unknown: Mapping[str, HostKey],
    say: Callable[[str], None],
    answer: Callable[[str], str],
) -> list[str]:
    """Show unknown keys to a person; gives the hosts whose keys were accepted.

    All are accepted at once only by typing how many there are: a mere `y` is not read, and so is
    not given without having looked.
    """
    for host, key in unknown.items():
        say(f"  {host:<20} {key.kind:<20} {fingerprint(key.blob)}")
    say(f"{len(unknown)} unknown host keys. Compare them with the consoles (BMC) or the delivery.")
    while True:
        said = answer(
            f"Type {len(unknown)} to accept all of them, `one` to decide one by one, "
            "`none` to accept none: "
        ).strip()
        if said == str(len(unknown)):
            return list(unknown)
        if said == "none":
            return []
        if said == "one":
            return [host for host, key in unknown.items() if _one(host, key, answer)]


def _one(host: str, key: HostKey, answer: Callable[[str], str]) -> bool:
    said = answer(f"{host}: {key.kind} {fingerprint(key.blob)}: accept? [yes/no] ")
    return said.strip() == "yes"
