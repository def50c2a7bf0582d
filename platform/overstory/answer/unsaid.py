"""What a question asks for that no sentence says of what it names: its salary, or the one of somebody else."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from overstory.answer.answer_type import asks_to_choose
from overstory.answer.bridge import is_about, same_name
from overstory.answer.context import Item
from overstory.answer.reading import Sentence, with_titles
from overstory.answer.support import LEAST_SUPPORTING_COSINE, WordVectors, is_said, meaning_stems, similarity
from overstory.answer.words import content_words, padded
from overstory.text.questions.asked_for import AskedFor
from overstory.text.stems import stem

_OF_KIN = re.compile(
    r"(?:[\w. -]{2,40}['’]s?|(?:his|her|their)(?: \[[^\]]{1,80}\])?) (?:\w+ ){0,2}?"
    r"(?P<kin>father|mother|parents|son|daughter|child|children|brother|sister|wife|husband|spouse|uncle|aunt|cousin"
    r"|nephew|niece|grand\w+)\b",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby\b")
_FULL_NAME = re.compile(r"\b[^\W\d_a-z]\w+ [^\W\d_a-z]\w+")
_ACTING = frozenset({"PERSON", "ORG"})
_IDENTIFIER = re.compile(r"(?=\S*[\d_])(?!\d+(?:st|nd|rd|th|s|D)$)(?!\d{1,3}$)\w+(?:[-./:]\w+)*")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_JOINT = r"[\W_]{0,3}"


def unsaid_words(
    question: str,
    asked: AskedFor,
    passages: Sequence[Item],
    sentences: Sequence[Sentence],
    told: Sequence[Sentence],
    words: WordVectors,
) -> tuple[str, ...]:
    """The words for what a question asks for that no sentence says of its names."""
    kinds = {
        mention.type
        for each in sentences
        for mention in each.mentions
        if any(same_name(mention.surface, name) for name in asked.names)
    }
    near = _nearest_by_words(question, passages)
    telling = [
        each for each in told if each.passage.number in near and not _tells_of_another(each, asked, kinds & _ACTING)
    ]
    unsaid = tuple(word for word in asked.wanted if how_far_told(word, telling, words) < LEAST_SUPPORTING_COSINE)
    if asks_to_choose(question) and 2 * len(unsaid) <= len(asked.wanted):
        return ()  # "Is smoking allowed in the yard?" is answered by where it is
    return unsaid


def _nearest_by_words(question: str, passages: Sequence[Item]) -> frozenset[int]:
    """The numbers of the passages that have most words of a question, or at least half as many."""
    asked = content_words(question)
    shared = {each.number: len(asked & content_words(with_titles(each))) for each in passages}
    most = max(shared.values(), default=0)
    return frozenset(number for number, count in shared.items() if 2 * count >= most)


def _tells_of_another(sentence: Sentence, asked: AskedFor, kinds: Set[str]) -> bool:
    """Whether a sentence names a person or an organisation, but not the one that the question does: the salary of Anna
    Berger is not Tim Berger's, though his passage says it.

    Args:
        kinds: what the question names, as far as it is a person or an organisation.
    """
    names = asked.names
    of_kin = _OF_KIN.match(sentence.text) if kinds else None
    if of_kin is not None and not any(is_said(word, (stem(of_kin["kin"].lower()),)) for word in asked.wanted):
        after = padded(sentence.text[of_kin.end() :])
        return not any(padded(name) in after for name in names)  # "His sister lives in Kiel"
    if not names or is_about(sentence, names) or any(padded(name) in padded(sentence.before) for name in names):
        return False
    if _is_stated_of_another(sentence, asked):
        return True
    if not kinds:
        return False
    if sentence.meant:
        return not any(same_name(sentence.meant, name) for name in names)
    if _FULL_NAME.search(sentence.before):
        return True
    return any(each.type in kinds and not _is_part_of(each.surface, names) for each in sentence.mentions)


def _is_stated_of_another(sentence: Sentence, asked: AskedFor) -> bool:
    """Whether its facts have another name where the question has its own: "Ada commands the Sula" does not say who
    commands the Runde."""
    stated = [
        fact.subject if asked.subject == (_BY.search(fact.predicate) is not None) else fact.object
        for fact in sentence.facts
        if any(is_said(word, meaning_stems(fact.predicate)) for word in asked.wanted)
    ]
    own = {word for name in asked.names for word in padded(name).split()}
    return bool(stated) and all(
        own.isdisjoint(padded(phrase).split()) and any(each.surface in phrase for each in sentence.mentions)
        for phrase in stated
    )


def _is_part_of(surface: str, names: Sequence[str]) -> bool:
    """Whether a name is one of the question's or part of it: "Berger" of "Tim Berger", "Anna Berger" not."""
    return any(set(padded(surface).split()) <= set(padded(name).split()) for name in names)


def is_nowhere(name: str, passages: Sequence[Item]) -> bool:
    """Whether a name is an identifier, and no passage has it as it is, however it is joined."""
    if not _IDENTIFIER.fullmatch(name) or _YEAR.fullmatch(name):
        return False
    pattern = _JOINT.join(map(re.escape, _RUNS.findall(name)))
    whole = re.compile(rf"(?<![^\W_]){pattern}(?![^\W_])", re.IGNORECASE)
    return not any(whole.search(with_titles(each)) for each in passages)


def how_far_told(word: str, sentences: Sequence[Sentence], words: WordVectors) -> float:
    """1.0 if one of these sentences says a word or its relation, else the greatest cosine of it and one of theirs."""
    if any(is_said(word, each.stems) for each in sentences):
        return 1.0
    return max(0.0, similarity(word, (each.text for each in sentences), words))
