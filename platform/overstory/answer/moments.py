"""Selects the sentences that answer a question about time, among those on the same subject and relation.

The time of a sentence is that of its own words, or else of the heading or the first line above it, or else the date of
its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from overstory.answer.comparison import life_in
from overstory.answer.context import Item
from overstory.answer.reader import Sentence, above
from overstory.answer.support import has_name, is_supported, meaning_stems
from overstory.model import Hit
from overstory.model.time_spans import PartialDate, TimeSpan
from overstory.text.document_dates import document_date
from overstory.text.languages import LANGUAGE_KEY, language_of
from overstory.text.questions.asked_for import AskedFor
from overstory.text.questions.asked_time import AskedTime, TimeKind
from overstory.text.time_spans import dates_in, time_spans

_LEAST_SHARE_OF_SUPPORT = 0.75
"""A sentence is on the same relation if it supports this fraction of the words that the best sentence supports."""
_LEAST_SHARE_OF_SUPPORT_IF_DATED = 0.5
"""Used instead for questions with a time, because the time also tells which sentences are meant."""
_MOST_WORDS_OF_A_FIRST_LINE = 12
_SUCCEEDED = re.compile(
    r"\b(?:succe(?:ed|ss)\w*|replac\w+|follow(?:ed|s)\b|predecessor|took over from|davor|danach|zuvor|nachfolg\w+"
    r"|vorgänger\w*|avant lui|après lui|remplac\w+|succéd\w+|prédécesseur\w*|sustituy\w+|sucedi\w+|predecesor\w*"
    r"|opgevolgd|opvolger"
    r"|hand(?:ed|s) |takes? over|takeover|inherit\w*|pass(?:ed|es) to|übern\w+|übergab|übergibt|reprend|relève)",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<=\w) (?=[,.;)])|(?<=\d) (?=[-–—] ?\d)|(?<=\d [-–—]) (?=\d)|(?<=\d[-–—]) (?=\d)")
"""Matches spaces before punctuation, which tokenised texts have: "July 11 , 2008"."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A sentence with the time at which it holds.

    Attributes:
        span: the time; None if it is unknown.
        clause: the part of the sentence for which the time holds.
        own: True if the sentence itself states the time; False if it is that of its heading or document.
    """

    sentence: Sentence
    span: TimeSpan | None
    clause: str
    own: bool = True

    @property
    def began(self) -> date:
        """The first day on which the sentence holds; the earliest possible day if it is unknown."""
        known = self.span.holds_from if self.span is not None else None
        return known.first if known is not None else date.min

    @property
    def ended(self) -> bool:
        return self.span is not None and (self.span.ended or self.span.holds_to is not None)


@dataclass(frozen=True, slots=True)
class HoldingSentences:
    """The sentences that hold at the time asked for, the best first.

    Attributes:
        before: the sentence that held before the first one; None if there is none, or if the question is not about now.
        covered: the times that sentences on the same relation state, if none of them holds at the time asked for.
    """

    sentences: tuple[Timed, ...]
    before: Timed | None = None
    covered: tuple[str, ...] = ()


class Clock:
    """Reads the times of sentences. Each document is read once."""

    def __init__(self, passages: Iterable[Item], read: Sequence[Sentence]) -> None:
        firsts: dict[int, Sentence] = {}
        for sentence in read:
            firsts.setdefault(sentence.passage.number, sentence)
        self._of_document: dict[str, PartialDate] = {}
        self._of_passage: dict[int, TimeSpan] = {}
        for each in passages:
            hit = each.found
            if not isinstance(hit, Hit):
                continue
            said = {LANGUAGE_KEY: language_of(each.body)}
            found = document_date(title=hit.title, path=hit.source_key, metadata=said, text=each.body)
            if found is not None:
                self._of_document.setdefault(hit.document_id, found.date)
            if span := _headed(each, firsts.get(each.number)):
                self._of_passage[each.number] = span

    def times(self, sentence: Sentence) -> list[Timed]:
        """Return the sentence with each of its times; once without a time if it is unknown."""
        text = _plain(sentence.text)
        language = language_of(text)
        if sentence.row or _FIELDS.search(text):
            points = {each.date for each in dates_in(text, language)}
            points = {each for each in points if _is_a_field(each, text)} or points
            if len(points) == 1:
                (point,) = points
                return [Timed(sentence, TimeSpan(point, point, str(point), 0, 0), text)]
        own: list[Timed] = []
        for clause in _clauses(text, language):
            spans = time_spans(clause, language)
            if not spans and own and own[-1].span is not None and _SINCE_THEN.search(clause):
                ended = own[-1].span.holds_to or own[-1].span.holds_from
                spans = [TimeSpan(ended, None, "", 0, 0)]
            own += [Timed(sentence, span, clause) for span in spans if not _is_life(clause, span)]
        if own:
            return own
        above_it = self.above(sentence)
        if above_it is not None and above_it.holds_from is not None and above_it.holds_to is None:
            said = f"{text.rstrip(' .!')} on {above_it.holds_from}"  # a verb may make it the end: "Ada resigned"
            ending = [each for each in time_spans(said) if each.holds_from is None and each.end == len(said)]
            above_it = ending[0] if ending else above_it
        return [Timed(sentence, above_it, text, own=False)]

    def said_on(self, sentence: Sentence) -> str:
        """Return the date of the document of a sentence, as "4 March 2019"; "" if it is unknown."""
        hit = sentence.passage.found
        said = self._of_document.get(hit.document_id) if isinstance(hit, Hit) else None
        return shown_date(said) if said is not None and not dates_in(sentence.text) else ""

    def above(self, sentence: Sentence) -> TimeSpan | None:
        """Return the time that a sentence's heading, the first line of its passage, or its document states."""
        hit = sentence.passage.found
        span = self._of_passage.get(sentence.passage.number)
        said = self._of_document.get(hit.document_id) if isinstance(hit, Hit) else None
        return span or (TimeSpan(said, None, str(said), 0, 0) if said is not None else None)


_CLAUSES = re.compile(r"(?:;|,? (?:and|but|und|et|y|e))(?=\s)")
_FIELDS = re.compile(r"\A\W{0,4}\w[\w ]{0,40}[:=] .*\|")


def _is_a_field(date_: PartialDate, text: str) -> bool:
    """Return True if a date is the value of a field such as "year: 2023" or "date: 2023-06-24"."""
    return (
        re.search(rf"\b(?:year|date|jahr|datum|année|año|anno|jaar)\W{{1,3}}{date_}", text, re.IGNORECASE) is not None
    )


_SINCE_THEN = re.compile(
    r"\b(?:since then|since that time|seitdem|seither|depuis lors|desde entonces|da allora|sindsdien)\b",
    re.IGNORECASE,
)


def _clauses(text: str, language: str) -> list[str]:
    """Split a sentence where each part has a time of its own, or is about the time since then."""
    parts: list[str] = []
    starts = [0, *(match.start() for match in _CLAUSES.finditer(text)), len(text)]
    for start, stop in pairwise(starts):
        part = text[start:stop]
        dated = bool(time_spans(part, language)) or _SINCE_THEN.search(part) is not None
        if parts and not (dated and time_spans(parts[-1], language)):
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _is_life(text: str, span: TimeSpan) -> bool:
    """Return True if a span is the life of somebody, as in "Ada Huber (1815–1852)"."""
    opened = text.rfind("(", 0, span.start)
    if opened < 0 or ")" in text[opened : span.start]:
        return False
    life = life_in(text[opened : text.find(")", span.end) + 1])
    return bool(life.born and (life.died or "born" in text[opened : span.start]))


def _headed(passage: Item, first: Sentence | None) -> TimeSpan | None:
    """Return the time in the first line, the heading or the title of a passage.

    The first line counts if it states nothing: "Prices, valid from 1 January 2018".
    """
    lines = [*reversed(above(passage.found).split("\n"))]
    line, _, rest = passage.body.strip().partition("\n")
    if rest and not line.endswith("."):
        lines.insert(0, line)
    elif first is not None:
        label, colon, _ = first.text.partition(": ")
        if colon or not first.facts:
            lines.insert(0, label)
    lines = [each for each in lines if len(each.split()) <= _MOST_WORDS_OF_A_FIRST_LINE]
    for line in lines:
        text = _plain(line)
        spans = [each for each in time_spans(text, language_of(text)) if each.holds_from or each.holds_to]
        if len(spans) == 1:
            return spans[0]
        dates = dates_in(text, language_of(text))
        if len(dates) == 1:
            return TimeSpan(dates[0].date, None, str(dates[0].date), 0, 0)
    return None


def _plain(text: str) -> str:
    return _SPACED.sub("", text)


def on_the_relation(
    sentences: Sequence[Sentence], read: Sequence[Sentence], asked: AskedFor, kind: TimeKind
) -> list[Sentence]:
    """Return the sentences on the names and the relation of a question, in order.

    A sentence that follows one of them and continues it, as "He was succeeded by Ada in 2015", is on the relation, too.

    Args:
        sentences: the sentences, best first.
        read: all sentences, in the order of the text.
    """
    words = (*asked.wanted, *asked.others)
    support = [sum(is_supported(word, each.stems | meaning_stems(each.before)) for word in words) for each in sentences]
    if kind == "during":  # words in the title of a passage say nothing about the relation of a sentence
        words = tuple(dict.fromkeys(asked.wanted)) or words
        support = [
            sum(is_supported(word, meaning_stems(f"{each.before} {each.lead} {each.text}")) for word in words)
            for each in sentences
        ]
    most = max(support, default=0)
    least = _LEAST_SHARE_OF_SUPPORT if kind in ("now", "last") else _LEAST_SHARE_OF_SUPPORT_IF_DATED
    related = {
        each.place_in_context
        for each, count in zip(sentences, support, strict=True)
        if count >= least * most and (not asked.names or any(has_name(_context(each), name) for name in asked.names))
    }
    last = (0, 0)
    for each in read:
        here = each.place_in_context
        if last in related and last[0] == here[0] and (each.before or each.meant or _SUCCEEDED.search(each.text)):
            related.add(here)
        last = here
    return [each for each in sentences if each.place_in_context in related]


def strictly_on_it(sentences: Sequence[Sentence], asked: AskedFor) -> list[Sentence]:
    """Return the sentences that themselves contain all names of a question and support all words for what is asked."""
    found: list[Sentence] = []
    for each in sentences:
        text = f"{each.before} {each.lead} {each.text} {each.meant}"
        stems = meaning_stems(text)
        if all(has_name(text, name) for name in asked.names) and all(
            is_supported(word, stems) for word in asked.wanted
        ):
            found.append(each)
    return found


def _context(sentence: Sentence) -> str:
    return f"{above(sentence.passage.found)} {sentence.before} {sentence.lead} {sentence.text} {sentence.meant}"


def holding_at(
    time: AskedTime, asked: AskedFor, sentences: Sequence[Sentence], clock: Clock, today: date
) -> HoldingSentences:
    """Return the sentences that hold at the time asked for.

    Args:
        sentences: sentences on the relation, best first.
    """
    timed = [each for sentence in sentences for each in clock.times(sentence)]
    dated = [each for each in timed if each.span is not None and (each.span.holds_from or each.span.holds_to)]
    order = {id(each): at for at, each in enumerate(timed)}
    if time.kind == "during" and time.span is not None:
        dated = [_with_begin(each, dated) for each in dated]
        order = {id(each): at for at, each in enumerate(dated)}
        words = (*asked.wanted, *asked.others)
        fitting = [each for each in dated if _covers(each, time.span) and (_is_closed(each) or _states(each, words))]
        fitting = fitting or [each for each in dated if _begins_with(each, time.span)]
        fitting.sort(key=lambda each: (-each.began.toordinal(), -each.own, order[id(each)]))
        return HoldingSentences(tuple(fitting), covered=_covered(dated) if not fitting else ())
    if time.kind in ("now", "last"):
        holding = [each for each in timed if not each.ended or _reaches(each, today)]
        holding.sort(key=lambda each: (-each.began.toordinal(), order[id(each)]))
        earlier = [each for each in dated if holding and each.began < holding[0].began]
        earlier = [each for each in earlier if each.sentence.text != holding[0].sentence.text]
        before = max(earlier, key=lambda each: each.began, default=None)
        return HoldingSentences(tuple(holding), before, _covered(dated) if not holding else ())
    if time.kind == "first":
        return HoldingSentences(tuple(sorted(dated, key=lambda each: each.began)))
    if time.kind in ("before", "after"):
        return _beside(time, timed, dated)
    wanted = [
        each
        for each in dated
        if each.span is not None and (each.span.holds_from if time.kind == "since" else each.span.holds_to)
    ]
    return HoldingSentences(tuple(wanted))


def _beside(time: AskedTime, timed: Sequence[Timed], dated: Sequence[Timed]) -> HoldingSentences:
    """Return what held right before or after the time of the sentences on the anchor."""
    on_anchor = [each for each in dated if has_name(each.sentence.text, time.anchor)]
    others = [each for each in dated if not has_name(each.sentence.text, time.anchor)]
    stated = [
        each for each in timed if has_name(each.sentence.text, time.anchor) and _SUCCEEDED.search(each.sentence.text)
    ]
    if not on_anchor:
        return HoldingSentences(tuple(stated))
    at = min(each.began for each in on_anchor)
    if time.kind == "before":
        found = sorted((each for each in others if each.began < at), key=lambda each: each.began, reverse=True)
    else:
        found = sorted((each for each in others if each.began > at), key=lambda each: each.began)
    return HoldingSentences((*found, *stated), covered=() if found or stated else _covered(dated))


def _with_begin(timed: Timed, others: Sequence[Timed]) -> Timed:
    """Return a sentence with only an end, as "Ada left in 2021", as if it began with the last change before."""
    span = timed.span
    if span is None or span.holds_from is not None or span.holds_to is None:
        return timed
    end = span.holds_to.first
    begun = [each.span.holds_from for each in others if each.span and each.span.holds_from and each.began < end]
    return replace(timed, span=replace(span, holds_from=max(begun, key=lambda each: each.first))) if begun else timed


def _covers(timed: Timed, asked: TimeSpan) -> bool:
    """Return True if a sentence holds during all of the time asked for.

    A year in either of them means any time in that year.
    """
    span = timed.span
    if span is None:
        return False
    first = asked.holds_from or asked.holds_to
    last = asked.holds_to or asked.holds_from
    if first is None or last is None:
        return False
    begins = span.holds_from.first if span.holds_from is not None else date.min
    ends = span.holds_to.last if span.holds_to is not None else date.max
    return begins <= first.last and ends >= last.first


def is_disputed(sentences: Sequence[Timed], values: Sequence[str]) -> bool:
    """Return True if sentences on the same relation give different values at different times."""
    dated = {(each.began, value) for each, value in zip(sentences, values, strict=True) if each.span and value}
    return len({began for began, _ in dated}) > 1 and len({value for _, value in dated}) > 1


def _is_closed(timed: Timed) -> bool:
    return timed.span is not None and timed.span.holds_to is not None


def _states(timed: Timed, words: Sequence[str]) -> bool:
    """Return True if a sentence itself supports one of the words, and does not only begin something else."""
    each = timed.sentence
    stems = meaning_stems(f"{each.before} {each.lead} {each.text}")
    return not words or any(is_supported(word, stems) for word in words)


def _begins_with(timed: Timed, asked: TimeSpan) -> bool:
    """Return True if something happened when the time asked for began, as in "In 1970 she moved to Ulm"."""
    span = timed.span
    if span is None or span.holds_from is None or asked.holds_from is None or span.holds_from != span.holds_to:
        return False
    return span.holds_from.first <= asked.holds_from.last and span.holds_from.last >= asked.holds_from.first


def _reaches(timed: Timed, today: date) -> bool:
    span = timed.span
    return span is not None and not span.ended and span.holds_to is not None and span.holds_to.last >= today


def _covered(dated: Sequence[Timed]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(shown_span(each.span) for each in sorted(dated, key=lambda each: each.began) if each.span)
    )


def shown_date(date_: PartialDate) -> str:
    """Return a date as "4 March 2019", "March 2019" or "2019"."""
    text = date_.first.strftime("%B %Y") if date_.month else str(date_.year)
    return f"{date_.day} {text}" if date_.day else text


def shown_span(span: TimeSpan) -> str:
    """Return a span as "2019 to March 2022", "since 2019", "until 2022" or "2019"."""
    first, last = span.holds_from, span.holds_to
    if first is not None and last is not None:
        return shown_date(first) if first == last else f"{shown_date(first)} to {shown_date(last)}"
    if first is not None:
        return f"since {shown_date(first)}"
    return f"until {shown_date(last)}" if last is not None else ""


def with_time(timed: Timed) -> Sentence:
    """Return the sentence; its text begins with the time if only its heading or its document states it."""
    if timed.own or timed.span is None:
        return timed.sentence
    known = timed.span.holds_from or timed.span.holds_to
    when = (
        shown_span(timed.span) if timed.span.holds_from and timed.span.holds_to else shown_date(known) if known else ""
    )
    return replace(timed.sentence, dated=when)


def first_line(now: Timed, value: str, before: Timed | None, value_before: str) -> str:
    """Return the line with a value, its time and the value before: "Since 2023: Ada. Before: Max (from 2019)."

    Return "" if the value or its time is unknown.
    """
    if not value or now.span is None:
        return ""
    when = shown_span(now.span)
    line = f"{when[:1].upper()}{when[1:]}: {value}."
    if before is not None and before.span is not None and value_before not in ("", value):
        known = before.span.holds_from
        line += f" Before: {value_before}{f' (from {shown_date(known)})' if known is not None else ''}."
    return line
