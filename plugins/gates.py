"""Gates in order, and what a failed prerequisite blocks: its own part and what contains it.

Tests run stage by stage: gate after gate, and inside a gate the tests of prerequisites first. Under
xdist the workers wait for each other between stages, so that the same things are blocked whatever
the number of workers.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from fixtures.model.errors import Blocked, DeadlineError
from fixtures.model.inventory import Inventory
from fixtures.model.measurement import Measurement
from fixtures.model.parts import contains, ends, path
from fixtures.model.profile import Profile
from fixtures.model.subjects import hosts_of
from fixtures.model.verdicts import Verdict
from plugins.inventory import gate_of, gate_order
from plugins.manifest import ROWS, declared_metrics
from plugins.session import INVENTORY, SESSION, Session, is_suite

STAGE_DEADLINE_S = 1800.0
"""How long a worker waits for the others to end a stage before it goes on without them."""
QUIET_S = 5.0
"""The same after a worker has died, where nobody is at work on anything earlier any more: xdist
gives the dead worker's tests to others behind later ones, so that a worker could wait for itself.
Longer than a new worker needs to start."""


@dataclass(slots=True)
class Blocking:
    """The prerequisites that did not pass, by part."""

    inventory: Inventory
    by_part: dict[str, tuple[str, str]] = field(default_factory=dict)

    def note(self, taken: Measurement) -> None:
        self.add(taken.metric, taken.subject, taken.verdict, taken.reason or taken.detail)

    def add(self, metric: str, subject: str, verdict: str, detail: str) -> None:
        known = self.inventory.profile.metrics.get(metric)
        if known is None or not known.prerequisite or detail.startswith("blocked-by:"):
            return
        if verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE):
            self.by_part.setdefault(subject, (metric, detail or verdict))

    def blocked(self, subject: str, metric: str = "") -> Blocked | None:
        """The prerequisite that keeps a subject from being judged, or None."""
        if not self.by_part:
            return None
        for part in self._depends_on(subject, metric):
            cause = self.by_part.get(part)
            if cause and cause[0] != metric:
                return Blocked(cause[0], part, cause[1])
        return None

    def _depends_on(self, subject: str, metric: str) -> Iterator[str]:
        whole = subject == self.inventory.name or subject in self.inventory.racks
        if not whole:
            for end in ends(subject):
                yield from path(end)
            return
        yield subject
        known = self.inventory.profile.metrics.get(metric)
        members = hosts_of(self.inventory, subject)
        if known is not None and known.needs == "hosts":
            yield from members
            return
        for part in self.by_part:
            if any(contains(member, part) for member in members):
                yield part


BLOCKING = pytest.StashKey[Blocking]()
STAGES = pytest.StashKey[dict[str, int]]()
ENTERED = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    if INVENTORY in config.stash:
        config.stash[BLOCKING] = Blocking(config.stash[INVENTORY])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order what is left after -m and -k, and count each stage's tests."""
    if INVENTORY not in config.stash:
        return
    items.sort(key=lambda item: stage_of(item) if is_suite(item) else (-1, 0))
    totals: dict[str, int] = {}
    for item in filter(is_suite, items):
        totals[_name(stage_of(item))] = totals.get(_name(stage_of(item)), 0) + 1
    config.stash[STAGES] = totals


def stage_of(item: pytest.Item) -> tuple[int, int]:
    """The gate's place in the order, then 0 for the tests of prerequisites and 1 for the rest."""
    profile = item.config.stash[INVENTORY].profile
    return _stage(profile, gate_of(item), declared_metrics(item))


def _stage(profile: Profile, gate: str, metrics: Iterable[str]) -> tuple[int, int]:
    known = profile.metrics
    first = any(known[name].prerequisite for name in metrics if name in known)
    return gate_order(gate), 0 if first else 1


def stage_name(profile: Profile, gate: str, metrics: Iterable[str]) -> str:
    """The stage of a test that declares these metrics, as the workers' notes name it."""
    return _name(_stage(profile, gate, metrics))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if not is_suite(item) or SESSION not in item.config.stash:
        return
    if item.config.stash[SESSION].process != "main":
        _wait_for_earlier_stages(item)
    _refuse_blocked(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    session = item.config.stash.get(SESSION, None)
    if session is not None and is_suite(item) and session.process != "main":
        mark_done(session, _name(stage_of(item)))


def mark_done(session: Session, stage: str) -> None:
    """Tell the other workers that one more test of a stage has ended."""
    with (session.shared / f"done-{session.process}.log").open("a", encoding="utf-8") as stream:
        stream.write(stage + "\n")


def note_end(session: Session, process: str, *, died: bool) -> None:
    """Tell the other workers that one has ended, and whether it may have left tests behind."""
    if died:
        (session.shared / "died").touch()
    (session.shared / f"at-{process}").unlink(missing_ok=True)


def _nobody_before(session: Session, stage: str) -> bool:
    """After a worker died: whether none of the others is in an earlier stage than this."""
    if not (session.shared / "died").exists():
        return False
    for place in session.shared.glob("at-*"):
        with suppress(FileNotFoundError):  # that worker has just ended
            if place.name != f"at-{session.process}" and place.read_text("utf-8") < stage:
                return False
    return True


def _refuse_blocked(item: pytest.Item) -> None:
    """Do not start a test of which nothing can be judged."""
    blocking = item.config.stash[BLOCKING]
    rows = item.config.stash[ROWS].of(item)
    causes = [blocking.blocked(row.subject, row.metric) for row in rows]
    if causes and all(causes) and causes[0] is not None:
        raise causes[0]


def _wait_for_earlier_stages(item: pytest.Item) -> None:
    config, session = item.config, item.config.stash[SESSION]
    mine = _name(stage_of(item))
    if config.stash.get(ENTERED, "") == mine:
        return
    (session.shared / f"at-{session.process}").write_text(mine, encoding="utf-8")
    earlier = {stage: count for stage, count in config.stash[STAGES].items() if stage < mine}
    deadline = time.monotonic() + STAGE_DEADLINE_S
    last_seen = time.monotonic()
    while any(_done(session).get(stage, 0) < count for stage, count in earlier.items()):
        if not _nobody_before(session, mine):
            last_seen = time.monotonic()
        if time.monotonic() > last_seen + QUIET_S:
            break
        if time.monotonic() > deadline:
            raise DeadlineError(
                f"{item.nodeid}: the tests before stage {mine} had not ended after "
                f"{STAGE_DEADLINE_S:g} s; another worker hangs or died"
            )
        time.sleep(0.05)
    config.stash[ENTERED] = mine
    _learn_from_other_workers(config, session)


def _done(session: Session) -> dict[str, int]:
    counts: dict[str, int] = {}
    for log in session.shared.glob("done-*.log"):
        for stage in log.read_text(encoding="utf-8").split():
            counts[stage] = counts.get(stage, 0) + 1
    return counts


def _learn_from_other_workers(config: pytest.Config, session: Session) -> None:
    blocking = config.stash[BLOCKING]
    for part in session.folder.path.glob("record-*.jsonl"):
        for line in part.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # another worker is in the middle of writing its last line
            blocking.add(row["metric"], row["subject"], row["verdict"], row.get("reason", ""))


def _name(stage: tuple[int, int]) -> str:
    return f"{stage[0]:02d}.{stage[1]}"
