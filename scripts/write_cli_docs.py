"""Write docs/cli.md from the help texts of the commands.

python -m scripts.write_cli_docs            write it python -m scripts.write_cli_docs --check    exit with 1 if the page
is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from scripts.written_page import write_or_check

from overstory_cli.main import overstory

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
WIDTH = 100
HEAD = """# Commands

Every command has `--help`. Results go to standard output, progress and errors to standard error. An error says what is
wrong and what to do about it, and each kind has an exit code of its own.

This page is written by `scripts/write_cli_docs.py`; do not edit it.
"""


def page() -> str:
    sections = (f"## {name}\n\n```text\n{text}\n```\n" for name, text in _helps(overstory, "overstory", None))
    return "\n".join([HEAD, *sections])


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    """Yield names and help texts of a command and its subcommands, in listing order."""
    context = click.Context(
        command,
        info_name=name.rpartition(" ")[2],
        parent=parent,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=command.context_settings.get("help_option_names"),
    )
    yield name, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if (found := command.get_command(context, below)) is not None:
                yield from _helps(found, f"{name} {below}", context)


def main(arguments: list[str]) -> int:
    return write_or_check(PAGE, page(), arguments, "scripts.write_cli_docs")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
