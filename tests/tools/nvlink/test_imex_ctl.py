"""`nvidia-imex-ctl` in text and JSON: nodes, connections, and the state of daemon and domain."""

from __future__ import annotations

import pytest

from fixtures.model.errors import RackError, ToolFailed, Unreadable
from fixtures.tools.nvlink import imex_ctl
from tests.tools.captures import capture, ended

HEALTHY = capture("imex-ctl", "healthy.txt")
DEGRADED = capture("imex-ctl", "degraded.txt")
JSON = capture("imex-ctl", "healthy.json")


def test_the_whole_domain_is_asked_for_as_json() -> None:
    assert imex_ctl.command().argv == ("nvidia-imex-ctl", "-N", "-j", "-H")


def test_a_healthy_domain_is_up() -> None:
    domain = imex_ctl.read(ended(HEALTHY))
    assert (domain.up, domain.domain_state, domain.daemon_state) == (True, "UP", None)
    assert [node.address for node in domain.nodes] == ["10.3.0.1", "10.3.0.2", "10.3.0.3"]
    assert len(domain.connections) == 9


def test_the_node_that_was_asked_is_marked_with_asterisks() -> None:
    assert [node.is_local for node in imex_ctl.parse(HEALTHY).nodes] == [False, True, False]
    assert imex_ctl.parse(HEALTHY).nodes[1].host_name == "r03-ct02"


def test_a_node_that_did_not_answer_has_no_version() -> None:
    node = imex_ctl.parse(DEGRADED).nodes[2]
    assert (node.state, node.version, node.host_name) == ("UNAVAILABLE", None, "r03-ct03")


def test_cells_between_exclamation_marks_are_one_cell() -> None:
    domain = imex_ctl.parse(DEGRADED)
    states = [item.state for item in domain.connections]
    assert states == ["C", "!V!", "D", "!V!", "C", "N", "I", "I", "I"]
    assert (domain.up, domain.domain_state) == (False, "DEGRADED")


def test_json_says_the_same_in_words() -> None:
    domain = imex_ctl.parse(JSON)
    assert (domain.up, domain.domain_state) == (True, "UP")
    assert [node.host_name for node in domain.nodes] == ["r03-ct01", "r03-ct02"]
    assert {item.state for item in domain.connections} == {"CONNECTED"}
    assert not imex_ctl.parse(capture("imex-ctl", "failed.json")).up


def test_nodes_and_connections_of_json_come_by_number() -> None:
    """The tool writes its objects in no order, and N/A for the name of a node that is silent."""
    cells = '{"1": {"status": "INVALID"}, "0": {"status": "INVALID"}}'
    node = '{"status": "UNAVAILABLE", "host": "10.3.0.9", "hostName": "N/A", "connections": '
    domain = imex_ctl.parse(
        f'{{"nodes": {{"1": {node}{cells}}}, "0": {node}{cells}}}}}, "status": "DOWN"}}'
    )
    assert [(item.index, item.host_name) for item in domain.nodes] == [(0, None), (1, None)]
    pairs = [(item.source, item.target) for item in domain.connections]
    assert pairs == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_column_that_is_no_index_is_not_shortened_to_one() -> None:
    domain = imex_ctl.parse(HEALTHY.replace("0   1   2\n", "0   1   22222\n", 1))
    assert (domain.connections, domain.complete) == ((), False)


def test_a_matrix_with_columns_left_out_has_no_cells() -> None:
    text = HEALTHY.replace("From\\To  0   1   2", "From\\To  0   1 ... 2")
    domain = imex_ctl.parse(text)
    assert text != HEALTHY
    assert (domain.domain_state, domain.connections, domain.up) == ("UP", (), False)


def test_a_domain_that_is_up_in_word_only_is_not_up() -> None:
    assert not imex_ctl.parse(JSON.replace('"CONNECTED"', '"NEVER_CONNECTED"', 1)).up
    assert not imex_ctl.parse(HEALTHY.replace("READY ", "WAITING_FOR_PEERS ", 1)).up
    assert not imex_ctl.parse(HEALTHY.replace("1        C ", "1        N ")).up


@pytest.mark.parametrize("text", [capture("imex-ctl", "empty.txt"), '{"nodes":{},"status":"UP"}'])
def test_no_nodes_is_not_up(text: str) -> None:
    domain = imex_ctl.parse(text)
    assert (domain.nodes, domain.up) == ((), False)


def test_a_daemon_state_is_read_among_chatter() -> None:
    assert imex_ctl.parse("READY\n").daemon_state == "READY"
    assert imex_ctl.parse("READY stopAtReady: 0\nkeepGoing: 1\n").daemon_state == "READY"
    assert imex_ctl.parse(capture("imex-ctl", "subscribed.txt")).daemon_state == "READY"
    assert imex_ctl.parse(capture("imex-ctl", "old.txt")).daemon_state == "READY"


def test_no_cut_looks_like_a_domain_that_is_up() -> None:
    for whole in (HEALTHY, JSON):
        for length in range(len(whole.rstrip()) - 2):
            try:
                domain = imex_ctl.parse(whole[:length])
            except RackError:
                continue
            assert not domain.up


@pytest.mark.parametrize("whole", [HEALTHY, DEGRADED, JSON])
def test_what_surrounds_a_report_is_skipped(whole: str) -> None:
    plain = imex_ctl.parse(whole)
    labelled = "".join(f"0: {line}\n" for line in whole.splitlines())
    assert imex_ctl.parse(f"$ nvidia-imex-ctl -N\n{whole}\nuser@ct01:~$ \n") == plain
    assert imex_ctl.parse(whole.replace("\n", "\r\n")) == plain
    assert imex_ctl.parse(labelled) == plain
    with pytest.raises(Unreadable, match="2 reports in one output"):
        imex_ctl.parse(labelled + labelled.replace("0: ", "1: "))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "FINE\n",
        "READY\nUNAVAILABLE\n",
        HEALTHY * 2,
        JSON * 2,
        JSON.replace('"status": "UP"', '"state": "UP"'),
        JSON.replace('"0": {\n      "status"', '"zero": {\n      "status"'),
        HEALTHY.replace("Node #1", "Node #0"),
        HEALTHY.replace("1        C   C", "1        C   Q"),
        HEALTHY.replace("1        C   C", "1        C"),
        HEALTHY.replace("Node #2   - 10.3.0.3       - READY", "Node #2   - 10.3.0.3"),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        imex_ctl.parse(text)


def test_a_failure_is_tool_failed_with_its_words() -> None:
    with pytest.raises(ToolFailed, match="node config"):
        imex_ctl.read(ended("Failed to read the node config\n", rc=255))
    with pytest.raises(ToolFailed, match="refused"):
        imex_ctl.parse("connection to 10.3.0.1:50005 refused\n")
