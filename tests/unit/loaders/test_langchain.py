from __future__ import annotations

from collections.abc import Iterator

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LangChainDocument

from overstory.errors import BrokenSource, SourceError
from overstory_loaders import from_langchain


class FakeLoader(BaseLoader):
    """Yields pages, and fails at the end on request."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.given = 0

    def lazy_load(self) -> Iterator[LangChainDocument]:
        for page in range(3):
            self.given += 1
            yield LangChainDocument(page_content=f"Page {page}.", metadata={"source": "a.pdf", "page": page})
        if self.fails:
            raise ConnectionError("no route")


def test_a_loader_gives_documents_under_their_own_source() -> None:
    documents = list(from_langchain(FakeLoader()))
    assert [document.text for document in documents] == ["Page 0.", "Page 1.", "Page 2."]
    assert {document.source for document in documents} == {"a.pdf"}
    assert len({document.source_key for document in documents}) == 3
    assert documents[1].metadata == {"page": 1}
    assert documents == list(from_langchain(FakeLoader()))


def test_documents_are_taken_one_by_one() -> None:
    loader = FakeLoader()
    next(from_langchain(loader))
    assert loader.given == 1


def test_ids_titles_and_a_given_source_are_used() -> None:
    origin = [LangChainDocument(page_content="x", id="d1", metadata={"title": " T ", "source": "web", "bad": b"x"})]
    (document,) = from_langchain(origin, source="mine")
    assert (document.source, document.source_key, document.title) == ("mine", "d1", "T")
    assert document.metadata == {"source": "web"}


def test_the_same_id_in_two_sources_is_no_clash() -> None:
    origin = [LangChainDocument(page_content="x", id="1", metadata={"source": name}) for name in ("a", "b")]
    assert len(list(from_langchain(origin))) == 2


def test_empty_and_repeated_documents_are_reported() -> None:
    origin = [
        LangChainDocument(page_content=text, id=id_, metadata={})
        for id_, text in [("1", "a"), ("2", " "), ("1", "b"), ("3", "c")]
    ]
    broken: list[BrokenSource] = []
    documents = list(from_langchain(origin, source="s", on_broken=broken.append))
    assert [document.text for document in documents] == ["a", "c"]
    assert [str(error) for error in broken] == [
        "s: record 2: is empty",
        "s: record 3: has the same id '1' as record 1, which was loaded",
    ]


def test_without_a_listener_broken_documents_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert list(from_langchain([LangChainDocument(page_content="")], source="s")) == []
    assert caplog.messages == ["s: record 1: is empty"]


def test_a_document_without_a_source_needs_one() -> None:
    with pytest.raises(SourceError, match="no 'source' in its metadata") as raised:
        list(from_langchain([LangChainDocument(page_content="x")]))
    assert "source=NAME" in raised.value.remedy


def test_what_a_loader_raises_becomes_a_broken_source() -> None:
    documents = from_langchain(FakeLoader(fails=True))
    with pytest.raises(BrokenSource, match="ConnectionError: no route") as raised:
        list(documents)
    assert isinstance(raised.value.__cause__, ConnectionError)
