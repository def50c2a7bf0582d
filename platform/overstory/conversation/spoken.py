"""Turns of a conversation that was held elsewhere, of which only the texts are known: as a chat client sends them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from overstory.answer import without_citations
from overstory.conversation.conversation import LONGEST_TURN_CHARACTERS, MOST_TURNS
from overstory.conversation.names import MOST_NAMES_OF_AN_ANSWER, names_in
from overstory.display import shortened
from overstory.protocols import Extractor
from overstory.text.names.keys import entity_key
from overstory.text.questions.follow_up import Turn, complete

MOST_NAMES_ADDED = 3


def turns_spoken(pairs: Iterable[tuple[str, str]], extractor: Extractor | None) -> list[Turn]:
    """Questions and answers as turns, oldest first; the last `MOST_TURNS` of them.

    A question that went on from the ones before is completed by rules, as it was when it was asked.

    Args:
        pairs: of a question and its answer, "" for one that has none.
    """
    turns: list[Turn] = []
    for question, answer in list(pairs)[-MOST_TURNS:]:
        completed = complete(question, names_in(question, extractor), turns)
        asked = question if completed is None else completed.question
        named = names_in(asked, extractor)
        known = {entity_key(each.name) for each in named}
        said = without_citations(answer).partition("\n")[0]
        given = [each for each in names_in(said, extractor) if entity_key(each.name) not in known]
        turns.append(
            Turn(
                question=shortened(asked, LONGEST_TURN_CHARACTERS),
                answer=shortened(said, LONGEST_TURN_CHARACTERS),
                named=named,
                answered_with=tuple(given[:MOST_NAMES_OF_AN_ANSWER]),
            )
        )
    return turns


def with_last_names(question: str, turns: Sequence[Turn], extractor: Extractor | None) -> str:
    """A question without names, which no rule completes, with the names of the question before it."""
    own = names_in(question, extractor)
    if own or not turns or complete(question, own, turns) is not None:
        return question
    names = dict.fromkeys(each.name for each in turns[-1].named)
    return f"{question} ({', '.join(list(names)[:MOST_NAMES_ADDED])})" if names else question
