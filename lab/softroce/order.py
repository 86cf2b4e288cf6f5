"""What the owner of a lab tells its keeper to start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What to start: argument lists by process name, all in one working folder."""

    folder: str
    entry: str
    attached: bool
    commands: dict[str, list[str]]
