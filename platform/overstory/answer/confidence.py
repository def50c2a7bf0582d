"""How far passages answer a question: by what it asks for, the things that it names, and the sentences nearest to it.

`benchmarks/answerable.py` measures this on answerable and unanswerable questions, and fits the weights; docs/answers.md
has its tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, fields

from overstory.answer.answer_type import asks_to_choose
from overstory.answer.context import Item
from overstory.answer.reader import Sentence, above, is_about, same_name, with_titles
from overstory.answer.support import (
    LEAST_SUPPORTING_COSINE,
    WordVectors,
    content_words,
    is_supported,
    meaning_stems,
    name_words,
    padded,
    similarity,
)
from overstory.text.languages import language_of
from overstory.text.names.keys import without_parentheses
from overstory.text.questions.asked_for import AskedFor
from overstory.text.questions.kinds import form_of
from overstory.text.words import stem

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


def missing_words(
    question: str,
    asked: AskedFor,
    passages: Sequence[Item],
    sentences: Sequence[Sentence],
    relevant: Sequence[Sentence],
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
    usable = [
        each for each in relevant if each.passage.number in near and not _concerns_another(each, asked, kinds & _ACTING)
    ]
    missing = tuple(word for word in asked.wanted if support_in(word, usable, words) < LEAST_SUPPORTING_COSINE)
    if asks_to_choose(question) and 2 * len(missing) <= len(asked.wanted):
        return ()  # "Is smoking allowed in the yard?" is answered by where it is
    return missing


def _nearest_by_words(question: str, passages: Sequence[Item]) -> frozenset[int]:
    """The numbers of the passages that have most words of a question, or at least half as many."""
    asked = content_words(question)
    shared = {each.number: len(asked & content_words(with_titles(each))) for each in passages}
    most = max(shared.values(), default=0)
    return frozenset(number for number, count in shared.items() if 2 * count >= most)


def _concerns_another(sentence: Sentence, asked: AskedFor, kinds: Set[str]) -> bool:
    """Whether a sentence names a person or an organisation, but not the one that the question does: the salary of Anna
    Berger is not Tim Berger's, though his passage says it.

    Args:
        kinds: what the question names, as far as it is a person or an organisation.
    """
    names = asked.names
    of_kin = _OF_KIN.match(sentence.text) if kinds else None
    if of_kin is not None and not any(is_supported(word, (stem(of_kin["kin"].lower()),)) for word in asked.wanted):
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
        if any(is_supported(word, meaning_stems(fact.predicate)) for word in asked.wanted)
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


def support_in(word: str, sentences: Sequence[Sentence], words: WordVectors) -> float:
    """1.0 if one of these sentences says a word or its relation, else the greatest cosine of it and one of theirs."""
    if any(is_supported(word, each.stems) for each in sentences):
        return 1.0
    return max(0.0, similarity(word, (each.text for each in sentences), words))


USUAL = 0.5
"""The least confidence of an answer: 95 % of the questions of the benchmark that the passages answer are answered."""
STRICT = 0.75
"""A higher one, for those who would rather have no answer than a wrong one."""
ALWAYS = 0.0  # answers whatever the confidence

_NEAREST_SENTENCES = 3  # the best sentences, whose cosines are averaged
_HALF_CONFIDENCE_SCORE = 1.65  # at this score the confidence is ½
_CONFIDENCE_STEEPNESS = 6.0
"""Of the confidence in answers in languages that are not parsed: where it is ½, and how fast it grows there."""
_UNSAID_CONFIDENCE_SHARE = 0.1
"""The share that is left of the confidence where no sentence says what a question asks for."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well passages fit a question; each from 0 to 1, as a share where nothing else is said.

    Attributes:
        cosine: of the question and the sentence nearest to it.
        nearest: the mean cosine of the three nearest.
        words: of its content words that stand in the passages or their titles.
        names: of the words of its names and numbers; 1.0 where it has none.
        whole: of its names that stand there as they are written, or 1.0.
        apart: of its names that stand there alone, not within a longer one, or 1.0.
        subjects: of its names that a passage, a section or a sentence is about, or 1.0.
        said: of the words for what it asks that a sentence about its names says, or the greatest cosine of such a word.
        together: of these words that one sentence says.
        naming: 1.0 if it names something, else 0.0.
    """

    cosine: float = 0.0
    nearest: float = 0.0
    words: float = 0.0
    names: float = 0.0
    whole: float = 0.0
    apart: float = 0.0
    subjects: float = 0.0
    stated: float = 0.0
    together: float = 0.0
    naming: float = 0.0


WEIGHTS = Fit(
    cosine=1.76,
    nearest=1.72,
    words=1.61,
    names=1.76,
    whole=1.22,
    apart=0.23,
    subjects=1.41,
    stated=0.65,
    together=1.04,
    naming=1.73,
)
_CONFIDENCE_OFFSET = -8.3  # fitted by `benchmarks/answerable.py --tune`


@dataclass(frozen=True, slots=True)
class Confidence:
    """Whether passages answer a question.

    Attributes:
        value: from 0 to 1.
        fit: the figures behind it.
        unsaid: words for what a direct question asks for that no sentence about its names says, or its identifiers
            that stand nowhere.
        of: the names that other sentences say these words of; none where no sentence says them at all.
    """

    value: float
    fit: Fit
    missing: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def confidence_in(
    question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence], words: WordVectors
) -> Confidence:
    """The confidence that passages answer a question.

    Args:
        sentences: those of the passages that can answer, with their cosines.
        words: looks up similar words.
    """
    if language_of(question) != "en":
        return _by_words(question, passages, sentences)
    about = _about(asked, passages)
    relevant = [each for each in sentences if each.passage.number in about]
    stated = {word: support_in(word, relevant, words) for word in (*asked.wanted, *asked.others)}
    fit = _fit(question, asked, passages, sentences, relevant, stated)
    score = _CONFIDENCE_OFFSET + sum(getattr(WEIGHTS, each.name) * getattr(fit, each.name) for each in fields(Fit))
    value = 1.0 / (1.0 + math.exp(-score))
    if not asked.direct or form_of(question) not in {"question", "definition"}:
        return Confidence(value, fit)
    missing = missing_words(question, asked, passages, sentences, relevant, words)
    names = asked.names if any(is_supported(word, each.stems) for word in missing for each in sentences) else ()
    missing = missing or tuple(name for name in asked.names if is_nowhere(name, passages))
    return Confidence(value * _UNSAID_CONFIDENCE_SHARE if missing else value, fit, missing, names)


def _by_words(question: str, passages: Sequence[Item], sentences: Sequence[Sentence]) -> Confidence:
    """The confidence for languages that are not parsed: by the words of question and passages, and the nearest
    sentence."""
    there = frozenset[str]().union(*(content_words(with_titles(each)) for each in passages))
    words = _share([word in there for word in content_words(question)])
    fit = Fit(
        cosine=max((each.cosine for each in sentences), default=0.0),
        words=words,
        names=_share([word in there for word in name_words(question)]) if name_words(question) else (2.0 + words) / 3.0,
    )
    score = _CONFIDENCE_STEEPNESS * (fit.cosine + 0.5 * fit.words + fit.names - _HALF_CONFIDENCE_SCORE)
    return Confidence(1.0 / (1.0 + math.exp(-score)), fit)


def _fit(
    question: str,
    asked: AskedFor,
    passages: Sequence[Item],
    sentences: Sequence[Sentence],
    relevant: Sequence[Sentence],
    stated: dict[str, float],
) -> Fit:
    texts = [padded(f"{above(each.found)}\n{each.body}") for each in passages]
    there = frozenset[str]().union(*(content_words(f"{above(each.found)}\n{each.body}") for each in passages))
    cosines = sorted((each.cosine for each in sentences), reverse=True)[:_NEAREST_SENTENCES]
    wanted, names = content_words(question), name_words(question)
    keys = [padded(name) for name in asked.names]
    titles = {padded(line) for each in passages for line in above(each.found).split("\n")}
    return Fit(
        cosine=max(0.0, cosines[0]) if cosines else 0.0,
        nearest=max(0.0, sum(cosines) / len(cosines)) if cosines else 0.0,
        words=_share([word in there for word in wanted]),
        names=_share([word in there for word in names & wanted]),
        whole=_share([any(key in text for text in texts) for key in keys]),
        apart=_share([any(stands_alone(name, with_titles(each)) for each in passages) for name in asked.names]),
        subjects=_share(
            [key in titles or any(padded(each.text).startswith(key) for each in sentences) for key in keys]
        ),
        stated=sum(stated.values()) / len(stated) if stated else 1.0,
        together=max((_share([is_supported(word, each.stems) for word in stated]) for each in relevant), default=0.0),
        naming=float(bool(keys)),
    )


def _about(asked: AskedFor, passages: Sequence[Item]) -> frozenset[int]:
    """The numbers of the passages that have a name of the question, and of those that these lead to; of all where it
    names nothing, or nothing that is there."""
    texts = {each.number: padded(with_titles(each)) for each in passages}
    keys = [padded(name) for name in asked.names]
    named = {number for number, text in texts.items() if any(key in text for key in keys)}
    if not named:
        return frozenset(texts)
    titles = {each.number: padded(without_parentheses(each.title)) for each in passages}
    reached = {
        number
        for number, title in titles.items()
        if number not in named and title.strip() and any(title in texts[other] for other in named)
    }
    return frozenset(named | reached)


_AFTER = re.compile(r"[ -](?:[A-Z]\w|\d)")


def stands_alone(name: str, text: str) -> bool:
    """Whether a text has a name that is not the beginning of a longer one: "Ulm" in "Ulm is", not in "Ulm Minster"."""
    return any(not _AFTER.match(text, found.end()) for found in _whole(name).finditer(text))


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 1.0
