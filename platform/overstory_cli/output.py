"""Prints results, as JSON for programs or as plain lines for people."""

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
"""Minimum width of wrapped text, without its indentation."""
MOST_PASSAGE_LINES = 4
_MOST_NEAREST_SHOWN = 3
_MOST_PARTS_OF_A_KIND = 3
"""Maximum number of parts of each kind that are shown without --why."""
_EXTRACTED = (("report", "an overview of the documents"), ("relation", "edges of the graph"))
"""Words for the content of an extractive answer, for each kind of citation that it may contain."""
STANDARD_OUTPUT = "-"
_MODEL_HINT = (
    "For a written answer, set OVERSTORY_LLM_BASE_URL and OVERSTORY_LLM_MODEL, or use --model local (docs/llm.md)."
)


def show_json(value: object) -> None:
    """Print a value as JSON. A dataclass becomes an object whose keys are the names of its fields."""
    click.echo(harmless(json.dumps(plain(value), ensure_ascii=False, indent=2)))


class JsonList:
    """Prints a JSON object whose first field is a list.

    The items of the list are printed one by one, so that they need not fit into memory together.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._any = False

    def add(self, value: object) -> None:
        click.echo(",\n" if self._any else f'{{"{self._name}": [\n', nl=False)
        self._any = True
        click.echo(harmless(json.dumps(plain(value), ensure_ascii=False)), nl=False)

    def end(self, value: object) -> None:
        """Close the list, and print the fields of `value` as further fields of the object."""
        click.echo("\n]," if self._any else f'{{"{self._name}": [],')
        click.echo(harmless(json.dumps(plain(value), ensure_ascii=False, indent=2)).removeprefix("{\n"))


def harmless(text: str) -> str:
    r"""Escape control characters and invisible characters in JSON text, so that a terminal does not interpret them."""
    return OBEYED.sub(lambda match: json.dumps(match.group())[1:-1], text)


def show_notes(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(printable(f"Note: {note}"), err=True)


def wrapped(text: str, indent: int = 0, *, hanging: int | None = None, most: int | None = None) -> str:
    """Return the text wrapped to `OUTPUT_WIDTH` columns.

    Args:
        indent: number of spaces before the first line.
        hanging: number of spaces before all other lines; `indent` by default.
        most: maximum number of lines; None for no limit.
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
    """Return the title and the headings of a passage on one line, or "" if it has neither."""
    return passage_text(on_one_line(title), on_one_line(heading), "").replace("\n", PATH_SEPARATOR)


def shown_origin(place: HasOrigin) -> str:
    """Return the origin of a passage on one line. A path below the current folder is shortened to a relative path."""
    return from_here(on_one_line(place.origin))


def from_here(origin: str) -> str:
    """Return a text without the path of the current folder at its beginning.

    Args:
        origin: the origin of a passage, or a message that begins with an origin.
    """
    return origin.removeprefix(f"{Path.cwd()}/")


def _also_from_here(also: str) -> str:
    return also.replace(f" {Path.cwd()}/", " ")


def shown_time(estimate: IndexTime | None) -> str:
    """Return the estimated indexing time in words that can end a sentence, or "" if there is no estimate."""
    if estimate is None:
        return ""
    basis = "estimated from earlier runs" if estimate.measured else "a rough estimate, without a long run to measure"
    return f"; indexing takes about {about(estimate.seconds)} ({basis})"


def write_lines(file: str, give: Callable[[Callable[[str], object]], T], *, force: bool, as_json: bool) -> T:
    """Write lines to a file or to standard output.

    The file is written under a temporary name and then renamed, so that an interrupted command leaves no incomplete
    file.

    Args:
        file: path of the file, or "-" for standard output. The encoding is always UTF-8.
        give: the function that produces the lines. Its argument is a function that writes one line.
        force: if True, replace an existing file.
        as_json: True if the command also prints JSON on standard output.

    Returns:
        The result of `give`.

    Raises:
        SettingsError: the file already exists, or it cannot be written.
        UsageError: both the lines and the JSON would be written to standard output.
    """
    if file == STANDARD_OUTPUT:
        if as_json:
            raise click.UsageError("--json and an export to - both use standard output; give the name of a file.")
        out = sys.stdout.buffer
        return give(lambda line: out.write(line.encode()))
    target = Path(file).resolve()  # if the path is a symbolic link, the target is replaced, not the link
    exists = os.path.exists(target)  # noqa: PTH110 # `Path.exists` raises an error if the name is too long
    if not file or (exists and not target.is_file()):
        raise SettingsError(f"{file!r} is not a file.", remedy="Give the name of a file, or - for standard output.")
    if exists and not force:
        raise SettingsError(f"{file} already exists.", remedy="Choose another file, or replace it with --force.")
    try:
        with written_whole(target) as lines:
            return give(lines.write)
    except OSError as error:
        why = error.strerror or error  # unlike `error`, `strerror` does not contain the name of the temporary file
        raise SettingsError(f"{target} cannot be written: {why}.", remedy="Choose another path.") from error


def passage_lines(hit: Hit, *, width: int, most: int) -> list[str]:
    """Return up to `most` lines of a passage, each with up to `width` characters.

    They begin with the start of the passage. If the best sentence is too far from the start, they begin nearer to this
    sentence. Words of the question are bold, and the best sentence is underlined.
    """
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
    """Return a line with styles. If the output is not a terminal, `click.echo` removes them.

    Args:
        marks: for each character of the line that is not white space, the piece that contains it.
    """
    shown = ""
    for piece, characters in groupby(line, key=lambda char: None if char.isspace() else next(marks)):
        run = "".join(characters)
        if piece is not None and (piece.word or piece.sentence):
            run = click.style(run, bold=piece.word or None, underline=piece.sentence or None)
        shown += run
    return shown


def show_evidence(evidence: Evidence, *, why: bool = False, figures: bool = False) -> None:
    """Print the hits with their sources and reasons, followed by some other results of each kind.

    Args:
        why: if True, also print the paths that led to each hit, and all other results. No sentence is repeated.
        figures: if True, also print the scores.
    """
    show_notes(evidence.notes)
    if not evidence.hits:
        click.echo("No passages found.")
    shown: set[str] = set()
    ranks: dict[str, int] = {}
    for rank, hit in enumerate(evidence.hits, start=1):
        first = ranks.setdefault(hit.in_words, rank) if hit.in_words else rank
        _show_hit(rank, hit, f"For the same reason as {first}." if first < rank else hit.in_words, figures=figures)
        for path in evidence.paths_to(hit) if why else ():
            _show_path(path, shown, figures=figures)
    if evidence.other_parts:
        click.echo("\nOther results:")
    parts = evidence.other_parts if why else _first_of_each_kind(evidence.other_parts)
    for part in parts:
        _show_part(part, evidence)
    if len(parts) < len(evidence.other_parts):
        click.echo(f"  … and {counted(len(evidence.other_parts) - len(parts), 'more result')}: --why shows all")


def _first_of_each_kind(parts: Sequence[Part]) -> list[Part]:
    kinds: dict[str, list[Part]] = {}
    for part in parts:
        kinds.setdefault(part.kind, []).append(part)
    return [part for of_kind in kinds.values() for part in of_kind[:_MOST_PARTS_OF_A_KIND]]


def show_answer(answer: Answer, *, streamed: bool = False, hint: bool = False) -> None:
    """Print an answer with its sources.

    Args:
        streamed: True if the text of the answer was already printed while it arrived.
        hint: if True, print how to set up a language model after an extractive answer.
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
        what = next((contents for kind, contents in _EXTRACTED if kind in kinds), "sentences from the passages")
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
        # Rows and edges answer exactly, so they have no confidence
        lead = "" if answer.confidence is None else "Perhaps: "
        click.echo(f"{lead}{click.style(answer.guess, bold=True)}\n")


def _show_nearest(answer: Answer) -> None:
    if answer.nearest:
        click.echo("\nNearest, not sure:")
        for citation in answer.nearest:
            click.echo(wrapped(f"{citation.text}  [{shown_origin(citation)}]", 4, hanging=6))
        return
    nearest: dict[str, Hit] = {}
    for hit in answer.evidence.hits:
        nearest.setdefault(hit.document_id, hit)
    click.echo("\nClosest documents:")
    for hit in list(nearest.values())[:_MOST_NEAREST_SHOWN]:
        title = printable(hit.title) or shortened(printable(hit.text), OUTPUT_WIDTH // 2)
        click.echo(f"     {title}  [{shown_origin(hit)}]")
    click.echo("To see their passages, run `overstory search` with the same question.")


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
