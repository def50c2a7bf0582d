"""overstory ask"""

from __future__ import annotations

import sys

import click

from overstory.answer import CONTEXT_TOKENS, Answer
from overstory.cli.options import budget_option, json_option, knowledge_options, model_option, retriever_option
from overstory.cli.output import show_answer, show_json
from overstory.knowledge import Knowledge


@click.command()
@click.argument("question")
@click.option("-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many passages to find.")
@retriever_option
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
@json_option
@knowledge_options
def ask(
    knowledge: Knowledge,
    question: str,
    k: int,
    retriever: str,
    model: str | None,
    budget_tokens: int | None,
    context_tokens: int,
    as_json: bool,
) -> None:
    """Answer a question from the passages found for it, with their numbers and sources.

    A language model writes the answer, if one is set; each passage that it names is checked to exist. Without one, or
    where it fails, the answer is made of sentences of the passages, and says so.

    \b
    Examples:
      overstory ask 'Where was the author of the novel behind Nosferatu born?'
      overstory ask 'Who maintains the billing service?' --model local
      overstory ask 'What does error E42 mean?' --retriever lexical -k 10 --json
    """
    knowledge.use_model(model, budget_tokens=budget_tokens)
    streamed = _Streamed()
    live = sys.stdout.isatty() and not as_json and knowledge.chat() is not None
    answer = knowledge.ask(
        question, k, retriever=retriever, context_tokens=context_tokens, on_text=streamed if live else None
    )
    if as_json:
        show_json(as_object(answer))
    else:
        show_answer(answer, streamed=streamed.any, hint=knowledge.chat() is None)


def as_object(answer: Answer) -> dict[str, object]:
    """The fields of `--json`."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "short": answer.short,
        "kind": answer.kind,
        "answered": answer.answered,
        "citations": answer.citations,
        "notes": answer.notes,
        "model": answer.model,
        "usage": answer.usage,
        "evidence": answer.evidence,
    }


class _Streamed:
    """Prints the pieces of an answer; `any` says whether there were some."""

    def __init__(self) -> None:
        self.any = False

    def __call__(self, piece: str) -> None:
        self.any = True
        click.echo(piece, nl=False)
