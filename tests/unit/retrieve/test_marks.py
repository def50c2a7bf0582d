from __future__ import annotations

from dataclasses import replace

from overstory.knowledge.passage_questions import with_marks
from overstory.model import Evidence, Hit

HIT = Hit("c", "d", "wiki", "", "Ulm", "", "Ulm is a city. Albert Einstein was born in Ulm.", 1.0)


def test_hits_are_marked_where_they_have_words_of_the_question() -> None:
    strange = replace(HIT, text="The Danube.")
    found = with_marks(Evidence("Where was Einstein born?", "of your own", (HIT, strange)))
    first, second = found.hits
    assert [first.text[start:end] for start, end in first.matches] == ["Einstein", "born"]
    assert first.sentence is not None
    assert first.text[slice(*first.sentence)] == "Albert Einstein was born in Ulm."
    assert second == strange
    assert replace(found, hits=(HIT, strange)) == Evidence("Where was Einstein born?", "of your own", (HIT, strange))


def test_a_question_in_another_normal_form_is_the_same() -> None:
    (hit,) = with_marks(Evidence("Cafe\u0301?", "x", (replace(HIT, text="A café."),))).hits
    assert hit.matches == ((2, 6),)


def test_marks_that_a_retriever_brought_stay() -> None:
    own = replace(HIT, matches=((0, 3),), sentence=(0, 14))
    assert with_marks(Evidence("Where was Einstein born?", "x", (own,))).hits == (own,)
