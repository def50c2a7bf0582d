from __future__ import annotations

import logging

import click
import pytest
from click.testing import CliRunner

from overstory.protocols import Progress
from overstory_cli.options import LOGGED, Result, is_verbose, json_option, verbosity_options, wants_json


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


def test_a_result_is_printed_as_json_or_for_people() -> None:
    @click.command()
    @json_option
    def command() -> Result:
        return Result({"asked": wants_json()}, lambda: click.echo("for people"), code=7)

    def run(*arguments: str) -> tuple[str, object]:
        ran = CliRunner().invoke(command, arguments, standalone_mode=False)
        return ran.output, ran.return_value

    assert run("--json") == ('{\n  "asked": true\n}\n', 7)
    assert run() == ("for people\n", 7)
