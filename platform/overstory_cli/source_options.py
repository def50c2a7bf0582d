"""Options of commands that read files, and reports on files that were not read as usual."""

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
        help="In folders, read only files that this pattern fits; may be repeated. Patterns are those of .gitignore, "
        "relative to the folder: '*.md' anywhere in it, '/docs/' right in it, 'docs/**/*.html'.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="In folders, leave out files and folders that this pattern fits; may be repeated. A later '!GLOB' takes "
        "some in again.",
    ),
    click.option("--gitignore", is_flag=True, help="In folders, also leave out what the .gitignore files say."),
    click.option(
        "--encoding",
        default="",
        metavar="NAME",
        help="Read files that are not UTF-8, and do not say what they are, in this encoding (windows-1252, …), or in "
        "the one that is recognised (auto). Without it they are refused.",
    ),
    click.option(
        "--most-pages",
        type=click.IntRange(min=1),
        default=MOST_PAGES,
        show_default=True,
        metavar="N",
        help="Of a sitemap, read so many pages.",
    ),
    click.option(
        "--delay",
        type=click.FloatRange(min=0),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Between two requests for pages; robots.txt may ask for more.",
    ),
    click.option("--allow-private", is_flag=True, help="Also fetch pages from private networks and from this machine."),
)


def reading_options(command: Callable[Concatenate[ReadOptions, P], R]) -> Callable[P, R]:
    """Add --include, --exclude, --gitignore, --encoding, and those of pages; the command gets all as its first
    argument."""

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
    """The values of `--set`, by key."""
    found: Metadata = {}
    for setting in given:
        key, equals, value = setting.partition("=")
        key = key.strip()
        if not equals or not key:
            raise click.UsageError(f"--set takes key=value, not {setting!r}: --set author='Ada Lovelace'")
        if not value.strip():
            raise click.UsageError(f"--set {key}= has no value; an empty text is --set '{key}=\"\"'.")
        if key in found:
            raise click.UsageError(f"--set {key}=… is given twice; a key has one value.")
        found[key] = _list(key, value) if value.lstrip().startswith("[") else value_of(value)
    return found


def _list(key: str, written: str) -> MetadataValue:
    try:
        values: object = parse_json(written)
    except ValueError as error:
        raise click.UsageError(
            f"--set {key}={written} begins like a list, and is none: {error}. A list is JSON, as in "
            f"--set '{key}=[1, 2]'; a text that begins so stands in quotes: --set {key}='\"[…]\"'."
        ) from None
    every = cast("list[object]", values) if isinstance(values, list) else []
    if not every or not all(isinstance(each, str | int | float) for each in every):
        raise click.UsageError(f"--set {key}=… takes a list of texts, numbers, or true and false, and at least one.")
    read = [value_of(each) if isinstance(each, str) and date_of(each) is not None else each for each in every]
    if len({type(each) for each in read}) > 1:
        raise click.UsageError(f"--set {key}=… has values of several types; those of a list are of one.")
    return cast("MetadataValue", read)


metadata_option = click.option(
    "--set",
    "metadata",
    multiple=True,
    callback=_given_metadata,
    metavar="KEY=VALUE",
    help="Add this to the metadata of each document; may be repeated. A value is a number, true or false, an ISO date "
    "(2024-02-29), or a text; quotes make it one.",
)
loader_option = click.option(
    "--loader", metavar="NAME", help="Use this loader instead of the one that recognises the source."
)
strict_option = click.option("--strict", is_flag=True, help="Stop at the first broken source instead of skipping it.")
delete_excluded_option = click.option(
    "--delete-excluded",
    is_flag=True,
    help="With --sync, also delete the documents of files and folders that patterns leave out; else they stay.",
)


def shown_change(change: DocumentChange) -> str:
    """The change of a document on one line."""
    before = f"{from_here(escaped(change.before))} → " if change.before else ""
    return f"{change.kind:<8} {before}{from_here(escaped(change.origin))}"


def show_files(skipped: Sequence[str], decoded: Sequence[DecodedFile], broken: Sequence[BrokenSource]) -> None:
    """Says which files were not read, or not as usual, as reports have them."""
    show_some("skipped, because no loader reads them", [from_here(path) for path in skipped])
    others = [f"{from_here(each.path)}: {each.said}" for each in decoded if not each.replaced]
    show_some("read in another encoding than UTF-8", others)
    mended = [f"{from_here(each.path)}: {each.said}" for each in decoded if each.replaced]
    show_some("read, but for bytes that their encoding lacks", mended)
    faults = [from_here(str(error)) + (f" ({error.remedy})" if error.remedy else "") for error in broken]
    show_some("broken and skipped", faults)


def show_some(what: str, items: Sequence[str]) -> None:
    """Says what some items are, and lists the first of them."""
    if items:
        click.echo(f"{len(items):,} {what}:", err=True)
        for item in items[:_MOST_ITEMS_LISTED]:
            click.echo(f"  {escaped(item)}", err=True)
        if len(items) > _MOST_ITEMS_LISTED:
            click.echo(f"  … and {len(items) - _MOST_ITEMS_LISTED:,} more (--json lists all)", err=True)
