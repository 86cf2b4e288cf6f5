"""A whole NVL576 domain: accepted when it is well, and not held up by 144 trays that are mute."""

from __future__ import annotations

import pytest

from fixtures.model.verdicts import Verdict
from tests.acceptance.runs import Run, accept, examples, inventory

NAME, GPUS, TRAYS = "rack42", 576, 144
DOMAIN = inventory(NAME)

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return accept("nvl576", NAME, tmp_path_factory.mktemp("rack42") / "healthy")


@pytest.fixture(scope="module")
def mute(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every host accepts TCP and never says a word."""
    folder = tmp_path_factory.mktemp("rack42") / "mute"
    return accept("nvl576", NAME, folder, [f"host.hangs@{NAME}"])


def test_healthy_domain_is_accepted(healthy: Run) -> None:
    assert (healthy.info.outcome, healthy.exit_status) == ("ACCEPTED", 0), healthy.printed[-4000:]
    assert healthy.info.coverage["judged"] == healthy.info.coverage["expected"] > GPUS
    assert not healthy.failed, examples(healthy.failed)
    assert f"ACCEPTED (SIMULATED)  {NAME}  {GPUS} GPUs" in healthy.printed


def test_every_gpu_and_rack_was_judged(healthy: Run) -> None:
    gpus = {row.subject for row in healthy.rows if row.metric == "gpu.bound"}
    racks = {row.subject for row in healthy.rows if row.metric == "nccl.rack_completed"}
    assert gpus == {gpu.part for tray in DOMAIN.trays for gpu in tray.gpus}
    assert len(gpus) == GPUS
    assert racks == set(DOMAIN.racks)


def test_mute_domain_is_incomplete(mute: Run) -> None:
    """Nothing was judged, every row says why, and nothing is called bad or good."""
    assert (mute.info.outcome, mute.exit_status) == ("INCOMPLETE", 1), mute.printed[-4000:]
    assert {row.verdict for row in mute.rows} == {Verdict.INCONCLUSIVE}
    assert len(mute.rows) >= mute.info.coverage["expected"]
    assert all(row.reason for row in mute.rows)
    reached = {row.subject: row.reason for row in mute.rows if row.metric == "reach.ssh"}
    assert {reached[tray.name] for tray in DOMAIN.trays} == {"timeout"}
    assert len(DOMAIN.trays) == TRAYS


def test_mute_domain_is_one_finding(mute: Run) -> None:
    """What all trays share is the domain: the network or the power, not 144 dead machines."""
    assert mute.findings[0].part == NAME


def test_mute_hosts_do_not_queue(
    healthy: Run, mute: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them cost one deadline together; one after the other would be over an hour."""
    deadline_s = DOMAIN.ssh.connect_deadline_s
    with capsys.disabled():
        print(f"\nrack42: healthy {healthy.wall_s:.0f} s, mute {mute.wall_s:.0f} s")
    assert mute.wall_s < 2 * healthy.wall_s + 4 * deadline_s
