"""How results look: JSON for programs, a few plain lines for people."""

from __future__ import annotations

import dataclasses
import datetime
import json
import textwrap
from typing import Any

import click

from overstory.answer import Answer, Citation
from overstory.display import OBEYED, printable, shortened
from overstory.model import BridgePath, Evidence, Hit, Part
from overstory.model.passage_text import PATH_SEPARATOR, passage_text

WIDTH = 100
MOST_LINES = 4
MOST_NEAREST = 3
MODEL_HINT = (
    "Set OVERSTORY_LLM_BASE_URL and OVERSTORY_LLM_MODEL, or --model local, for one that is written (docs/llm.md)."
)


def show_json(value: object) -> None:
    """Prints a value of ours as JSON; values are dataclasses, whose field names become keys."""
    click.echo(harmless(json.dumps(_plain(value), ensure_ascii=False, indent=2)))


def harmless(text: str) -> str:
    """JSON that says what a terminal would obey, or nobody would see, in escapes."""
    return OBEYED.sub(lambda match: json.dumps(match.group())[1:-1], text)


def show_evidence(evidence: Evidence, *, why: bool = False) -> None:
    """Prints hits with their sources and reasons, and then other parts; with `why` also the paths that led to hits."""
    for note in evidence.notes:
        click.echo(f"Note: {note}", err=True)
    if not evidence.hits:
        click.echo("Nothing found.")
    for rank, hit in enumerate(evidence.hits, start=1):
        _show_hit(rank, hit)
        for path in evidence.paths_to(hit) if why else ():
            _show_path(path)
    if evidence.other_parts:
        click.echo("\nBeside the passages:")
    for part in evidence.other_parts:
        _show_part(part, evidence)


def show_answer(answer: Answer, *, streamed: bool = False, hint: bool = False) -> None:
    """Prints an answer with its sources.

    Args:
        streamed: it was printed while it came.
        hint: say how to set a language model.
    """
    if streamed:
        click.echo()
    for note in answer.notes:
        click.echo(printable(f"Note: {note}"), err=True)
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
        click.echo("\nThis answer is extractive: sentences of the passages, chosen without a language model.")
        if hint:
            click.echo(MODEL_HINT)


def _show_citation(citation: Citation) -> None:
    """A passage with its source; another part with the passages that it stands on."""
    title = click.style(citation.title or shortened(citation.text, WIDTH // 2), bold=True)
    if citation.kind == "passage":
        click.echo(f"{citation.number:>3}. {title}  [{printable(citation.origin)}]")
        return
    click.echo(f"{citation.number:>3}. {title}  ({citation.kind})")
    for passage in citation.passages:
        click.echo(f"     from {passage.title or '(no title)'}  [{printable(passage.origin)}]")


def _show_text(answer: Answer) -> None:
    if answer.kind == "llm" or not answer.answered:
        click.echo(answer.text)
        return
    _show_guess(answer)
    for line in answer.text.splitlines():
        click.echo(textwrap.fill(line, WIDTH, initial_indent="    ", subsequent_indent="      "))


def _show_guess(answer: Answer) -> None:
    if answer.guess:
        click.echo(f"Perhaps: {click.style(answer.guess, bold=True)}\n")


def _show_nearest(answer: Answer) -> None:
    """The documents of the passages that were found, each once, since one of them may answer after all."""
    nearest: dict[str, Hit] = {}
    for hit in answer.evidence.hits:
        nearest.setdefault(hit.document_id, hit)
    click.echo("\nThe nearest documents:")
    for hit in list(nearest.values())[:MOST_NEAREST]:
        title = printable(hit.title) or shortened(printable(hit.text), WIDTH // 2)
        click.echo(f"     {title}  [{printable(hit.origin)}]")
    click.echo("`overstory search` with the same question shows their passages.")


def _show_path(path: BridgePath) -> None:
    click.echo(printable(f"    {path.score:+.4f}  {path}"))
    sentences = [f"{step.name}: {step.source_sentence}" for step in path.steps]
    for sentence in (*sentences, path.steps[-1].target_sentence):
        click.echo(textwrap.fill(printable(sentence), WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 10))


def _show_hit(rank: int, hit: Hit) -> None:
    title = printable(passage_text(hit.title, hit.heading, "").replace("\n", PATH_SEPARATOR)) or "(no title)"
    click.echo(f"{rank:>2}. {click.style(title, bold=True)}  [{printable(hit.origin)}]")
    text = printable(" ".join(hit.text.split()))
    lines = textwrap.wrap(text, WIDTH - 4, max_lines=MOST_LINES, placeholder=" …")
    for line in lines:
        click.echo(f"    {line}")
    if hit.in_words:
        click.echo(textwrap.fill(printable(hit.in_words), WIDTH, initial_indent="    ", subsequent_indent="    "))
    click.echo(click.style(f"    score {hit.score:.4f} — {printable(hit.figures)}", dim=True))


def _show_part(part: Part, evidence: Evidence) -> None:
    """What it says, the sources of the passages it stands on, and its score."""
    first, *others = printable(part.text.strip()).splitlines()[:MOST_LINES] or [""]
    click.echo(f"  {click.style(part.kind, bold=True)}  {shortened(first, WIDTH)}")
    for line in others:
        click.echo(f"    {shortened(line, WIDTH)}")
    origins = dict.fromkeys(printable(passage.origin) for passage in evidence.passages_of(part))
    click.echo(click.style(f"    score {part.score:.4f} — from {', '.join(origins)}", dim=True))


def _plain(value: Any) -> Any:  # any of our values in, JSON types out
    if isinstance(value, Part):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, Exception):
        return str(value)
    return value
