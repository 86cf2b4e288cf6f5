"""ncclras: the state of a job, as text and as JSON."""

from __future__ import annotations

import json
import re

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.collectives import nccl_ras
from tests.tools.captures import capture, ended

HEALTHY = capture("nccl-ras", "healthy.txt")
DEGRADED = capture("nccl-ras", "degraded.txt")
JSON = capture("nccl-ras", "degraded.json")


def test_a_healthy_job_is_read() -> None:
    status = nccl_ras.read(ended(HEALTHY))
    assert (status.version, status.cuda_driver, status.collection_s) == ("2.28.3", 13000, 0.12)
    assert (status.nodes, status.processes, status.gpus) == (18, 72, 72)
    first, second = status.groups
    assert (first.ok, first.ranks_per_communicator, first.ranks_per_node) == (True, 72, (4, 4))
    assert (second.communicators, second.nodes_per_communicator) == (18, 1)
    assert (status.errors, status.warnings, status.complete) == ((), (), True)


def test_findings_have_kind_communicator_and_ranks() -> None:
    status = nccl_ras.parse(DEGRADED)
    assert [(item.kind, item.communicator, item.ranks) for item in status.errors or ()] == [
        ("DEAD", None, ()),
        ("INCOMPLETE", "0-0", (15,)),
        ("ERROR", "0-0", (6,)),
    ]
    timeout, mismatch = status.warnings or ()
    assert (timeout.kind, mismatch.hash) == ("TIMEOUT", "3b2fe521bf43bc04")
    assert mismatch.details[-1].startswith("Rank 6 has launched up to operation 63")


def test_an_uneven_job_has_its_totals_in_another_table() -> None:
    status = nccl_ras.parse(DEGRADED)
    assert (status.nodes, status.processes, status.gpus) == (4, 15, 15)
    [group] = status.groups or ()
    assert (group.ok, group.ranks_per_node) == (False, (3, 4))
    assert group.errors == ("INCOMPLETE", "ERROR", "MISMATCH")


def test_a_driver_version_of_minus_one_is_unknown() -> None:
    assert nccl_ras.parse(DEGRADED).cuda_driver is None


def test_rccl_prints_the_same() -> None:
    text = HEALTHY.replace(
        "NCCL version 2.28.3 compiled with CUDA 13.0",
        'RCCL version 2.28.3 compiled with ROCm "7.2"',
    )
    text = text.replace(
        "CUDA runtime version 13000, driver", "HIP runtime version 70226015, amdgpu driver"
    )
    assert nccl_ras.parse(text).cuda_runtime == 70226015


def test_json_lists_ranks_and_those_that_are_missing() -> None:
    status = nccl_ras.parse(JSON)
    [communicator] = status.communicators or ()
    assert (communicator.size, communicator.absent) == (3, (2,))
    good, bad = communicator.ranks
    assert (good.ok, bad.ok, bad.async_error, bad.aborted) == (True, False, 6, True)
    [missing] = communicator.missing or ()
    assert (missing.host, missing.pid, missing.unresponsive) == (None, None, True)
    assert (status.timeouts, status.groups) == (1, None)


def test_a_report_without_its_warnings_is_not_complete() -> None:
    status = nccl_ras.parse(HEALTHY.partition("Warnings")[0])
    assert (status.complete, status.warnings, status.errors) == (False, None, ())


def test_a_job_without_communicators_has_no_group() -> None:
    head = HEALTHY.partition("Group  ")[0]
    errors = HEALTHY.partition("\nErrors\n")[2]
    text = f"{head}No communicator data collected!\n\nErrors\n{errors}"
    assert nccl_ras.parse(text).groups == ()


@pytest.mark.parametrize(
    "said",
    [
        "read socket: Connection reset by peer\n",
        "Connecting to 127.0.0.1:28028: Connection refused\n",
        "Failed to connect to the NCCL RAS service!\n",
        "Connection timed out\n",
    ],
)
def test_no_report_is_tool_failed_with_its_words(said: str) -> None:
    with pytest.raises(ToolFailed, match=said.split(":")[0].strip()):
        nccl_ras.read(ended(said))
    with pytest.raises(ToolFailed):
        nccl_ras.read(ended(stderr=said, rc=1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY.partition("    0  ")[0],
        HEALTHY.replace("RUNNING      OK", "RUNNING", 1),
        DEGRADED.replace("#0-0 (3b2fe521bf43bc04) INCOMPLETE", "#0-0 what").replace(
            "DEAD\n", "?\n"
        ),
        JSON.replace('"communicators_count": 1', '"communicators_count": 2'),
        JSON.replace('"rank": 1', '"rank": 0'),
        JSON[:-30],
        json.dumps({"nccl_version": "2.28.9"}),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nccl_ras.parse(text)


def test_the_jobs_own_output_is_not_the_reports() -> None:
    noise = "[rank118]:[E603 17:48:01.0 ProcessGroupNCCL.cpp:632] Watchdog caught a timeout\n"
    status = nccl_ras.parse(f"{noise}{HEALTHY}{noise}")
    assert (status.warnings, status.complete) == ((), True)
    assert nccl_ras.parse(f"{noise}{DEGRADED}{noise}") == nccl_ras.parse(DEGRADED)


def test_an_unknown_kind_of_finding_is_kept() -> None:
    text = DEGRADED.replace(") MISMATCH", ") STALLED")
    assert [item.kind for item in nccl_ras.parse(text).warnings or ()] == ["TIMEOUT", "STALLED"]


def test_a_launchers_label_is_not_the_reports() -> None:
    labelled = "\n".join(f"3: {line}".rstrip() for line in DEGRADED.splitlines())
    assert nccl_ras.parse(labelled) == nccl_ras.parse(DEGRADED)
    with pytest.raises(Unreadable, match="2 reports"):
        nccl_ras.parse(f"{labelled}\n{labelled.replace('3: ', '4: ')}")


def test_a_paste_can_have_lost_its_indents() -> None:
    text = "\n".join(line.strip() for line in DEGRADED.splitlines())
    assert nccl_ras.parse(text) == nccl_ras.parse(DEGRADED)


@pytest.mark.parametrize("begin", ["Job summary", "Communicators...", "Group  "])
def test_the_middle_of_a_report_says_what_it_has(begin: str) -> None:
    whole = nccl_ras.parse(HEALTHY)
    part = nccl_ras.parse(HEALTHY[HEALTHY.index(begin) :])
    assert (part.version, part.complete) == (None, False)
    assert (part.groups, part.warnings) == (whole.groups, whole.warnings)


def test_2_24_lists_missing_ranks_in_one_line() -> None:
    text = capture("nccl-ras", "degraded.txt")
    begin = text.index("\nErrors\n")
    errors = (
        "\nErrors\n======\n\n#0-0 (1a2b3c4d5e6f7081) INCOMPLETE\n"
        "  Missing communicator data from 3 ranks\n  The missing ranks: 3,17,1057455228\n"
    )
    [finding] = nccl_ras.parse(text[:begin] + errors).errors or ()
    assert (finding.ranks, finding.kind) == ((3, 17, 1057455228), "INCOMPLETE")


def test_a_paste_can_have_left_one_blank_of_the_indents() -> None:
    text = capture("nccl-ras", "degraded.txt")
    assert nccl_ras.parse(text.replace("\n  ", "\n ")) == nccl_ras.parse(text)


@pytest.mark.parametrize("key", ["host", "pid", "nvml_dev", "status"])
def test_2_28_9_forgets_a_comma_in_missing_ranks(key: str) -> None:
    text = capture("nccl-ras", "degraded.json")
    missing = text.index('"missing_ranks"')
    broken = text[:missing] + re.sub(rf',(\s*)(?="{key}")', r"\1", text[missing:])
    assert broken != text
    assert nccl_ras.parse(broken) == nccl_ras.parse(text)
    with pytest.raises(Unreadable, match="not valid JSON"):
        nccl_ras.parse(broken.replace(",", "", 1))


def test_a_count_of_ranks_may_hold_those_that_are_missing() -> None:
    text = JSON.replace('"ranks_count": 2', '"ranks_count": 3')
    assert text != JSON
    [communicator] = nccl_ras.parse(text).communicators or ()
    assert (communicator.size, communicator.absent) == (3, (2,))
    assert (len(communicator.ranks), len(communicator.missing or ())) == (2, 1)
