"""The log of OpenSM: what happened once is counted once, with and without time."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric.opensm_log import parse
from tests.tools.captures import capture

HEALTHY = capture("opensm-log", "healthy.txt")
DEGRADED = capture("opensm-log", "degraded.txt")


def test_states_and_routing_are_read() -> None:
    log = parse(HEALTHY)
    assert [state.state for state in log.states] == ["DISCOVERING", "MASTER"]
    assert (log.state, log.routing_engine, log.version) == ("MASTER", "minhop", "3.3.23")
    assert log.subnet_up == ("Nov 30 16:20:40 524327",)


def test_an_error_line_is_kept_with_its_code() -> None:
    (error,) = parse(HEALTHY).errors
    assert (error.function, error.code) == ("osm_pkey_rec_rcv_process", "4608")


def test_a_box_does_not_count_its_line_again() -> None:
    log = parse(DEGRADED)
    assert log.subnet_up == ("Nov 30 16:33:09 263990",)
    assert [state.state for state in log.states] == ["DISCOVERING", "MASTER"]


def test_a_box_stands_for_a_line_that_is_not_there() -> None:
    assert parse(DEGRADED).heavy_sweeps == ("Nov 30 16:33:09 258399",)
    announced = HEALTHY + (
        "*********************** HEAVY SWEEP START ************************\n"
        "Nov 30 16:20:49 000001 [337D56C0] 0x02 -> do_sweep: Entering heavy sweep with flags: x 0\n"
    )
    assert parse(announced).heavy_sweeps == ("Nov 30 16:20:49 000001",)


def test_the_engine_that_took_over_is_the_engine() -> None:
    log = parse(DEGRADED)
    assert log.routing_engine == "minhop"
    assert "AB0D" in [error.code for error in log.errors]
    (fabric,) = log.fabrics
    assert (fabric.channel_adapters, fabric.switches) == (4, 3)


def test_a_manager_that_stands_by_is_no_master() -> None:
    log = parse(capture("opensm-log", "standby.txt"))
    assert log.state == "STANDBY"
    assert log.subnet_up == ()


def test_lines_that_go_on_are_not_kept_alone() -> None:
    assert not any("TID" in line for line in parse(capture("opensm-log", "standby.txt")).untimed)


def test_lines_without_time_are_kept() -> None:
    text = HEALTHY + "AR Manager - Configuration cycle (number 1) completed successfully\n"
    assert parse(text).untimed == (
        "AR Manager - Configuration cycle (number 1) completed successfully",
    )


def test_syslog_and_screen_are_read() -> None:
    syslog = parse(capture("opensm-log", "syslog.txt"))
    assert (syslog.state, syslog.subnet_up) == ("MASTER", ("Nov  3 09:14:03",))
    screen = parse(capture("opensm-log", "screen.txt"))
    assert (screen.state, screen.subnet_up) == ("MASTER", (None,))


def test_errors_during_initialization_are_told() -> None:
    text = HEALTHY + "Nov 30 16:20:50 000001 [337D56C0] 0x80 -> Errors during initialization\n"
    assert parse(text).initialization_errors == ("Nov 30 16:20:50 000001",)


def test_line_ends_and_quotes_change_nothing() -> None:
    assert parse(HEALTHY.replace("\n", "\r\n")) == parse(HEALTHY)
    assert parse("> " + HEALTHY.replace("\n", "\n> ")) == parse(HEALTHY)
    assert parse("".join(f"0: {line}\n" for line in HEALTHY.splitlines())) == parse(HEALTHY)


def test_another_text_is_refused() -> None:
    for name in ("failed.txt", "empty.txt"):
        with pytest.raises(Unreadable, match="found none"):
            parse(capture("opensm-log", name))


OLD = """\
Sep  2 18:10:40 sm1 OpenSM[52]: OpenSM 3.2.6_20090317#012
Sep  2 18:10:40 sm1 OpenSM[52]: Entering DISCOVERING state#012
Sep  2 18:10:41 sm1 systemd[1]: Started LSB: Start opensm subnet manager..
Sep  2 18:12:50 sm1 OpenSM[52]: Entering MASTER state#012
Sep  2 18:12:50 sm1 OpenSM[52]: SUBNET UP#012
"""


def test_a_line_feed_that_rsyslog_wrote_out_is_none_of_the_message() -> None:
    log = parse(OLD)
    assert (log.version, log.state) == ("3.2.6_20090317", "MASTER")
    assert log.subnet_up == ("Sep  2 18:12:50",)
    assert log.untimed == ()


def test_two_managers_in_one_syslog_are_refused() -> None:
    other = OLD.replace("[52]", "[53]").replace("MASTER", "STANDBY")
    turns = "".join(
        a + b for a, b in zip(OLD.splitlines(True), other.splitlines(True), strict=True)
    )
    with pytest.raises(Unreadable, match="in turns, processes 52, 53"):
        parse(turns)
    assert parse(OLD + other).state == "STANDBY"


def test_a_manager_that_ended_has_no_state() -> None:
    ended = OLD + "Sep  2 19:00:00 sm1 OpenSM[52]: Exiting SM#012\n"
    log = parse(ended)
    assert (log.state, log.running, log.exits) == (None, False, ("Sep  2 19:00:00",))
    assert parse(ended + OLD.replace("[52]", "[60]")).state == "MASTER"


def test_half_of_a_last_line_is_left_out() -> None:
    assert parse(OLD + "Sep  2 18:13:00 sm1 OpenSM[52]: OpenSM 3.").version == "3.2.6_20090317"
    assert parse(OLD.rstrip("\n")) == parse(OLD)


def test_a_message_of_any_length_is_read() -> None:
    text = OLD + f"Sep  2 18:13:00 sm1 OpenSM[52]: ERR 1234: {'x' * 5000}\n"
    assert parse(text).errors[0].code == "1234"


def test_a_line_without_time_in_the_middle_is_not_the_next_ones() -> None:
    said = "AR Manager - Configuration cycle (number 1) completed successfully\n"
    before, up, rest = HEALTHY.partition("Nov 30 16:20:40 524327")
    log = parse(before + said + up + rest)
    assert log.untimed == (said.strip(),)
    assert (log.subnet_up, log.states) == (parse(HEALTHY).subnet_up, parse(HEALTHY).states)
