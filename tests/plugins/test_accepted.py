"""A healthy rack is accepted, and everything that a run leaves says the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest

from tests.plugins import tiny
from tests.plugins.runs import Run

Shared = Callable[[str], Run]


@pytest.fixture(params=["healthy", "healthy-n2"])
def accepted(request: pytest.FixtureRequest, shared: Shared) -> Run:
    return shared(request.param)


def test_exit_status_and_outcome_are_good(accepted: Run) -> None:
    assert accepted.status == 0, accepted.text
    assert accepted.info["outcome"] == "ACCEPTED"
    assert accepted.info["outcome_reasons"] == []
    assert set(accepted.info["gates"].values()) == {"PASS"}
    assert accepted.info["ended"]


def test_everything_that_had_to_be_judged_was(accepted: Run) -> None:
    coverage = accepted.info["coverage"]
    assert coverage["judged"] == coverage["expected"] == len(accepted.manifest) > 100
    judged = {(row["metric"], row["subject"]) for row in accepted.record}
    assert {(row["metric"], row["subject"]) for row in accepted.manifest} <= judged
    assert all(row["test"] for row in accepted.manifest)


def test_a_lab_is_never_taken_for_hardware(accepted: Run) -> None:
    assert "ACCEPTED (SIMULATED)  tiny" in accepted.text
    assert accepted.info["simulated"] is True
    assert json.loads((accepted.folder / "signoff.json").read_text())["simulated"] is True
    assert "SIMULATED" in (accepted.folder / "signoff.html").read_text()
    suites = {
        label["value"]
        for result in accepted.allure
        for label in result["labels"]
        if label["name"] == "parentSuite"
    }
    assert suites == {"tiny (SIMULATED)"}


def test_allure_has_one_file_per_test_and_nothing_else(accepted: Run) -> None:
    files = [file.name for file in (accepted.folder / "allure-results").iterdir()]
    assert not [name for name in files if "container" in name]
    assert len(accepted.allure) == len(accepted.junit)
    assert {result["status"] for result in accepted.allure} == {"passed"}
    histories = [result["historyId"] for result in accepted.allure]
    assert len(set(histories)) == len(histories)


def test_each_host_is_asked_for_its_facts_once(accepted: Run) -> None:
    asked = Counter(row["host"] for row in accepted.evidence if row["key"].endswith("facts/uname"))
    assert asked == dict.fromkeys(tiny.HOSTS, 1)


def test_each_load_is_run_once(accepted: Run) -> None:
    keys = Counter((row["host"], row["key"]) for row in accepted.evidence)
    loads = {key: number for key, number in keys.items() if "nvbandwidth" in key[1]}
    assert set(loads.values()) == {1}
    assert {host for host, _ in loads} == set(tiny.TRAYS)


def test_every_value_leads_to_what_it_was_read_from(accepted: Run) -> None:
    known = {row["id"] for row in accepted.evidence}
    for row in accepted.record:
        assert set(row["evidence"]) <= known
    with_limit = [row for row in accepted.record if row["metric"] == "nvlink.links_active"]
    assert all(row["evidence"] and row["limit"]["source"] for row in with_limit)


def test_the_gates_are_judged_in_order(shared: Shared) -> None:
    order = ["reach", "identity", "compute", "nvlink", "infiniband", "rdma", "nccl"]
    gates = [case.get("classname", "").split(".")[1] for case in shared("healthy").junit]
    assert list(dict.fromkeys(gates)) == order


def test_one_process_and_two_make_the_same_record(shared: Shared) -> None:
    one, two = shared("healthy"), shared("healthy-n2")
    assert [stable(row) for row in one.record] == [stable(row) for row in two.record]
    assert one.manifest == two.manifest


def stable(row: dict[str, object]) -> list[object]:
    """What must not depend on the number of processes; measured clocks and loads do."""
    return [row[key] for key in ("id", "test", "metric", "subject", "verdict", "unit", "limit")]
