"""Suites and profiles speak of the same metrics.

A name that a suite misspells would be passed over as one that the product's profile does not have,
and a required metric that no test declares would leave every run INCOMPLETE.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.model.loading import known_inventories, load_inventory
from fixtures.model.profile import Metric
from fixtures.model.profile_schema import GATES
from plugins.session import INVENTORIES, SUITES

PROFILES = {
    name: load_inventory(name, INVENTORIES).profile for name in known_inventories(INVENTORIES)
}
METRICS: dict[str, Metric] = {
    name: metric for profile in PROFILES.values() for name, metric in profile.metrics.items()
}
TESTS = sorted(SUITES.glob("*/test_*.py"))


def declared(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.judges"):
            yield from (ast.literal_eval(argument) for argument in node.args)


def measured(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("measure", "measure_all"):
            yield ast.literal_eval(node.args[0])


@pytest.mark.parametrize("path", TESTS, ids=[f"{p.parent.name}/{p.stem}" for p in TESTS])
def test_a_suite_measures_what_it_declares(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert set(measured(tree)) == set(declared(tree))
    assert set(declared(tree)) <= set(METRICS)
    assert {METRICS[name].gate for name in declared(tree)} == {path.parent.name}


@pytest.mark.parametrize("inventory", PROFILES)
def test_every_required_metric_has_its_test(inventory: str) -> None:
    everything = {name for path in TESTS for name in declared(ast.parse(path.read_text("utf-8")))}
    required = {metric.name for metric in PROFILES[inventory].metrics.values() if metric.required}
    assert required <= everything


@pytest.mark.parametrize("path", TESTS, ids=[f"{p.parent.name}/{p.stem}" for p in TESTS])
def test_a_suite_holds_no_number_of_a_product(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ]
    assert set(numbers) <= {1}, "a limit belongs into a profile"
    assert path.parent.name in GATES
