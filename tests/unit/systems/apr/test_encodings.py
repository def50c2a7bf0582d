"""Encodings of triples: what the figures of the paper show, and that each can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import HashingEmbedder, ScriptedChat
from tests.unit.systems.apr.decoding import decoded

from overstory.answer import read_within
from overstory.errors import LlmError
from overstory.llm import Chat
from overstory.model import Evidence, Hit
from overstory_systems.apr.encodings import Channels, Form, KnowledgePart, TokenCounter, encode

FORMS: tuple[Form, ...] = get_args(Form)
FIGURE_8 = Channels(
    questions=[[("AlphaCorp", "acquired_in", "2021+"), ("BetaLtd", "exposed_to", "EUReg2024_12")]],
    facts=[[("AlphaCorp", "acquired_in", "2021+")], [("AlphaCorp", "subject_to", "EUReg2024_12")]],
)

word = st.text(max_size=12) | st.sampled_from(["Dracula", "Bram Stoker", "May 26, 1897", '"quoted"', "a [b]", " x", ""])
runs = st.lists(st.lists(st.tuples(word, word, word), max_size=3), max_size=4)


def test_words_are_figure_8_d_under_the_rules_of_figure_9_c() -> None:
    assert encode(FIGURE_8, "words") == (
        "---Knowledge Base---\n"
        "[JSON format]\n"
        "- questions(words): question triples\n"
        "- facts(words): fact triples\n"
        "{\n"
        '"questions(words)": [[AlphaCorp, acquired_in, 2021+],[BetaLtd, exposed_to, EUReg2024_12]],\n'
        '"facts(words)": [[AlphaCorp, acquired_in, 2021+],\n\n[AlphaCorp, subject_to, EUReg2024_12]]\n'
        "}"
    )


def test_ids_are_figure_8_c_under_the_rules_of_figure_9_b() -> None:
    assert encode(FIGURE_8, "ids") == (
        "---Knowledge Base---\n"
        "[JSON format]\n"
        "- e: list of entities (e[i] = entity string)\n"
        "- r: list of relations (r[j] = relation string)\n"
        "- [e,r,e]: triple [head_e_idx, r_idx, tail_e_idx]\n"
        "- questions([e,r,e], ...): question triples\n"
        "- facts([e,r,e], ...): fact triples\n"
        "{\n"
        '"e": [AlphaCorp, 2021+, BetaLtd, EUReg2024_12],\n'
        '"r": [acquired_in, exposed_to, subject_to],\n'
        '"questions([e,r,e], ...)": [[0,0,1],[2,1,3]],\n'
        '"facts([e,r,e], ...)": [[0,0,1],\n\n[0,2,3]]\n'
        "}"
    )


def test_a_matrix_is_figure_8_b_under_the_rules_of_figure_9_a() -> None:
    assert encode(FIGURE_8, "matrix") == (
        "---Knowledge Base---\n"
        "[JSON format]\n"
        "- e: list of entities (e[i] = entity string)\n"
        "- r: list of relations (r[j] = relation string)\n"
        "- edge_matrix: [[head_e_idx, r_idx, tail_e_idx]]\n"
        "  * NOTE: edges[i] is just shorthand for edge_matrix[i]\n"
        "- questions(edges[i]): questions linked by edge i\n"
        "- facts(edges[i]): facts linked by edge i\n"
        "{\n"
        '"e": [AlphaCorp, 2021+, BetaLtd, EUReg2024_12],\n'
        '"r": [acquired_in, exposed_to, subject_to],\n'
        '"edge_matrix": [[0,0,1],[2,1,3],[0,2,3]],\n'
        '"questions(edges[i])": [0,1],\n'
        '"facts(edges[i])": [0,\n\n2]\n'
        "}"
    )


@pytest.mark.parametrize("form", FORMS)
@given(questions=runs, knowledge=runs, facts=runs)
def test_every_encoding_can_be_read_back(
    form: Form,
    questions: list[list[tuple[str, str, str]]],
    knowledge: list[list[tuple[str, str, str]]],
    facts: list[list[tuple[str, str, str]]],
) -> None:
    given_lists = {"questions": questions, "given knowledge": knowledge, "facts": facts}
    flat = {name: [each for run in value for each in run] for name, value in given_lists.items()}
    wanted = {name: value for name, value in flat.items() if value}
    text = encode(Channels(questions, knowledge, facts), form)
    assert (decoded(text) if text else {}) == wanted


@pytest.mark.parametrize("form", FORMS)
def test_a_prompt_that_does_not_fit_is_cut_between_two_runs(form: Form) -> None:
    facts = [[(f"Film {nr}", "was directed by", f"Somebody {nr}")] for nr in range(30)]
    text = encode(Channels(facts=facts), form)
    hit = Hit("c", "d", "s", "k", "Films", "", "Films of directors.", 1.0)
    part = KnowledgePart(
        text=text,
        score=1.0,
        chunks=("c",),
        documents=("d",),
        encoding=form,
        tokenizer="",
        tokens_by_encoding={},
        prompt_tokens=0,
        question=(),
        related=(),
        knowledge=(),
        facts=(),
    )
    evidence = Evidence("Which films?", "apr", (hit,), parts=(part,), shares={"relation": 1.0})
    whole = part.tokens
    (item,) = read_within(whole - 10, evidence).items
    assert item.body != text
    assert text.startswith(item.body)
    assert text[len(item.body) :].startswith("\n\n")


TEXTS = ["one two", "three"]


class CountingChat(ScriptedChat):
    """Each character is a token."""

    fingerprint = "local:small:0123"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


class BrokenChat(CountingChat):
    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        raise LlmError(f"{len(texts)} texts, no memory.")


def test_the_models_own_tokenizer_counts() -> None:
    counter = TokenCounter(HashingEmbedder(4), Chat(CountingChat("x")))
    assert counter.count(TEXTS) == ([7, 5], "local:small")


def test_the_embedders_counts_where_there_is_no_model_or_none_that_can() -> None:
    for chat in (None, Chat(ScriptedChat("x")), Chat(BrokenChat("x"))):
        assert TokenCounter(HashingEmbedder(4), chat).count(TEXTS) == ([2, 1], "hashing, the embedder's")
