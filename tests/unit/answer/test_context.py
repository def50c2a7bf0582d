"""What is read of evidence, and what does not fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory.answer import Context, read_within
from overstory.answer.context import AROUND, LEAST_READ
from overstory.llm import as_data
from overstory.model import Evidence, Excerpt, Hit
from overstory.model.token_bound import count_at_most


def hit(key: str, text: str, title: str = "") -> Hit:
    return Hit(key, f"document {key}", "test", key, title, "", text, 1.0)


def evidence(*hits: Hit, excerpts: tuple[Excerpt, ...] = ()) -> Evidence:
    return Evidence("Where?", "test", hits, excerpts=excerpts)


ULM, BERN = hit("a", "Ulm is a city. It lies on the Danube.", "Ulm"), hit("b", "Bern is on the Aare.", "Bern")


def shown(context: Context) -> str:
    """The passages as a prompt has them."""
    return as_data("passage", [each.text for each in context.passages])


def test_passages_are_numbered_in_their_order_and_have_their_titles() -> None:
    context = read_within(500, evidence(ULM, BERN))
    assert [(each.number, each.text) for each in context.passages] == [
        (1, "Ulm\nUlm is a city. It lies on the Danube."),
        (2, "Bern\nBern is on the Aare."),
    ]
    assert context.notes == ()


def test_what_does_not_fit_is_left_out_from_the_end_and_counted() -> None:
    context = read_within(
        AROUND + count_at_most("Ulm\nUlm is a city. It lies on the Danube."), evidence(ULM, BERN, BERN)
    )
    assert [each.hit for each in context.passages] == [ULM]
    assert context.notes == ("2 passages of lower rank were not read: they did not fit.",)


def test_one_that_is_left_out_is_one() -> None:
    context = read_within(AROUND + count_at_most("Ulm\nUlm is a city. It lies on the Danube."), evidence(ULM, BERN))
    assert context.notes == ("1 passage of lower rank was not read: it did not fit.",)


def test_the_last_passage_is_cut_at_a_sentence() -> None:
    context = read_within(AROUND + count_at_most("Ulm\nUlm is a city. It"), evidence(ULM))
    assert [each.body for each in context.passages] == ["Ulm is a city."]
    assert context.notes == ("Passage 1 was read in part: the rest did not fit.",)


def test_of_the_best_passage_a_part_is_read_where_no_sentence_fits() -> None:
    context = read_within(AROUND + LEAST_READ, evidence(hit("a", "北京是中国的首都" * 100)))
    assert len(context.passages) == 1
    assert context.passages[0].body


def test_where_not_even_a_part_of_it_fits_nothing_is_read() -> None:
    context = read_within(1, evidence(ULM, BERN))
    assert context.passages == ()
    assert context.notes == ("2 passages found, none read: raise --context-tokens (context_tokens).",)


def test_excerpts_are_read_instead_of_their_hits_each_once_and_by_its_number() -> None:
    excerpts = (
        Excerpt("b", "Bern is on the Aare."),
        Excerpt("a", "Ulm is a city."),
        Excerpt("b", "It is old."),
        Excerpt("b", "It is old."),
        Excerpt("nowhere", "Lost."),
    )
    context = read_within(500, evidence(ULM, BERN, excerpts=excerpts))
    assert [(each.hit, each.body) for each in context.passages] == [
        (BERN, "Bern is on the Aare.\nIt is old."),
        (ULM, "Ulm is a city."),
    ]


def test_without_evidence_nothing_is_read() -> None:
    assert read_within(500, evidence()) == Context(())


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6), st.integers(200, 600))
def test_what_is_read_fits(texts: list[str], tokens: int) -> None:
    context = read_within(tokens, evidence(*(hit(str(at), text) for at, text in enumerate(texts))))
    if len(context.passages) > 1 or not context.cut:
        assert count_at_most(shown(context)) <= tokens
    assert len(context.passages) + context.left_out == len(texts)
