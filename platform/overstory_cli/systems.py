"""overstory systems"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from overstory.model.documents import PLURAL
from overstory.systems import System, find_system, installed_systems
from overstory.systems.settings import Option, Preset, described, options_of, presets_of
from overstory_cli.options import Result, json_option
from overstory_cli.output import OUTPUT_WIDTH

_HEAD = ("name", "system", "good for")


@click.command()
@click.argument("name", required=False)
@json_option
def systems(name: str | None) -> Result:
    """List the installed systems: published methods with their own index and retriever.

    With NAME, list the options of this system: for its index (overstory index --system NAME:OPTION=VALUE) and for its
    retriever (overstory search --retriever NAME:OPTION=VALUE).

    \b
    Examples:
      overstory systems
      overstory systems NAME
    """
    shown = [find_system(name)] if name else installed_systems()
    return Result([_described(system) for system in shown], lambda: _show(shown, options=name is not None))


def _show(shown: Sequence[System[Any, Any]], *, options: bool) -> None:
    rows = [_HEAD, *((system.name, system.title, system.good_for) for system in shown)]
    names, titles = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    for row in rows:
        line = f"{row[0]:<{names}}  {row[1]:<{titles}}  {row[2]}"
        click.echo(click.style(line, dim=True) if row is _HEAD else line)
    for system in shown if options else ():
        reads = "can use a language model to read" if system.reads_with_model else "reads without a language model"
        click.echo(f"\nIndexes {PLURAL[system.unit]}; {reads}.")
        _show_options(f"overstory index --system {system.name}:", system.settings)
        _show_options(f"overstory search --retriever {system.name}:", system.retriever_settings)


def _show_options(command: str, kind: type[Any]) -> None:
    click.echo(f"\n{command}…")
    rows = [(each.spelled, f"{each.help}  [{each.default}]") for each in options_of(kind)]
    rows += [(name, f"{preset.help}: {_changes(kind, preset)}") for name, preset in presets_of(kind).items()]
    rows.append(("defaults", "reset all options of the corpus"))
    width = max(len(spelled) for spelled, _ in rows)
    for spelled, text in rows:
        click.echo(
            textwrap.fill(
                text,
                OUTPUT_WIDTH,
                break_on_hyphens=False,
                initial_indent=f"  {spelled:<{width}}  ",
                subsequent_indent=" " * (width + 4),
            )
        )


def _changes(kind: type[Any], preset: Preset) -> str:
    return described(replace(kind(), **preset.changes)).replace(",", ", ")


def _described(system: System[Any, Any]) -> dict[str, object]:
    return {
        "name": system.name,
        "title": system.title,
        "good_for": system.good_for,
        "unit": system.unit,
        "reads_with_model": system.reads_with_model,
        "index_options": [_as_json(each) for each in options_of(system.settings)],
        "retriever_options": [_as_json(each) for each in options_of(system.retriever_settings)],
        "retriever_presets": {name: each.changes for name, each in presets_of(system.retriever_settings).items()},
    }


def _as_json(each: Option) -> dict[str, object]:
    return {"name": each.name, "values": each.values, "default": each.default, "help": each.help}
