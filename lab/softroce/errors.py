"""What goes wrong with the lab itself, never with what is tested in it."""

from __future__ import annotations

from typing import ClassVar

from fixtures.model.errors import RackError, Reason


class LabError(RackError):
    """The lab could not be built, started or steered; the message says what to do."""

    reason: ClassVar[Reason] = "launch"


def tail(text: str, lines: int = 20) -> str:
    """The last lines of a log, indented, for an error message."""
    kept = [line.rstrip() for line in text.splitlines() if line.strip()][-lines:]
    return "\n".join(f"    {line}" for line in kept) or "    (nothing)"
