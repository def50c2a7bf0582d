from __future__ import annotations

import click
import pytest

from overstory_cli.main import COMMANDS, overstory


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("width", [45, 90, 200])
def test_the_list_of_commands_says_what_the_command_says(name: str, width: int) -> None:
    command = overstory.get_command(click.Context(overstory), name)
    assert command is not None
    assert click.Command(name, help=COMMANDS[name]).get_short_help_str(width) == command.get_short_help_str(width)
