from __future__ import annotations

import pytest

from overstory.retrieve.canopy.stored_names import QuestionNames, names_in, rare_phrases
from overstory.retrieve.question import read_question
from overstory.retrieve.question_entities import QuestionEntities, QuestionEntity, entities_in
from overstory.text.names.keys import entity_key
from overstory.text.names.tokens import tokenise
from overstory.text.questions.names import unknown_names


def asked(question: str) -> QuestionNames:
    phrases = tuple(unknown_names(tokenise(question), []))
    return QuestionNames(
        question,
        known=(),
        phrases=phrases,
        rest=question,
        words=frozenset(),
        form="question",
        clear=frozenset(),
        outdated=False,
    )


def test_a_name_is_clear_if_a_capitalised_word_is_no_name_of_many_passages() -> None:
    question = read_question("Perl: why do Perl operators on Windows Perl differ?")
    known = [
        QuestionEntity(name, entity_key(name), name, 1, subject=True) for name in ("Perl operators", "Windows Perl")
    ]
    found = QuestionEntities(*entities_in(question, lambda key: key, lambda _wanted, _terms: known), outdated=False)
    assert names_in(question, found, {"perl"}).clear == {"Windows Perl"}
    assert names_in(question, found).clear >= {"Windows Perl", "Perl operators"}


def test_a_phrase_that_few_chunks_have_is_a_seed_of_theirs() -> None:
    names = asked("Who saw the Oak Lane Bell?")
    quoted = names.quoted()["oak lane bell"]
    assert quoted == '"Oak Lane Bell"'
    seeds = rare_phrases(names, {quoted: {"a": "The Oak Lane Bell rang.", "b": "an oak lane, a bell"}}, 100)
    assert {chunk: seed.name for chunk, seed in seeds.items()} == {"a": "Oak Lane Bell"}
    assert 0 < seeds["a"].weight < 0.7


def test_a_phrase_that_many_chunks_have_is_none_and_hides_its_parts() -> None:
    names = asked("Who saw the Oak Lane Bell?")
    quoted = names.quoted()
    everywhere = {quoted["oak lane bell"]: {str(i): "The Oak Lane Bell" for i in range(3)}}
    rare_part = {quoted["bell"]: {"x": "Bell"}}
    assert rare_phrases(names, everywhere | rare_part, 100) == {}
    assert set(rare_phrases(names, rare_part, 100)) == {"x"}


@pytest.mark.parametrize("question", ['Who is "Bad\\Boy"?', 'Who is Q"x?'])
def test_a_phrase_cannot_leave_its_quotes(question: str) -> None:
    for quoted in asked(question).quoted().values():
        assert quoted[0] == quoted[-1] == '"'
        assert not {'"', "\\"} & set(quoted[1:-1])
