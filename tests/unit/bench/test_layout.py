from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.bench.dataset import BenchDataset, BenchQuestion, Passage
from overstory.bench.layout import Layout, TitleMode, corpus_name, document_qrels, documents, shuffled
from overstory.model import Document, Heading

PASSAGES = [
    Passage("p1", "Teutberga", "A queen."),
    Passage("p2", "Lothair II", "A king."),
    Passage("p3", "", "Untitled."),
    Passage("p4", "Hugh", ""),
    Passage("p5", "Boso", "A count."),
]


def laid_out(layout: Layout, passages: Sequence[Passage] = PASSAGES) -> list[Document]:
    return list(documents(passages, layout, source="bench:x"))


def dataset(digest: str = "ab" * 32) -> BenchDataset:
    ids = tuple(passage.id for passage in PASSAGES)
    return BenchDataset("corpus.jsonl", digest, ids, (BenchQuestion("q", "?"),), {"q": {"p1": 1}})  # type: ignore[arg-type] # never read


@pytest.mark.parametrize(
    ("titles", "title", "text"),
    [("field", "Teutberga", "A queen."), ("text", "", "Teutberga\nA queen."), ("none", "", "A queen.")],
)
def test_a_title_stays_in_its_field_or_goes_into_the_text_or_is_dropped(
    titles: TitleMode, title: str, text: str
) -> None:
    assert laid_out(Layout(titles=titles), PASSAGES[:1]) == [Document("bench:x", "p1", text, title=title)]


@pytest.mark.parametrize(("titles", "texts"), [("field", ["Hugh"]), ("text", ["Hugh"]), ("none", [])])
def test_a_passage_without_text_is_its_title_and_without_both_no_document(titles: TitleMode, texts: list[str]) -> None:
    assert [document.text for document in laid_out(Layout(titles=titles), [PASSAGES[3]])] == texts
    assert laid_out(Layout(titles=titles), [Passage("p", "", "")]) == []


def test_packed_passages_are_joined_by_blank_lines_under_their_titles() -> None:
    (pack,) = laid_out(Layout(pack=9))
    by_id = {passage.id: passage for passage in PASSAGES}
    members = [by_id[each] for each in shuffled(by_id, 0)]
    assert pack.source_key == "pack000000"
    assert pack.title == ""
    assert pack.text == "\n\n".join(f"{passage.title}\n{passage.text}".strip() for passage in members)
    assert [heading.text for heading in pack.headings] == [passage.title for passage in members]
    assert all(pack.text[heading.start :].startswith(heading.text) for heading in pack.headings)
    assert pack.metadata == {"passages": [passage.id for passage in members]}


def test_an_untitled_passage_of_a_pack_does_not_stand_under_the_title_before_it() -> None:
    (pack,) = laid_out(Layout(pack=2), [Passage("a", "A", "1"), Passage("b", "", "2")])
    starts = {heading.text: heading.start for heading in pack.headings}
    assert pack.text[starts[""] :].startswith("2")
    assert Heading(start=starts["A"], level=1, text="A") in pack.headings


@pytest.mark.parametrize(("titles", "words"), [("text", "Teutberga\nA queen."), ("none", "A queen.")])
def test_packs_without_a_title_field_have_no_headings(titles: TitleMode, words: str) -> None:
    (pack,) = laid_out(Layout(titles=titles, pack=9))
    assert pack.headings == ()
    assert words in pack.text.split("\n\n")


def test_the_seed_decides_who_is_packed_with_whom_and_the_order_of_the_file_does_not() -> None:
    passages = [Passage(f"p{number}", "", f"text {number}") for number in range(100)]
    first = laid_out(Layout(pack=9, seed=1), passages)
    assert laid_out(Layout(pack=9, seed=1), passages[::-1]) == first
    assert laid_out(Layout(pack=9, seed=2), passages) != first
    assert [len(document.text.split("\n\n")) for document in first] == [9] * 11 + [1]


@given(st.integers(1, 12), st.integers(0, 3), st.integers(1, 40))
def test_every_gold_passage_is_in_a_gold_pack_and_no_other_pack_is_gold(size: int, seed: int, passages: int) -> None:
    ids = [f"p{number}" for number in range(passages)]
    layout = Layout(pack=size, seed=seed)
    packs = laid_out(layout, [Passage(each, "", f"text of {each}") for each in ids])
    gold = {"q": dict.fromkeys(ids[:3], 1)}
    expected = {
        pack.source_key: 1 for pack in packs if any(f"text of {each}" in pack.text.split("\n\n") for each in gold["q"])
    }
    assert document_qrels(gold, ids, layout) == {"q": expected}


def test_a_pack_is_as_relevant_as_its_most_relevant_passage() -> None:
    assert document_qrels({"q": {"a": 1, "b": 3, "c": -1}}, "abc", Layout(pack=3)) == {"q": {"pack000000": 3}}


def test_without_packing_the_judgements_stay_as_they_are() -> None:
    assert document_qrels({"q": {"a": 1}}, "a", Layout()) == {"q": {"a": 1}}


def test_a_corpus_is_named_after_its_passages_and_their_layout() -> None:
    layouts = [
        Layout(),
        Layout(titles="text"),
        Layout(titles="none"),
        Layout(pack=9),
        Layout(pack=8),
        Layout(pack=9, seed=7),
    ]
    names = {corpus_name(dataset(), layout, embedder="minilm") for layout in layouts}
    assert len(names) == len(layouts)
    assert all(name.startswith("bench-abababababababab-") for name in names)
    packed = corpus_name(dataset(), Layout(pack=9, seed=7), embedder="minilm")
    assert packed.startswith("bench-abababababababab-field-pack9-seed7-")
    assert corpus_name(dataset(), Layout(seed=7), embedder="minilm") in names  # without packing, no seed
    assert corpus_name(dataset("cd" * 32), Layout(), embedder="minilm") not in names
    assert corpus_name(dataset(), Layout(), embedder="other") not in names
