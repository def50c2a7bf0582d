"""Options for commands that read files, and functions that list skipped, broken and re-encoded files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar, cast

import click

from overstory.display import escaped
from overstory.errors import BrokenSource
from overstory.index import DocumentChange
from overstory.model import MetadataValue
from overstory.model.metadata import date_of, value_of
from overstory.sources import DecodedFile
from overstory.sources.read_options import MOST_PAGES, ReadOptions
from overstory.structured_text import parse_json
from overstory_cli.output import from_here

P = ParamSpec("P")
R = TypeVar("R")
Metadata = dict[str, MetadataValue]

_MOST_ITEMS_LISTED = 20

_OPTIONS = (
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="In folders, read only files that match this pattern; may be repeated. Patterns are those of .gitignore, "
        "relative to the folder: '*.md' at any depth, '/docs/' at the top, 'docs/**/*.html'.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="In folders, skip files and folders that match this pattern; may be repeated. A later '!GLOB' includes "
        "some of them again.",
    ),
    click.option("--gitignore", is_flag=True, help="In folders, also skip files that .gitignore files exclude."),
    click.option(
        "--encoding",
        default="",
        metavar="NAME",
        help="Encoding of text files that are not UTF-8 and do not state their encoding, such as windows-1252; auto "
        "detects it. By default such files are refused.",
    ),
    click.option(
        "--most-pages",
        type=click.IntRange(min=1),
        default=MOST_PAGES,
        show_default=True,
        metavar="N",
        help="Maximum number of pages to read from a sitemap.",
    ),
    click.option(
        "--delay",
        type=click.FloatRange(min=0),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Pause between two requests for web pages; robots.txt may require a longer one.",
    ),
    click.option("--allow-private", is_flag=True, help="Also fetch web pages from private networks and this machine."),
)


def reading_options(command: Callable[Concatenate[ReadOptions, P], R]) -> Callable[P, R]:
    """Add the options for reading files and web pages to a command.

    The command receives their values as a `ReadOptions` object in its first argument.
    """

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        options = ReadOptions(
            include=cast("tuple[str, ...]", kwargs.pop("include")),
            exclude=cast("tuple[str, ...]", kwargs.pop("exclude")),
            gitignore=bool(kwargs.pop("gitignore")),
            delete_excluded=bool(kwargs.pop("delete_excluded", False)),
            encoding=str(kwargs.pop("encoding")),
            most_pages=cast("int", kwargs.pop("most_pages")),
            delay_seconds=cast("float", kwargs.pop("delay")),
            allow_private=bool(kwargs.pop("allow_private")),
        )
        return command(options, *args, **kwargs)

    wrapped: Callable[P, R] = wrapper
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _given_metadata(_context: click.Context, _option: click.Parameter, given: Sequence[str]) -> Metadata:
    found: Metadata = {}
    for setting in given:
        key, equals, value = setting.partition("=")
        key = key.strip()
        if not equals or not key:
            raise click.UsageError(f"--set needs key=value, got {setting!r}. Example: --set author='Ada Lovelace'")
        if not value.strip():
            raise click.UsageError(f"--set {key}= has no value. For an empty text, use --set '{key}=\"\"'.")
        if key in found:
            raise click.UsageError(f"--set {key}=… is given twice. For several values, use a list: '{key}=[1, 2]'.")
        found[key] = _list(key, value) if value.lstrip().startswith("[") else value_of(value)
    return found


def _list(key: str, written: str) -> MetadataValue:
    try:
        values: object = parse_json(written)
    except ValueError as error:
        raise click.UsageError(
            f"--set {key}={written} is not a valid list: {error}. Write a list as JSON, as in --set '{key}=[1, 2]', "
            f"and put a text that starts with a bracket into quotes, as in --set {key}='\"[…]\"'."
        ) from None
    every = cast("list[object]", values) if isinstance(values, list) else []
    if not every or not all(isinstance(each, str | int | float) for each in every):
        raise click.UsageError(f"--set {key}=… needs a list with at least one text, number, true or false.")
    read = [value_of(each) if isinstance(each, str) and date_of(each) is not None else each for each in every]
    if len({type(each) for each in read}) > 1:
        raise click.UsageError(f"--set {key}=… has a list with values of several types; use only one type.")
    return cast("MetadataValue", read)


metadata_option = click.option(
    "--set",
    "metadata",
    multiple=True,
    callback=_given_metadata,
    metavar="KEY=VALUE",
    help="Add a value to the metadata of each document; may be repeated. A value is a number, true, false, an ISO date "
    "(2024-02-29) or a text; a value in quotes is always a text.",
)
loader_option = click.option("--loader", metavar="NAME", help="Use this loader instead of choosing one by file type.")
strict_option = click.option("--strict", is_flag=True, help="Stop at the first broken source instead of skipping it.")
delete_excluded_option = click.option(
    "--delete-excluded",
    is_flag=True,
    help="With --sync, also delete documents of files that --include, --exclude or --gitignore leave out.",
)


def shown_change(change: DocumentChange) -> str:
    before = f"{from_here(escaped(change.before))} → " if change.before else ""
    return f"{change.kind:<8} {before}{from_here(escaped(change.origin))}"


def show_files(skipped: Sequence[str], decoded: Sequence[DecodedFile], broken: Sequence[BrokenSource]) -> None:
    """Print which files were skipped, were broken, or were read in an encoding other than UTF-8."""
    show_some("skipped: unknown file type", [from_here(path) for path in skipped])
    others = [f"{from_here(each.path)}: {each.shown}" for each in decoded if not each.replaced]
    show_some("read in another encoding than UTF-8", others)
    incomplete = [f"{from_here(each.path)}: {each.shown}" for each in decoded if each.replaced]
    show_some("read with invalid bytes replaced", incomplete)
    faults = [from_here(str(error)) + (f" ({error.remedy})" if error.remedy else "") for error in broken]
    show_some("broken and skipped", faults)


def show_some(what: str, items: Sequence[str]) -> None:
    """Print the number of items with the label `what`, followed by the first items. Without items, print nothing."""
    if items:
        click.echo(f"{len(items):,} {what}:", err=True)
        for item in items[:_MOST_ITEMS_LISTED]:
            click.echo(f"  {escaped(item)}", err=True)
        if len(items) > _MOST_ITEMS_LISTED:
            click.echo(f"  … and {len(items) - _MOST_ITEMS_LISTED:,} more (--json lists all)", err=True)
