"""The `reteval` command: upload a test set, start a run, wait for it, read its results."""

from reteval.cli.command import main

__all__ = ["main"]
