"""overstory demo"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import click

from overstory.display import counted
from overstory.examples import ATTRIBUTION, demo_corpus
from overstory.index import LoadReport
from overstory.knowledge import Knowledge
from overstory.model import Loaded
from overstory.protocols import Progress
from overstory.sources import read_sources
from overstory_cli.options import Result, json_option, verbosity_options
from overstory_cli.output import show_evidence
from overstory_cli.search import embedder_loaded_meanwhile
from overstory_service.settings import DEFAULT_HOST, DEFAULT_PORT

CORPUS = "demo"
SOURCE = "examples/hotpotqa"
"""The namespace of the demo's documents: the same for a checkout and for every place that a wheel is installed in."""

QUESTIONS = (
    (
        "In what year was the man that resigned as the president of Israel "
        "before the Israeli presidential election, 2000 born?"
    ),
    "The real life person that James Woods' character is based on in the film In Love and War was awarded what medal?",
    "Are Watertown International Airport and Alexandria International Airport both airports in the same state?",
)
"""Each needs two passages; all of them are among the first three. From HotpotQA's development questions."""
_DEMO_PASSAGES = 3


def page_link(service: str = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}") -> str:
    """The address of the page on the demo corpus, of the service at an address."""
    return f"{service}/#/ask/{CORPUS}"


_FURTHER = f"""
Look further:
  overstory search 'your question' --corpus {CORPUS} --why   with the sentences that led to each passage
  overstory path Metallica 'San Francisco' --corpus {CORPUS}   how two names are connected
  overstory browser --corpus {CORPUS}   Neo4j Browser on this graph, with a guide and saved queries
  overstory ingest PATH…     documents of your own, then: overstory index

Ask it in a web browser, and see why: overstory serve --demo --open
  {page_link()}"""


@click.command()
@verbosity_options
@json_option
def demo(progress: Progress) -> Result:
    """Load a small real corpus into a real Neo4j, index it, ask three questions, and say where to look further.

    The first run fetches Neo4j (144 MB); a second one finds everything done. The corpus is called `demo`;
    `overstory delete --all --corpus demo` removes it.

    \b
    Example:
      overstory demo
    """
    with Knowledge(CORPUS, progress=progress) as knowledge:
        report = load_demo(knowledge)
        answers = [knowledge.search(question, _DEMO_PASSAGES) for question in QUESTIONS]
        size = _size(knowledge)

    def show() -> None:
        click.echo(f"\nCorpus {CORPUS!r}: {size}.\n{ATTRIBUTION}")
        for evidence in answers:
            click.echo(f"\n{click.style('Question:', bold=True)} {evidence.question}")
            show_evidence(evidence)
        click.echo(_FURTHER)

    return Result({"loaded": report, "answers": answers}, show)


def load_demo(knowledge: Knowledge) -> LoadReport:
    """Loads and indexes the demo corpus; what is there already is not done again."""
    with embedder_loaded_meanwhile(knowledge):
        _ = knowledge.graph  # starts the server, and fetches it first
    report = knowledge.ingest_documents(_documents())
    knowledge.index()
    return report


def _documents() -> Iterator[Loaded]:
    # a broken passage would be our own mistake, so it raises
    for item in read_sources([str(demo_corpus())], loader="beir", on_broken=_raise, on_skipped=lambda _: None):
        yield dataclasses.replace(item, source=SOURCE)


def _raise(error: Exception) -> None:
    raise error


def _size(knowledge: Knowledge) -> str:
    counts = knowledge.status().counts
    kinds = {"documents": "document", "chunks": "chunk", "mentions": "mention", "facts": "fact"}
    parts = [counted(counts[plural], singular) for plural, singular in kinds.items()]
    return ", ".join([*parts, counted(counts["entities"], "entity", "entities")])
