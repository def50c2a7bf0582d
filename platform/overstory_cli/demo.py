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
"""Value of `source` for the demo documents. It does not depend on the folder in which the package is installed."""

QUESTIONS = (
    (
        "In what year was the man that resigned as the president of Israel "
        "before the Israeli presidential election, 2000 born?"
    ),
    "The real life person that James Woods' character is based on in the film In Love and War was awarded what medal?",
    "Are Watertown International Airport and Alexandria International Airport both airports in the same state?",
)
"""Questions from the development set of HotpotQA. Each requires two passages, which are both among the first 3 hits."""
_DEMO_PASSAGES = 3


def page_link(service: str = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}") -> str:
    """Return the address at which the web page of a service shows the demo corpus."""
    return f"{service}/#/ask/{CORPUS}"


_FURTHER = f"""
Next steps:
  overstory search 'your question' --corpus {CORPUS} --why   show the sentences that led to each passage
  overstory path Metallica 'San Francisco' --corpus {CORPUS}   show how two entities are connected
  overstory browser --corpus {CORPUS}   open the graph in Neo4j Browser, with a guide and saved queries
  overstory ingest PATH…     load your own documents, then run: overstory index

To ask questions on a web page: overstory serve --demo --open
  {page_link()}"""


@click.command()
@verbosity_options
@json_option
def demo(progress: Progress) -> Result:
    """Load and index a small corpus, and ask it three questions.

    The first run downloads Neo4j (144 MB); later runs only ask the questions. The corpus is called `demo`. To remove
    it, run `overstory delete --all --corpus demo`.

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
    """Load and index the demo corpus. Steps that were completed before are skipped."""
    with embedder_loaded_meanwhile(knowledge):
        _ = knowledge.graph  # this starts the server, and downloads it first if necessary
    report = knowledge.ingest_documents(_documents())
    knowledge.index()
    return report


def _documents() -> Iterator[Loaded]:
    # A broken passage would be a fault of this package. Therefore it raises an error.
    for item in read_sources([str(demo_corpus())], loader="beir", on_broken=_raise, on_skipped=lambda _: None):
        yield dataclasses.replace(item, source=SOURCE)


def _raise(error: Exception) -> None:
    raise error


def _size(knowledge: Knowledge) -> str:
    counts = knowledge.status().counts
    kinds = {"documents": "document", "chunks": "chunk", "mentions": "mention", "facts": "fact"}
    parts = [counted(counts[plural], singular) for plural, singular in kinds.items()]
    return ", ".join([*parts, counted(counts["entities"], "entity", "entities")])
