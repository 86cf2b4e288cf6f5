"""What only UFM's event log shows: links that flapped and are up again, cables that were moved."""

from __future__ import annotations

from dataclasses import replace

from lab.simrack.faults.declare import Fault, Params, Target, accepted, rejected
from lab.simrack.ufm import DAY_S, UfmEvent, label

FLAPPING = "is considered by SM as unhealthy due to FLAPPING."


def _event(target: Target, code: int, text: str, ago_s: float = 0.5) -> None:
    """At the switch port of a cable; `PEER` in the text is the port at its near end."""
    world, link = target.world, target.the_cable
    assert world.network.ufm is not None
    switch = world.network.switches[link.far.node]
    near = link.near
    there = (
        f"{near.node}:{label(int(near.port))}"
        if near.node in world.network.switches
        else (f"{near.node.split('/')[0]}:HCA-1/{near.port}")
    )
    event = UfmEvent(
        code=code,
        text=text.replace("PEER", there),
        place=f"default / Switch: {switch.name} / {label(int(link.far.port))}",
        device=switch.guid,
        ago_s=ago_s,
    )
    world.network.ufm.events.append(event)


def _flapping(target: Target, _: Params) -> None:
    _event(target, 702, f"Peer Port PEER {FLAPPING}")


def _moved(target: Target, _: Params) -> None:
    _event(target, 1502, "Cable MT2330FT00417 detected in a new location.")


def _duplicate(target: Target, _: Params) -> None:
    _event(target, 1503, "Duplicate cable MT2330FT00417 detected.")


def _old(target: Target, _: Params) -> None:
    """Three days ago, and mended since."""
    _event(target, 702, f"Peer Port PEER {FLAPPING}", 3 * DAY_S)
    _event(target, 1502, "Cable MT2330FT00417 detected in a new location.", 3 * DAY_S)
    _event(target, 1500, "New cable MT2330FT00417 detected.")


def _by_hand(target: Target, _: Params) -> None:
    _event(target, 702, "Peer Port PEER is considered by SM as unhealthy due to MANUAL.")


UFM: tuple[Fault, ...] = tuple(replace(fault, needs="ufm") for fault in (
    rejected(
        "ufm.flapping", "cable", _flapping,
        "the subnet manager calls a port unhealthy, as its link went up and down; it is up now",
        sees="link.flap_events", names="cable", cases="C45", of="host fabric",
    ),
    rejected(
        "ufm.cable_moved", "cable", _moved,
        "UFM finds a cable somewhere else than before, while the run goes on",
        sees="link.cabling_events", names="cable", cases="C45", of="host fabric",
    ),
    rejected(
        "ufm.cable_twice", "cable", _duplicate, "UFM finds two cables with one serial",
        sees="link.cabling_events", names="cable", cases="C45", of="host fabric",
    ),
))  # fmt: skip
VARIANTS: tuple[Fault, ...] = tuple(replace(fault, needs="ufm") for fault in (
    accepted(
        "ufm.old_events", "cable", _old,
        "UFM has logged a flapping port and a moved cable days ago, and a new cable today",
        cases="C45", of="host fabric",
    ),
    accepted(
        "ufm.set_aside", "cable", _by_hand, "an operator has called a port unhealthy by hand",
        cases="C45", of="fabric",
    ),
))  # fmt: skip
