"""Shared corpora and passages of the tests, small enough to read and real enough to search."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

from overstory.knowledge import Knowledge
from overstory.model import Document

OpenCorpus = Callable[..., Knowledge]
"""The fixture `open_corpus`: opens an empty corpus of the test's own; one name is one corpus."""

SOURCE = "tests/passages"


def passage(key: str, title: str, text: str, *, source: str = SOURCE) -> Document:
    return Document(source=source, source_key=key, title=title, text=text)


EINSTEIN = passage(
    "einstein",
    "Albert Einstein",
    "Albert Einstein was born in Ulm. He worked at the Swiss Patent Office in Bern. "
    "Albert Einstein married Mileva Marić in 1903.",
)
CURIE = passage(
    "curie",
    "Marie Curie",
    "Marie Curie was born in Warsaw. She discovered polonium. Marie Curie worked with Pierre Curie in Paris.",
)
ULM = passage("ulm", "Ulm", "Ulm is a city in the German state of Baden-Württemberg. Albert Einstein was born in Ulm.")
DANUBE = passage("danube", "Danube", "The Danube flows through Ulm, Vienna, Budapest and Belgrade.")
PASSAGES = (EINSTEIN, CURIE, ULM, DANUBE)


HOTPOTQA = Path(__file__).parents[1] / "examples" / "hotpotqa"


def hotpotqa(first: int, last: int) -> list[Document]:
    """Some passages of the example, each a document."""
    with (HOTPOTQA / "corpus.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in itertools.islice(lines, first, last)]
    return [passage(record["_id"], record["title"], record["text"]) for record in records]
