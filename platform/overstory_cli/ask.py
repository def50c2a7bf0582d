"""overstory ask"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.status import Status

from overstory.answer import ALWAYS, CONTEXT_TOKENS, STRICT, USUAL, Answer, AnswerStyle
from overstory.display import printable
from overstory.errors import QuestionError
from overstory.knowledge import Knowledge, SeveralCorpora
from overstory.protocols import Silence
from overstory_cli.options import (
    Result,
    budget_option,
    json_option,
    model_option,
    questions_options,
    refining_options,
    retriever_option,
    wants_json,
)
from overstory_cli.output import show_answer

if TYPE_CHECKING:
    from overstory.bench.runner import Refined


@click.command()
@click.argument("question")
@click.option("-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many passages to find.")
@retriever_option
@refining_options
@model_option
@budget_option
@click.option(
    "--context-tokens",
    type=click.IntRange(min=1),
    default=CONTEXT_TOKENS,
    show_default=True,
    metavar="N",
    help="How much of the passages is read.",
)
@click.option(
    "--remember",
    is_flag=True,
    help="Let the retriever's system learn from the answer (overstory memory shows what it remembers).",
)
@click.option(
    "--style",
    type=click.Choice(["short", "report"]),
    help="With a model: the answer itself, or a report in sections. Default: short; of all documents a report.",
)
@click.option("--strict", is_flag=True, help="Without a model: rather say that the documents do not answer.")
@click.option("--always", is_flag=True, help="Without a model: show the nearest sentences, whether they answer or not.")
@click.option(
    "--least-confidence",
    type=click.FloatRange(0, 1),
    metavar="X",
    help=f"Without a model: answer from this confidence on, 0 to 1. Default: {USUAL}; --strict: {STRICT}; --always: 0.",
)
@click.option(
    "--continue",
    "goes_on",
    is_flag=True,
    help="Go on from the questions before: 'And when did he die?'. Without it, a new conversation begins.",
)
@questions_options
@json_option
def ask(
    knowledge: Knowledge | SeveralCorpora,
    question: str,
    k: int,
    retriever: str,
    refined: Refined,
    model: str | None,
    budget_tokens: int | None,
    context_tokens: int,
    remember: bool,
    style: AnswerStyle | None,
    strict: bool,
    always: bool,
    least_confidence: float | None,
    goes_on: bool,
) -> Result:
    """Answer a question from the passages found for it, with their numbers and sources.

    A language model writes the answer, if one is set; each passage that it names is checked to exist. Without one, or
    where it fails, the answer is made of sentences of the passages, and says so.

    \b
    Examples:
      overstory ask 'Where was the author of the novel behind Nosferatu born?'
      overstory ask 'Who maintains the billing service?' --model local
      overstory ask 'What does error E42 mean?' --retriever lexical -k 10 --json
      overstory ask 'Who wrote Dracula?' --retriever apr --remember
      overstory ask 'What is the salary of Ada Huber?' --strict
      overstory ask 'How do I rotate the signing keys?' --rerank --model qwen3:8b
      overstory ask 'How did the two companies come together?' --retriever hirag --style report --model qwen3:8b
      overstory ask 'How do I rotate the signing keys?' --where "product = 'vault' and modified >= 2025-01-01"
      overstory ask --continue 'And how often?'
      overstory ask 'How do I rotate the signing keys?' --corpus handbook --corpus tickets
    """
    if sum((strict, always, least_confidence is not None)) > 1:
        raise click.UsageError("Give one of --strict, --always and --least-confidence.")
    least = STRICT if strict else ALWAYS if always else USUAL if least_confidence is None else least_confidence
    if goes_on and isinstance(knowledge, SeveralCorpora):
        raise click.UsageError("--continue is for one corpus: questions to several are not kept.")
    kept = None if isinstance(knowledge, SeveralCorpora) else knowledge.kept_conversation
    turns = kept.read() if kept and goes_on else []
    if goes_on and not turns and isinstance(knowledge, Knowledge):
        raise QuestionError(
            f"There is nothing to continue: no question was asked of the corpus {knowledge.corpus_name!r} before.",
            remedy="Ask one without --continue first.",
        )
    conversation = knowledge.conversation(turns)
    knowledge.use_model(model, budget_tokens=budget_tokens)
    written = knowledge.chat() is not None
    streamed = _Streamed(shown=sys.stdout.isatty() and not wants_json() and written)
    # starts the server, which shows its progress itself
    knowledge.retriever(retriever, **refined)
    quiet = isinstance(knowledge.progress, Silence)
    with streamed.waiting() if written and not quiet else nullcontext():
        answer = conversation.ask(
            question,
            k,
            on_question=None if wants_json() else streamed.asked_as,
            retriever=retriever,
            **refined,
            context_tokens=context_tokens,
            on_text=streamed,
            remember=remember,
            least_confidence=least,
            style=style,
        )
    try:
        if kept is not None:
            kept.write(conversation.turns)
    except OSError as error:
        answer = replace(answer, notes=(*answer.notes, f"--continue will not know this question: {error}."))
    return Result(_fields(answer), lambda: show_answer(answer, streamed=streamed.any, hint=knowledge.chat() is None))


def _fields(answer: Answer) -> dict[str, object]:
    return {
        "question": answer.question,
        "follow_up": answer.follow_up,
        "answer": answer.text,
        "short": answer.short,
        "kind": answer.kind,
        "guess": answer.guess,
        "confidence": answer.confidence,
        "answered": answer.answered,
        "state": answer.state,
        "unsupported": answer.unsupported,
        "did_you_mean": answer.did_you_mean,
        "citations": answer.citations,
        "notes": answer.notes,
        "model": answer.model,
        "usage": answer.usage,
        "evidence": answer.evidence,
    }


class _Streamed:
    """Prints the pieces of an answer, if they are to be shown; `any` says whether there were some."""

    def __init__(self, *, shown: bool) -> None:
        self.any = False
        self._shown = shown
        self._waiting: Status | None = None

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Says on a terminal that the passages are read, until the first piece is printed or the work ends."""
        console = Console(stderr=True)
        if not console.is_terminal:
            yield
            return
        self._waiting = console.status("Reading the passages …")
        with self._waiting:
            yield

    def asked_as(self, question: str) -> None:
        """Shows a question that was completed."""
        if self._waiting is not None:
            self._waiting.stop()
        click.echo(printable(f"Asked as: {question}\n"))
        if self._waiting is not None:
            self._waiting.start()

    def __call__(self, piece: str) -> None:
        if not self._shown:
            return
        if self._waiting is not None:
            self._waiting.stop()
        self.any = True
        click.echo(piece, nl=False)
