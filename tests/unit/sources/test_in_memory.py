from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from tests.passages import CURIE

from overstory.errors import SourceError
from overstory.sources import in_memory_documents


def test_a_text_becomes_a_document_that_is_known_by_its_content() -> None:
    first, again, other = in_memory_documents(["Ulm is a city.", " Ulm is a city.\n", "Bern is a city."])
    assert first == again
    assert first.source == "text"
    assert first.source_key != other.source_key


def test_one_text_is_one_document_and_not_its_letters() -> None:
    (document,) = in_memory_documents("Ulm is a city.")
    assert getattr(document, "text", "") == "Ulm is a city."


def test_documents_pass_as_they_are_one_by_one() -> None:
    assert next(in_memory_documents(iter([CURIE, CURIE]))) is CURIE
    assert list(in_memory_documents(CURIE)) == [CURIE]


@pytest.mark.parametrize(
    ("thing", "number", "remedy"),
    [
        ([CURIE, {"text": "Ulm"}], 2, "overstory.Document("),
        ({"text": "Ulm"}, 1, "overstory.Document("),
        (b"Ulm", 1, "overstory.Document("),
        (None, 1, "overstory.Document("),
        (Path("notes.txt"), 1, "Knowledge.ingest"),
        ([LangChainDocument(page_content="Ulm")], 1, "from_langchain"),
    ],
    ids=["a dictionary in a list", "a dictionary", "bytes", "None", "a path", "a LangChain document"],
)
def test_what_is_neither_is_refused_with_what_to_do(thing: Any, number: int, remedy: str) -> None:
    with pytest.raises(SourceError, match=f"Item {number} ") as caught:
        list(in_memory_documents(thing))
    assert remedy in caught.value.remedy
