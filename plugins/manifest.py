"""What must be judged: worked out from profile and inventory, never from what pytest collected.

A deleted test file, a `-k`, a narrower `-m` or a lower effect must not make the run look complete,
so the manifest comes first and the record is held against it at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fixtures.model.inventory import Inventory
from fixtures.model.parts import ends, host_of
from fixtures.model.subjects import subjects
from plugins.inventory import gate_of, gate_order, subject_of
from plugins.session import INVENTORY, SESSION, Session, is_suite
from reports.manifest import Expected


def expected(inventory: Inventory) -> list[Expected]:
    """A row for every required metric of an accepted gate and every subject it is measured on."""
    metrics = [
        metric
        for metric in inventory.profile.metrics.values()
        if metric.required and metric.gate in inventory.gates
    ]
    metrics.sort(key=lambda metric: gate_order(metric.gate))
    return [
        Expected(test="", subject=subject, metric=metric.name)
        for metric in metrics
        for subject in subjects(inventory, metric.per)
    ]


def declared_metrics(item: pytest.Item) -> tuple[str, ...]:
    """The metrics that a test says it judges (`@pytest.mark.judges(…)`)."""
    return tuple(name for mark in item.iter_markers("judges") for name in mark.args)


@dataclass(slots=True)
class Rows:
    """The manifest, by metric and by the subject or host that a test is about."""

    whole: str
    rows: dict[tuple[str, str], list[Expected]]

    @classmethod
    def index(cls, manifest: list[Expected], whole: str) -> Rows:
        rows: dict[tuple[str, str], list[Expected]] = {}
        for row in manifest:
            hosts = {host_of(end) for end in ends(row.subject)}
            about = {row.subject, whole} | (hosts if len(hosts) == 1 else set())
            for key in about:
                rows.setdefault((row.metric, key), []).append(row)
        return cls(whole, rows)

    def of(self, item: pytest.Item) -> list[Expected]:
        """The rows that a test has to fill: of its metrics, at its subject and inside it."""
        return self.at(declared_metrics(item), subject_of(item))

    def at(self, metrics: Iterable[str], about: str) -> list[Expected]:
        """The rows of these metrics at a subject and inside it."""
        return [row for name in metrics for row in self.rows.get((name, about), [])]


ROWS = pytest.StashKey[Rows]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Before anything is deselected: check the declarations, and drop tests of metrics that this
    product's profile does not have."""
    suite = [item for item in items if is_suite(item)]
    if not suite or INVENTORY not in config.stash:
        return
    profile = config.stash[INVENTORY].profile
    for item in suite:
        gate = gate_of(item)
        foreign = [
            name
            for name in declared_metrics(item)
            if name in profile.metrics and profile.metrics[name].gate != gate
        ]
        if foreign or not declared_metrics(item):
            raise pytest.UsageError(
                f"{item.nodeid}: must declare the metrics of gate {gate} that it judges"
                + (f"; {', '.join(foreign)} belong elsewhere" if foreign else "")
            )
    idle = {item for item in suite if not set(declared_metrics(item)) & set(profile.metrics)}
    items[:] = [item for item in items if item not in idle]
    _write_declarations(config, [item for item in suite if item not in idle])


def _write_declarations(config: pytest.Config, items: list[pytest.Item]) -> None:
    session = config.stash.get(SESSION, None)
    if session is None:
        return
    path = declarations_path(session)
    tests = {item.nodeid.split("[")[0]: declared_metrics(item) for item in items}
    path.with_suffix(f".{session.process}").write_text(json.dumps(tests), encoding="utf-8")
    path.with_suffix(f".{session.process}").replace(path)


def declarations_path(session: Session) -> Path:
    return session.shared / "declared.json"


def declarations(session: Session) -> Mapping[str, Sequence[str]]:
    """The metrics that each test declares, by node id without its parameter."""
    path = declarations_path(session)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def named(manifest: list[Expected], session: Session) -> list[Expected]:
    """The manifest with the test that declares each row's metric, where there is one."""
    tests: dict[str, str] = {}
    for test, metrics in declarations(session).items():
        for metric in metrics:
            tests.setdefault(metric, test)
    return [
        Expected(test=tests.get(row.metric, ""), subject=row.subject, metric=row.metric)
        for row in manifest
    ]
