"""Limits, installed versions and settings of NCCL, each in the forms that hosts print."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.hosts import host_setup
from tests.tools.captures import capture


def test_locked_memory_is_bytes_or_unlimited() -> None:
    limited = host_setup.memlock(capture("limits", "limited.txt"))
    assert (limited.soft_bytes, limited.hard_bytes) == (65536, 65536)
    assert host_setup.memlock(capture("limits", "unlimited.txt")).unlimited


def test_versions_are_read_without_their_wrapping() -> None:
    assert host_setup.module_version(capture("modinfo", "open.txt")) == "580.95.05"
    assert host_setup.ofed_version(capture("ofed-info", "mlnx-ofed.txt")) == "24.10-1.1.4.0"
    assert host_setup.ofed_version(capture("ofed-info", "internal.txt")) == "24.10-1.1.4"


def test_settings_of_nccl_say_where_they_stand() -> None:
    found = host_setup.nccl_files(capture("nccl-conf", "left-over.txt"))
    assert [(one.file, one.name, one.value) for one in found] == [
        ("/etc/nccl.conf", "NCCL_IB_USE_INLINE", "1"),
        (".nccl.conf", "NCCL_DEBUG", "WARN"),
    ]
    (stale,) = host_setup.nccl_environment(capture("nccl-env", "stale.txt"))
    assert (stale.file, stale.name, stale.value) == (None, "NCCL_TOPO_FILE", "/opt/old.xml")


def test_nothing_found_is_no_setting() -> None:
    assert host_setup.nccl_files(capture("nccl-conf", "empty.txt")) == ()
    assert host_setup.nccl_environment(capture("nccl-env", "empty.txt")) == ()


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (host_setup.memlock, capture("limits", "empty.txt")),
        (host_setup.memlock, capture("limits", "limited.txt") * 2),
        (host_setup.module_version, capture("modinfo", "failed.txt")),
        (host_setup.ofed_version, "ofed_info: command not found"),
        (host_setup.nccl_files, "NCCL_DEBUG=WARN\n"),
    ],
)
def test_what_is_no_answer_is_refused(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(Unreadable):
        parse(text)
