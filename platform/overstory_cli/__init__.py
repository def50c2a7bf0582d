"""The `overstory` command line.

If a command fails, it prints an error message and a remedy on standard error. Each kind of error has its own exit code.
"""

from overstory_cli.main import main

__all__ = ["main"]
