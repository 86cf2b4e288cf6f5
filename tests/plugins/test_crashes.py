"""A worker that dies takes its own test with it and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plugins.crashes import allure_result, parsed
from tests.plugins.runs import ROOT, Run, run

CRASHED = "test_gpus_train_all_links[r01-ct02]"
PREREQUISITE = "test_slots_hold_answering_gpus[r01-ct02]"


@pytest.fixture(scope="module")
def crashed(tiny_rack: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("crashed") / "run"
    options = (f"--inventory={tiny_rack}", "-mnvl72", "-n2")
    return run(folder, *options, sabotage=f"exit@{CRASHED}")


def test_the_run_ends_as_incomplete(crashed: Run) -> None:
    assert crashed.status == 1, crashed.text
    assert crashed.info["outcome"] == "INCOMPLETE"
    assert "INCONCLUSIVE crashed: " in crashed.text
    assert crashed.info["coverage"]["judged"] == crashed.info["coverage"]["expected"]


def test_the_rows_of_its_test_are_crashed(crashed: Run) -> None:
    rows = [row for row in crashed.record if row["test"].endswith(CRASHED)]
    assert {row["metric"] for row in rows} == {
        "nvlink.links_active", "nvlink.inactive_links", "nvlink.link_rate",
    }  # fmt: skip
    assert {row["subject"] for row in rows} == {"r01-ct02/gpu0", "r01-ct02/gpu1"}
    assert {(row["verdict"], row["reason"]) for row in rows} == {("INCONCLUSIVE", "crashed")}


def test_everything_else_is_judged(crashed: Run) -> None:
    rest = [row for row in crashed.record if not row["test"].endswith(CRASHED)]
    assert {row["verdict"] for row in rest} == {"PASS"}


def test_allure_has_its_result_under_the_same_history(
    crashed: Run, shared: Callable[[str], Run]
) -> None:
    result, good = crashed.result(CRASHED), shared("healthy").result(CRASHED)
    assert result["status"] == "broken"
    assert "crashed while running" in result["statusDetails"]["message"]
    for key in ("historyId", "testCaseId", "fullName", "titlePath"):
        assert result[key] == good[key]
    names = ("parentSuite", "suite", "package")
    assert labels(result, names) == labels(good, names)
    assert len(crashed.allure) == len(shared("healthy").allure)


def labels(result: dict[str, list[dict[str, str]]], names: tuple[str, ...]) -> set[str]:
    return {label["value"] for label in result["labels"] if label["name"] in names}


def test_junit_calls_it_an_error(crashed: Run) -> None:
    case = crashed.case(CRASHED)
    assert case.find("error") is not None
    assert case.find("failure") is None


def test_a_crash_in_a_prerequisite_keeps_nobody_waiting(tiny_rack: Path, tmp_path: Path) -> None:
    options = (f"--inventory={tiny_rack}", "-mreach or compute and not load", "-n2")
    found = run(tmp_path / "run", *options, sabotage=f"exit@{PREREQUISITE}")
    assert found.info["outcome"] == "INCOMPLETE", found.text
    assert "r01-ct02/gpu0" in found.reasons()["crashed"]
    assert found.row("gpu.row_remap_pending", "r01-ct01/gpu0")["verdict"] == "PASS"
    assert found.row("gpu.row_remap_pending", "r01-ct02/gpu0")["reason"].startswith("blocked-by:")


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_a_test_that_breaks_after_good_values_is_not_good(
    tiny_rack: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    given = (f"--inventory={tiny_rack}", "-mreach or compute and not load", *options)
    found = run(tmp_path / "run", *given, sabotage="raise@test_memory_is_clean[r01-ct02]")
    assert found.reasons()["suite-error"] == {"r01-ct02/gpu0"}
    assert found.result("test_memory_is_clean[r01-ct02]")["status"] == "broken"
    assert found.case("test_memory_is_clean[r01-ct02]").find("error") is not None
    assert "test_memory_is_clean[r01-ct02]: ZeroDivisionError: on purpose" in found.text


def test_node_ids_are_taken_apart() -> None:
    whole = "suites/nvlink/test_links.py::test_x"
    assert parsed(f"{whole}[r01-ct02]", "tiny") == (whole, "nvlink", "r01-ct02")
    assert parsed(whole, "tiny") == (whole, "nvlink", "tiny")
    assert allure_result(whole, "tiny", "text").fullName == "suites.nvlink.test_links#test_x"


def test_a_test_file_that_cannot_be_loaded_is_named(tiny_rack: Path, tmp_path: Path) -> None:
    broken = tmp_path / "test_broken.py"
    broken.write_text("import no_module_of_this_name")
    options = (f"--inventory={tiny_rack}", "-mreach")
    ended = run(tmp_path / "run", *options, str(ROOT / "suites"), str(broken))
    assert ended.status == 2
    assert "INTERNALERROR" not in ended.text
    assert ended.info["outcome"] == "INCOMPLETE"
    assert "1 test file(s) of the suite cannot be loaded" in ended.info["outcome_reasons"][0]
