"""overstory metadata"""

from __future__ import annotations

from collections.abc import Iterable

import click

from overstory.display import counted, printable, shortened
from overstory.index import CountedValue, MetadataKey
from overstory.knowledge import MOST_VALUES_LISTED, Knowledge
from overstory.model.metadata import MetadataScalar, shown
from overstory_cli.options import Result, json_option, knowledge_options
from overstory_cli.output import show_notes

_LONGEST_EXAMPLE_CHARACTERS = 40


@click.command()
@click.argument("key", required=False, metavar="[KEY]")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Maximum number of values of KEY, {MOST_VALUES_LISTED} by default.",
)
@knowledge_options
@json_option
def metadata(knowledge: Knowledge, key: str | None, limit: int | None) -> Result:
    """List the metadata keys of a corpus, or the values of KEY.

    Each key is shown with its type, the number of documents that have it, the number of distinct values, and examples.
    A key with values of two types has two lines. Values of KEY are shown with their number of documents, most frequent
    first.

    \b
    Examples:
      overstory metadata
      overstory metadata author --limit 10
    """
    if key is None:
        if limit is not None:
            raise click.UsageError("--limit can only be used with KEY.")
        listed = knowledge.metadata()
        lines = [_key(each) for each in listed.keys] or ["No document has metadata."]
        return Result(listed, lambda: _show(lines, listed.notes))
    values = knowledge.metadata_values(key, limit=limit or MOST_VALUES_LISTED)
    with_type = len({value.type for value in values.values}) > 1
    lines = [_value(value, with_type=with_type) for value in values.values]
    more = (
        [f"{counted(values.left_out, 'more value')} not shown; use --limit N to see more."] if values.left_out else []
    )
    return Result(values, lambda: _show(lines, [*values.notes, *more]))


def _show(lines: Iterable[str], notes: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
    show_notes(notes)


def _key(each: MetadataKey) -> str:
    dots = " … " if each.type in ("number", "date") else ", "
    examples = dots.join(_shown(value) for value in each.examples)
    more = ", …" if each.type == "text" and each.values > len(each.examples) else ""
    counts = f"{counted(each.documents, 'document')}, {counted(each.values, 'value')}"
    return f"{shortened(printable(each.key))}  {each.type}  {counts}: {examples}{more}"


def _value(value: CountedValue, *, with_type: bool) -> str:
    type_ = f"{value.type:<7}  " if with_type else ""
    return f"{value.documents:>7,}  {type_}{shortened(printable(shown(value.value)))}"


def _shown(value: MetadataScalar) -> str:
    return shortened(printable(shown(value)), _LONGEST_EXAMPLE_CHARACTERS)
