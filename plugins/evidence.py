"""The run folder and what goes into it while tests run: raw output, and what was judged.

Every process appends to its own part, so that a crash or an interrupt loses nothing. The folder is
made, and found to be writable, before any hardware is touched.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import pytest

from fixtures.model.errors import InventoryError
from fixtures.model.waivers import Waivers, load_waivers
from fixtures.transport.once import Once
from fixtures.transport.reach import Transports
from plugins import connect
from plugins.manifest import ROWS, Rows, expected
from plugins.session import (
    INVENTORY,
    ROOT,
    SESSION,
    Session,
    new_run_id,
    process_name,
    touches_hardware,
    worker_input,
)
from reports.manifest import Expected
from reports.record import RecordWriter
from reports.runfolder import RunFolder, next_run_folder, point

RECORDER = pytest.StashKey[RecordWriter]()
WAIVERS = pytest.StashKey[Waivers]()
OUT = ROOT / "reports" / "out"
PATH_OPTIONS = ("--inventory", "--run-dir", "--replay", "--waivers")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rackgate")
    group.addoption("--run-dir", metavar="DIR", help="the run's folder (write --run-dir=DIR)")
    group.addoption(
        "--replay", metavar="RUN", help="judge an earlier run's evidence again; touches no host"
    )
    group.addoption("--waivers", metavar="FILE", help="site exceptions with owner and expiry")
    group.addoption("--seed", type=int, default=1, help="seed of everything random (default 1)")


def pytest_configure(config: pytest.Config) -> None:
    if INVENTORY not in config.stash:
        return
    inventory = config.stash[INVENTORY]
    config.stash[WAIVERS] = _waivers(config)
    manifest = expected(inventory)
    _refuse_empty_gates(config, manifest)
    config.stash[ROWS] = Rows.index(manifest, inventory.name)
    if not touches_hardware(config):
        return
    _join_options(config)
    given = worker_input(config)
    replay = _replay(config)
    try:
        folder = RunFolder(Path(given["run_dir"])) if given else _new_folder(config)
    except InventoryError as error:
        raise pytest.UsageError(f"\n{error}") from None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    session = Session(
        inventory=inventory,
        folder=folder,
        run_id=str(given["run_id"]) if given else new_run_id(inventory.name, stamp),
        process=process_name(config),
        seed=int(config.getoption("--seed")),
        replay=replay,
        manifest=manifest,
    )
    config.stash[SESSION] = session
    session.shared.mkdir(exist_ok=True)
    if session.controller:  # after a lab's own clean-up, which is registered later
        config.add_cleanup(lambda: _tidy(session))
    config.stash[RECORDER] = RecordWriter(folder, session.process, inventory)
    _send_reports_to(config, session)
    signal.signal(signal.SIGTERM, _interrupt)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Hand the run to an xdist worker (an xdist hook; runs in the controller)."""
    config = node.config  # type: ignore[attr-defined]
    session = config.stash.get(SESSION, None)
    if session is not None:
        node.workerinput["rackgate"] = {  # type: ignore[attr-defined]
            "run_dir": str(session.folder.path),
            "run_id": session.run_id,
        }


@pytest.fixture(scope="session")
def transports(pytestconfig: pytest.Config) -> Iterator[Transports]:
    """A recorded transport per host, opened when first used."""
    opened = connect.transports(pytestconfig)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def once(pytestconfig: pytest.Config) -> Once:
    """Work that is done once per run, whatever the number of processes."""
    session = pytestconfig.stash[SESSION]
    return Once(session.shared if session.distributed else None)


@pytest.fixture(scope="session")
def run_id(pytestconfig: pytest.Config) -> str:
    """What marks every remote process of this run."""
    return pytestconfig.stash[SESSION].run_id


def _new_folder(config: pytest.Config) -> RunFolder:
    chosen = config.getoption("--run-dir")
    if chosen:
        folder = (config.invocation_params.dir / str(chosen)).resolve()
        if folder.is_dir() and any(folder.iterdir()):
            raise InventoryError(f"--run-dir={chosen}: the folder is not empty; give a new one")
        return RunFolder.create(folder)
    return RunFolder.create(next_run_folder(OUT, config.stash[INVENTORY].name, datetime.now(UTC)))


def point_latest(config: pytest.Config, folder: RunFolder) -> None:
    """Let `reports/out/latest` lead to a run that has begun, unless it is kept elsewhere."""
    if config.getoption("--run-dir"):
        return
    try:
        point(OUT / "latest", folder.path)
    except InventoryError as error:
        raise pytest.UsageError(f"\n{error}") from None


def _tidy(session: Session) -> None:
    """Remove what only the processes of the run needed, and all of a run that never began."""
    shutil.rmtree(session.shared, ignore_errors=True)
    if not session.folder.run_json.exists():
        shutil.rmtree(session.folder.path, ignore_errors=True)


def _join_options(config: pytest.Config) -> None:
    """Let xdist's workers be given `--run-dir=DIR` where `--run-dir DIR` was written.

    An existing folder that stands alone on its command line would move a worker's root folder,
    where it would find none of these options.
    """
    given = config.invocation_params
    joined: list[str] = []
    for arg in map(str, given.args):
        if joined and joined[-1] in PATH_OPTIONS:
            joined[-1] += f"={arg}"
        else:
            joined.append(arg)
    config.invocation_params = type(given)(args=joined, plugins=given.plugins, dir=given.dir)


def _replay(config: pytest.Config) -> Path | None:
    chosen = config.getoption("--replay")
    if not chosen:
        return None
    folder = (config.invocation_params.dir / str(chosen)).resolve()
    if not (folder / "evidence").is_dir():
        raise pytest.UsageError(f"\n--replay={chosen}: {folder} is no run folder (no evidence/)")
    return folder


def _refuse_empty_gates(config: pytest.Config, manifest: list[Expected]) -> None:
    """A gate in which nothing has to be judged would be accepted without a measurement."""
    inventory = config.stash[INVENTORY]
    judged = {inventory.profile.metric(row.metric).gate for row in manifest}
    if empty := [gate for gate in inventory.gates if gate not in judged]:
        raise pytest.UsageError(
            f"\n{inventory.files[0]}: nothing in this inventory is judged in gate "
            f"{', '.join(empty)}; list what was bought, or leave it out of acceptance.gates"
        )


def waivers_path(config: pytest.Config) -> Path | None:
    """The file that `--waivers` names."""
    chosen = config.getoption("--waivers")
    return config.invocation_params.dir / str(chosen) if chosen else None


def _waivers(config: pytest.Config) -> Waivers:
    path = waivers_path(config)
    if path is None:
        return Waivers()
    try:
        return load_waivers(path, config.stash[INVENTORY], datetime.now(UTC).date())
    except InventoryError as error:
        raise pytest.UsageError(f"\n{error}") from None


def _send_reports_to(config: pytest.Config, session: Session) -> None:
    """Allure and JUnit go into the run folder unless the user sends them elsewhere."""
    if not getattr(config.option, "allure_report_dir", None):
        config.option.allure_report_dir = str(session.folder.path / "allure-results")
    if session.controller and not getattr(config.option, "xmlpath", None):
        config.option.xmlpath = str(session.folder.path / "junit.xml")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt(f"signal {signal.Signals(number).name}")
