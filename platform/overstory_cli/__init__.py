"""The `overstory` command line. Errors are printed on standard error with a remedy; each kind has its own exit code."""

from overstory_cli.main import main

__all__ = ["main"]
