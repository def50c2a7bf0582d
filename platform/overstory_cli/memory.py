"""overstory memory …"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import click

from overstory.display import counted, on_one_line, printable, shortened
from overstory.errors import AnswerNotFound, SourceError
from overstory.knowledge import Knowledge
from overstory.model.memory import MemoryRestored, StoredAnswer, StoredFact
from overstory.systems.memory import MOST_ANSWERS_LISTED
from overstory_cli.options import Result, json_option, knowledge_options, wants_json
from overstory_cli.output import OUTPUT_WIDTH, STANDARD_OUTPUT, shown_origin, wrapped, write_lines


@click.group()
def memory() -> None:
    """List, delete, export and restore remembered answers.

    Some systems use earlier answers to find better ones. Only `overstory ask --remember` stores an answer, with the
    facts and passages that it cites. If one of these passages is deleted, the answer is deleted, too.
    """


@memory.command("list")
@click.option("--like", default="", metavar="TEXT", help="Only answers to questions that contain this text.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MOST_ANSWERS_LISTED,
    show_default=True,
    help="Maximum number of answers.",
)
@knowledge_options
@json_option
def list_(knowledge: Knowledge, like: str, limit: int) -> Result:
    """List remembered answers, newest first.

    \b
    Examples:
      overstory memory list --corpus wiki
      overstory memory list --corpus wiki --like dracula --limit 100
    """
    found = knowledge.memory.answers(like=like, limit=limit)

    def show() -> None:
        if not found:
            click.echo("No remembered answer matches." if like else "There are no remembered answers.")
        for each in found:
            lost = "" if each.stated else "  (not used: passages no longer state its facts)"
            question = shortened(printable(each.questions[0]))
            click.echo(f"{click.style(each.short_id, bold=True)}  {_when(each)}  {question}{lost}")
            click.echo(f"{'':10}{shortened(printable(each.short), OUTPUT_WIDTH - 10)}")

    return Result({"answers": found}, show)


@memory.command()
@click.argument("id_", metavar="ID")
@knowledge_options
@json_option
def show(knowledge: Knowledge, id_: str) -> Result:
    """Show a remembered answer with its facts and the sentences that state them.

    ID is an id from `overstory memory list`, or a unique prefix of it.

    \b
    Example:
      overstory memory show 45ad4824 --corpus wiki
    """
    found = knowledge.memory.answer(id_)
    return Result(found, lambda: _show(found))


@memory.command()
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--all", "everything", is_flag=True, help="Delete all remembered answers.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@knowledge_options
@json_option
def delete(knowledge: Knowledge, ids: tuple[str, ...], everything: bool, yes: bool) -> Result:
    """Delete remembered answers by id, or all of them.

    The exit code is 7 if an id matches no answer.

    \b
    Examples:
      overstory memory delete 45ad4824 9f0c2b7e --corpus wiki
      overstory memory delete --all --yes
    """
    if bool(ids) == everything:
        raise click.UsageError("Give the ids of answers, or --all.")
    if everything:
        number = counted(sum(size.answers for size in knowledge.memory.sizes().values()), "remembered answer")
        if not yes:
            click.confirm(f"Delete {number} of corpus {knowledge.corpus_name!r}?", abort=True, err=True)
        deleted, missing = knowledge.memory.forget_all(), 0
    else:
        found, missing = _found(knowledge, ids)
        deleted = knowledge.memory.forget(found)
    note = f"; {missing:,} not found." if missing else "."
    return Result(
        {"deleted": deleted, "not_found": missing},
        lambda: click.echo(f"Deleted {counted(deleted, 'remembered answer')}{note}"),
        AnswerNotFound.exit_code if missing else 0,
    )


@memory.command()
@knowledge_options
@json_option
def stats(knowledge: Knowledge) -> Result:
    """Show the number of remembered answers by system.

    \b
    Example:
      overstory memory stats --corpus wiki
    """
    found = knowledge.memory.sizes()

    def show() -> None:
        if not found:
            click.echo(f"Corpus {knowledge.corpus_name!r} has no system that remembers answers.")
        for name, size in found.items():
            click.echo(f"{name}: {size}")
            if size.unsupported:
                lost = counted(size.unsupported, "answer")
                click.echo(f"  {lost} not used: passages no longer state their facts. overstory index cleans up.")

    return Result(found, show)


@memory.command()
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@knowledge_options
@json_option
def export(knowledge: Knowledge, file: str, force: bool) -> Result:
    """Export remembered answers to a file of JSON lines; - is standard output.

    `overstory memory restore` reads the file, also in another corpus: facts are stored as text, passages by source.

    \b
    Example:
      overstory memory export wiki-memory.jsonl --corpus wiki
    """
    answers = write_lines(file, knowledge.memory.export, force=force, as_json=wants_json())
    text = f"Exported {counted(answers, 'remembered answer')}."
    return Result({"answers": answers}, lambda: click.echo(text, err=file == STANDARD_OUTPUT))


@memory.command()
@click.argument("file", metavar="FILE")
@knowledge_options
@json_option
def restore(knowledge: Knowledge, file: str) -> Result:
    """Restore remembered answers from an exported FILE; - is standard input.

    An answer is restored only if the documents of this corpus state the facts that it cites. Other answers are counted
    by reason.

    \b
    Example:
      overstory memory restore wiki-memory.jsonl --corpus wiki
    """
    try:
        if file == STANDARD_OUTPUT:
            report = knowledge.memory.restore(sys.stdin, source="standard input")
        else:
            with Path(file).open(encoding="utf-8") as lines:
                report = knowledge.memory.restore(lines, source=file)
    except (OSError, UnicodeDecodeError) as error:
        remedy = "Give a file written by `overstory memory export`."
        raise SourceError(f"{file} cannot be read: {error}", remedy=remedy) from error
    shown = {"restored": report.restored, "known": report.known, "left_out": report.reasons}
    return Result(shown, lambda: _show_report(report))


def _found(knowledge: Knowledge, ids: tuple[str, ...]) -> tuple[list[str], int]:
    found: list[str] = []
    missing = 0
    for id_ in dict.fromkeys(ids):
        try:
            found.append(knowledge.memory.answer(id_).id)
        except AnswerNotFound as error:
            if error.several:
                raise
            missing += 1
    return found, missing


def _show(answer: StoredAnswer) -> None:
    for question in answer.questions:
        click.echo(click.style(printable(question), bold=True))
    click.echo(textwrap.indent(printable(answer.text), "    "))
    click.echo(f"\nRemembered by {answer.system} on {_when(answer)}, {_by(answer)}; id {answer.id}")
    if not answer.stated:
        click.echo("This answer is not used: its passages no longer state all of these facts.")
    for fact in answer.facts:
        _show_fact(fact)


def _show_fact(fact: StoredFact) -> None:
    click.echo(f"\n  {on_one_line(str(fact))}")
    if fact.quote:
        click.echo(wrapped(f"«{fact.quote}»", 4))
    click.echo(f"    from {on_one_line(fact.title) or '(no title)'}  [{shown_origin(fact)}]")


def _show_report(report: MemoryRestored) -> None:
    known = f"; {report.known:,} remembered before" if report.known else ""
    click.echo(f"Restored {counted(report.restored, 'remembered answer')}{known}.")
    for why, number in report.reasons.items():
        click.echo(f"{counted(number, 'answer')} not restored: {why}")


def _when(answer: StoredAnswer) -> str:
    return answer.asked[:16].replace("T", " ")


def _by(answer: StoredAnswer) -> str:
    return f"written by {on_one_line(answer.model) or 'a language model'}" if answer.kind == "llm" else "as quotations"
