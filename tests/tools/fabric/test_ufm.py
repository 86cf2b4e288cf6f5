"""UFM's ports, links and events, as the REST API and its event log give them."""

from __future__ import annotations

import json

import pytest

from fixtures.model.errors import Implausible, ToolFailed, Unreadable
from fixtures.tools.fabric import ufm_events, ufm_links, ufm_ports
from tests.tools.captures import capture

PORTS = capture("ufm-ports", "healthy.json")
EVENTS = capture("ufm-events", "healthy.json")
DOWN = capture("ufm-events", "degraded.txt")


def test_a_port_is_up_with_both_states() -> None:
    (port,) = ufm_ports.parse(PORTS)
    assert port.is_up
    assert (port.number, port.dname, port.lid, port.peer_lid) == (33, "1/17/1", 12, 434)
    assert port.high_ber_severity is None


def test_a_trained_link_without_logical_state_is_not_up() -> None:
    (port,) = ufm_ports.parse(capture("ufm-ports", "degraded.json"))
    assert (port.physical_state, port.logical_state) == ("Link Up", None)
    assert not port.is_up
    assert (port.number, port.active_width, port.mtu, port.peer) == (1, None, None, None)


def test_lists_objects_and_wrapped_lists_are_the_same() -> None:
    (item,) = json.loads(PORTS)
    for value in (item, {"ports": [item]}, {"data": [item]}):
        assert ufm_ports.parse(json.dumps(value)) == ufm_ports.parse(PORTS)


def test_what_curl_prints_before_the_answer_is_skipped() -> None:
    pasted = (
        "$ curl -ks https://ufm/ufmRest/resources/ports\nHTTP/1.1 200 OK\nServer: x\n\n" + PORTS
    )
    assert ufm_ports.parse(pasted) == ufm_ports.parse(PORTS)


def test_no_ports_is_an_answer() -> None:
    assert ufm_ports.parse("[]") == ()


def test_a_port_twice_and_half_an_answer_are_refused() -> None:
    (item,) = json.loads(PORTS)
    with pytest.raises(Unreadable, match="occurs twice"):
        ufm_ports.parse(json.dumps([item, item]))
    for text in (PORTS[:-40], PORTS + PORTS, '[{"x": 1}]', "[1]", '"up"', ""):
        with pytest.raises(Unreadable):
            ufm_ports.parse(text)


def test_a_number_that_is_none_is_refused() -> None:
    (item,) = json.loads(PORTS)
    for wrong in (True, "x", 1.5, [1]):
        with pytest.raises(Unreadable, match="lid"):
            ufm_ports.parse(json.dumps([item | {"lid": wrong}]))
    with pytest.raises(Implausible, match="lid"):
        ufm_ports.parse(json.dumps([item | {"lid": -1}]))


def test_refusals_of_the_server_are_failures() -> None:
    with pytest.raises(ToolFailed, match="Unknown system"):
        ufm_ports.parse(capture("ufm-ports", "failed.json"))
    with pytest.raises(ToolFailed, match="401"):
        ufm_links.parse(capture("ufm-links", "failed.html"))
    with pytest.raises(ToolFailed, match="no such event"):
        ufm_events.parse(capture("ufm-events", "failed.json"))


def test_links_have_numbers_in_quotes_and_without() -> None:
    first, second = ufm_links.parse(capture("ufm-links", "healthy.json"))
    assert (first.source.port, first.destination.port) == (33, 1)
    assert (first.source.dname, first.destination.dname) == ("1/17/1", "HCA-1/1")
    assert (first.width_text, first.width, second.width) == ("IB_4x", "4X", "1X")
    assert first.cable["serial_number"] == "MT2231VS00001"
    assert "technology" not in first.cable
    assert second.cable == {}


def test_the_code_is_event_type_or_a_number_in_type() -> None:
    configured, down = ufm_events.parse(EVENTS)
    assert (configured.code, configured.name) == (901, "Fabric Configuration Started")
    assert (down.code, down.is_link_down) == (329, True)
    assert not configured.is_link_down


def test_both_ends_of_a_link_are_told() -> None:
    switch, host = ufm_events.parse(EVENTS)[1].ends
    assert (switch.system_name, switch.label, switch.cage_port) == ("leaf-04", "1/17/1", "17/1")
    assert (switch.guid, switch.port) == ("fc6a1c0300aa0001", 33)
    assert (host.kind, host.label, host.cage_port, host.port) == (
        *("Computer", "HCA-1/1", "HCA-1/1", 1),
    )


def test_a_cable_without_serial_number_is_unknown() -> None:
    assert ufm_events.parse(EVENTS)[1].cable_serial is None
    assert ufm_events.parse(DOWN)[0].cable_serial == "MT2330FT00001"


def test_lines_of_the_event_log_are_read() -> None:
    down, ber = ufm_events.parse(DOWN)
    assert (down.id, down.code, down.severity, down.category) == (3417, 329, "WARNING", "Link")
    assert down.timestamp == "2024-01-18 07:37:14.342"
    assert [end.port for end in down.ends] == [33, 8]
    assert (ber.code, ber.object_name, ber.ends) == (918, None, ())
    assert ber.object_path == "default / Switch: leaf-04 / 1/18/1"


def test_a_description_alone_is_an_event_without_number() -> None:
    text = DOWN.splitlines()[0].split("]: ")[1]
    (event,) = ufm_events.parse(text)
    assert (event.code, event.is_link_down) == (None, True)
    assert [end.system_name for end in event.ends] == ["leaf-04", "spine-02"]


def test_other_descriptions_are_no_link_down() -> None:
    text = "Peer Port leaf-04:1/19/2 is considered by SM as unhealthy due to FLAPPING.\n"
    (event,) = ufm_events.parse(text)
    assert not event.is_link_down
    assert not ufm_events.parse(DOWN.splitlines()[0].replace("329", "328"))[0].is_link_down


def test_prompts_around_json_are_skipped() -> None:
    pasted = f"[root@ufm01 ~]# curl -s https://ufm/ufmRest/app/events\n{EVENTS}[root@ufm01 ~]# \n"
    assert ufm_events.parse(pasted) == ufm_events.parse(EVENTS)


def test_half_a_line_of_the_log_is_refused() -> None:
    with pytest.raises(Unreadable, match="expected 'time"):
        ufm_events.parse(DOWN + "2024-01-18 07:38:00.000 [3419] [32\n")
    with pytest.raises(Unreadable, match="twice"):
        ufm_events.parse(DOWN + DOWN)
    with pytest.raises(Unreadable, match="expected JSON"):
        ufm_events.parse(capture("ufm-events", "empty.txt"))


def test_numbers_that_json_cannot_hold_and_lists_of_objects_are_refused() -> None:
    with pytest.raises(Implausible):
        ufm_ports.parse('[{"physical_state": "Link Up", "supported_speed": [1e999]}]')
    with pytest.raises(Unreadable, match="expected a text"):
        ufm_ports.parse('[{"physical_state": "Link Up", "supported_speed": [{"a": 1}]}]')


def test_quotes_and_fences_around_json_are_skipped() -> None:
    assert ufm_ports.parse(f"```json\n{PORTS}```\n") == ufm_ports.parse(PORTS)
    quoted = "".join(f"> {line}\n" for line in PORTS.splitlines())
    assert ufm_ports.parse(quoted) == ufm_ports.parse(PORTS)


def test_a_description_does_not_say_whose_port_it_is() -> None:
    """`Switch IB Port` is said of ports of hosts, too; the names tell."""
    item = json.loads(capture("ufm-ports", "degraded.json"))
    said = {"description": "Switch IB Port", "node_description": "node09 mlx5_0:1"}
    (port,) = ufm_ports.parse(json.dumps(item | said))
    assert (port.system_name, port.node_description) == ("node09", "node09 mlx5_0:1")
    assert (port.description, port.is_up) == ("Switch IB Port", False)
