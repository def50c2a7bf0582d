from __future__ import annotations

import logging

import click
import pytest
from click.testing import CliRunner

from overstory.protocols import Progress
from overstory_cli.options import LOGGED, is_verbose, verbosity_options


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
