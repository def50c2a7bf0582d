"""The command line: parse, call, print. Errors go to standard error with a remedy and an exit code of their own."""

from overstory_cli.main import main

__all__ = ["main"]
