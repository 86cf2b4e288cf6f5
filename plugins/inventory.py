"""`--inventory NAME`: what is tested, and which tests there are because of it.

Tests are parametrised from the inventory only, never from what was discovered: a tray that does not
answer still has its tests. The ids are part names.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.inventory import PRODUCTS, Inventory
from fixtures.model.loading import known_inventories, load_inventory
from fixtures.model.profile_schema import GATES
from fixtures.model.subjects import subjects
from plugins.session import INVENTORIES, INVENTORY, SUITES, is_suite

AXES = {
    "domain": "domain",
    "rack": "rack",
    "host": "host",
    "switch": "switch",
    "imex_domain": "imex-domain",
    "imex_tray": "imex-tray",
    "adaptive_subnet": "adaptive-subnet",
    "virtual_nic": "virtual-nic",
    "sharp_domain": "sharp-domain",
    "sharp_tray": "sharp-tray",
    "watched_subnet": "watched-subnet",
    "tray": "tray",
    "sudo_host": "sudo-host",
    "rail_pair": "rail-pair",
}
"""Fixture names that a test may ask for, and the kind of subject each stands for."""
UNUSED = "hypothesispytest"
"""A plugin of the suite's own tests, which imports all of Hypothesis (half a second) to sum up."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rackgate", "hardware acceptance")
    group.addoption(
        "--inventory",
        metavar="NAME",
        help="what to test: inventories/NAME.yaml (or --inventory=PATH, with `=`)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.args_source is not pytest.Config.ArgsSource.ARGS and not config.option.version:
        config.args = [str(SUITES)]
    name = config.getoption("--inventory")
    if not name:
        return
    try:
        inventory = load_inventory(name, INVENTORIES)
    except InventoryError as error:
        raise pytest.UsageError(f"\n{error}") from None
    config.stash[INVENTORY] = inventory
    _refuse_missing_plugins(config)
    _refuse_other_products(config, inventory)
    if config.pluginmanager.has_plugin(UNUSED):
        config.pluginmanager.unregister(name=UNUSED)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if INVENTORY not in config.stash and _asks_for_suites(config):
        names = ", ".join(known_inventories(INVENTORIES))
        raise pytest.UsageError(
            "\nthe suites test what an inventory lists: add --inventory NAME "
            f"(inventories/ has: {names}), for example: pytest -m nvl576 --inventory rack42"
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    inventory = metafunc.config.stash.get(INVENTORY, None)
    if inventory is None or SUITES not in Path(str(metafunc.module.__file__)).parents:
        return
    for name in (name for name in AXES if name in metafunc.fixturenames):
        names = subjects(inventory, AXES[name])
        metafunc.parametrize(name, names, ids=names, indirect=True, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    inventory = config.stash.get(INVENTORY, None)
    if inventory is None:
        return
    for item in items:
        if is_suite(item):
            for marker in (gate_of(item), *inventory.products):
                item.add_marker(marker)
    empty = [item for item in items if is_suite(item) and _has_no_subject(item)]
    items[:] = [item for item in items if item not in empty]


def gate_of(item: pytest.Item) -> str:
    """The gate of a suite's test: the name of its folder."""
    return item.path.parent.name


def subject_of(item: pytest.Item) -> str:
    """The subject that an item is about: its parameter, or the whole inventory."""
    params = getattr(item, "callspec", None)
    values = [params.params[name] for name in AXES if name in params.params] if params else []
    return str(values[0]) if values else item.config.stash[INVENTORY].name


@pytest.fixture(scope="session")
def inventory(pytestconfig: pytest.Config) -> Inventory:
    """What was bought: hosts, slots, racks, partitions and versions."""
    return pytestconfig.stash[INVENTORY]


def _has_no_subject(item: pytest.Item) -> bool:
    """pytest makes one `NOTSET` item of an empty axis: no racks, no rack tests."""
    params = getattr(item, "callspec", None)
    if params is None:
        return False
    return any(not isinstance(params.params.get(name, ""), str) for name in AXES)


def _refuse_missing_plugins(config: pytest.Config) -> None:
    """`-p no:plugins.effects` would lift the policy, `no:plugins.verdict` the outcome."""
    ours = [f"plugins.{path.stem}" for path in Path(__file__).parent.glob("*.py")]
    blocked = [name for name in ours if config.pluginmanager.is_blocked(name)]
    if blocked:
        raise pytest.UsageError(
            f"\n-p no:{blocked[0]}: a run without it would not be judged by the rules; "
            "leave the suite's own plugins on"
        )


def _asks_for_suites(config: pytest.Config) -> bool:
    paths = [Path(str(arg).split("::")[0]) for arg in config.args]
    resolved = [(config.invocation_params.dir / path).resolve() for path in paths]
    return any(path == SUITES or SUITES in path.parents for path in resolved)


def _refuse_other_products(config: pytest.Config, inventory: Inventory) -> None:
    words = set(re.findall(r"[a-z0-9_]+", config.option.markexpr or ""))
    for product in sorted(words & set(PRODUCTS) - set(inventory.products)):
        contains = " and ".join(inventory.products) or "no product with a marker"
        raise pytest.UsageError(
            f"\n-m {product}: inventory {inventory.name} is a {inventory.product} "
            f"and answers to {contains}"
        )


def gate_order(gate: str) -> int:
    return GATES.index(gate) if gate in GATES else len(GATES)
