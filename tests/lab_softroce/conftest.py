"""Fixtures of these tests, by name."""

from tests.lab_softroce.lab import lab, require_lab

__all__ = ["lab", "require_lab"]
