"""Faults of IMEX: who is in its domain, under which number, in which version."""

from __future__ import annotations

from dataclasses import replace

from lab.simrack.faults.declare import Fault, Params, Target, rejected
from lab.simrack.imex import ImexState

APART = "imex.domain_state imex.not_connected_pairs imex.ensembles imex.node_numbers"


def imex_of(target: Target) -> ImexState:
    assert target.host.imex is not None
    return target.host.imex


def _stale(target: Target, params: Params) -> None:
    """An address that another domain has by now, in the place of a neighbour's."""
    nodes = imex_of(target).nodes
    own = nodes.index(target.host.address)
    nodes[(own + 1) % len(nodes)] = params["address"]


def _number(target: Target, _: Params) -> None:
    """The tray joined under the number of the one before it."""
    own = imex_of(target)
    own.number = (own.nodes.index(target.host.address) - 1) % len(own.nodes)


def _split(target: Target, _: Params) -> None:
    """Half of the trays know only each other, and so do the others."""
    whole = list(imex_of(target).nodes)
    first, second = whole[: len(whole) // 2], whole[len(whole) // 2 :]
    for host in target.world.hosts.values():
        if host.imex is not None and host.address in whole:
            host.imex.nodes = list(first if host.address in first else second)


def _version(target: Target, params: Params) -> None:
    imex_of(target).version = params["version"]


def _no_channels(target: Target, _: Params) -> None:
    imex_of(target).channels = 0


IMEX: tuple[Fault, ...] = tuple(
    replace(fault, fabric=True)
    for fault in (
        rejected(
            "imex.stale_address", "host", _stale,
            "the tray's list of IMEX nodes has an address that belongs to another domain",
            sees="imex.node_list imex.ensembles", also=APART, cases="C21",
            params={"address": "10.0.3.41"},
        ),
        rejected(
            "imex.duplicate_number", "host", _number,
            "the tray joined its IMEX domain under the number of another one",
            sees="imex.node_numbers imex.node_state imex.domain_state",
            also=f"imex.node_version {APART}", cases="C22",
        ),
        rejected(
            "imex.split", "host", _split,
            "the trays of a partition are two IMEX domains, each of which is up",
            sees="imex.ensembles imex.node_list imex.node_numbers", also=APART, names="domain",
            cases="C23",
        ),
        rejected(
            "imex.wrong_version", "host", _version,
            "IMEX was updated on the tray, and the driver was not",
            sees="imex.node_version imex.distinct_driver_versions imex.not_connected_pairs",
            cases="C05", also=APART, params={"version": "580.65.06"},
        ),
        rejected(
            "imex.no_channels", "host", _no_channels,
            "the driver of the tray has made no IMEX channel, so that no program can use one",
            sees="imex.channels", cases="C26",
        ),
    )
)  # fmt: skip
