"""Sessions in a terminal, of which one command is the reader's."""

from __future__ import annotations

import pytest

from fixtures.model.errors import Unreadable
from fixtures.tools.fabric import ethtool, ethtool_statistics, ibstat, rdma_link
from fixtures.tools.fabric.port_session import asked_for
from tests.tools.captures import capture

HEALTHY = capture("ibstat", "healthy.txt")
STATUS = capture("ibstatus", "healthy.txt")
PROMPT = "[root@r03-ct07 ~]# "


@pytest.mark.parametrize("prompt", [PROMPT, "$ ", "sh-5.1# ", "r03-ct07:~ # ", "~# "])
def test_what_other_commands_printed_is_not_read(prompt: str) -> None:
    text = f"{prompt}ibstatus\n{STATUS}{prompt}/usr/sbin/ibstat\n{HEALTHY}"
    assert ibstat.parse(text) == ibstat.parse(HEALTHY)
    text = f"{prompt}rdma dev\n0: mlx5_0: node_type ca\n{prompt}sudo rdma -d li\n"
    text += f"link mlx5_0/1 state DOWN netdev eth0 \n{prompt}ip addr\n1: lo: <LOOPBACK>\n"
    [link] = rdma_link.parse(text)
    assert (link.state, link.netdev) == ("DOWN", "eth0")


def test_options_tell_one_command_of_ethtool_from_another() -> None:
    settings, counters = capture("ethtool", "healthy.txt"), capture("ethtool-s", "healthy.txt")
    text = f"{PROMPT}ethtool ens3f0np0\n{settings}{PROMPT}ethtool -S ens3f0np0 | head\n{counters}"
    assert ethtool.parse(text) == ethtool.parse(settings)
    assert ethtool_statistics.parse(text) == ethtool_statistics.parse(counters)


@pytest.mark.parametrize(
    "text",
    [
        f"{PROMPT}ibstat\n{HEALTHY}{PROMPT}ibstat\n{HEALTHY}",
        f"{HEALTHY}{PROMPT}ibstat\n{HEALTHY}",
        f"# ibstat\n{HEALTHY}# ibstatus\n{STATUS}",
    ],
)
def test_what_is_not_certain_stays_unreadable(text: str) -> None:
    """Two reports are never one; a `#` may begin a comment, so it ends no report."""
    with pytest.raises(Unreadable):
        ibstat.parse(text)


def test_a_command_of_another_tool_asks_for_nothing() -> None:
    lines = ["$ mstlink -d mlx5_0", "State : Active", "$ ls"]
    assert asked_for(lines, "mlxlink") == ["State : Active"]
    assert asked_for(lines, "flint") == lines
