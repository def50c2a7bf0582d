"""Suggestions of names to merge, as `overstory names --suggest` shows them."""

from __future__ import annotations

from collections.abc import Mapping

import click

from overstory.display import counted, escaped, on_one_line, printable
from overstory.index import DismissedMerge
from overstory.knowledge import Knowledge
from overstory.retrieve.suggested_merges import SuggestedMerge, SuggestedName
from overstory.text.names.same_names import Form, MergeReason
from overstory_cli.output import from_here, show_json

_SAID: Mapping[Form, str] = {
    "joined": "written in one word or in several",
    "umlaut": "an umlaut spelt out",
    "plural": "singular and plural",
    "swapped": "two letters swapped",
    "letter": "one letter differs",
    "acronym": "an abbreviation of its words",
    "initial": "first names as initials",
    "left out": "first names left out",
    "last name": "the last name alone",
    "legal": "without its legal form",
}


def show_suggestions(knowledge: Knowledge, limit: int, reason: MergeReason | None, *, as_json: bool) -> None:
    found = knowledge.suggested_merges(limit=limit, reason=reason)
    if as_json:
        show_json(found)
        return
    for each in found.suggestions:
        click.echo(f"{_shown(each.name)} → {_shown(each.into)}: {_SAID[each.form]}{_evidence(each)}")
        for passage in each.quotes:
            click.echo(f"    {on_one_line(passage.quote)}  [{from_here(escaped(passage.origin))}]")
    if not found.suggestions:
        click.echo("No two names look like one.")
    notes: list[str] = []
    if found.found > len(found.suggestions):
        notes.append(f"The first {len(found.suggestions):,} of {counted(found.found, 'pair')}; --limit shows more.")
    if found.not_looked_up:
        notes.append(f"{counted(found.not_looked_up, 'pair')} of rarer names were not looked up.")
    if found.crowded_blocks:
        notes.append(
            f"{counted(found.crowded_blocks, 'group')} of names that are alike are too large to compare each with each."
        )
    if found.suggestions:
        notes.append("overstory names --merge NAME --into NAME accepts one, --dismiss NAME --into NAME dismisses it.")
    for note in notes:
        click.echo(note, err=True)


def _evidence(suggested: SuggestedMerge) -> str:
    parts = [f"{suggested.evidence:.2f}"]
    if suggested.defined:
        parts.append("a passage defines it")
    if suggested.together:
        parts.append(f"{counted(suggested.together, 'passage')} with both")
    if suggested.shared:
        parts.append(counted(suggested.shared, "name") + " in common")
    return f" ({', '.join(parts)})"


def _shown(name: SuggestedName) -> str:
    of_type = f"{name.type}, " if name.type else ""
    return f"{on_one_line(name.name)!r} ({of_type}{counted(name.passages, 'passage')})"


def tell_pair(done: str, name: str, into: str, *, as_json: bool) -> None:
    if as_json:
        show_json({done: {"name": name, "into": into}})
    elif done == "dismissed":
        click.echo(f"{printable(name)!r} and {printable(into)!r} are not suggested again.")
    else:
        click.echo(f"{printable(name)!r} and {printable(into)!r} may be suggested again.")


def show_dismissed(pairs: list[DismissedMerge], *, as_json: bool) -> None:
    if as_json:
        show_json({"dismissed": pairs})
        return
    for each in pairs:
        click.echo(f"{each.at:%Y-%m-%d}  {printable(each.name)!r} and {printable(each.into)!r}")
    if not pairs:
        click.echo("No pair of names was dismissed.")
