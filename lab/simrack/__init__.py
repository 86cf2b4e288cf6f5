"""A virtual rack behind a real SSH server; `start` is what plugins.lab calls."""

from lab.simrack.handle import LabHandle, start

__all__ = ["LabHandle", "start"]
