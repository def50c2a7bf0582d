"""Lines that a command writes to a file, or to standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from overstory.errors import SettingsError
from overstory.whole_files import written_whole

T = TypeVar("T")

STANDARD_OUTPUT = "-"


def write_lines(file: str, give: Callable[[Callable[[str], object]], T], *, force: bool, as_json: bool) -> T:
    """Has `give` write lines to a file, and returns its result.

    A file is written under another name and renamed, so that an interrupted run leaves no incomplete one.

    Args:
        file: its path; - is standard output, in UTF-8 whatever the terminal uses.
        force: replace a file that exists.
        as_json: the command prints JSON on standard output.
    """
    if file == STANDARD_OUTPUT:
        if as_json:
            raise click.UsageError("--json and an export to - both use standard output; name a file.")
        out = sys.stdout.buffer
        return give(lambda line: out.write(line.encode()))
    target = Path(file).resolve()  # a link is kept, and its target is written
    exists = os.path.exists(target)  # noqa: PTH110 # Path.exists raises for a name that is too long
    if not file or (exists and not target.is_file()):
        raise SettingsError(f"{file!r} is not a file.", remedy="Name a file; - is standard output.")
    if exists and not force:
        raise SettingsError(f"{file} already exists.", remedy="Name another file, or replace it with --force.")
    try:
        with written_whole(target) as lines:
            return give(lines.write)
    except OSError as error:
        why = error.strerror or error  # without the name of the temporary file
        raise SettingsError(f"{target} cannot be written: {why}.", remedy="Choose another path.") from error
