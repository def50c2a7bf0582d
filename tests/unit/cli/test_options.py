from __future__ import annotations

import logging
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from overstory.cli.options import is_verbose, verbosity_options
from overstory.protocols import Progress


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    """`-v` logs to standard error from then on."""
    logger = logging.getLogger("overstory")
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers[:] = handlers
    logger.setLevel(level)


@pytest.mark.parametrize(("options", "says"), [([], "False"), (["-v"], "True"), (["--verbose", "-q"], "True")])
def test_a_command_knows_whether_it_should_show_more(options: list[str], says: str) -> None:
    @click.command()
    @verbosity_options
    def command(progress: Progress) -> None:
        assert progress
        click.echo(is_verbose())

    assert CliRunner().invoke(command, options).output.strip() == says
