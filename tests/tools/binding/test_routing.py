"""On how many switches adaptive routing is enabled, from what `ibdiagnet` prints."""

from __future__ import annotations

import pytest

from fixtures.model.errors import ToolError
from fixtures.tools.binding import routing
from tests.tools.captures import capture, ended

HEALTHY = capture("ibdiagnet", "healthy.txt")
LINE = "Adaptive Routing is enabled on 3 switches."


@pytest.mark.parametrize(
    ("switches", "reading"),
    [(3, "every switch"), (2, "2 of 3 switches"), (0, "0 of 3 switches")],
)
def test_every_switch_or_how_many(switches: int, reading: str) -> None:
    text = HEALTHY.replace(LINE, LINE.replace("3", str(switches)))
    assert routing.adaptive(ended(text)) == reading


@pytest.mark.parametrize(
    "text", [HEALTHY.replace(LINE, ""), HEALTHY.partition("Summary\n-I-")[0], ""]
)
def test_a_report_that_says_nothing_of_it_judges_nothing(text: str) -> None:
    with pytest.raises(ToolError):
        routing.adaptive(ended(text))


def test_it_keeps_to_one_port_and_to_a_folder_of_its_own() -> None:
    asked = routing.command("mlx5_4", 1).argv
    assert asked == ("ibdiagnet", "-o", routing.FOLDER, "-i", "mlx5_4", "-p", "1")
