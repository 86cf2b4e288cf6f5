"""The hosts of a cut sheet: where they are reached, and which NIC ports they should have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fixtures.model.errors import InventoryError
from fixtures.model.inventory_schema import is_name
from fixtures.model.loading import tcp_port
from fixtures.model.parts import host_of
from fixtures.model.plan import MANAGEMENT, Plan, read_cables, read_plan
from fixtures.model.tables import Row

_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A host of the cut sheet. `port` 0: that of the command line. `nics` are NIC slots by name, in
    the order of their names; the n-th is on rail n."""

    name: str
    address: str
    port: int
    rack: str
    label: str
    nics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A cut sheet and its hosts, in the order in which it names them."""

    path: Path
    plan: Plan
    places: Mapping[str, Place]


def natural(text: str) -> list[tuple[int, str]]:
    """A sort key that puts `mlx5_10` behind `mlx5_9`."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in _DIGITS.split(text)]


def read_sheet(path: Path) -> Sheet:
    """Read a cut sheet. Its hosts are the ends `a` of host and management cables, and both ends of
    trunks; address, TCP port, rack and label stand in rows of management cables.

    Raises InventoryError with the line.
    """
    rows = read_cables(path)
    names: dict[str, None] = {}
    for row in rows:
        if row["kind"] in ("host", "trunk", MANAGEMENT):
            names[host_of(row["a"])] = None
        if row["kind"] == "trunk":
            names[host_of(row["b"])] = None
    for name in names:
        if not is_name(name):
            raise InventoryError(f"{path}: {name!r} is no name of a host")
    if not names:
        raise InventoryError(
            f"{path}: no cable of kind host, trunk or {MANAGEMENT}: no host to ask"
        )
    plan = read_plan(path, names)
    said = _said(rows)
    nics: dict[str, set[str]] = {}
    for cable in plan.cables:
        for end in cable.ends if cable.kind == "host" else ():
            if host_of(end) in names:
                nics.setdefault(host_of(end), set()).add(_slot(end, cable.place))
    places = {name: _place(name, said.get(name), nics.get(name, set())) for name in names}
    return Sheet(path=path, plan=plan, places=places)


def _said(rows: list[Row]) -> dict[str, Row]:
    """The management rows by host; a host may have several cables but one address."""
    said: dict[str, Row] = {}
    for row in rows:
        if row["kind"] != MANAGEMENT:
            if any(row[column] for column in ("address", "port", "rack")):
                raise row.error(f"address, port and rack stand in rows of kind {MANAGEMENT}")
            continue
        host = host_of(row["a"])
        before = said.get(host)
        if before is None or not before["address"]:
            said[host] = row
        elif row["address"] and row["address"] != before["address"]:
            raise row.error(f"{host} has a second address; first at {before.place}")
    return said


def _slot(end: str, place: str) -> str:
    pieces = end.split("/")
    if len(pieces) != 3 or pieces[2] != "1":
        raise InventoryError(
            f"{place}: {end}: a port of a NIC is host/device/1, as in r01-ct01/mlx5_0/1"
        )
    return pieces[1]


def _place(name: str, row: Row | None, nics: set[str]) -> Place:
    return Place(
        name=name,
        address=(row["address"] if row else "") or name,
        port=tcp_port(row) if row else 0,
        rack=row["rack"] if row else "",
        label=row["label"] if row else "",
        nics=tuple(sorted(nics, key=natural)),
    )
