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
@click.option("-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="Number of passages to find.")
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
    help="Maximum number of tokens of passages that the language model reads.",
)
@click.option(
    "--remember",
    is_flag=True,
    help="Let the retriever's system remember the answer; overstory memory lists remembered answers.",
)
@click.option(
    "--style",
    type=click.Choice(["short", "report"]),
    help="With a language model: a short answer, or a report in sections. Default: a report for questions about all"
    " documents, otherwise short.",
)
@click.option("--strict", is_flag=True, help="Without a language model: refuse when unsure.")
@click.option(
    "--always", is_flag=True, help="Without a language model: show the closest sentences even if they do not answer."
)
@click.option(
    "--least-confidence",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Without a language model: refuse if the confidence (0 to 1) is below X."
    f" Default: {USUAL}; --strict: {STRICT}; --always: 0.",
)
@click.option(
    "--continue",
    "follow_up",
    is_flag=True,
    help="Ask a follow-up question, such as 'And when did he die?'. Without this option a new conversation starts.",
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
    follow_up: bool,
) -> Result:
    """Answer a question, with sources.

    The answer is based on the passages found for the question and cites them by number. If a language model is set, it
    writes the answer, and every citation is checked. Otherwise, or if the model fails, the answer consists of
    sentences from the passages, and a note says so.

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
        raise click.UsageError("Give only one of --strict, --always and --least-confidence.")
    least = STRICT if strict else ALWAYS if always else USUAL if least_confidence is None else least_confidence
    if follow_up and isinstance(knowledge, SeveralCorpora):
        raise click.UsageError("--continue works with one corpus only: questions to several corpora are not saved.")
    kept = None if isinstance(knowledge, SeveralCorpora) else knowledge.kept_conversation
    turns = kept.read() if kept and follow_up else []
    if follow_up and not turns and isinstance(knowledge, Knowledge):
        raise QuestionError(
            f"There is no conversation to continue: corpus {knowledge.corpus_name!r} has not been asked a question.",
            remedy="Ask a question without --continue first.",
        )
    conversation = knowledge.conversation(turns)
    knowledge.use_model(model, budget_tokens=budget_tokens)
    written = knowledge.chat() is not None
    streamed = _Streamed(shown=sys.stdout.isatty() and not wants_json() and written)
    knowledge.retriever(retriever, **refined)  # this starts the server, which must happen before a spinner is shown
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
        answer = replace(answer, notes=(*answer.notes, f"This question was not saved for --continue: {error}."))
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
        "nearest": answer.nearest,
        "citations": answer.citations,
        "notes": answer.notes,
        "model": answer.model,
        "usage": answer.usage,
        "evidence": answer.evidence,
    }


class _Streamed:
    """Prints an answer piece by piece as it arrives.

    Attributes:
        any: True if at least one piece has been printed.
    """

    def __init__(self, *, shown: bool) -> None:
        self.any = False
        self._shown = shown
        self._waiting: Status | None = None

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Show a spinner during the `with` block until the first piece of the answer is printed.

        Nothing is shown if standard error is not a terminal.
        """
        console = Console(stderr=True)
        if not console.is_terminal:
            yield
            return
        self._waiting = console.status("Reading the passages …")
        with self._waiting:
            yield

    def asked_as(self, question: str) -> None:
        """Print the complete question that was made from a follow-up question."""
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
