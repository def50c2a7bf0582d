"""Computes the confidence that passages answer a question, from its words, its names and the most similar sentences.

`benchmarks/answerable.py` measures the confidence for answerable and unanswerable questions, and fits the weights. The
results are in docs/answers.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, fields

from overstory.answer.answer_type import PLACE, asks_to_choose, types_asked_for
from overstory.answer.context import Item
from overstory.answer.reader import Sentence, above, is_about, same_name, with_titles
from overstory.answer.subjects import is_of_rival
from overstory.answer.support import (
    LEAST_SUPPORTING_COSINE,
    WordVectors,
    begins_with_name,
    content_words,
    has_name,
    is_supported,
    meaning_stems,
    name_words,
    padded,
    similarity,
)
from overstory.text.languages import language_of, stop_words
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
    """Return the words that express what a question asks for, if no sentence about the question's names supports them.

    Args:
        relevant: the sentences of those passages that are about the names in the question.
    """
    kinds = {
        mention.type
        for each in sentences
        for mention in each.mentions
        if any(same_name(mention.surface, name) for name in asked.names)
    }
    near = _nearest_by_words(question, passages)
    usable = [
        each
        for each in relevant
        if each.passage.number in near
        and not _concerns_another(each, asked, kinds & _ACTING)
        and not is_of_rival(each, question, asked)
    ]
    rows = any(each.row or each.lead for each in usable if not asked.names or is_about(each, asked.names))
    needed = [word for word in asked.wanted if not (rows and word in asked.verbs)]
    missing = tuple(word for word in needed if support_in(word, usable, words) < LEAST_SUPPORTING_COSINE)
    if set(missing) <= set(asked.adjectives) and len(missing) < len(needed):
        return ()  # a word for the state of a thing may be said in another way: "the broken lamp", "lamp out"
    if types_asked_for(question) == PLACE and all(is_supported("located", (stem(word.lower()),)) for word in missing):
        return ()  # "Where is it kept?" asks where it is
    if asks_to_choose(question) and 2 * len(missing) <= len(asked.wanted):
        return ()  # a sentence on where smoking is allowed answers "Is smoking allowed in the yard?"
    return missing


def _nearest_by_words(question: str, passages: Sequence[Item]) -> frozenset[int]:
    """Return the numbers of the passages that share enough words with the question.

    A passage must share at least half as many words with the question as the best passage does.
    """
    asked = content_words(question)
    shared = {each.number: len(asked & content_words(with_titles(each))) for each in passages}
    most = max(shared.values(), default=0)
    return frozenset(number for number, count in shared.items() if 2 * count >= most)


def _concerns_another(sentence: Sentence, asked: AskedFor, kinds: Set[str]) -> bool:
    """Return True if a sentence is about a person or organisation other than those in the question.

    Example: a sentence on Anna Berger's salary does not answer a question about Tim Berger, even if the sentence is in
    the passage about him.

    Args:
        kinds: those of the types "PERSON" and "ORG" that names in the question have.
    """
    names = asked.names
    of_kin = _OF_KIN.match(sentence.text) if kinds else None
    if of_kin is not None and not any(is_supported(word, (stem(of_kin["kin"].lower()),)) for word in asked.wanted):
        after = padded(sentence.text[of_kin.end() :])
        return not any(
            padded(name) in after for name in names
        )  # the statement is about a relative, as in "His sister lives in Kiel"
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
    """Return True if those facts in a sentence that fit the question are about names that are not in the question.

    Example: "Ada commands the Sula" does not answer "Who commands the Runde?".
    """
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
    return any(set(padded(surface).split()) <= set(padded(name).split()) for name in names)


def is_nowhere(name: str, passages: Sequence[Item]) -> bool:
    """Return True if a name is an identifier that no passage contains.

    Separators are ignored, so that "GPT 4" in a passage matches "GPT-4".
    """
    if not _IDENTIFIER.fullmatch(name) or _YEAR.fullmatch(name):
        return False
    pattern = _JOINT.join(map(re.escape, _RUNS.findall(name)))
    whole = re.compile(rf"(?<![^\W_]){pattern}(?![^\W_])", re.IGNORECASE)
    return not any(whole.search(with_titles(each)) for each in passages)


def support_in(word: str, sentences: Sequence[Sentence], words: WordVectors) -> float:
    """Return how well sentences support a word.

    The result is 1.0 if a sentence contains the word or a related word. Otherwise, it is the highest cosine between the
    word and a word of a sentence, but at least 0.
    """
    if any(is_supported(word, each.stems) for each in sentences):
        return 1.0
    return max(0.0, similarity(word, (each.text for each in sentences), words))


USUAL = 0.5
"""Default minimum confidence. With this value, 95 % of the benchmark's answerable questions are answered."""
STRICT = 0.75
"""Minimum confidence for users who prefer no answer to a wrong answer."""
ALWAYS = 0.0  # with this minimum confidence, every question is answered

_NEAREST_SENTENCES = 3  # the cosines of this many most similar sentences are averaged
_HALF_CONFIDENCE_SCORE = 1.65
_CONFIDENCE_STEEPNESS = 6.0
"""For languages that are not parsed, the confidence is a logistic function of a score. It is 0.5 at a score of
`_HALF_CONFIDENCE_SCORE`, and its steepness is `_CONFIDENCE_STEEPNESS`."""
_MISSING_CONFIDENCE_FACTOR = 0.1
"""The confidence is multiplied by this factor if no sentence states what the question asks for."""

_UNSTATED_FACTOR = 0.4
UNCOVERED_FACTOR = 0.4
"""The confidence is multiplied by this factor if no sentence holds at the time that the question asks about."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Figures that describe how well passages fit a question, or the weights of these figures.

    All figures are from 0 to 1. A fraction of an empty set is 1. "Passages" includes their titles and headings.

    Attributes:
        cosine: cosine between the question and the most similar sentence.
        nearest: mean cosine between the question and the three most similar sentences.
        words: fraction of the question's content words that occur in the passages.
        names: fraction of the words in the question's names and numbers that occur in the passages.
        whole: fraction of the question's names that occur in the passages in full.
        apart: fraction of the question's names that occur in the passages other than as the beginning of a longer name.
        subjects: fraction of the question's names that are the title of a passage or section, or begin a sentence.
        stated: mean support, by sentences about the question's names, for the words that express what is asked.
        together: fraction of these words that a single sentence supports, for the best sentence.
        naming: 1.0 if the question contains a name, otherwise 0.0.
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
    """The confidence that passages answer a question.

    Attributes:
        value: the confidence, from 0 to 1.
        missing: the words that express what a direct question asks for, if no sentence about the question's names
            supports them. If there are none, the identifiers in the question that no passage contains.
        names: the names in the question, if sentences that are not about them support the missing words; otherwise
            empty.
        unsaid: those of the missing words that no passage contains, or no sentence with one of `names`. The others
            occur in sentences that do not answer the question.
    """

    value: float
    fit: Fit
    missing: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()


def confidence_in(
    question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence], words: WordVectors
) -> Confidence:
    """Return the confidence that passages answer a question.

    Args:
        sentences: the sentences of the passages that may answer the question, with their cosines.
    """
    if language_of(question) != "en":
        return _by_words(question, asked, passages, sentences)
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
    if not missing:
        return Confidence(value, fit)
    texts = [
        *(meaning_stems(each.shown) for each in sentences if any(has_name(each.shown, name) for name in names)),
        *(meaning_stems(with_titles(each)) for each in passages if not names),
    ]
    unsaid = tuple(word for word in missing if not any(is_supported(word, stems) for stems in texts))
    return Confidence(value * _MISSING_CONFIDENCE_FACTOR, fit, missing, names, unsaid)


def _by_words(question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence]) -> Confidence:
    """Return the confidence for a question in a language that is not parsed.

    It is lower if no sentence contains a word of the question other than its names.
    """
    there = frozenset[str]().union(*(content_words(with_titles(each)) for each in passages))
    words = _share([word in there for word in content_words(question)])
    fit = Fit(
        cosine=max((each.cosine for each in sentences), default=0.0),
        words=words,
        names=_share([word in there for word in name_words(question)]) if name_words(question) else (2.0 + words) / 3.0,
    )
    score = _CONFIDENCE_STEEPNESS * (fit.cosine + 0.5 * fit.words + fit.names - _HALF_CONFIDENCE_SCORE)
    value = 1.0 / (1.0 + math.exp(-score))
    own = content_words(question) - frozenset[str]().union(*map(content_words, asked.names))
    language = language_of(question)
    own -= frozenset[str]().union(*map(content_words, stop_words(language)))
    stated = (
        not own
        or not language
        or any(own & content_words(f"{above(each.passage.found)} {each.shown}") for each in sentences)
    )
    return Confidence(value if stated else value * _UNSTATED_FACTOR, fit)


def _fit(
    question: str,
    asked: AskedFor,
    passages: Sequence[Item],
    sentences: Sequence[Sentence],
    relevant: Sequence[Sentence],
    stated: dict[str, float],
) -> Fit:
    there = frozenset[str]().union(*(content_words(f"{above(each.found)}\n{each.body}") for each in passages))
    cosines = sorted((each.cosine for each in sentences), reverse=True)[:_NEAREST_SENTENCES]
    wanted, names = content_words(question), name_words(question)
    titles = {padded(line) for each in passages for line in above(each.found).split("\n")}
    return Fit(
        cosine=max(0.0, cosines[0]) if cosines else 0.0,
        nearest=max(0.0, sum(cosines) / len(cosines)) if cosines else 0.0,
        words=_share([word in there for word in wanted]),
        names=_share([word in there for word in names & wanted]),
        whole=_share([any(has_name(with_titles(each), name) for each in passages) for name in asked.names]),
        apart=_share([any(stands_alone(name, with_titles(each)) for each in passages) for name in asked.names]),
        subjects=_share(
            [
                padded(name) in titles or any(begins_with_name(each.text, name) for each in sentences)
                for name in asked.names
            ]
        ),
        stated=sum(stated.values()) / len(stated) if stated else 1.0,
        together=max((_share([is_supported(word, each.stems) for word in stated]) for each in relevant), default=0.0),
        naming=float(bool(asked.names)),
    )


def _about(asked: AskedFor, passages: Sequence[Item]) -> frozenset[int]:
    """Return the numbers of the passages that are about the names in the question.

    These are the passages that contain such a name, and the passages whose titles they mention. If no passage contains
    a name of the question, the numbers of all passages are returned.
    """
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
    """Return True if a text contains a name other than as the beginning of a longer name.

    Example: "Ulm" stands alone in "Ulm is a city", but not in "Ulm Minster".
    """
    return any(not _AFTER.match(text, found.end()) for found in _whole(name).finditer(text))


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 1.0
