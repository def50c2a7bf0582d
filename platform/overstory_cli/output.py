"""How results look: JSON for programs, a few plain lines for people."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from overstory.display import OBEYED, Piece, about, counted, on_one_line, printable, shortened
from overstory.errors import SettingsError
from overstory.model import BridgePath, Evidence, Hit, Part
from overstory.model.origin import HasOrigin
from overstory.model.passage_text import PATH_SEPARATOR, passage_text
from overstory.model.plain import plain
from overstory.whole_files import written_whole

if TYPE_CHECKING:
    from overstory.answer import Answer, Citation
    from overstory.index import IndexTime

T = TypeVar("T")

OUTPUT_WIDTH = 100
_LEAST_COLUMNS = 40
"""Columns of a text, however far it is indented."""
MOST_PASSAGE_LINES = 4
_MOST_NEAREST_SHOWN = 3
_MOST_PARTS_OF_A_KIND = 3
"""Parts of one kind that are shown without --why."""
_EXTRACTED = (("report", "what the most important reports say"), ("relation", "edges of the graph"))
"""What an extractive answer consists of, by the kind of its citations."""
STANDARD_OUTPUT = "-"
_MODEL_HINT = (
    "Set OVERSTORY_LLM_BASE_URL and OVERSTORY_LLM_MODEL, or --model local, for one that is written (docs/llm.md)."
)


def show_json(value: object) -> None:
    """Prints a value of ours as JSON; values are dataclasses, whose field names become keys."""
    click.echo(harmless(json.dumps(plain(value), ensure_ascii=False, indent=2)))


class JsonList:
    """A JSON object that begins with a list, printed item by item: it need not fit in memory."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._any = False

    def add(self, value: object) -> None:
        """Prints an item of the list."""
        click.echo(",\n" if self._any else f'{{"{self._name}": [\n', nl=False)
        self._any = True
        click.echo(harmless(json.dumps(plain(value), ensure_ascii=False)), nl=False)

    def end(self, value: object) -> None:
        """Ends the list, and prints the fields of a value of ours after it."""
        click.echo("\n]," if self._any else f'{{"{self._name}": [],')
        click.echo(harmless(json.dumps(plain(value), ensure_ascii=False, indent=2)).removeprefix("{\n"))


def harmless(text: str) -> str:
    """JSON that says what a terminal would obey, or nobody would see, in escapes."""
    return OBEYED.sub(lambda match: json.dumps(match.group())[1:-1], text)


def show_notes(notes: Iterable[str]) -> None:
    """Prints notes on standard error."""
    for note in notes:
        click.echo(printable(f"Note: {note}"), err=True)


def wrapped(text: str, indent: int = 0, *, hanging: int | None = None, most: int | None = None) -> str:
    """The text on lines of bounded width; one that stands deep still has some columns.

    Args:
        indent: spaces before the first line.
        hanging: spaces before the other lines, if not as many.
        most: the most lines.
    """
    return textwrap.fill(
        printable(text),
        max(OUTPUT_WIDTH, indent + _LEAST_COLUMNS),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hanging is None else hanging),
        max_lines=most,
        placeholder=" …",
    )


def shown_title(title: str, heading: str = "") -> str:
    """The title and the headings of a passage on one line; "" without any."""
    return passage_text(on_one_line(title), on_one_line(heading), "").replace("\n", PATH_SEPARATOR)


def shown_origin(place: HasOrigin) -> str:
    """The origin of a passage on one line; a file below the current folder by its path from there."""
    return from_here(on_one_line(place.origin))


def from_here(origin: str) -> str:
    """An origin, or a message that begins with one; a file below the current folder by its path from there."""
    return origin.removeprefix(f"{Path.cwd()}/")


def _also_from_here(also: str) -> str:
    return also.replace(f" {Path.cwd()}/", " ")


def shown_time(estimate: IndexTime | None) -> str:
    """How long indexing takes, to follow a number of chunks; "" where that is not known."""
    if estimate is None:
        return ""
    basis = "estimated from earlier runs" if estimate.measured else "a rough estimate: no long run was measured yet"
    return f"; indexing takes about {about(estimate.seconds)} ({basis})"


def write_lines(file: str, give: Callable[[Callable[[str], object]], T], *, force: bool, as_json: bool) -> T:
    """Has `give` write lines to a file, and returns its result.

    A file is written under another name and renamed, so that an interrupted run leaves no incomplete one.

    Args:
        file: its path; - is standard output, in UTF-8 whatever the terminal uses.
        force: replace a file that exists.
        as_json: the command prints JSON on standard output.
    """
    if file == STANDARD_OUTPUT:
        if as_json:
            raise click.UsageError("--json and an export to - both use standard output; name a file.")
        out = sys.stdout.buffer
        return give(lambda line: out.write(line.encode()))
    target = Path(file).resolve()  # a link is kept, and its target is written
    exists = os.path.exists(target)  # noqa: PTH110 # Path.exists raises for a name that is too long
    if not file or (exists and not target.is_file()):
        raise SettingsError(f"{file!r} is not a file.", remedy="Name a file; - is standard output.")
    if exists and not force:
        raise SettingsError(f"{file} already exists.", remedy="Name another file, or replace it with --force.")
    try:
        with written_whole(target) as lines:
            return give(lines.write)
    except OSError as error:
        why = error.strerror or error  # without the name of the temporary file
        raise SettingsError(f"{target} cannot be written: {why}.", remedy="Choose another path.") from error


def passage_lines(hit: Hit, *, width: int, most: int) -> list[str]:
    """The beginning of a passage in at most so many lines, or its best sentence if that would be cut off; the words of
    the question are bold, the best sentence is underlined."""
    start, _ = hit.excerpt(width * most)
    pieces = hit.pieces(start, len(hit.text))
    if start:
        pieces.insert(0, Piece("… ", word=False, sentence=False))
    marks = (piece for piece in pieces for char in printable(piece.text) if not char.isspace())
    lines: list[str] = []
    for word in re.findall(rf"\S{{1,{width}}}", "".join(printable(piece.text) for piece in pieces)):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    shown = [_styled(line, marks) for line in lines[:most]]
    if len(lines) > most:
        shown[-1] += " …"
    return shown


def _styled(line: str, marks: Iterator[Piece]) -> str:
    """The line with styles, which `click.echo` leaves out where no terminal shows them.

    Args:
        marks: the piece that each character belongs to, without white space.
    """
    shown = ""
    for piece, characters in groupby(line, key=lambda char: None if char.isspace() else next(marks)):
        run = "".join(characters)
        if piece is not None and (piece.word or piece.sentence):
            run = click.style(run, bold=piece.word or None, underline=piece.sentence or None)
        shown += run
    return shown


def show_evidence(evidence: Evidence, *, why: bool = False, figures: bool = False) -> None:
    """Prints hits with their sources and reasons, and then other parts, the first of each kind.

    Args:
        why: also the paths that led to hits, each sentence once, and all parts.
        figures: also the parts of scores.
    """
    show_notes(evidence.notes)
    if not evidence.hits:
        click.echo("Nothing found.")
    shown: set[str] = set()
    ranks: dict[str, int] = {}
    for rank, hit in enumerate(evidence.hits, start=1):
        first = ranks.setdefault(hit.in_words, rank) if hit.in_words else rank
        _show_hit(rank, hit, f"For the same reason as {first}." if first < rank else hit.in_words, figures=figures)
        for path in evidence.paths_to(hit) if why else ():
            _show_path(path, shown, figures=figures)
    if evidence.other_parts:
        click.echo("\nBeside the passages:")
    parts = evidence.other_parts if why else _first_of_each_kind(evidence.other_parts)
    for part in parts:
        _show_part(part, evidence)
    if len(parts) < len(evidence.other_parts):
        click.echo(f"  … and {counted(len(evidence.other_parts) - len(parts), 'more part')}: --why shows all")


def _first_of_each_kind(parts: Sequence[Part]) -> list[Part]:
    kinds: dict[str, list[Part]] = {}
    for part in parts:
        kinds.setdefault(part.kind, []).append(part)
    return [part for of_kind in kinds.values() for part in of_kind[:_MOST_PARTS_OF_A_KIND]]


def show_answer(answer: Answer, *, streamed: bool = False, hint: bool = False) -> None:
    """Prints an answer with its sources.

    Args:
        streamed: it was printed while it came.
        hint: say how to set a language model.
    """
    if streamed:
        click.echo()
    show_notes(answer.notes)
    if not streamed:
        _show_text(answer)
    elif answer.kind == "extractive":
        _show_guess(answer)
    if answer.state == "not_in_documents" and answer.kind == "extractive":
        _show_nearest(answer)
    if answer.citations:
        click.echo("\nSources:")
    for citation in answer.citations:
        _show_citation(citation)
    if answer.kind == "llm":
        click.echo(click.style(f"\n{printable(answer.model) or 'The model'}: {answer.usage}", dim=True))
    elif answer.answered:
        kinds = {citation.kind for citation in answer.citations}
        what = next((said for kind, said in _EXTRACTED if kind in kinds), "sentences of the passages")
        click.echo(f"\nThis answer is extractive: {what}, chosen without a language model.")
        if hint:
            click.echo(_MODEL_HINT)


def _show_citation(citation: Citation) -> None:
    title = click.style(on_one_line(citation.title or shortened(citation.text, OUTPUT_WIDTH // 2)), bold=True)
    if citation.kind == "passage":
        click.echo(f"{citation.number:>3}. {title}  [{shown_origin(citation)}]")
        for also in dict.fromkeys(passage.also for passage in citation.passages if passage.also):
            click.echo(f"     {_also_from_here(also)}")
        return
    click.echo(f"{citation.number:>3}. {title}  ({citation.kind})")
    for passage in citation.passages:
        click.echo(f"     from {on_one_line(passage.title) or '(no title)'}  [{shown_origin(passage)}]")


def _show_text(answer: Answer) -> None:
    if answer.kind == "llm" or not answer.answered:
        click.echo(answer.text)
        return
    _show_guess(answer)
    for line in answer.text.splitlines():
        click.echo(wrapped(line, 4, hanging=6))


def _show_guess(answer: Answer) -> None:
    if answer.guess:
        click.echo(f"Perhaps: {click.style(answer.guess, bold=True)}\n")


def _show_nearest(answer: Answer) -> None:
    # one of these documents may answer after all
    nearest: dict[str, Hit] = {}
    for hit in answer.evidence.hits:
        nearest.setdefault(hit.document_id, hit)
    click.echo("\nThe nearest documents:")
    for hit in list(nearest.values())[:_MOST_NEAREST_SHOWN]:
        title = printable(hit.title) or shortened(printable(hit.text), OUTPUT_WIDTH // 2)
        click.echo(f"     {title}  [{shown_origin(hit)}]")
    click.echo("`overstory search` with the same question shows their passages.")


def _show_path(path: BridgePath, shown: set[str], *, figures: bool) -> None:
    brought = f"  ({path.score:+.4f})" if figures else ""
    click.echo(printable(f"    by way of {path}{brought}"))
    for line in path.quotations():
        if line not in shown:
            shown.add(line)
            click.echo(wrapped(line, 6, hanging=8))


def _show_hit(rank: int, hit: Hit, why: str, *, figures: bool) -> None:
    title = shown_title(hit.title, hit.heading) or hit.shown_title
    click.echo(f"{rank:>2}. {click.style(title, bold=True)}  [{shown_origin(hit)}]")
    for line in passage_lines(hit, width=OUTPUT_WIDTH - 4, most=MOST_PASSAGE_LINES):
        click.echo(f"    {line}")
    if hit.also:
        click.echo(wrapped(_also_from_here(f"{hit.also[0].upper()}{hit.also[1:]}."), 4))
    if why:
        click.echo(wrapped(why, 4))
    for name, value in hit.extra.items():
        shown = f"{name}: {value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)}"
        click.echo(wrapped(shown, 4, hanging=6))
    if figures or not why:
        click.echo(click.style(f"    score {hit.score:.4f}", dim=True))
        for reason in hit.reasons:
            click.echo(click.style(wrapped(reason.figures, 6, hanging=8), dim=True))


def _show_part(part: Part, evidence: Evidence) -> None:
    first, *others = printable(part.for_people.strip()).splitlines()[:MOST_PASSAGE_LINES] or [""]
    click.echo(f"  {click.style(part.kind, bold=True)}  {shortened(first, OUTPUT_WIDTH)}")
    for line in others:
        click.echo(f"    {shortened(line, OUTPUT_WIDTH)}")
    origins = dict.fromkeys(shown_origin(passage) for passage in evidence.passages_of(part))
    click.echo(click.style(f"    score {part.score:.4f} — from {', '.join(origins)}", dim=True))
