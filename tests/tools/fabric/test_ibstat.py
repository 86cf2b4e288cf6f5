"""`ibstat` and `ibstatus` in every form, and texts that only look like theirs."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.fabric import ibstat, ibstatus
from tests.tools.captures import capture, ended

HEALTHY = capture("ibstat", "healthy.txt")
STATUS = capture("ibstatus", "healthy.txt")


def test_ports_rates_and_notes_of_newer_versions_are_read() -> None:
    [adapter] = ibstat.parse(capture("ibstat", "several-forms.txt"))
    first, second = adapter.ports
    assert (adapter.port_count, adapter.complete) == (2, True)
    assert (first.rate_gbps, first.effective_gbps, first.rate_note) == (800, 800, None)
    assert (second.rate_gbps, second.rate_note, second.effective_gbps) == (40, "FDR10", 37.5)
    assert (second.number, second.state, second.capability_mask) == (2, "Initializing", 0xA750E848)


def test_one_port_asked_for_by_number_is_read() -> None:
    [adapter] = ibstat.parse(capture("ibstat", "one-port.txt"))
    [port] = adapter.ports
    assert (adapter.name, adapter.complete) == ("mlx4_1", False)
    assert (port.number, port.state, port.physical_state) == (2, "Down", "Disabled")


def test_short_form_and_names_have_no_ports() -> None:
    short = "".join(
        line
        for line in HEALTHY.splitlines(keepends=True)
        if not line.startswith(("\t\t", "\tPort"))
    )
    assert [(a.name, a.ports, a.port_count) for a in ibstat.parse(short)] == [
        ("mlx5_0", (), 1),
        ("mlx5_1", (), 1),
    ]
    assert [a.name for a in ibstat.parse("mlx5_0\nmlx5_bond_0\nibp12s0\n")] == [
        *("mlx5_0", "mlx5_bond_0", "ibp12s0"),
    ]
    [alone] = ibstat.parse(short.split("CA 'mlx5_1'")[0])
    assert (alone.ports, alone.port_count, alone.complete) == ((), 1, False)


def test_excerpts_say_what_they_say() -> None:
    text = "CA 'mlx5_0'\n\tState: Active\n\tRate: 400\nCA 'mlx5_1'\n\tState: Down\n\tRate: 10\n"
    ports = [adapter.ports for adapter in ibstat.parse(text)]
    assert [(p.number, p.state, p.rate_gbps) for [p] in ports] == [
        (None, "Active", 400),
        (None, "Down", 10),
    ]
    assert not any(adapter.complete for adapter in ibstat.parse(text))


@pytest.mark.parametrize("size", range(0, len(HEALTHY) - 1, 7))
def test_a_cut_report_is_never_taken_for_a_whole_one(size: int) -> None:
    """But for its last field, the link layer, which old versions do not print."""
    try:
        adapters = ibstat.parse(HEALTHY[:size])
    except Unreadable:
        return
    whole = [adapter for adapter in adapters if adapter.complete]
    assert len(adapters) - len(whole) <= 1
    assert all(p.port_guid and p.rate_gbps == 400 for a in whole for p in a.ports)


def test_a_port_that_is_missing_leaves_its_adapter_incomplete() -> None:
    text = capture("ibstat", "several-forms.txt").split("\tPort 2:")[0]
    [adapter] = ibstat.parse(text)
    assert ([port.number for port in adapter.ports], adapter.complete) == ([1], False)
    with pytest.raises(Unreadable, match="1 ports expected, 2 found"):
        ibstat.parse(capture("ibstat", "several-forms.txt").replace("ports: 2", "ports: 1"))


def test_port_guids_alone_say_of_no_adapter_whose_they_are() -> None:
    """`ibstat -p`"""
    [ports] = ibstat.parse("0xa088c20300aa0b10\n0xa088c20300aa0b11\n")
    assert (ports.name, ports.port_count, ports.complete) == (None, None, False)
    assert [port.port_guid for port in ports.ports] == ["a088c20300aa0b10", "a088c20300aa0b11"]
    with pytest.raises(Unreadable, match="listed twice"):
        ibstat.parse("0xa088c20300aa0b10\n" * 2)


@pytest.mark.parametrize(
    "text",
    [
        HEALTHY + STATUS,
        HEALTHY + capture("ibv-devinfo", "healthy.txt"),
        HEALTHY.replace("State: Active", "State: Activ"),
        HEALTHY.replace("State: Active", "State: Active\n\t\tState: Down", 1),
        HEALTHY.replace("\tPort 1:\n", "", 1),
        HEALTHY.replace("Rate: 400", "Rate: fast"),
        "0xa088c20300aa0b10\n0xa088c20300aa\n",
    ],
)
def test_what_is_not_ibstat_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ibstat.parse(text)


def test_a_device_that_could_not_be_asked_is_a_failure() -> None:
    """`ibstat` leaves it out and ends with 0."""
    with pytest.raises(ToolFailed, match="stat of IB device"):
        ibstat.read(ended(HEALTHY, stderr="ibwarn: [7] main: stat of IB device 'mlx5_3' failed"))


def test_prompts_quotes_labels_and_hosts_are_no_part_of_the_report() -> None:
    right = ibstat.parse(HEALTHY)
    for text in (
        f"[root@node7 ~]# ibstat\n{HEALTHY}[root@node7 ~]# \n",
        "".join(f"> {line}\n" for line in HEALTHY.splitlines()),
        "".join(f"0: {line}\n" for line in HEALTHY.splitlines()),
        "".join(f"node7: {line}\n" for line in HEALTHY.splitlines()),
        HEALTHY.replace("\n", "\r\n"),
        f"libibverbs: Warning: no userspace device-specific driver found\n{HEALTHY}",
    ):
        assert ibstat.parse(text) == right
    with pytest.raises(Unreadable, match="2 sources"):
        ibstat.parse("".join(f"{n}: {line}\n" for n in (0, 1) for line in HEALTHY.splitlines()))


def test_ibstatus_reads_lids_in_hex_and_every_speed() -> None:
    first, second = ibstatus.read(ended(STATUS))
    assert (first.device, first.port, first.base_lid, first.sm_lid) == ("mlx5_0", 1, 42, 1)
    assert (second.rate_gbps, second.width, second.speed) == (800, "4X", "XDR")
    down, half, ethernet = ibstatus.parse(capture("ibstatus", "degraded.txt"))
    assert (down.state, down.phys_state, down.base_lid) == ("DOWN", "Disabled", 65535)
    assert (half.rate_gbps, half.width, half.phys_state) == (100, "2X", "LinkErrorRecovery")
    assert (ethernet.default_gid, ethernet.phys_state, ethernet.speed) == (None, None, None)


def test_ibstatus_of_2008_has_neither_link_layer_nor_blank_line() -> None:
    first, second = ibstatus.parse(capture("ibstatus", "old.txt"))
    assert (first.link_layer, first.rate_gbps, first.complete) == (None, 10, True)
    assert (second.port, second.state, second.rate_gbps) == (2, "DOWN", 2.5)


def test_ibstatus_that_was_cut_says_which_port_is_not_complete() -> None:
    first, second = ibstatus.parse(STATUS.rsplit("\trate:", 1)[0])
    assert (first.complete, second.complete) == (True, False)
    assert (second.state, second.rate_gbps) == ("ACTIVE", None)


def test_ibstatus_that_fails_says_why() -> None:
    with pytest.raises(ToolFailed, match="sys files not found"):
        ibstatus.read(ended(capture("ibstatus", "failed.txt"), rc=255))


@pytest.mark.parametrize(
    "text",
    [
        "",
        STATUS * 2,
        STATUS + HEALTHY,
        STATUS.replace("0x2a", "2a"),
        STATUS.replace("4: ACTIVE", "4: ACTIV"),
    ],
)
def test_ibstatus_that_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        ibstatus.parse(text)


def test_lines_of_a_report_are_of_no_adapter() -> None:
    """`ibstat mlx5_0 | grep Rate`"""
    [lines] = ibstat.parse("\tRate: 400\n\tRate: 200\n")
    assert ([port.rate_gbps for port in lines.ports], lines.name) == ([400, 200], None)
    first, second = ibstat.parse("State: Down\nCA 'mlx5_1'\nState: Active\n")
    assert (first.name, first.complete, second.ports[0].state) == (None, False, "Active")


@pytest.mark.parametrize("put", ["0xXXXXXXXXXXXXXXXX", "<redacted>", "0xa088...", "0xa088********"])
def test_an_address_that_was_redacted_is_unknown(put: str) -> None:
    [adapter, _] = ibstat.parse(HEALTHY.replace("0xa088c20300aa0b10", put))
    assert (adapter.node_guid, adapter.ports[0].port_guid, adapter.complete) == (None, None, True)
    status = STATUS.replace("a088:c203:00aa:0b10", "<redacted>")
    assert next(port.default_gid for port in ibstatus.parse(status)) is None


def test_a_mask_is_hexadecimal_and_says_so() -> None:
    with pytest.raises(Unreadable, match="mask like"):
        ibstat.parse(HEALTHY.replace("mask: 0xa741e848", "mask: a741e848", 1))
