"""overstory search"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from overstory_cli.options import (
    Result,
    budget_option,
    is_verbose,
    json_option,
    model_option,
    questions_options,
    refining_options,
    retriever_option,
)
from overstory_cli.output import show_evidence

if TYPE_CHECKING:
    from overstory.bench.runner import Refined
    from overstory.knowledge import Knowledge, SeveralCorpora


@click.command()
@click.argument("question")
@click.option("-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="Number of passages.")
@retriever_option
@refining_options
@model_option
@budget_option
@click.option(
    "--enrich",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with a read-only Cypher statement to run on the ids of the passages found ($ids).",
)
@click.option(
    "--why", is_flag=True, help="Show the sentences that lead from passage to passage, and all other results."
)
@questions_options
@json_option
def search(
    knowledge: Knowledge | SeveralCorpora,
    question: str,
    k: int,
    retriever: str,
    refined: Refined,
    model: str | None,
    budget_tokens: int | None,
    enrich: Path | None,
    why: bool,
) -> Result:
    """Find the passages that answer a question.

    Passages are listed best first, each with its source and the reason why it was found. Other results of the
    retriever, such as reports on communities, follow. -v adds the scores behind each reason.

    The statement of --enrich returns a row for each passage: its id, and values to show below the passage.

    \b
    Examples:
      overstory search 'Who wrote the novel that Nosferatu is based on?'
      overstory search 'error E42' --retriever lexical -k 20 --json
      overstory search 'How do I rotate the signing keys?' --rerank
      overstory search 'signing keys' --where "folder ~ 'security*' and not tags in ('draft', 'old')"
      overstory search 'Who directed the film that won in 1994?' --decompose --model local
      overstory search 'signing keys' --enrich names.cypher --json
      overstory search 'signing keys' --corpus handbook --corpus tickets
      overstory search 'signing keys' --corpus docs --uri bolt://one:7687 --uri bolt://two:7687
    """
    from overstory.knowledge import SeveralCorpora

    if enrich is not None and isinstance(knowledge, SeveralCorpora):
        raise click.UsageError("--enrich works with one corpus only.")
    knowledge.use_model(model, budget_tokens=budget_tokens)  # needed here because some retrievers use a language model
    with nullcontext() if retriever == "lexical" else embedder_loaded_meanwhile(knowledge):
        if isinstance(knowledge, SeveralCorpora):
            evidence = knowledge.search(question, k, retriever=retriever, **refined)
        else:
            statement = None if enrich is None else enrich.read_text(encoding="utf-8")
            evidence = knowledge.search(question, k, retriever=retriever, enrich=statement, **refined)
    return Result(evidence, lambda: show_evidence(evidence, why=why, figures=is_verbose()))


@contextmanager
def embedder_loaded_meanwhile(knowledge: Knowledge | SeveralCorpora) -> Generator[None]:
    """Load the embedding model in a background thread while the code in the `with` block runs.

    Errors are ignored, because they are raised again when the model is used.
    """

    def load() -> None:
        with suppress(Exception):
            knowledge.embedder.embed(["a text"])

    loading = threading.Thread(target=load, name="overstory-model", daemon=True)
    loading.start()
    try:
        yield
    finally:
        loading.join()
