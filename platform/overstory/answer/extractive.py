"""Answers without a language model.

Such an answer quotes the sentences most similar to the question. If possible, it also states the name, date or number
that the question asks for.

The scoring was tested on HotpotQA, MuSiQue and 2WikiMultiHopQA, whose questions need two to four passages. The passage
that contains a sentence is the best clue (see `_Scene`). The following ideas did not help: embedding sentences together
with their titles, counting words shared with the question, and using titles as candidate answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import NamedTuple

from overstory.answer.answer_type import (
    asks_about_the_present,
    asks_for_a_figure,
    asks_for_code,
    asks_how,
    asks_to_choose,
    asks_when,
    types_asked_for,
)
from overstory.answer.comparison import compared
from overstory.answer.confidence import UNCOVERED_FACTOR, USUAL, Confidence, confidence_in
from overstory.answer.context import Context, Item
from overstory.answer.guess import guess_in, is_outright, may_have_value, only_value, yes_or_no
from overstory.answer.moments import (
    Clock,
    Timed,
    first_line,
    holding_at,
    is_disputed,
    on_the_relation,
    strictly_on_it,
    with_time,
)
from overstory.answer.paragraphs import cells_of, is_navigation
from overstory.answer.reader import AnswerReader, Bridge, Sentence, above, bridges, is_about, is_of, records_named
from overstory.answer.subjects import identification, is_of_rival
from overstory.answer.support import content_words, degree_of_support, has_name, is_supported, meaning_stems, padded
from overstory.protocols import cosines_with
from overstory.text.languages import language_of
from overstory.text.names.keys import entity_key, key_words, without_parentheses
from overstory.text.questions.asked_for import AskedFor
from overstory.text.questions.asked_time import AskedTime, asked_time
from overstory.text.questions.names import thing_to_identify

_MOST_SENTENCES_SHOWN = 3
_MOST_SENTENCES_OF_A_PASSAGE = 2
_FURTHER_SENTENCE_SHARE = 0.6  # minimum score of a further sentence, as a fraction of the best score
_FURTHER_SENTENCE_SHARE_OF_WHOLE = 0.85
"""Minimum score of a further sentence, as a fraction of the best score, if the best sentence covers the entire question
and no passage leads to another. In this case, further sentences mostly add nothing."""
_WHOLE_QUESTION_SHARE = 0.8
"""A sentence covers the entire question if it contains, with its title and heading, this fraction of the words."""
_LEAST_FURTHER_SENTENCE_COSINE = 0.2
_MOST_LIST_ITEMS_SHOWN = 20  # maximum number of list items or lines of code in an answer
_SENTENCES_BETWEEN_LIST_ITEMS = 2
"""Maximum distance, in sentences, between two items of the same list. Sentences between items may explain them."""
_MOST_SENTENCES_EMBEDDED = 40
"""Maximum number of sentences to embed, from the best passages first. Embedding takes most of the time: 5 to 7 ms per
sentence on two busy cores."""

# The score of a sentence is its cosine with the question, plus the following terms.
_REACHED_BONUS = 0.5  # added if the sentence's passage was reached from another passage
_BETWEEN_NAMES_BONUS = 0.6  # added if the sentence is about the bridge entity; see `bridges`
_STATED_WEIGHT = 0.2  # multiplied by the fraction of the words expressing what is asked that the sentence supports
_DIRECTLY_STATED_WEIGHT = 0.4  # used instead of `_STATED_WEIGHT` for a direct question
_FITTING_NAME_WEIGHT = 0.3  # added if the sentence contains an answer of the type that is asked for
_NAMED_WEIGHT = 0.3  # multiplied by the fraction of a direct question's names that occur in the sentence
_HEADING_WEIGHT = 0.3  # multiplied by the cosine between the question and the heading above the sentence
_UNDER_TITLE_SHARE = 0.5  # a name that occurs only in the title or heading counts half
_WHOLLY_STATED_WEIGHT = 0.3  # added if the sentence supports all words that express what a direct question asks
_IDENTIFIED_WEIGHT = 0.6  # multiplied by how well the sentence says who or what the thing asked about is
_RIVAL_PENALTY = 0.6  # subtracted if the sentence is about another thing of the kind
_FOREIGN_WORDS_WEIGHT = 0.4  # multiplied by the fraction of the question's words in the sentence, if it is not parsed
_RANK_PENALTY = 0.03  # subtracted for each passage ranked above the sentence's passage
_STEPS_RANK_PENALTY = 0.15
"""Also subtracted for each passage ranked above, if the question asks how to do something. The rank of a passage shows
better than its sentences whether it contains the right steps."""

_FIGURE = re.compile(
    r"\d|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze"
    r"|douze|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|twee|drie"
    r"|vijf|zes|zeven|negen|tien)\b",
    re.IGNORECASE,
)
"""Matches a digit, or a number word in one of the languages that are not parsed."""
_WORD = re.compile(r"\w")
_VALUES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT", "NORP", "GPE", "LANGUAGE"})


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences from passages that answer a question.

    Attributes:
        sentences: the sentences, in the order in which they are shown; empty if no passage answers the question.
        best: the sentence that answers the question; None if no sentence answers it.
        guess: the name, date, number or value in `best` that the question asks for; "" if the guess is uncertain.
        first_line: for a question about time, the value with its time: "Since 2023: Ada. Before: …"; otherwise "".
        nearest: the sentences that come nearest to an answer, best first, if no passage answers the question.
        covered: the times that sentences on the subject state, if none of them holds at the time asked for.
        left_out: number of items of the list that are not among the sentences.
        confidence: the confidence that the passages answer the question; None if the passages contain no sentence.
    """

    sentences: tuple[Sentence, ...]
    best: Sentence | None = None
    guess: str = ""
    confidence: Confidence | None = None
    first_line: str = ""
    nearest: tuple[Sentence, ...] = ()
    covered: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def short(self) -> str:
        """The short answer: the guess, or the best sentence if there is no guess; "" if there is no best sentence."""
        return self.guess or (self.best.shown if self.best is not None else "")


def extract(question: str, context: Context, reader: AnswerReader, *, least: float = USUAL) -> Extract:
    """Return the sentences that answer a question best, and the short answer.

    Args:
        least: minimum confidence, from 0 (always answer) to 1. If the confidence is lower, no sentences are returned.
    """
    if not _WORD.search(question):  # the question contains no letter or digit, as in "???"
        return Extract(())
    time = asked_time(question)
    if time is None and asks_about_the_present(question) and types_asked_for(question):
        time = AskedTime("now", question, implied=True)
    reading: _QuestionReading | None = None
    if time is not None and (reading := _read_at(time, question, context, reader)) is not None:
        timed = _extract_at(time, question, reading, context, reader, least)
        if timed is not None:
            return timed
    if reading is None or time is None or not time.implied or asks_when(question):
        reading = _read_for(question, reader.asked_for(question), context, reader, dated=asks_when(question))
    asked, read, scene, sentences = reading
    if not sentences:
        return Extract(())
    confidence = confidence_in(question, asked, context.items, sentences, reader.words)
    if confidence.value < least and content_words(question):  # for "Where?", the confidence means nothing
        return _refusal(sentences, confidence)
    comparison = compared(question, asked, sentences)
    if comparison is not None:
        return Extract(comparison.sentences, comparison.sentences[0], comparison.outcome, confidence)
    found = bridges(asked, sentences)
    sentences = sorted((_across(each, found) for each in sentences), key=lambda each: -each.score)
    sentences = _named_first(question, sentences, read, asked, leads=scene.leads or bool(found))
    best = sentences[0]
    if time is not None and time.kind == "during" and time.outer and least > 0.0:
        clock = Clock(context.items, read)
        dated = holding_at(time, asked, [best], clock, date.today())  # noqa: DTZ011 # a day of the reader
        if not dated.sentences:
            return _refusal(sentences, replace(confidence, value=confidence.value * UNCOVERED_FACTOR), dated.covered)
    if identification(best, thing_to_identify(question)) < 0.0 < least:
        return _refusal(sentences, replace(confidence, value=confidence.value * UNCOVERED_FACTOR))
    if asks_how(question):
        steps = _steps(best, read)
        near = _worth_showing(sentences, _nearness_wanted(question, best, scene))
        elsewhere = [each for each in near if each.passage is not best.passage]
        return Extract((*steps, *elsewhere[: _MOST_SENTENCES_SHOWN - 1]), steps[0], "", confidence)
    listed = _list_around(best, question, read)
    if listed:
        left_out = max(0, len(listed) - 1 - _MOST_LIST_ITEMS_SHOWN)
        return Extract(listed[: len(listed) - left_out], listed[0], "", confidence, left_out=left_out)
    through = next((each.name for each in found if is_of(best, each.name)), "") if len(found) == 1 else ""
    further = list(_worth_showing(sentences, _nearness_wanted(question, best, scene)))
    chain = _chain(best, sentences, asked, scene, question)
    same_passage = [each for each in read if each.passage.number == best.passage.number]
    guess = guess_in(question, asked, chain, same_passage, through) or yes_or_no(question, asked, best)
    guess = guess or (best.dated if asks_when(question) and is_outright(question, best.text) else "")
    further = [each for each in further if all(each.text not in (other.text, other.before) for other in chain)]
    return Extract((*chain, *further)[: max(_MOST_SENTENCES_SHOWN, len(chain))], best, guess, confidence)


class _QuestionReading(NamedTuple):
    """The sentences of all passages, and those that were scored for a question."""

    asked: AskedFor
    read: list[Sentence]
    scene: _Scene
    sentences: list[Sentence]


def _read_for(
    question: str, asked: AskedFor, context: Context, reader: AnswerReader, *, dated: bool = False
) -> _QuestionReading:
    """Read and score the sentences for a question.

    Args:
        dated: True to give each sentence without a date the date of its document.
    """
    read = records_named(reader.sentences(context.items), asked.names)
    if dated:
        clock = Clock(context.items, read)
        read = [replace(each, dated=clock.said_on(each)) for each in read]
    scene = _Scene(question, asked, context.items, read)
    return _QuestionReading(asked, read, scene, _scored(question, asked, read, scene, reader))


def _read_at(time: AskedTime, question: str, context: Context, reader: AnswerReader) -> _QuestionReading | None:
    """Read the sentences for a question about time; None if its time cannot select among them."""
    asked = reader.asked_for(time.rest)
    foreign = language_of(question) != "en"
    simple = asked.direct or (time.kind == "during" and time.outer and not asked.through)
    if asks_to_choose(question) or not (foreign or (simple and (asked.names or asked.wanted))):
        return None
    return _read_for(time.rest, asked, context, reader)


def _refusal(sentences: Sequence[Sentence], confidence: Confidence, covered: tuple[str, ...] = ()) -> Extract:
    nearest = tuple(_worth_showing(sentences, _FURTHER_SENTENCE_SHARE))
    return Extract((), confidence=confidence, nearest=nearest, covered=covered)


def _extract_at(
    time: AskedTime, question: str, reading: _QuestionReading, context: Context, reader: AnswerReader, least: float
) -> Extract | None:
    """Answer a question about time; None if its time selects nothing, so that it is read like any other question."""
    asked, read, _, sentences = reading
    if not sentences:
        return None
    related = on_the_relation(sentences, read, asked, time.kind)
    if time.implied:
        related = strictly_on_it(related, asked)
    if time.kind == "during":
        related = [each for each in related if may_have_value(time.rest, each)]
    clock = Clock(context.items, read)
    if time.implied:
        timed = [each for sentence in related for each in clock.times(sentence)]
        if not is_disputed(timed, [_value_at(question, asked, each, read) for each in timed]):
            return None
    found = holding_at(time, asked, related, clock, date.today())  # noqa: DTZ011 # a day of the reader
    if not found.sentences and time.kind not in ("during", "now", "before", "after"):
        return None
    confidence = confidence_in(time.rest, asked, context.items, sentences, reader.words)
    if confidence.value < least:
        return _refusal(sentences, confidence)
    if not found.sentences:
        if least <= 0.0:
            return None
        return _refusal(sentences, replace(confidence, value=confidence.value * UNCOVERED_FACTOR), found.covered)
    before = found.before if found.before and strictly_on_it([found.before.sentence], asked) else None
    shown = [found.sentences[0], *([before] if before else [])]
    values = [_value_at(question, asked, each, read) for each in shown]
    line = first_line(shown[0], values[0], before, values[-1])
    quoted = tuple({each.sentence.place_in_context: with_time(each) for each in shown}.values())
    return Extract(quoted, quoted[0], values[0], confidence, first_line=line)


def _value_at(question: str, asked: AskedFor, timed: Timed, read: Sequence[Sentence]) -> str:
    """Return what a sentence states for one of its times; "" if it is uncertain."""
    sentence = timed.sentence
    return only_value(question, sentence, timed.clause) or guess_in(
        question, asked, (sentence,), [each for each in read if each.passage is sentence.passage]
    )


def _scored(
    question: str, asked: AskedFor, read: Sequence[Sentence], scene: _Scene, reader: AnswerReader
) -> list[Sentence]:
    readable = list(islice(_readable(question, read), _MOST_SENTENCES_EMBEDDED))
    if not readable:
        return []
    headings = list(dict.fromkeys(_heading(each) for each in readable))
    cosines = cosines_with(
        reader.embedder, question, [*(f"{each.lead} {each.text}".lstrip() for each in readable), *headings]
    )
    headed = dict(zip(headings, cosines[len(readable) :], strict=True))
    thing, foreign = thing_to_identify(question), language_of(question) != "en"
    words = content_words(question)
    types, figure = types_asked_for(question), asks_for_a_figure(question)
    final = [word for word in asked.wanted if word not in asked.through] or asked.wanted
    scored: list[Sentence] = []
    for each, cosine in zip(readable, cosines[: len(readable)], strict=True):
        stems = each.stems | meaning_stems(each.before)
        stated = sum(degree_of_support(word, stems) for word in final) / max(1, len(final))
        fits = (
            (each.item and asks_for_code(question))
            or (figure and _FIGURE.search(each.text) is not None)
            or any(mention.type in types and mention.surface not in question for mention in each.mentions)
        )
        score = float(cosine) + scene.bonus(each.passage) + _FITTING_NAME_WEIGHT * fits
        score += (_DIRECTLY_STATED_WEIGHT if asked.direct else _STATED_WEIGHT) * stated
        under = float(headed[_heading(each)]) if _heading(each) else 0.0
        score += _HEADING_WEIGHT * under - _STEPS_RANK_PENALTY * asks_how(question) * (each.passage.number - 1)
        if thing:
            score += _IDENTIFIED_WEIGHT * identification(each, thing)
        if is_of_rival(each, question, asked):
            score -= _RIVAL_PENALTY
        if foreign:
            score += _FOREIGN_WORDS_WEIGHT * len(words & content_words(each.shown)) / max(1, len(words))
            score += _NAMED_WEIGHT * scene.share_named(each)
        if asked.direct:
            score += _WHOLLY_STATED_WEIGHT * (bool(final) and all(is_supported(word, stems) for word in final))
            score += _NAMED_WEIGHT * (scene.share_named(each) + scene.is_key(each))
        scored.append(replace(each, score=score, cosine=max(float(cosine), under)))
    return sorted(scored, key=lambda each: -each.score)


def _heading(sentence: Sentence) -> str:
    return above(sentence.passage.found).partition("\n")[2]


def _named_first(
    question: str, sentences: Sequence[Sentence], read: Sequence[Sentence], asked: AskedFor, *, leads: bool
) -> list[Sentence]:
    """Return the sentences with those first that contain a name of the question, also in their title or as a pronoun.

    A sentence that follows one of them and repeats another word of the question counts, too: "The store was opened …".
    The order does not change if one passage leads to another, because then the answer needs no name of the question.
    """
    if leads or not asked.names or not (asked.direct or language_of(question) != "en"):
        return list(sentences)
    words = content_words(question) - frozenset().union(*map(content_words, asked.names))
    named: set[tuple[int, int]] = set()
    last = (0, 0)
    for each in read:
        here = each.place_in_context
        meant = any(has_name(f"{each.before} {each.meant}", name) for name in asked.names)
        follows = last in named and last[0] == here[0]
        if meant or is_about(each, asked.names) or (follows and (each.before or words & content_words(each.text))):
            named.add(here)
        last = here
    return sorted(sentences, key=lambda each: each.place_in_context not in named)


def _list_around(best: Sentence, question: str, read: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the line that introduces a list, with the items of the list; () if the best sentence is no part of one.

    An item that itself contains a word of the question, in addition to those of that line, answers without the others.
    """
    asked = content_words(question)
    lead = best.lead or best.text
    if not lead.rstrip().endswith((":", "：")) or (
        best.lead and not (content_words(best.text) & asked) <= content_words(best.lead)
    ):
        return ()
    items = [each for each in read if each.passage is best.passage and each.lead == lead]
    if not items:
        return ()
    introduced = [each for each in read if each.passage is best.passage and each.text == lead][:1]
    return (*introduced, *(replace(each, lead="") for each in items))


def _steps(best: Sentence, read: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the steps that answer a question like "How do I …?", in the order of the text.

    These are the list items or lines of code around the best sentence, and the sentence that introduces them. If the
    passage contains neither, up to three sentences around the best sentence are returned.
    """
    section = [each for each in read if each.passage.number == best.passage.number]
    places = [at for at, each in enumerate(section) if each.item]
    if not places:
        at = next(at for at, each in enumerate(section) if each.place == best.place)
        first = max(0, min(at, at + 1 - _MOST_SENTENCES_OF_A_PASSAGE)) if at else 0
        return tuple(section[first : first + _MOST_SENTENCES_SHOWN])
    nearest = min(places, key=lambda at: abs(section[at].place - best.place))
    first = last = nearest
    while near := [at for at in places if first - _SENTENCES_BETWEEN_LIST_ITEMS <= at < first]:
        first = near[0]
    while (
        near := [at for at in places if last < at <= last + _SENTENCES_BETWEEN_LIST_ITEMS]
    ) and last - first < _MOST_LIST_ITEMS_SHOWN:
        last = near[-1]
    introduced = first > 0 and section[first - 1].text.endswith(":")
    return tuple(replace(each, lead="") for each in section[first - introduced : last + 1])


def _across(sentence: Sentence, found: Sequence[Bridge]) -> Sentence:
    if any(is_of(sentence, each.name) and sentence.text != each.sentence.text for each in found):
        return replace(sentence, score=sentence.score + _BETWEEN_NAMES_BONUS)
    return sentence


def _readable(question: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the distinct sentences that may answer a question.

    Navigation, table headers, and sentences that only repeat words of the question are left out.
    """
    asked = frozenset[str]() if asks_to_choose(question) else content_words(question)
    seen: set[str] = set()
    for each in sentences:
        key = " ".join(key_words(each.text))
        if (
            key in seen
            or each.header
            or content_words(each.shown) <= asked
            or (not each.row and is_navigation(each.text))
        ):
            continue
        seen.add(key)
        yield each


class _Scene:
    """Finds passages that are reached from other passages.

    A passage is reached if the question does not name it, but a passage that the question names mentions its title.
    Example: the passage on Murnau answers "Where was the director of Nosferatu born?". The question does not name
    Murnau, but the passage on Nosferatu does.
    """

    def __init__(self, question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence]) -> None:
        stated = padded(question)
        self._asked_names = asked.names
        self._names = [padded(name) for name in asked.names]
        titles = {each.number: padded(without_parentheses(each.title)) for each in passages}
        texts = {each.number: " ".join(padded(s.text) for s in sentences if s.passage is each) for each in passages}
        named = {number for number, title in titles.items() if title.strip() and title in stated}
        if not named:
            named = {number for number, text in texts.items() if any(name in text for name in self._names)}
        begin = named or set(titles)
        begun = {titles[number] for number in begin}
        self._reached = {
            number
            for number, title in titles.items()
            if title.strip()
            and number not in named
            and any(title in texts[other] for other in begin if titles[other] != title)
            and (title not in begun or not named)
            and not asked.direct
            and not asks_to_choose(question)
        }

    def share_named(self, sentence: Sentence) -> float:
        text = f"{sentence.before} {sentence.lead} {sentence.text} {sentence.meant}"
        title = above(sentence.passage.found)
        shares = [
            1.0 if has_name(text, name) else _UNDER_TITLE_SHARE * has_name(title, name) for name in self._asked_names
        ]
        return sum(shares) / max(1, len(shares))

    def is_key(self, sentence: Sentence) -> bool:
        """Return True if a sentence is a table row whose first cell is a name in the question."""
        cells = cells_of(sentence.text)
        return bool(cells) and any(padded(cells[0]) == name for name in self._names)

    @property
    def leads(self) -> bool:
        return bool(self._reached)

    def reached(self, passage: Item) -> bool:
        return passage.number in self._reached

    def bonus(self, passage: Item) -> float:
        return _REACHED_BONUS * (passage.number in self._reached) - _RANK_PENALTY * (passage.number - 1)


def _nearness_wanted(question: str, best: Sentence, scene: _Scene) -> float:
    asked = content_words(question)
    has = asked & content_words(f"{above(best.passage.found)} {best.text}")
    return (
        _FURTHER_SENTENCE_SHARE_OF_WHOLE
        if not scene.leads and len(has) >= _WHOLE_QUESTION_SHARE * len(asked)
        else _FURTHER_SENTENCE_SHARE
    )


def _worth_showing(sentences: Sequence[Sentence], near: float) -> Iterator[Sentence]:
    """Yield the best sentence, and further sentences that have a similar score and contain new words.

    Args:
        sentences: the sentences, best first.
        near: minimum score of a further sentence, as a fraction of the best score.
    """
    taken: list[Sentence] = []
    for sentence in sentences:
        if taken and (sentence.score < near * taken[0].score or sentence.cosine < _LEAST_FURTHER_SENTENCE_COSINE):
            continue
        words = content_words(sentence.text)
        if any(words <= content_words(other.text) for other in taken):
            continue
        if sum(other.passage.number == sentence.passage.number for other in taken) < _MOST_SENTENCES_OF_A_PASSAGE:
            taken.append(sentence)
            yield sentence
        if len(taken) == _MOST_SENTENCES_SHOWN:
            return


def _chain(
    best: Sentence, sentences: Sequence[Sentence], asked: AskedFor, scene: _Scene, question: str
) -> tuple[Sentence, ...]:
    """Return the sentences that lead to the best sentence, followed by the best sentence itself.

    Each sentence mentions the title of the next sentence's passage, or shares a name with the next sentence.
    """
    chain = [best]
    while len(chain) < _MOST_SENTENCES_SHOWN and scene.reached(chain[0].passage):
        link = _link(chain, sentences, asked)
        if link is None:
            break
        chain.insert(0, link)
    if len(chain) == 1 and asked.names and not is_about(best, asked.names):
        return _by_shared_name(best, sentences, asked, content_words(question))
    return tuple(chain)


def _by_shared_name(
    best: Sentence, sentences: Sequence[Sentence], asked: AskedFor, words: Set[str]
) -> tuple[Sentence, ...]:
    """Return a chain that leads through a name shared by two sentences; only the best sentence if there is none.

    Both must also contain the same word of the question, because any two sentences may share a name. For example, for
    "the novel behind Nosferatu", "It is based on the novel Dracula" and "He wrote the novel Dracula" share Dracula.
    """
    begun = [each for each in sentences if is_about(each, asked.names) and each.passage is not best.passage]
    known = {entity_key(name) for name in asked.names}
    own = [best, *(each for each in sentences if each.passage is best.passage and each.text != best.text)]
    for first in begun:
        shared = _proper_names(first) - known
        common = content_words(first.text) & words
        link = next((each for each in own if _proper_names(each) & shared and content_words(each.text) & common), None)
        if link is not None:
            return (first, best) if link is best else (first, link, best)
    return (best,)


def _proper_names(sentence: Sentence) -> frozenset[str]:
    return frozenset(entity_key(each.surface) for each in sentence.mentions if each.type not in _VALUES)


def _link(chain: Sequence[Sentence], sentences: Sequence[Sentence], asked: AskedFor) -> Sentence | None:
    title = padded(without_parentheses(chain[0].passage.title))
    read = {each.passage.number for each in chain}
    leading = [
        each for each in sentences if each.passage.number not in read and title.strip() and title in padded(each.text)
    ]
    words = (*asked.others, *asked.wanted)
    return max(
        leading, key=lambda each: each.score + sum(is_supported(word, each.stems) for word in words), default=None
    )
