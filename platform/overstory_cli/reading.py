"""Which files of folders are read, and how: the options, and what is said of files that were not read as usual."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar, cast

import click

from overstory.display import escaped
from overstory.errors import BrokenSource
from overstory.sources import DecodedFile
from overstory.sources.read_options import MOST_PAGES, ReadOptions
from overstory_cli.output import from_here

P = ParamSpec("P")
R = TypeVar("R")

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


delete_excluded_option = click.option(
    "--delete-excluded",
    is_flag=True,
    help="With --sync, also delete the documents of files and folders that patterns leave out; else they stay.",
)


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
