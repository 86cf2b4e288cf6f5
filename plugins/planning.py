"""`--plan`: what would run, on what, with which effect, and for how long; touches nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from plugins.effects import EFFECTS, allowed_effect, effect_of
from plugins.inventory import gate_of, gate_order
from plugins.manifest import expected
from plugins.session import INVENTORY, is_suite

LOADS: dict[str, tuple[str, float]] = {
    "gpu_loads": ("nvbandwidth on every tray at once", 120.0),
    "pair_runs": ("perftest on every rail pair at once", 60.0),
    "launched": ("mpirun hostname over all trays", 30.0),
    "tray_collectives": ("all_reduce inside every tray at once", 30.0),
    "ladder": ("collectives over 2, 3, 4 and 8 trays", 120.0),
    "all_to_all": ("all_to_all over the whole domain", 60.0),
    "rail_collectives": ("all_reduce over one NIC of every tray at a time", 60.0),
    "sharp": ("all_reduce over the whole domain, reduced in switches", 30.0),
    "all_reduces": ("all_reduce, every rack at once and then the whole domain", 360.0),
}
"""What each load does and its predicted seconds on hardware. They are estimates from the sizes that
are run, not measurements; everything that only looks takes one round trip in all."""
OBSERVE_S = 30.0
PLAN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("rackgate").addoption(
        "--plan", action="store_true", help="show what would run, and touch nothing"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    if config.option.plan:
        config.option.numprocesses = 0  # a plan needs no workers


def pytest_collection_finish(session: pytest.Session) -> None:
    config = session.config
    if config.option.plan and INVENTORY in config.stash:
        config.stash[PLAN] = plan(config, [item for item in session.items if is_suite(item)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    return True if session.config.option.plan else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if PLAN in config.stash:
        terminalreporter.section("plan")
        for line in config.stash[PLAN]:
            terminalreporter.line(line)


def plan(config: pytest.Config, items: Sequence[pytest.Item]) -> list[str]:
    """The plan, as lines."""
    inventory = config.stash[INVENTORY]
    rows = Counter(inventory.profile.metric(row.metric).gate for row in expected(inventory))
    lines = [f"{inventory.name}: {inventory.about or inventory.product}", ""]
    lines.append(f"{'gate':<12}{'tests':>7}{'judgements':>12}  effects")
    for gate in sorted({gate_of(item) for item in items}, key=gate_order):
        own = [item for item in items if gate_of(item) == gate]
        effects = sorted({effect_of(item) for item in own}, key=EFFECTS.index)
        lines.append(f"{gate:<12}{len(own):>7}{rows[gate]:>12}  {', '.join(effects)}")
    lines += ["", *_loads(config, items), "", *_not_run(config, items)]
    return lines


def _loads(config: pytest.Config, items: Sequence[pytest.Item]) -> list[str]:
    names = {name for item in items for name in getattr(item, "fixturenames", ())}
    loads = [LOADS[name] for name in LOADS if name in names]
    trays = len(config.stash[INVENTORY].trays)
    total = OBSERVE_S + sum(seconds for _, seconds in loads)
    lines = [f"{OBSERVE_S:>6.0f} s  facts of every host, in one round trip each"]
    lines += [f"{seconds:>6.0f} s  {what}; leases on {trays} hosts" for what, seconds in loads]
    return [*lines, f"{total:>6.0f} s  predicted on hardware (estimates, not measurements)"]


def _not_run(config: pytest.Config, items: Sequence[pytest.Item]) -> list[str]:
    allowed = allowed_effect(config)
    above = [i for i in items if EFFECTS.index(effect_of(i)) > EFFECTS.index(allowed)]
    left_out = config.stash[INVENTORY].gates_left_out
    lines = [f"allowed effect: {allowed}"]
    if above:
        lines.append(f"{len(above)} tests need more and would be INCONCLUSIVE (forbidden)")
    if left_out:
        lines.append(f"gates that this acceptance leaves out: {', '.join(left_out)}")
    return lines
