"""Turns of a conversation that was held elsewhere, of which only the texts are known: as a chat client sends them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from overstory.answer import without_citations
from overstory.conversation.conversation import MOST_TURNS
from overstory.conversation.names import names_in, turn_of
from overstory.model import Hit
from overstory.protocols import Extractor
from overstory.text.questions.antecedents import Turn
from overstory.text.questions.follow_up import complete, refers_back
from overstory.text.questions.kinds import form_of

_MOST_NAMES_ADDED = 3
_MOST_TURNS_SEARCHED_AGAIN = 2
"""Last turns of which the passages are searched for again: what they say of the names tells what a pronoun means."""


def turns_spoken(
    pairs: Sequence[tuple[str, str]], extractor: Extractor | None, find: Callable[[str], Sequence[Hit]] | None = None
) -> list[Turn]:
    """Questions and answers as turns, oldest first; the last `MOST_TURNS` of them.

    A question that went on from the ones before is completed by rules, as it was when it was asked.

    Args:
        pairs: of a question and its answer, "" for one that has none.
        find: finds the passages of a question.
    """
    turns: list[Turn] = []
    last = list(pairs)[-MOST_TURNS:]
    for left, (question, answer) in zip(range(len(last), 0, -1), last, strict=True):
        completed = complete(question, names_in(question, extractor), turns)
        asked = question if completed is None else completed.question
        said = without_citations(answer).partition("\n")[0]
        hits = find(asked) if find is not None and left <= _MOST_TURNS_SEARCHED_AGAIN else ()
        turns.append(turn_of(asked, said, said, extractor, hits=hits))
    return turns


def stands_alone(question: str, turns: Sequence[Turn], extractor: Extractor | None) -> bool:
    """Whether it goes on from nothing before, whatever the names of the turns are."""
    own = names_in(question, extractor)
    if refers_back(question, own) or complete(question, own, turns) is not None:
        return False
    return bool(own) or form_of(question) != "phrase"


def with_last_names(question: str, turns: Sequence[Turn], extractor: Extractor | None) -> str:
    """A phrase without names, which no rule completes, with the names of the question before it. A whole question is
    not changed: it is about what it says."""
    if not turns or form_of(question) != "phrase" or names_in(question, extractor):
        return question
    if complete(question, (), turns) is not None:
        return question
    names = dict.fromkeys(each.name for each in turns[-1].named)
    return f"{question} ({', '.join(list(names)[:_MOST_NAMES_ADDED])})" if names else question
