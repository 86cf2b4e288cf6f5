"""A run held against what the library declares of its faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fixtures.model.inventory import Inventory
from fixtures.model.parts import ends, host_of
from fixtures.model.verdicts import Outcome, Verdict
from lab.simrack.faults.declare import Fault
from lab.simrack.faults.naming import is_named, touched
from lab.simrack.matrix.folder import Found, Row
from lab.simrack.matrix.plan import Put

FIRST_FEW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """`ranks` is the place of the right part among the findings for each fault, 0 for none.

    `tests` and `shown` are the tests and metrics that saw something: a limit that does not hold,
    with a fault a warning too, or what it is declared to keep from being judged. `strays` says how
    many rows of parts without a fault are not PASS, and `wrong` what is not as declared; nothing
    there is right.
    """

    caught: bool
    ranks: tuple[int, ...]
    tests: tuple[str, ...]
    shown: tuple[str, ...]
    strays: int
    wrong: tuple[str, ...]


def judge(puts: Sequence[Put], found: Found, exit_status: int, inventory: Inventory) -> Judged:
    bad = [row for row in found.rows if not row.well]
    odd = list(strays(puts, bad, inventory))
    faults = [put.fault for put in puts if put.fault.sees]
    seen = [row for row in found.rows if _saw(row, faults)]
    return Judged(
        caught=bool(faults) and all(caught(fault, found) for fault in faults),
        ranks=tuple(_rank(put, found, inventory) for put in puts if put.fault.sees),
        tests=tuple(dict.fromkeys(row.test for row in seen)),
        shown=tuple(dict.fromkeys(row.metric for row in seen)),
        strays=len(odd),
        wrong=tuple(_wrong(puts, faults, found, exit_status, odd, inventory)),
    )


def _saw(row: Row, faults: Sequence[Fault]) -> bool:
    hidden = any(
        fault.reason == row.why and any(row.metric in one.split("|") for one in fault.sees)
        for fault in faults
        if fault.reason
    )
    return row.verdict == Verdict.FAIL or hidden or (bool(faults) and row.warned)


def right_outcome(faults: Sequence[Fault]) -> Outcome:
    """REJECTED where one of them makes a limit fail, INCOMPLETE where one hides something."""
    outcomes = {fault.outcome for fault in faults}
    worst = (Outcome.REJECTED, Outcome.INCOMPLETE)
    return next((one for one in worst if one in outcomes), Outcome.ACCEPTED)


def caught(fault: Fault, found: Found) -> bool:
    """Whether every metric that must see a fault has seen it."""
    return not _unseen(fault, found)


def _unseen(fault: Fault, found: Found) -> list[str]:
    if fault.reason:
        rows = [row for row in found.rows if row.why == fault.reason]
    else:
        rows = [row for row in found.rows if row.verdict == Verdict.FAIL]
    seen = {row.metric for row in rows}
    return [metric for metric in fault.sees if not seen & set(metric.split("|"))]


def _rank(put: Put, found: Found, inventory: Inventory) -> int:
    named = (is_named(put.fault, put.part, one.part, inventory) for one in found.findings)
    return next((place for place, right in enumerate(named, 1) if right), 0)


def strays(puts: Sequence[Put], bad: Sequence[Row], inventory: Inventory) -> Iterator[Row]:
    """Rows that are not PASS although nothing that they are about contains a fault, and that do not
    say either that a part with one kept them from being judged."""
    hosts = {host for put in puts for host in touched(put.fault, put.part, inventory)}
    for row in bad:
        about = {host_of(end) for end in ends(row.subject)} | set(inventory.members(row.subject))
        about |= set(inventory.racks.get(row.subject, ()))  # with their switch trays
        about |= set(inventory.hosts) if row.subject == inventory.name else set()
        blocked = row.reason.rpartition("@")[2] if "@" in row.reason else ""
        blamed = {host_of(end) for end in ends(blocked)} if blocked else about
        if not blamed & hosts:
            yield row


def _wrong(
    puts: Sequence[Put],
    faults: Sequence[Fault],
    found: Found,
    exit_status: int,
    odd: Sequence[Row],
    inventory: Inventory,
) -> Iterator[str]:
    outcome = right_outcome(faults)
    expected_exit = 0 if outcome is Outcome.ACCEPTED else 1
    if (found.outcome, exit_status) != (outcome.value, expected_exit):
        yield f"expected {outcome} and exit {expected_exit}, got {found.outcome} and {exit_status}"
    if odd:
        row = odd[0]
        yield f"{len(odd)} rows of healthy parts: {row.metric}@{row.subject} {row.verdict}"
    if len(puts) > 1:
        return
    for fault in faults:
        yield from _not_as_declared(puts[0], fault, found, inventory)


def _not_as_declared(put: Put, fault: Fault, found: Found, inventory: Inventory) -> Iterator[str]:
    if unseen := _unseen(fault, found):
        yield f"not seen by {', '.join(unseen)}"
    failed = {row.metric for row in found.rows if row.verdict == Verdict.FAIL}
    if undeclared := sorted(failed - fault.may_fail):
        yield f"not declared: {', '.join(undeclared)} failed"
    rank = _rank(put, found, inventory)
    if rank != 1:
        top = found.findings[0].part if found.findings else "nothing"
        yield f"named {top} first, expected {fault.names} of {put.part} (at {rank or 'no place'})"
    if len(found.findings) > 1 + fault.extra:
        more = ", ".join(one.part for one in found.findings[1:5])
        yield f"{len(found.findings)} findings, also {more}"
