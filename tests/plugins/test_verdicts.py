"""Each verdict is the same in exit status, terminal, JUnit, Allure and record; the worst wins."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.plugins import tiny
from tests.plugins.runs import Run

Shared = Callable[[str], Run]
MEMORY = "test_memory_is_clean[r01-ct01]"
LINKS = "test_gpus_train_all_links[r01-ct01]"
COPIES = "test_gpus_copy_at_full_rate[r01-ct02]"


@pytest.fixture(params=["faulty", "faulty-n2"])
def faulty(request: pytest.FixtureRequest, shared: Shared) -> Run:
    return shared(request.param)


def test_a_violated_limit_rejects_the_rack(faulty: Run) -> None:
    assert faulty.status == 1, faulty.text
    assert faulty.info["outcome"] == "REJECTED"
    assert "REJECTED (SIMULATED)  tiny" in faulty.text
    assert any("gpu.row_remap_pending" in reason for reason in faulty.info["outcome_reasons"])
    assert faulty.info["counts"]["fail"] >= 3
    assert faulty.info["counts"]["inconclusive"] > 0


def test_a_failure_is_failed_everywhere(faulty: Run) -> None:
    assert faulty.row("gpu.row_remap_pending", "r01-ct01/gpu0")["verdict"] == "FAIL"
    assert faulty.result(MEMORY)["status"] == "failed"
    case = faulty.case(MEMORY)
    assert case.find("failure") is not None
    assert case.find("error") is None
    assert f"FAIL suites/compute/test_gpus.py::{MEMORY}" in faulty.text


def test_one_message_lists_every_violated_value(faulty: Run) -> None:
    message = faulty.result(LINKS)["statusDetails"]["message"]
    for subject, metric, wanted in (
        ("r01-ct01/gpu1", "nvlink.links_active", "Expected: 18 Actual: 17 links"),
        ("r01-ct01/gpu1", "nvlink.inactive_links", "Expected: at most 0 links Actual: 1 links"),
        ("r01-ct01/gpu1/link3", "nvlink.inactive_links", "Actual: 1 links"),
    ):
        line = next(text for text in message.splitlines() if f"{subject} - {metric}" in text)
        assert wanted in line
    assert "gpu0" not in message
    failure = faulty.case(LINKS).find("failure")
    assert failure is not None
    assert "nvlink.links_active" in str(failure.text) + str(failure.get("message"))


def test_what_could_not_be_judged_is_an_error_and_not_a_failure(faulty: Run) -> None:
    rows = faulty.rows("nvlink.d2d_bandwidth", "r01-ct02/gpu0->r01-ct02/gpu1")
    assert [row["reason"] for row in rows] == ["tool-missing"]
    assert faulty.result(COPIES)["status"] == "broken"
    case = faulty.case(COPIES)
    assert case.find("error") is not None
    assert case.find("failure") is None
    assert f"suites/nvlink/test_bandwidth.py::{COPIES}: " in faulty.text


def test_the_part_to_swap_comes_first(faulty: Run) -> None:
    assert faulty.findings[0]["part"].startswith("r01-ct01/gpu")
    assert faulty.findings[0]["because"]


def test_letters_tell_failed_from_inconclusive(shared: Shared) -> None:
    text = shared("faulty").text
    assert re.search(r"^suites/compute/test_gpus.py \.+F", text, re.MULTILINE)
    assert re.search(r"^suites/nvlink/test_bandwidth.py I", text, re.MULTILINE)


def test_one_process_and_two_judge_faults_alike(shared: Shared) -> None:
    one, two = shared("faulty"), shared("faulty-n2")
    keys = ("id", "test", "metric", "subject", "verdict")
    assert [[row[key] for key in keys] + [row.get("reason")] for row in one.record] == [
        [row[key] for key in keys] + [row.get("reason")] for row in two.record
    ]
    assert one.info["gates"] == two.info["gates"]
    assert one.findings[0]["part"] == two.findings[0]["part"]


@pytest.mark.parametrize(
    ("name", "reason"), [("missing", "tool-missing"), ("unreachable", "unreachable")]
)
def test_trouble_with_access_leaves_the_rack_unjudged(
    shared: Shared, name: str, reason: str
) -> None:
    run = shared(name)
    assert run.status == 1, run.text
    assert run.info["outcome"] == "INCOMPLETE"
    assert run.info["counts"]["fail"] == 0
    assert any(subject.startswith("r01-ct02") for subject in run.reasons()[reason])
    assert not any(subject.startswith("r01-ct01/gpu") for subject in run.reasons()[reason])


def test_what_a_test_could_not_read_is_an_error_too(shared: Shared) -> None:
    """The test itself ran, which pytest calls a failure."""
    found = shared("missing")
    name = "test_gpu_serials_are_as_bought[tiny]"
    assert found.result(name)["status"] == "broken"
    assert found.case(name).find("error") is not None
    assert found.case(name).find("failure") is None


def test_an_unreachable_host_blocks_itself_and_what_contains_it(shared: Shared) -> None:
    run = shared("unreachable")
    blocked = run.reasons()["blocked-by:reach.ssh@r01-ct02"]
    assert {"r01-ct02/gpu0", "r01-ct02/gpu0->r01-ct02/gpu1", "r01", "tiny"} <= blocked
    assert "r01-ct01/mlx5_0/1->r01-ct02/mlx5_0/1" in blocked
    assert not any(subject.startswith("r01-ct01/gpu") for subject in blocked)


def test_the_other_hosts_are_judged(shared: Shared) -> None:
    run = shared("unreachable")
    healthy = shared("healthy")
    own = {
        row["id"]: row["verdict"] for row in run.record if row["subject"].startswith("r01-ct01/g")
    }
    assert set(own.values()) == {"PASS"}
    known = {row["id"] for row in healthy.record if row["subject"].startswith("r01-ct01/g")}
    assert known == set(own)


def test_every_unjudged_row_has_a_reason(faulty: Run) -> None:
    for row in faulty.record:
        assert bool(row.get("reason")) == (row["verdict"] == "INCONCLUSIVE"), row


def test_a_waived_failure_is_accepted_and_shown(shared: Shared) -> None:
    run = shared("waived")
    assert run.status == 0, run.text
    assert run.info["outcome"] == "ACCEPTED"
    assert run.info["counts"]["waived"] == 1
    row = run.row("gpu.row_remap_pending", "r01-ct01/gpu0")
    assert row["verdict"] == "WAIVED"
    assert "reset at the next maintenance" in row["detail"]
    result = run.result(MEMORY)
    assert result["status"] == "skipped"
    assert "waived by ops until 2999-01-01" in result["statusDetails"]["message"]
    skipped = run.case(MEMORY).find("skipped")
    assert skipped is not None
    assert "waived by ops" in str(skipped.get("message")) + str(skipped.text)
    assert "1 tests waived" in run.text


def test_an_expired_waiver_covers_nothing(shared: Shared) -> None:
    run = shared("expired")
    assert run.status == 1, run.text
    assert run.info["outcome"] == "REJECTED"
    assert run.row("gpu.row_remap_pending", "r01-ct01/gpu0")["verdict"] == "FAIL"


def test_what_the_policy_forbids_stays_open(shared: Shared) -> None:
    run = shared("observed")
    assert run.status == 1, run.text
    assert run.info["outcome"] == "INCOMPLETE"
    forbidden = run.reasons()["forbidden"]
    assert {"tiny", "r01", "r01-ct01/gpu0"} <= forbidden
    assert {r["verdict"] for r in run.rows("nvlink.links_active")} == {"PASS"}
    assert not [row for row in run.evidence if "nvbandwidth" in row["key"]]
    assert not [row for row in run.evidence if row["key"].startswith("lease/")]
    assert len(tiny.GPUS) == len(run.rows("gpu.pcie_gen_loaded"))
