"""overstory entities …"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from overstory.display import counted, escaped, index_command, on_one_line, printable, shortened
from overstory.index import ListedEntity, StoredEntityEdit, VocabularyChange
from overstory.knowledge import MERGE_REASONS, MOST_MERGES_SUGGESTED, MOST_NAMES_LISTED, Knowledge
from overstory.model.entity_kinds import kind_word
from overstory.model.entity_paths import EntityFacts
from overstory.retrieve.matching_documents import disabled_note
from overstory.retrieve.suggested_merges import SuggestedMerge, SuggestedMerges, SuggestedName
from overstory.text.names.same_names import Form, MergeReason
from overstory_cli.options import Result, json_option, knowledge_options, selection_options
from overstory_cli.output import from_here, show_notes, shown_origin, wrapped

_MOST_ALIASES_SHOWN = 3
_MOST_FACTS_SHOWN = 20
_FORMS: Mapping[Form, str] = {
    "joined": "written as one word or as several",
    "umlaut": "umlaut spelt out",
    "plural": "singular and plural",
    "swapped": "two letters swapped",
    "letter": "one letter differs",
    "acronym": "acronym",
    "initial": "first names as initials",
    "left out": "first names left out",
    "last name": "last name only",
    "legal": "without legal form",
}

future_option = click.option("--future", is_flag=True, help="Also accept names that no passage mentions yet.")


@click.group()
def entities() -> None:
    """List and edit the entities of a corpus.

    Edits are stored with the corpus and its exports: `edits` lists them, `undo` reverts one. `overstory index` applies
    new edits and reads only the passages that mention these entities again. Edits also apply to documents that you
    load later. Case, accents and punctuation of names are ignored.

    \b
    Examples:
      overstory entities list --like lin
      overstory entities suggest
      overstory entities merge 'Big Blue' --into IBM
    """


@entities.command("list")
@click.option(
    "--like", default="", metavar="PREFIX", help="Only entities with a name or alias that starts with PREFIX."
)
@click.option(
    "--type",
    "type_",
    default="",
    metavar="KIND",
    help="Only one kind: person, organisation, place, work, term, file, …",
)
@selection_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MOST_NAMES_LISTED,
    show_default=True,
    help="Maximum number of entities.",
)
@knowledge_options
@json_option
def list_(knowledge: Knowledge, like: str, type_: str, where: str | None, limit: int) -> Result:
    """List entities: people, organisations, places, works and products first, technical names last.

    Each line shows the number of passages that mention the entity, and its kind.

    \b
    Examples:
      overstory entities list --like lin --limit 10
      overstory entities list --type person
      overstory entities list --where "author = 'Ada'"
    """
    found = knowledge.entities(limit=limit, type=type_, like=like, where=where)
    narrowed = bool(type_ or like or where)
    return Result({"names": found}, lambda: _show_names(knowledge, found, where, narrowed=narrowed))


def _show_names(knowledge: Knowledge, found: Sequence[ListedEntity], where: str | None, *, narrowed: bool) -> None:
    for name in found:
        also = f"  (also {_aliases(name.aliases)})" if name.aliases else ""
        click.echo(f"{name.passages:>7,}  {kind_word(name.type) or '-':<15}  {_shown(name.name)}{also}")
    disabled = knowledge.count_disabled()
    if not found and narrowed:
        click.echo("No entity matches.")
    elif not found:
        click.echo("There are no entities." + ("" if disabled else " To find entities, run: overstory index"))
    show_notes([*(knowledge.filter_notes(where) if where else ()), *([disabled_note(disabled)] if disabled else ())])


@entities.command()
@click.argument("name")
@selection_options
@click.option(
    "--limit",
    type=click.IntRange(1, 100),
    default=_MOST_FACTS_SHOWN,
    show_default=True,
    help="Maximum number of facts.",
)
@knowledge_options
@json_option
def show(knowledge: Knowledge, name: str, where: str | None, limit: int) -> Result:
    """Show an entity: type, aliases, related entities, and facts with the sentences that state them.

    \b
    Example:
      overstory entities show 'Bram Stoker'
    """
    found = knowledge.entity(name, limit=limit, where=where)
    return Result(found, lambda: _show_entity(found))


_MERGED = {
    "spelling": "another spelling in the same document",
    "abbreviation": "its abbreviation in the same document",
    "initials": "with other first names in the same document",
    "part": "the only one of this name in the document",
}


def _show_entity(found: EntityFacts) -> None:
    show_notes(found.notes)
    kind = f"{kind_word(found.type)}, " if found.type else ""
    click.echo(f"{click.style(on_one_line(found.name), bold=True)}  ({kind}{counted(found.passages, 'passage')})")
    if found.aliases:
        reasons = {merged.name: f" ({_MERGED[merged.reason]})" for merged in found.merged}
        click.echo(wrapped(f"also {', '.join(alias + reasons.get(alias, '') for alias in found.aliases)}", 4))
    if len(found.votes) > 1:
        click.echo(wrapped("read as " + ", ".join(f"{each.type} {each.mentions} times" for each in found.votes), 4))
    for fact in found.facts:
        when = f" ({fact.when})" if fact.when else ""
        click.echo(f"\n  {on_one_line(str(fact))}{when}  [{shown_origin(fact)}]")
        click.echo(wrapped(on_one_line(fact.sentence), 4))
    if found.related:
        click.echo(f"\n{wrapped('Related: ' + ', '.join(each.name for each in found.related), hanging=2)}")


@entities.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@future_option
@knowledge_options
@json_option
def hide(knowledge: Knowledge, names: tuple[str, ...], future: bool) -> Result:
    """Hide names that are not entities, so that they are no longer used.

    \b
    Example:
      overstory entities hide 'See also' Overview
    """
    return _made(knowledge, knowledge.hide_entities(names, future=future))


@entities.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@click.option("--into", required=True, metavar="NAME", help="Name of the merged entity.")
@future_option
@knowledge_options
@json_option
def merge(knowledge: Knowledge, names: tuple[str, ...], into: str, future: bool) -> Result:
    """Merge several names into one entity; they become its aliases.

    \b
    Example:
      overstory entities merge 'Big Blue' --into IBM
    """
    return _made(knowledge, knowledge.merge_entities(names, into, future=future))


@entities.command()
@click.argument("name")
@click.argument("to", metavar="NEW_NAME")
@future_option
@knowledge_options
@json_option
def rename(knowledge: Knowledge, name: str, to: str, future: bool) -> Result:
    """Rename an entity; its old name becomes an alias.

    \b
    Example:
      overstory entities rename LF 'Linux Foundation'
    """
    return _made(knowledge, [knowledge.rename_entity(name, to, future=future)])


def _made(knowledge: Knowledge, made: Sequence[StoredEntityEdit]) -> Result:
    def show() -> None:
        for edit in made:
            click.echo(_line(edit))
        if made:
            _show_next(knowledge)
        else:
            click.echo("All of these names are hidden already.")

    return Result({"edits": made}, show)


@entities.command()
@knowledge_options
@json_option
def edits(knowledge: Knowledge) -> Result:
    """List the manual edits with their numbers, and the vocabularies.

    \b
    Example:
      overstory entities edits
    """
    made, vocabularies = knowledge.entity_edits(), knowledge.vocabularies()

    def show() -> None:
        for each in vocabularies:
            counts = f"{counted(each.names, 'name')}, {counted(each.aliases, 'alias', 'aliases')}"
            click.echo(f"vocabulary {printable(each.source)}: {counts}")
        for edit in made:
            click.echo(f"{_line(edit)}  ({edit.at:%Y-%m-%d %H:%M} UTC)")
        if not made:
            click.echo("There are no manual edits.")

    return Result({"edits": made, "vocabularies": vocabularies}, show)


@entities.command()
@click.argument("number", type=click.IntRange(min=0), required=False, metavar="[N]")
@knowledge_options
@json_option
def undo(knowledge: Knowledge, number: int | None) -> Result:
    """Undo edit N, or the last edit.

    \b
    Examples:
      overstory entities undo
      overstory entities undo 2
    """
    undone = knowledge.undo_entity_edit(number)

    def show() -> None:
        click.echo(f"Undone: {_line(undone)}")
        _show_next(knowledge)

    return Result({"undone": undone}, show)


@entities.command()
@click.argument("file", metavar="FILE")
@click.option("--dry-run", is_flag=True, help="Only print the changes.")
@knowledge_options
@json_option
def vocabulary(knowledge: Knowledge, file: str, dry_run: bool) -> Result:
    """Load a vocabulary: a file of names that are recognised as entities wherever texts mention them.

    FILE is CSV with the header "name,type,aliases", with aliases separated by ";", or JSON lines with these keys. When
    you load the file again, it replaces its earlier content; an empty file removes the vocabulary.

    \b
    Examples:
      overstory entities vocabulary terms.csv --dry-run
      overstory entities vocabulary terms.csv
    """
    change = knowledge.load_vocabulary(file, dry_run=dry_run)
    shown = {"dry_run": dry_run, "vocabulary": change}
    return Result(shown, lambda: _show_vocabulary(knowledge, change, dry_run=dry_run))


def _show_vocabulary(knowledge: Knowledge, change: VocabularyChange, *, dry_run: bool) -> None:
    parts = {"add": change.added, "change": change.changed, "remove": change.removed}
    done = {"add": "added", "change": "changed", "remove": "removed"}
    counts = ", ".join(f"{len(names):,} {done[kind]}" for kind, names in parts.items() if names)
    if not counts:
        click.echo(f"{printable(change.source)}: no changes.")
    elif dry_run:
        for kind, names in parts.items():
            for name in names:
                click.echo(f"{kind:<7} {_shown(name)}")
        click.echo(f"{counts}; nothing was stored.", err=True)
    else:
        click.echo(f"{printable(change.source)}: {counts}; {counted(change.names, 'name')} in total.")
        _show_next(knowledge)


@entities.command()
@click.option("--reason", type=click.Choice(MERGE_REASONS), help="Only pairs with this kind of similarity.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MOST_MERGES_SUGGESTED,
    show_default=True,
    help="Maximum number of pairs.",
)
@knowledge_options
@json_option
def suggest(knowledge: Knowledge, reason: MergeReason | None, limit: int) -> Result:
    """List merge suggestions: pairs of entities that may be the same, with passages.

    The names of a pair differ in spelling, one is an abbreviation of the other or has initials, or one is a part of the
    other in the same passages. Accept a suggestion with `merge`; reject it for good with `dismiss`.

    \b
    Examples:
      overstory entities suggest
      overstory entities suggest --reason abbreviation --limit 50
    """
    found = knowledge.suggested_merges(limit=limit, reason=reason)
    return Result(found, lambda: _show_suggestions(found))


def _show_suggestions(found: SuggestedMerges) -> None:
    for each in found.suggestions:
        click.echo(f"{_suggested(each.name)} → {_suggested(each.into)}: {_FORMS[each.form]}{_evidence(each)}")
        for passage in each.quotes:
            click.echo(f"    {on_one_line(passage.quote)}  [{from_here(escaped(passage.origin))}]")
    if not found.suggestions:
        click.echo("There are no merge suggestions.")
    notes: list[str] = []
    if found.found > len(found.suggestions):
        notes.append(f"Showing {len(found.suggestions):,} of {counted(found.found, 'pair')}; use --limit to see more.")
    if found.not_looked_up:
        notes.append(f"{counted(found.not_looked_up, 'pair')} of less frequent entities not checked.")
    if found.crowded_blocks:
        groups = counted(found.crowded_blocks, "group")
        notes.append(f"{groups} of similar names skipped: too many names to compare.")
    if found.suggestions:
        notes.append(
            "To accept a suggestion: overstory entities merge NAME --into NAME. To reject it: dismiss NAME NAME."
        )
    for note in notes:
        click.echo(note, err=True)


def _suggested(name: SuggestedName) -> str:
    of_type = f"{kind_word(name.type)}, " if name.type else ""
    return f"{on_one_line(name.name)!r} ({of_type}{counted(name.passages, 'passage')})"


def _evidence(suggested: SuggestedMerge) -> str:
    parts = [f"{suggested.evidence:.2f}"]
    if suggested.defined:
        parts.append("a passage defines it")
    if suggested.together:
        parts.append(f"{counted(suggested.together, 'passage')} with both")
    if suggested.shared:
        parts.append(counted(suggested.shared, "name") + " in common")
    return f" ({', '.join(parts)})"


@entities.command()
@click.argument("name")
@click.argument("other")
@knowledge_options
@json_option
def dismiss(knowledge: Knowledge, name: str, other: str) -> Result:
    """Reject a merge suggestion: NAME and OTHER are different entities.

    \b
    Example:
      overstory entities dismiss Batswana Botswana
    """
    knowledge.dismiss_merge(name, other)
    return _pair("dismissed", name, other, "will not be suggested again")


@entities.command()
@click.argument("name")
@click.argument("other")
@knowledge_options
@json_option
def undismiss(knowledge: Knowledge, name: str, other: str) -> Result:
    """Undo a dismissal, so that NAME and OTHER may be suggested again.

    \b
    Example:
      overstory entities undismiss Batswana Botswana
    """
    knowledge.undo_dismissed_merge(name, other)
    return _pair("undismissed", name, other, "may be suggested again")


def _pair(done: str, name: str, into: str, effect: str) -> Result:
    text = f"{printable(name)!r} and {printable(into)!r} {effect}."
    return Result({done: {"name": name, "into": into}}, lambda: click.echo(text))


@entities.command()
@knowledge_options
@json_option
def dismissed(knowledge: Knowledge) -> Result:
    """List the dismissed merge suggestions.

    \b
    Example:
      overstory entities dismissed
    """
    pairs = knowledge.dismissed_merges()

    def show() -> None:
        for each in pairs:
            click.echo(f"{each.at:%Y-%m-%d}  {printable(each.name)!r} and {printable(each.into)!r}")
        if not pairs:
            click.echo("There are no dismissed suggestions.")

    return Result({"dismissed": pairs}, show)


def _show_next(knowledge: Knowledge) -> None:
    click.echo(f"To apply it, run: {index_command(knowledge.corpus_name)}", err=True)


def _aliases(aliases: Sequence[str]) -> str:
    more = len(aliases) - _MOST_ALIASES_SHOWN
    shown = ", ".join(map(_shown, aliases[:_MOST_ALIASES_SHOWN]))
    return f"{shown} and {counted(more, 'other')}" if more > 0 else shown


def _line(edit: StoredEntityEdit) -> str:
    return f"{edit.number:>4}  {printable(str(edit.edit))}"


def _shown(name: str) -> str:
    return shortened(printable(name))
