"""overstory names"""

from __future__ import annotations

import click

from overstory.display import counted, index_command, printable, shortened
from overstory.index import ListedName, StoredNameEdit, StoredVocabulary, VocabularyChange
from overstory.knowledge import MERGE_REASONS, MOST_MERGES_SUGGESTED, MOST_NAMES_LISTED, Knowledge
from overstory.retrieve.matching import disabled_note
from overstory.text.names.same_names import MergeReason
from overstory_cli.options import json_option, knowledge_options, where_option
from overstory_cli.output import show_json
from overstory_cli.suggested_names import show_dismissed, show_suggestions, tell_pair

LAST = "last"
_MOST_ALIASES_SHOWN = 3
"""Other spellings that a line shows."""


@click.command()
@click.argument("more", nargs=-1, metavar="[NAME…]")
@click.option("--hide", multiple=True, metavar="NAME", help="Hide this name, and those that follow.")
@click.option("--merge", multiple=True, metavar="NAME", help="Merge this name, and those that follow, into another.")
@click.option(
    "--into", metavar="NAME", help="The name that --merge leads to; the other one of --dismiss and --undismiss."
)
@click.option("--rename", metavar="NAME", help="Give this name another one.")
@click.option("--to", metavar="NAME", help="The new name, as it is to be written.")
@click.option("--suggest", is_flag=True, help="List pairs of names that may be one, with passages.")
@click.option("--reason", type=click.Choice(MERGE_REASONS), help="Of --suggest, list only such pairs.")
@click.option("--dismiss", metavar="NAME", help="Do not suggest again to merge this name into that of --into.")
@click.option("--undismiss", metavar="NAME", help="Take that back.")
@click.option("--dismissed", is_flag=True, help="List the pairs that were dismissed.")
@click.option("--future", is_flag=True, help="Also take names that no passage mentions yet.")
@click.option("--vocabulary", metavar="FILE", help="Make the names of this file known: CSV or JSON lines.")
@click.option("--dry-run", is_flag=True, help="Print what --vocabulary would change, and change nothing.")
@click.option("--show", is_flag=True, help="List the vocabularies, and the edits with their numbers.")
@click.option(
    "--undo", is_flag=False, flag_value=LAST, metavar="[N]", help="Take back edit N, or the last; the others stay."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"List at most N names, by default {MOST_NAMES_LISTED}, or pairs, by default {MOST_MERGES_SUGGESTED}.",
)
@click.option("--type", "type_", default="", metavar="TYPE", help="List only names of this type: PERSON, ORG, TERM, …")
@click.option("--like", default="", metavar="PREFIX", help="List only names that begin so, in any spelling.")
@where_option
@json_option
@knowledge_options
def names(
    knowledge: Knowledge,
    more: tuple[str, ...],
    hide: tuple[str, ...],
    merge: tuple[str, ...],
    into: str | None,
    rename: str | None,
    to: str | None,
    suggest: bool,
    reason: MergeReason | None,
    dismiss: str | None,
    undismiss: str | None,
    dismissed: bool,
    future: bool,
    vocabulary: str | None,
    dry_run: bool,
    show: bool,
    undo: str | None,
    limit: int | None,
    type_: str,
    like: str,
    where: str | None,
    as_json: bool,
) -> None:
    """List the names that most passages mention, or edit names by hand.

    A hidden name is no name any more: nothing is found by it. A merged one leads to another, and a renamed one has a
    new name, to which the old ones lead. Case, accents and punctuation make no difference. `overstory index` applies
    the edits, reads only the passages with these names again, and keeps applying them to new documents. Exports have
    them. A name that is not there is an error; one that is hidden, or comes later (--future), may be given.

    --suggest looks for names that may be one: spelt otherwise, abbreviated, with initials, or one a part of the other
    in the same passages. --merge accepts a suggestion, --dismiss has it not made again.

    A vocabulary has names with their types and aliases, for all texts: lines "name,type,aliases" with that header, the
    aliases separated by ";", or JSON lines with these keys. Loading the file again replaces what it said before, and an
    empty file removes it.

    \b
    Examples:
      overstory names --like lin --limit 10
      overstory names --where "author = 'Ada'"
      overstory names --hide 'See also' Overview
      overstory names --merge 'Big Blue' --into IBM
      overstory names --rename LF --to 'Linux Foundation'
      overstory names --vocabulary terms.csv --dry-run
      overstory names --suggest --reason abbreviation
      overstory names --dismiss Batswana --into Botswana
      overstory names --show
      overstory names --undo 2
    """
    edits = [bool(hide), bool(merge), rename is not None, show, undo is not None, vocabulary is not None]
    chosen = [*edits, suggest, dismiss is not None, undismiss is not None, dismissed]
    if reason is not None and not suggest:
        raise click.UsageError("--reason goes with --suggest.")
    if dry_run and vocabulary is None:
        raise click.UsageError("--dry-run goes with --vocabulary.")
    paired = bool(merge) or dismiss is not None or undismiss is not None
    listing = bool(type_ or like or (limit and not suggest)) or where is not None
    _refuse_wrong_use(chosen, more, into, rename, to, paired=paired, future=future, listing=listing)
    if hide:
        _tell(knowledge, knowledge.hide_names([*hide, *more], future=future), as_json=as_json)
    elif merge and into is not None:
        _tell(knowledge, knowledge.merge_names([*merge, *more], into, future=future), as_json=as_json)
    elif rename is not None and to is not None:
        _tell(knowledge, [knowledge.rename_name(rename, to, future=future)], as_json=as_json)
    elif suggest:
        show_suggestions(knowledge, limit or MOST_MERGES_SUGGESTED, reason, as_json=as_json)
    elif dismiss is not None and into is not None:
        knowledge.dismiss_merge(dismiss, into)
        tell_pair("dismissed", dismiss, into, as_json=as_json)
    elif undismiss is not None and into is not None:
        knowledge.undo_dismissed_merge(undismiss, into)
        tell_pair("undismissed", undismiss, into, as_json=as_json)
    elif dismissed:
        show_dismissed(knowledge.dismissed_merges(), as_json=as_json)
    elif show:
        _show_log(knowledge.name_edits(), knowledge.vocabularies(), as_json=as_json)
    elif vocabulary is not None:
        change = knowledge.load_vocabulary(vocabulary, dry_run=dry_run)
        _tell_change(knowledge, change, dry_run=dry_run, as_json=as_json)
    elif undo is not None:
        _undo(knowledge, undo, as_json=as_json)
    else:
        listed = knowledge.names(limit=limit or MOST_NAMES_LISTED, type=type_, like=like, where=where)
        _show_names(listed, as_json=as_json)
        if not as_json:
            _show_notes(knowledge, where, narrowed=bool(type_ or like or where), none=not listed)


def _refuse_wrong_use(
    chosen: list[bool],
    more: tuple[str, ...],
    into: str | None,
    rename: str | None,
    to: str | None,
    *,
    paired: bool,
    future: bool,
    listing: bool,
) -> None:
    hides, merges, renames, *_ = chosen
    if sum(chosen) > 1:
        raise click.UsageError(
            "Give one of --hide, --merge, --rename, --suggest, --dismiss, --undismiss, --dismissed, --vocabulary, "
            "--show and --undo."
        )
    if paired != (into is not None):
        raise click.UsageError("--into NAME goes with --merge NAME, --dismiss NAME or --undismiss NAME.")
    if (rename is None) != (to is None):
        raise click.UsageError("--rename NAME and --to NAME go together.")
    if more and not (hides or merges):
        raise click.UsageError("Names stand after --hide or --merge; --like PREFIX lists names.")
    if future and not (hides or merges or renames):
        raise click.UsageError("--future goes with --hide, --merge or --rename.")
    if listing and any(chosen):
        raise click.UsageError(
            "--type, --like and --where are for the list of names, --limit for that and for --suggest."
        )


def _tell(knowledge: Knowledge, made: list[StoredNameEdit], *, as_json: bool) -> None:
    if as_json:
        show_json({"edits": made})
        return
    for edit in made:
        click.echo(_line(edit))
    if made:
        click.echo(f"The next {index_command(knowledge.corpus_name)} applies this.", err=True)
    else:
        click.echo("Hidden already.")


def _undo(knowledge: Knowledge, undo: str, *, as_json: bool) -> None:
    if undo != LAST and not (undo.isascii() and undo.isdigit()):
        raise click.UsageError(f"--undo takes the number of an edit, not {undo!r}.")
    undone = knowledge.undo_name_edit(None if undo == LAST else int(undo))
    if as_json:
        show_json({"undone": undone})
        return
    click.echo(f"Undone: {_line(undone)}")
    click.echo(f"The next {index_command(knowledge.corpus_name)} applies this.", err=True)


def _tell_change(knowledge: Knowledge, change: VocabularyChange, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        show_json({"dry_run": dry_run, "vocabulary": change})
        return
    parts = {"add": change.added, "change": change.changed, "remove": change.removed}
    if not any(parts.values()):
        click.echo(f"{printable(change.source)} changes nothing.")
        return
    done = {"add": "added", "change": "changed", "remove": "removed"}
    counts = ", ".join(f"{len(names):,} {done[what]}" for what, names in parts.items() if names)
    if dry_run:
        for what, names in parts.items():
            for name in names:
                click.echo(f"{what:<7} {_shown(name)}")
        click.echo(f"{counts}; nothing was written.", err=True)
        return
    click.echo(f"{printable(change.source)}: {counts}; it has {counted(change.names, 'name')} now.")
    click.echo(f"The next {index_command(knowledge.corpus_name)} applies this.", err=True)


def _show_log(made: list[StoredNameEdit], vocabularies: list[StoredVocabulary], *, as_json: bool) -> None:
    if as_json:
        show_json({"edits": made, "vocabularies": vocabularies})
        return
    for each in vocabularies:
        counts = f"{counted(each.names, 'name')}, {counted(each.aliases, 'alias', 'aliases')}"
        click.echo(f"vocabulary {printable(each.source)}: {counts}")
    if not made:
        click.echo("No name was edited by hand.")
    for edit in made:
        click.echo(f"{_line(edit)}  ({edit.at:%Y-%m-%d %H:%M} UTC)")


def _show_names(listed: list[ListedName], *, as_json: bool) -> None:
    if as_json:
        show_json({"names": listed})
        return
    for name in listed:
        also = ", ".join(_shown(alias) for alias in name.aliases[:_MOST_ALIASES_SHOWN])
        more = (
            f" and {counted(len(name.aliases) - _MOST_ALIASES_SHOWN, 'other')}"
            if len(name.aliases) > _MOST_ALIASES_SHOWN
            else ""
        )
        also = f"  (also {also}{more})" if also else ""
        click.echo(f"{name.passages:>7,}  {name.type or '-':<12}  {_shown(name.name)}{also}")


def _show_notes(knowledge: Knowledge, where: str | None, *, narrowed: bool, none: bool) -> None:
    notes = [] if where is None else list(knowledge.filter_notes(where))
    if disabled := knowledge.count_disabled():
        notes.append(disabled_note(disabled))
    if none and narrowed:
        click.echo("No such name.")
    elif none:
        click.echo("No names." if disabled else "No names: `overstory index` finds those of new documents.")
    for note in notes:
        click.echo(f"Note: {note}", err=True)


def _line(edit: StoredNameEdit) -> str:
    return f"{edit.number:>4}  {printable(str(edit.edit))}"


def _shown(name: str) -> str:
    return shortened(printable(name))
