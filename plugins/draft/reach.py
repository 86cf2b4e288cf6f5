"""The way to the hosts of a cut sheet: first only to see their keys, then to ask those whose keys
were accepted. Keys that were not are never logged in to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from fixtures.model.errors import RackError
from fixtures.model.inventory_schema import SshSchema
from fixtures.transport.connect import Connector
from fixtures.transport.known_hosts import HostKey, token
from fixtures.transport.limiter import HandshakeLimiter
from fixtures.transport.pool import collect
from fixtures.transport.ssh import SshTransport
from fixtures.transport.target import SshTarget
from plugins.connect import server, split_hop
from plugins.draft import answers
from plugins.draft.answers import Answer
from plugins.draft.files import known_hosts
from plugins.draft.sheet import Place
from plugins.draft.trust import Lists

RUN_ID = "draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """`folder` is what paths of the SSH section are relative to; `scratch` is ours alone."""

    ssh: SshSchema
    folder: Path
    scratch: Path

    def hops(self) -> list[Place]:
        """The jump hosts, nearest first, as places like any other."""
        return [_hop(hop) for hop in self.ssh.jump]

    def name(self, place: Place) -> str:
        """What known_hosts calls a place."""
        return token(place.address, place.port or self.ssh.port)

    def names(self, place: Place) -> tuple[str, ...]:
        """What a list of keys may call a place: as known_hosts does, its address, its name."""
        return tuple(dict.fromkeys((self.name(place), place.address, place.name)))

    def show(
        self, places: Iterable[Place], lists: Lists, via: Mapping[str, HostKey]
    ) -> dict[str, HostKey | RackError]:
        """The key that each host shows, through the jump hosts whose keys `via` has."""
        by_name = {place.name: place for place in places}
        targets = self._targets(by_name.values(), via)

        def show(name: str) -> HostKey:
            return connector.host_key(targets[name], lists.kinds(self.names(by_name[name])))

        with closing(self._connector()) as connector:
            return collect(targets, show)

    def ask(
        self, places: Iterable[Place], accepted: Mapping[str, HostKey]
    ) -> dict[str, Answer | RackError]:
        """What each host says of itself; `accepted` are keys by `name`, of jump hosts as well."""
        by_name = {place.name: place for place in places}
        targets = self._targets(by_name.values(), accepted)

        def ask(name: str) -> Answer:
            target = targets[name]
            with closing(SshTransport(target, run_id=RUN_ID, connector=connector)) as transport:
                return answers.ask(transport, by_name[name], sudo=target.sudo)

        with closing(self._connector()) as connector:
            return collect(targets, ask)

    def _connector(self) -> Connector:
        return Connector(HandshakeLimiter(self.ssh.handshakes_per_server))

    def _targets(
        self, places: Iterable[Place], trusted: Mapping[str, HostKey]
    ) -> dict[str, SshTarget]:
        """A jump host is reached through those before it, which alone are trusted by then."""
        known = self.scratch / f"known_hosts-{len(list(self.scratch.iterdir()))}"
        known.write_text(known_hosts(trusted), encoding="utf-8")
        hops = [hop for hop in self.hops() if self.name(hop) in trusted]
        return {
            place.name: replace(
                self._server(place, known),
                jump=tuple(self._server(hop, known) for hop in hops if hop != place),
            )
            for place in places
        }

    def _server(self, place: Place, known: Path) -> SshTarget:
        where = (place.address, place.port or self.ssh.port)
        return server(self.ssh, self.folder, place.name, where, known)


def _hop(text: str) -> Place:
    address, port = split_hop(text)
    return Place(name=text, address=address, port=port, rack="", label="", nics=())
