"""overstory doctor"""

from __future__ import annotations

from collections.abc import Sequence

import click

from overstory.display import printable
from overstory.doctor import diagnose
from overstory.graph.driver import import_driver_alone
from overstory.protocols import Progress
from overstory.server import Check
from overstory.settings import Settings
from overstory_cli.options import Result, json_option, verbosity_options


@click.command()
@verbosity_options
@json_option
def doctor(progress: Progress) -> Result:
    """Check the installation and suggest fixes. The exit code is 1 if there are problems.

    The checks write a temporary file to the data folder, embed a text and extract facts from it. They send nothing to
    endpoints.

    In the database they look for indexes of systems that are not installed, for nodes left behind by a killed build or
    removal, and for vector indexes that are missing or inaccurate.

    \b
    Example:
      overstory doctor
    """
    del progress
    import_driver_alone()
    checks = diagnose(Settings.from_environment())
    return Result(checks, lambda: _show(checks), code=0 if all(check.ok for check in checks) else 1)


def _show(checks: Sequence[Check]) -> None:
    for check in checks:
        mark = click.style("ok  ", fg="green") if check.ok else click.style("FAIL", fg="red")
        click.echo(f"{mark} {check.name:<12} {printable(check.detail)}")
        if not check.ok and check.remedy:
            click.echo(f"                  {printable(check.remedy)}")
