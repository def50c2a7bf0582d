"""The context of an answer: which evidence is read, and which does not fit."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from overstory.answer import Context, read_within
from overstory.answer.context import _LEAST_PASSAGE_TOKENS, AROUND
from overstory.llm import as_data
from overstory.model import Evidence, Excerpt, Hit, Part, PartKind, ShareKind
from overstory.model.passage_text import count_at_most


def hit(key: str, text: str, title: str = "") -> Hit:
    return Hit(key, f"document {key}", "test", key, title, "", text, 1.0)


def evidence(*hits: Hit, excerpts: tuple[Excerpt, ...] = ()) -> Evidence:
    return Evidence("Where?", "test", hits, parts=excerpts)


def excerpt(chunk: str, text: str) -> Excerpt:
    return Excerpt(text=text, score=1.0, chunks=(chunk,), documents=(f"document {chunk}",))


def part(kind: PartKind, text: str, *chunks: str) -> Part:
    return Part(kind=kind, text=text, score=1.0, chunks=chunks, documents=tuple(f"document {each}" for each in chunks))


def shared(*parts: Part, hits: tuple[Hit, ...] = (), **shares: float) -> Evidence:
    """Evidence with these parts and shares, over passages that it carries besides its hits."""
    kinds: dict[ShareKind, float] = {kind: shares[kind] for kind in get_args(ShareKind) if kind in shares}
    return Evidence("Where?", "test", hits, parts=parts, sources=(ULM, BERN), shares=kinds)


ULM, BERN = hit("a", "Ulm is a city. It lies on the Danube.", "Ulm"), hit("b", "Bern is on the Aare.", "Bern")


def shown(context: Context) -> str:
    """The passages as a prompt has them."""
    return as_data("passage", [each.text for each in context.items])


def test_passages_are_numbered_in_their_order_and_have_their_titles() -> None:
    context = read_within(500, evidence(ULM, BERN))
    assert [(each.number, each.text) for each in context.items] == [
        (1, "Ulm\nUlm is a city. It lies on the Danube."),
        (2, "Bern\nBern is on the Aare."),
    ]
    assert context.notes == ()


def test_what_does_not_fit_is_left_out_from_the_end_and_counted() -> None:
    context = read_within(
        AROUND + count_at_most("Ulm\nUlm is a city. It lies on the Danube."), evidence(ULM, BERN, BERN)
    )
    assert [each.found for each in context.items] == [ULM]
    assert context.notes == ("2 passages of lower rank were not read: they did not fit.",)


def test_one_that_is_left_out_is_one() -> None:
    context = read_within(AROUND + count_at_most("Ulm\nUlm is a city. It lies on the Danube."), evidence(ULM, BERN))
    assert context.notes == ("1 passage of lower rank was not read: it did not fit.",)


def test_the_last_passage_is_cut_at_a_sentence() -> None:
    context = read_within(AROUND + count_at_most("Ulm\nUlm is a city. It"), evidence(ULM))
    assert [each.body for each in context.items] == ["Ulm is a city."]
    assert context.notes == ("Passage 1 was only partly read: the rest did not fit.",)


def test_of_the_best_passage_a_part_is_read_where_no_sentence_fits() -> None:
    context = read_within(AROUND + _LEAST_PASSAGE_TOKENS, evidence(hit("a", "北京是中国的首都" * 100)))
    assert len(context.items) == 1
    assert context.items[0].body


def test_where_not_even_a_part_of_it_fits_nothing_is_read() -> None:
    context = read_within(1, evidence(ULM, BERN))
    assert context.items == ()
    assert context.notes == ("2 passages found but not read: raise --context-tokens (context_tokens).",)


def test_excerpts_are_read_instead_of_their_hits_each_once_and_by_its_number() -> None:
    excerpts = (
        excerpt("b", "Bern is on the Aare."),
        excerpt("a", "Ulm is a city."),
        excerpt("b", "It is old."),
        excerpt("b", "It is old."),
        excerpt("nowhere", "Lost."),
    )
    context = read_within(500, evidence(ULM, BERN, excerpts=excerpts))
    assert [(each.found, each.body) for each in context.items] == [
        (BERN, "Bern is on the Aare.\nIt is old."),
        (ULM, "Ulm is a city."),
    ]


def test_without_evidence_nothing_is_read() -> None:
    assert read_within(500, evidence()) == Context(())


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6), st.integers(200, 600))
def test_what_is_read_fits(texts: list[str], tokens: int) -> None:
    context = read_within(tokens, evidence(*(hit(str(at), text) for at, text in enumerate(texts))))
    if len(context.items) > 1 or not context.cut:
        assert count_at_most(shown(context)) <= tokens
    assert len(context.items) + context.left_out.get("passage", 0) == len(texts)


RIVERS = part("report", "Rivers\nUlm lies on the Danube, Bern on the Aare.", "a", "b")
BORN = part("relation", "Ulm lies on the Danube", "a")


def test_parts_are_not_read_without_a_share() -> None:
    context = read_within(500, Evidence("Where?", "test", (ULM,), parts=(RIVERS, BORN)))
    assert [each.found for each in context.items] == [ULM]


def test_parts_are_numbered_with_the_passages_in_the_order_of_the_shares() -> None:
    context = read_within(500, shared(RIVERS, BORN, hits=(ULM,), passage=0.4, relation=0.3, report=0.3))
    assert [(each.number, each.kind, each.text) for each in context.items] == [
        (1, "passage", "Ulm\nUlm is a city. It lies on the Danube."),
        (2, "relation", "Ulm lies on the Danube"),
        (3, "report", "Rivers\nUlm lies on the Danube, Bern on the Aare."),
    ]
    assert [each.passages for each in context.items] == [(ULM,), (ULM,), (ULM, BERN)]


def test_a_kind_without_a_share_is_not_read_and_a_part_without_passages_neither() -> None:
    lost = part("report", "Nobody said this.", "nowhere")
    context = read_within(500, shared(lost, RIVERS, BORN, hits=(ULM,), report=1.0))
    assert [each.found for each in context.items] == [RIVERS]
    assert context.notes == ()


def long(kind: PartKind, number: int) -> list[Part]:
    return [part(kind, f"{at:03} lies on the Danube", "a") for at in range(number)]


def test_each_kind_gets_its_share() -> None:
    each = AROUND + long("path", 1)[0].tokens
    evidence = shared(*long("path", 100), *long("relation", 100), relation=1, path=3)
    context = read_within(40 * each, evidence)
    kinds = [item.kind for item in context.items]
    assert kinds == ["relation"] * 10 + ["path"] * 30
    assert context.notes == (
        "90 relations of lower rank were not read: they did not fit.",
        "70 paths of lower rank were not read: they did not fit.",
    )


def test_room_that_a_kind_does_not_use_goes_to_the_others_in_proportion() -> None:
    each = AROUND + long("path", 1)[0].tokens
    parts = [*long("entity", 1), *long("relation", 100), *long("path", 100)]
    context = read_within(31 * each, shared(*parts, entity=8, relation=1, path=2))
    kinds = [item.kind for item in context.items]
    assert (kinds.count("entity"), kinds.count("relation"), kinds.count("path")) == (1, 10, 20)


def test_one_that_is_too_long_for_its_share_leaves_the_room_to_the_others() -> None:
    each = AROUND + long("path", 1)[0].tokens
    whole = part("report", "Danube " * 1_000, "a")
    context = read_within(10 * each, shared(whole, *long("path", 100), report=1, path=1))
    assert [item.kind for item in context.items] == ["path"] * 10
    assert "1 report of lower rank was not read: it did not fit." in context.notes


def test_the_last_of_each_kind_may_be_cut() -> None:
    report = part("report", "Ulm lies on the Danube. " * 40, "a")
    context = read_within(400, shared(report, hits=(hit("a", "Bern is on the Aare. " * 40),), passage=1, report=1))
    assert context.cut == (1, 2)
    assert context.notes == (
        "Passage 1 was only partly read: the rest did not fit.",
        "Report 2 was only partly read: the rest did not fit.",
    )


def test_where_nothing_of_several_kinds_fits_all_are_counted() -> None:
    context = read_within(1, shared(*long("entity", 2), *long("answer", 1), entity=1, answer=1))
    assert context.notes == (
        "2 entities and 1 remembered answer found but not read: raise --context-tokens (context_tokens).",
    )


@given(
    st.lists(st.tuples(st.sampled_from(["report", "relation", "path"]), st.text(max_size=150)), max_size=12),
    st.lists(st.text(max_size=200), max_size=4),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.integers(250, 900),
)
def test_what_is_read_of_several_kinds_fits_and_nothing_is_lost(
    found: list[tuple[PartKind, str]], texts: list[str], weights: list[float], tokens: int
) -> None:
    parts = [part(kind, text, "a") for kind, text in found]
    hits = tuple(hit(str(at), text) for at, text in enumerate(texts))
    kinds = ("passage", "report", "relation", "path")
    context = read_within(tokens, shared(*parts, hits=hits, **dict(zip(kinds, weights, strict=True))))
    if len(context.items) > 1 or not context.cut:
        assert count_at_most(shown(context)) <= tokens
    assert len(context.items) + sum(context.left_out.values()) == len(parts) + len(hits)
    assert [each.number for each in context.items] == list(range(1, len(context.items) + 1))
