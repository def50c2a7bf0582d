"""overstory search"""

from __future__ import annotations

import click

from overstory.cli.options import json_option, knowledge_options
from overstory.cli.output import show_evidence, show_json
from overstory.knowledge import Knowledge
from overstory.retrieve import DEFAULT_RETRIEVER


@click.command()
@click.argument("question")
@click.option("-k", "k", type=click.IntRange(1, 1000), default=5, show_default=True, help="How many passages.")
@click.option(
    "--retriever",
    default=DEFAULT_RETRIEVER,
    show_default=True,
    metavar="NAME",
    help="canopy, dense, lexical, hybrid, …",
)
@click.option("--why", is_flag=True, help="Show the sentences that led from passage to passage.")
@json_option
@knowledge_options
def search(knowledge: Knowledge, question: str, k: int, retriever: str, why: bool, as_json: bool) -> None:
    """Find the passages that answer a question, best first, each with its source and why it was found.

    \b
    Examples:
      overstory search 'Who wrote the novel that Nosferatu is based on?'
      overstory search 'error E42' --retriever lexical -k 20 --json
    """
    evidence = knowledge.search(question, k, retriever=retriever)
    if as_json:
        show_json(evidence)
    else:
        show_evidence(evidence, why=why)
