from __future__ import annotations

import logging
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from overstory.cli.options import LOGGED, is_verbose, verbosity_options
from overstory.protocols import Progress


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    """`-v` logs to standard error from then on."""
    loggers = [logging.getLogger(package) for package in LOGGED]
    before = [(list(logger.handlers), logger.level) for logger in loggers]
    for logger in loggers:
        logger.handlers.clear()  # an earlier test may have left one
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
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


@pytest.mark.parametrize("package", LOGGED)
def test_the_log_of_each_package_is_shown_where_more_is(package: str) -> None:
    @click.command()
    @verbosity_options
    def command(progress: Progress) -> None:
        assert progress
        logging.getLogger(f"{package}.module").debug("a detail")

    assert CliRunner().invoke(command, ["-v"]).stderr.strip() == "a detail"
