"""DCGM's diagnostic: every test, entity and message of every version; a failure is never lost."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.gpus import dcgm_diag
from fixtures.tools.gpus.dcgm_diag_model import Diagnostic, DiagTest
from tests.tools.captures import capture, ended


def saved(name: str) -> str:
    return capture("dcgmi-diag", name)


def report(name: str) -> Diagnostic:
    [found] = dcgm_diag.parse(saved(name))
    return found


def part(found: Diagnostic, name: str) -> DiagTest:
    [test] = [test for test in found.tests if test.name == name]
    return test


def test_a_healthy_host_passes_everything() -> None:
    found = report("healthy.txt")
    assert (found.version, found.driver_version) == ("3.3.9", "555.42.06")
    assert found.device_ids == ("2901", "2901")
    assert [test.worst for test in found.tests] == ["pass"] * 7
    assert found.tests[4].category == "Integration"
    assert found.complete


def test_gpus_of_a_mixed_result_have_their_own_status() -> None:
    found = report("failed.txt")
    memory = part(found, "GPU Memory")
    assert [(part.status, part.ids) for part in memory.results] == [
        ("pass", (0, 1)), ("fail", (2,)), ("skip", (3,)),
    ]  # fmt: skip
    assert (memory.worst, memory.failed_ids) == ("fail", (2,))
    assert [test.name for test in found.failed] == ["Persistence Mode", "GPU Memory"]


def test_messages_broken_within_a_word_are_whole_again() -> None:
    found = report("failed.txt")
    assert part(found, "Persistence Mode").messages[0].text == (
        "Persistence mode for GPU 3 is off, which slows every start of a program down. Turn it on."
    )
    warning, info = part(found, "GPU Memory").messages
    assert (warning.kind, info.kind) == ("Warning", "Info")
    assert info.text == "GPU 0 Allocated 84987740979 bytes\t(98.3%) of it"


def test_dcgm_4_names_entities() -> None:
    found = report("degraded.txt")
    software = part(found, "software")
    assert software.status == "warn"
    assert [(part.group, part.ids, part.status) for part in software.results] == [
        ("GPU", (0,), "pass"), ("GPU", (1,), "fail"),
    ]  # fmt: skip
    assert [(message.entity, message.text[:20]) for message in software.messages] == [
        (None, "The host has an old "), ("GPU1", "Row remapping of GPU"),
    ]  # fmt: skip
    assert part(found, "cpu_eud").results[0].group == "CPU"
    assert found.metadata["Number of CPUs Detected"] == "1"


def test_old_versions_have_no_metadata_and_a_return_code() -> None:
    found = report("old.txt")
    assert (found.version, found.driver_version) == (None, None)
    assert part(found, "Diagnostic").status == "warn"
    assert part(found, "Diagnostic").messages[0].kind == "Code"


def test_a_list_too_long_for_its_column_loses_what_is_not_certain() -> None:
    passed, failed = part(report("many.txt"), "SM Stress").results
    assert (passed.ids, passed.cut) == ((0, 1, 2, 3, 4, 5, 6, 7, 8, 9), True)
    assert (failed.ids, failed.cut) == ((14,), False)


def test_a_cut_table_says_so() -> None:
    whole = saved("failed.txt")
    rows = whole.splitlines(keepends=True)
    assert not dcgm_diag.parse("".join(rows[:-1]))[0].complete
    for left_out in ("...\n", "| ...                       | ...        |\n"):
        assert not dcgm_diag.parse("".join([*rows[:8], left_out, *rows[11:]]))[0].complete
    torn = "".join(rows[:12])[:-30]
    assert [test.name for test in dcgm_diag.parse(torn)[0].tests][-1] == "Persistence Mode"
    assert not dcgm_diag.parse(torn)[0].complete


def test_a_message_with_a_line_feed_of_its_own_is_one_message() -> None:
    text = saved("degraded.txt").replace("an old InfoROM", "an old\nInfoROM")
    assert part(dcgm_diag.parse(text)[0], "software").messages[0].text.split() == [
        *("The", "host", "has", "an", "old", "InfoROM"),
    ]


def test_a_message_may_stand_below_its_result() -> None:
    row = "| Denylist                  | "
    said = "".join(
        f"|                           | {text:<46} |\n"
        for text in ("Error: GPU 3 had memory errors and row", "remappings are pending")
    )
    before, result, rest = saved("many.txt").partition(row)
    line, end, rest = rest.partition("\n")
    found = dcgm_diag.parse(before + result + line + end + said + rest)[0]
    [message] = part(found, "Denylist").messages
    assert (message.kind, message.text) == (
        *("Error", "GPU 3 had memory errors and row remappings are pending"),
    )


def test_what_is_said_of_the_whole_run_is_kept() -> None:
    for key, value in (("warning", "old driver"), ("errors", [{"error": "old driver"}])):
        root = json.loads(saved("healthy.json"))
        next(iter(root.values()))[key] = value
        [found] = dcgm_diag.parse(json.dumps(root))
        assert [message.text for message in found.remarks] == ["old driver"]
        assert next(found.messages).text == "old driver"


def test_iterations_are_reports_and_two_reports_are_not() -> None:
    assert len(dcgm_diag.parse(saved("iterations.txt"))) == 2
    both = {"iterations": [json.loads(saved("failed.json"))] * 2, "result": "Fail"}
    assert len(dcgm_diag.parse(json.dumps(both))) == 2
    for name in ("healthy.txt", "healthy.json"):
        labelled = ["".join(f"{n}: {x}\n" for x in saved(name).splitlines()) for n in (0, 1)]
        assert dcgm_diag.parse(labelled[0]) == dcgm_diag.parse(saved(name))
        with pytest.raises(Unreadable, match="2 reports in one output"):
            dcgm_diag.parse("".join(labelled))
        with pytest.raises(Unreadable):
            dcgm_diag.parse(saved(name) * 2)


def test_iterations_that_did_not_run_are_missed() -> None:
    [one] = dcgm_diag.parse(saved("iterations.txt").partition("Running iteration 2")[0])
    assert not one.complete
    assert [one.complete for one in dcgm_diag.parse(saved("iterations.txt"))] == [True, True]
    with pytest.raises(Unreadable, match="2 reports"):
        dcgm_diag.parse(saved("iterations.txt") * 2)


def test_json_of_dcgm_4() -> None:
    found = report("failed.json")
    assert (found.version, found.driver_version) == ("4.4.1", "575.57.08")
    assert [(one.id, one.serial, one.device_id) for one in found.entities] == [
        (0, None, "2941"), (1, "1655123000999", "2941"),
    ]  # fmt: skip
    software = part(found, "software")
    assert (software.status, software.failed_ids) == ("fail", (1,))
    assert software.results[1].messages[0].error_id == 29
    assert part(found, "memory").results[0].messages[0].kind == "Info"


def test_json_has_gaps_where_checks_were_dropped() -> None:
    text = saved("healthy.json").replace('"tests": [', '"tests": [null,', 1)
    assert dcgm_diag.parse(f"WARNING: old driver\n{text}\n") == dcgm_diag.parse(
        saved("healthy.json")
    )


def test_metadata_is_no_test_without_its_title() -> None:
    lines = saved("healthy.txt").splitlines(keepends=True)
    [found] = dcgm_diag.parse("".join(line for line in lines if "Metadata" not in line))
    assert found == report("healthy.txt")


def test_json_until_dcgm_3() -> None:
    found = report("healthy.json")
    assert (found.version, found.driver_version) == ("3.3.1", "535.129.03")
    assert [one.serial for one in found.entities] == ["1560000000001", "1560000000002"]
    assert part(found, "Denylist").results[0].ids is None
    assert part(found, "Persistence Mode").results[0].ids == (3,)
    assert part(found, "Persistence Mode").results[0].messages[0].text == "Persistence is off"
    assert part(found, "PCIe").results[1].messages[0].text == "skipped here"
    assert part(found, "CPU EUD Test").worst == "skip"


@pytest.mark.parametrize("rc", [0, 226, 205])
def test_a_failed_test_is_a_report_whatever_the_status(rc: int) -> None:
    [found] = dcgm_diag.read(ended(saved("failed.txt"), rc=rc))
    assert len(found.failed) == 2


def test_a_failure_that_the_report_does_not_show_is_reported() -> None:
    with pytest.raises(ToolFailed, match="226 says that a test failed"):
        dcgm_diag.read(ended(saved("healthy.txt"), rc=226))


@pytest.mark.parametrize(
    ("name", "says"),
    [("not-run.txt", "group is empty"), ("not-run.json", "paused"), ("mig.txt", "MIG config")],
)
def test_a_diagnostic_that_did_not_run_has_no_report(name: str, says: str) -> None:
    with pytest.raises(ToolFailed, match=says):
        dcgm_diag.parse(saved(name))


@pytest.mark.parametrize(
    "text",
    [
        saved("empty.txt"),
        saved("healthy.txt").replace("Pass - All", "Perhaps", 1),
        saved("failed.txt").replace("Fail - GPU: 2", "Fail - GPU: 1"),
        saved("failed.json")[:-40],
        saved("failed.json").replace('"Fail"', '"Maybe"', 1),
        saved("failed.json").replace('"software"', '"memory"').replace("Deployment", "Hardware", 1),
        '{"DCGM Diagnostic": {"test_categories": []}}',
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        dcgm_diag.parse(text)


def test_all_gpus_can_fail_at_once() -> None:
    text = saved("healthy.txt").replace(
        "GPU Memory                | Pass", "GPU Memory                | Fail"
    )
    [found] = dcgm_diag.read(ended(text, rc=226))
    memory = part(found, "GPU Memory")
    assert (memory.status, memory.worst, memory.failed_ids) == ("fail", "fail", ())
    assert [test.name for test in found.failed] == ["GPU Memory"]


def test_a_message_that_dcgm_cut_ends_before_the_next_test() -> None:
    said = "Persistence mode is off for GPU 0,Persistence mode is of"
    rows = f"| Info                      | {said[:45]:<46} |\n"
    rows += f"|                           | {said[45:]:<46} |\n"
    before, row, rest = saved("healthy.txt").partition("| Permissions and OS Blocks")
    [found] = dcgm_diag.parse(before + rows + row + rest)
    assert part(found, "CUDA Main Library").messages[0].text == said
    assert part(found, "Permissions and OS Blocks").messages == ()


def test_json_may_join_the_numbers_of_its_gpus() -> None:
    results = [{"gpu_ids": "0,2", "status": "FAIL"}, {"gpu_ids": "1", "status": "SKIP"}]
    tests = [{"name": "sm_stress", "results": [*results, {"gpu_ids": "3", "status": "PASS"}]}]
    root = {"DCGM GPU Diagnostic": {"test_categories": [{"category": "Stress", "tests": tests}]}}
    [found] = dcgm_diag.parse(json.dumps(root))
    assert [(part.ids, part.status) for part in found.tests[0].results] == [
        ((0, 2), "fail"), ((1,), "skip"), ((3,), "pass"),
    ]  # fmt: skip


def test_a_sentinel_in_a_message_is_text() -> None:
    root = json.loads(saved("failed.json"))
    said = "Error getting a count for GPU 0. Value = 9223372036854775794. It was skipped."
    summary = root["DCGM Diagnostic"]["test_categories"][0]["tests"][0]["test_summary"]
    summary["info"] = [said]
    [found] = dcgm_diag.parse(json.dumps(root))
    assert said in [message.text for message in found.messages]
    assert part(found, "software").failed_ids == (1,)


def test_tests_of_dcgm_1_have_other_names_and_may_lack_their_closing_line() -> None:
    rows = saved("old.txt").splitlines(keepends=True)
    [found] = dcgm_diag.parse("".join(rows[:7]))
    assert [(test.name, test.status) for test in found.tests] == [
        ("Blacklist", "pass"), ("Page Retirement", "pass"),
    ]  # fmt: skip
    assert not found.complete
