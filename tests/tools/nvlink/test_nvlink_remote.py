"""`nvidia-smi nvlink -R` says where each link goes: to a GPU, or to a port of an NVSwitch."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolFailed, Unreadable
from fixtures.tools.nvlink import nvlink_remote
from fixtures.tools.nvlink.nvlink_remote import RemoteEnd
from tests.tools.captures import capture, ended

HEALTHY = capture("nvlink-remote", "healthy.txt")


def test_the_other_ends_are_read() -> None:
    first, second = nvlink_remote.read(ended(HEALTHY))
    assert first.links is not None
    assert first.links[2] == RemoteEnd(index=2, remote_pci="000b:00:00.0", remote_link=40)
    assert first.peers == {"0007:00:00.0": 2, "000b:00:00.0": 1}
    assert second.peers == {"0007:00:00.0": 1, "000b:00:00.0": 2}


def test_inactive_links_and_the_form_without_a_remote_link_are_read() -> None:
    first, down = nvlink_remote.parse(capture("nvlink-remote", "degraded.txt"))
    assert first.links is not None
    assert [(link.remote_pci, link.remote_link) for link in first.links] == [
        ("0007:00:00.0", 12),
        (None, None),
        ("000b:00:00.0", None),
    ]
    assert (down.links, down.peers) == ((), {})


def test_no_device_is_tool_failed() -> None:
    with pytest.raises(ToolFailed, match="No devices"):
        nvlink_remote.read(ended(capture("nvlink-remote", "failed.txt")))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEALTHY + HEALTHY,
        HEALTHY.replace("Link 1: Remote", "Link 0: Remote", 1),
        HEALTHY.replace("Remote Device", "Remote Rack", 1),
        HEALTHY.replace("00000007:00:00.0", "7:0:0", 1),
    ],
)
def test_what_is_not_understood_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        nvlink_remote.parse(text)
