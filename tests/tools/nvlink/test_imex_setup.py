"""The node list and the channels of IMEX."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.nvlink import imex_setup
from fixtures.transport.base import CommandResult


def result(stdout: str, rc: int = 0) -> CommandResult:
    return CommandResult(
        host="r03-ct01", key="facts/imex-channels", argv=("ls",), rc=rc,
        stdout_bytes=stdout.encode(), stderr_bytes=b"ls: cannot access" if rc else b"",
    )  # fmt: skip


def test_a_node_list_keeps_its_order() -> None:
    text = "# rack 3\n10.0.3.2\n10.0.3.1 # bottom\n\nfe80::1\n"
    assert imex_setup.nodes(text) == ("10.0.3.2", "10.0.3.1", "fe80::1")


def test_a_line_that_is_no_address_is_refused() -> None:
    with pytest.raises(Unreadable, match="is no address of a node"):
        imex_setup.nodes("10.0.3.1 10.0.3.2\n")


def test_channels_are_counted_by_their_names() -> None:
    assert imex_setup.read_channels(result("channel0\nchannel12\nother\n")) == 2


def test_there_are_none_without_their_folder() -> None:
    assert imex_setup.read_channels(result("", rc=2)) == 0
