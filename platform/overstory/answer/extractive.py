"""Answers without a language model: the sentences that are nearest to the question, and the name, date or number in
them that it asks for.

What was tried on the passages of three sets of questions that need two to four passages (HotpotQA, MuSiQue,
2WikiMultiHopQA): sentences with their titles are no better than alone, words that they share with the question add
nothing to their cosine, titles are not better spans than names in sentences. What helps most is where the sentence
stands: see `_Scene`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from overstory.answer.answer_type import asks_for_a_figure, asks_for_code, asks_how, asks_to_choose, types_asked_for
from overstory.answer.bridge import Bridge, bridges, is_about, is_of
from overstory.answer.confidence import USUAL, Confidence, confidence_in
from overstory.answer.context import Context, Item
from overstory.answer.guess import guess_in
from overstory.answer.life import life_in, order_of
from overstory.answer.reading import AnswerReader, Sentence, above
from overstory.answer.rows import cells_of
from overstory.answer.support import how_far_said, is_said, meaning_stems
from overstory.answer.words import content_words, padded
from overstory.protocols import cosines_with
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key, key_words, without_parentheses
from overstory.text.questions.asked_for import AskedFor
from overstory.text.words import stem, word_matches

Moment = tuple[int, int, int]
"""Year, month and day; 0 for what is not said."""

_EARLIER = re.compile(r"\b(?:first|earlier|older|elder|sooner|earliest|oldest)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|younger|latest|last|youngest|(?:more|most) recent(?:ly)?)\b", re.IGNORECASE)
_BIRTH = re.compile(r"\b(?:born|older|younger|elder|birth|oldest|youngest)\b", re.IGNORECASE)
_DEATH = re.compile(r"\b(?:died?|death)\b", re.IGNORECASE)
_RELEASE = re.compile(r"\b(?:released?|came out|come out|published|recent)\b", re.IGNORECASE)
_FOUNDING = re.compile(r"\b(?:founded|established|formed|created|started|opened)\b", re.IGNORECASE)
_LONGER = re.compile(r"\blived? longer\b", re.IGNORECASE)
_SAME = re.compile(r"\bsame (?:country|nationality)\b", re.IGNORECASE)
_LOCATED = re.compile(r"\b(?:located|situated|place|in the same)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?P<who>director|author|composer|performer|singer|writer|founder)s?\b", re.IGNORECASE)

_YEAR_OF_WORK = re.compile(r"\b(?:is|was) an? (?:upcoming )?(?P<year>1[5-9]\d\d|20\d\d)\b")
_CAME_OUT = re.compile(r"\b(?:released?|published|premiered)\b[^.;]{0,60}?(?P<date>\b(?:1[5-9]|20)\d\d)\b")
_FOUNDED = re.compile(
    r"\b(?:founded|established|formed|created|started|opened)\b[^.;]{0,40}?(?P<date>\b(?:1\d|20)\d\d)\b"
)
_NATION = re.compile(r"\b(?:is|was) an? (?:(?:\d{4}|former|retired|late) )*(?P<nation>[A-Z][a-z]+)(?= [a-z])")


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of a comparison, and the sentences that say it, those of the first thing first."""

    outcome: str
    sentences: tuple[Sentence, ...]


def compared(question: str, asked: AskedFor, sentences: Sequence[Sentence]) -> Compared | None:
    """What a comparison of two things comes to; None where the question is none, where it does not name two things that
    passages are on, or where these do not say it of both."""
    said_of = _measure(question)
    if said_of is None:
        return None
    things = _things(question, sentences)
    if len(things) != 2:
        return None
    between = _BETWEEN.search(question)
    of_each = [_of_one(thing, between["who"].lower() if between else "", asked, sentences, said_of) for thing in things]
    if any(each is None for each in of_each):
        return None
    (one, first), (other, second) = (each for each in of_each if each is not None)
    told = tuple(dict.fromkeys((*first, *second)))
    if _SAME.search(question):
        return Compared("Yes" if one == other else "No", told)
    if one == other or (isinstance(one, tuple) and isinstance(other, tuple) and not _differ(one, other)):
        return None
    smaller = bool(_EARLIER.search(question)) and not _LONGER.search(question)
    return Compared(things[0] if (one < other) == smaller else things[1], told)  # type: ignore[operator] # of one kind


Value = Moment | str | int
Measure = Callable[[Sentence], Value | None]


def _measure(question: str) -> Measure | None:
    """What is compared."""
    if _LONGER.search(question):
        return _years
    if _SAME.search(question):
        return None if _LOCATED.search(question) and not _BETWEEN.search(question) else _nation
    if not (_EARLIER.search(question) or _LATER.search(question)):
        return None
    if _DEATH.search(question):
        return lambda each: order_of(life_in(each.text).died)
    if _BIRTH.search(question):
        return lambda each: order_of(life_in(each.text).born)
    if _RELEASE.search(question):
        return _released
    return _founded if _FOUNDING.search(question) else None


def _of_one(
    thing: str, between: str, asked: AskedFor, sentences: Sequence[Sentence], said_of: Measure
) -> tuple[Value, tuple[Sentence, ...]] | None:
    """The value of a thing, or of the one person between, and the sentences that say it."""
    links: tuple[Sentence, ...] = ()
    name = thing
    if between:
        found = bridges(asked._replace(names=(thing,), through=(between,)), [s for s in sentences if is_of(s, thing)])
        if len(found) != 1:
            return None
        links, name = (found[0].sentence,), found[0].name
    for each in sorted((each for each in sentences if is_of(each, name)), key=lambda each: each.place):
        value = said_of(each)
        if value is not None:
            return value, (*links, each)
    return None


def _things(question: str, sentences: Sequence[Sentence]) -> list[str]:
    """The titles of passages that a question names, the longest of those that overlap, in its order."""
    key = f" {entity_key(question)} "
    titles: dict[str, str] = {}
    for each in sentences:
        title = without_parentheses(above(each.passage.found).partition("\n")[0])
        if entity_key(title) and f" {entity_key(title)} " in key:
            titles.setdefault(entity_key(title), title)
    longest = [each for each in titles if not any(each != other and f" {each} " in f" {other} " for other in titles)]
    return [titles[each] for each in sorted(longest, key=key.find)]


def _years(sentence: Sentence) -> int | None:
    life = life_in(sentence.text)
    born, died = order_of(life.born), order_of(life.died)
    return died[0] - born[0] if born and died else None


def _released(sentence: Sentence) -> Moment | None:
    found = _YEAR_OF_WORK.search(sentence.text)
    if found:
        return int(found["year"]), 0, 0
    found = _CAME_OUT.search(sentence.text)
    return (int(found["date"]), 0, 0) if found else None


def _founded(sentence: Sentence) -> Moment | None:
    found = _FOUNDED.search(sentence.text)
    return (int(found["date"]), 0, 0) if found else None


def _nation(sentence: Sentence) -> str | None:
    found = _NATION.search(sentence.text)
    if found is None:
        return None
    nations = {each.surface for each in sentence.mentions if each.type in {"NORP", "LANGUAGE"}}
    return found["nation"] if found["nation"] in nations else None


def _differ(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the order of two dates is certain: 1900 and 5 May 1900 are not in any."""
    for first, second in zip(one, other, strict=True):
        if not first or not second:
            return False
        if first != second:
            return True
    return False


# Which sentences of a passage are navigation or headings, and answer nothing.
#
# By words and punctuation alone: a parser would take longer than the embedder, and calls "Next" an adverb. Rows of
# tables and lines like "License: GPL-3+" have no verb either, and stay: they answer questions.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MOST_WORDS_OF_NAVIGATION = 40
"""A longer sentence that ends in a full stop is text, whatever links it has."""
_LEAST_HEADING_WORDS = 3
"""Words of a heading; shorter ones may be a name that answers, as in a list of authors."""

_BUTTONS = _words(
    "back backward bottom breadcrumb breadcrumbs bookmark bookmarks contents copyright download downloads edit feedback"
    " forward help home index login logout menu modules navigation next page prev previous print register search share"
    " sidebar signin signup sitemap skip source tags toc top topic topics up"
)
"""Words of buttons and links that lead through pages."""
_STEPS = _words("back backward forward home index login menu modules navigation next prev previous toc up")
"""Those that text seldom has side by side."""

_VERBS = _words(
    "am are be been being can cannot could did do does had has have is may might must shall should was were will would"
    " became become becomes came called found gave gets give gives go goes got keep keeps let made make makes need"
    " needs said say says see seem seems take takes took use used uses went"
)
_NAVIGATION_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SEPARATOR = re.compile(r"(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})\s++|(?<=\s)(?:[|»«›‹→←•·⟩⟨/]|>{1,2}|<{1,2})")
_ENDED = re.compile(r"[.!?…:;。！？｡][\"'”’»)\]*_」』）]*$")
_VALUE = re.compile(r"[:;,@=\"“”()]|\d\s*[-–/]\s*\d|\S[-_/.]\S")
_NUMBERING = re.compile(r"^(?:(?:Chapter|Section|Part|Appendix)\s+)?(?:[A-Z]|\d+)(?:\.\d+)*[.:)]?\s+(?=\S)")


def is_navigation(sentence: str) -> bool:
    """Whether a sentence on one line is a list of links ("index modules | next | previous"), of buttons ("Prev The
    Handbook Next") or a heading of several words ("A.3. The Debian Project")."""
    words = _NAVIGATION_WORD.findall(sentence)
    if not words or len(words) > _MOST_WORDS_OF_NAVIGATION:
        return False
    lower = [word.lower() for word in words]
    if _VERBS.intersection(lower):
        return False
    return _is_links(sentence, lower) or _is_heading(sentence, words)


def _is_links(sentence: str, words: list[str]) -> bool:
    """Several links one after another, some of which lead through pages."""
    steps = {word for word in words if word in _STEPS}
    parts = [_NAVIGATION_WORD.findall(part.lower()) for part in _SEPARATOR.split(sentence) if part.strip()]
    links = sum(_is_button(part) for part in parts)
    if steps and links > 1 and links * 3 >= len(parts):
        return True
    buttons = sum(word in _BUTTONS for word in words)
    if _ENDED.search(sentence):
        return buttons == len(words)
    if not steps:
        return False
    return (len(steps) > 1 and buttons * 4 >= len(words)) or (buttons > 1 and buttons * 2 >= len(words))


def _is_button(words: list[str]) -> bool:
    return bool(words) and sum(word in _BUTTONS for word in words) * 2 >= len(words)


def _is_heading(sentence: str, words: list[str]) -> bool:
    """No full stop, no value, and each word a capitalised one, a number, or one that carries no meaning."""
    title = _NUMBERING.sub("", sentence)
    if _ENDED.search(title) or _VALUE.search(title):
        return False
    words = _NAVIGATION_WORD.findall(title)
    if len(words) < _LEAST_HEADING_WORDS or not any(word[0].isalpha() for word in words):
        return False
    return all(word[0].isupper() or word.isdigit() or word in FUNCTION_WORDS for word in words)


_MOST_FURTHER_WORDS = 6
"""Words with a meaning that a sentence may have beside those of the question: more may change what it says."""
_LEAST_HEADING_SHARE = 0.8
"""The share of the words of a question that the heading above "Yes, …" has."""

_ASKS = re.compile(r"\W*(?P<verb>is|are|was|were|do|does|did|has|have|had|can|must|may)\b", re.IGNORECASE)
_PRESENT = frozenset({"is", "are", "do", "does", "has", "have", "can", "must", "may"})
_PAST = re.compile(r"\b(?:was|were|had|did|used to)\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:not|never|no|nobody|none|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_LIMITS = re.compile(
    r"\b(?:if|unless|except|only|but|however|although|though|until|when|while|whether|may|might|could|would|should"
    r"|some|most|many|few|often|usually|sometimes|mostly|partly|rarely|seldom|almost|nearly|hardly|yet|longer|former"
    r"|formerly|perhaps|probably|possibly|reportedly|alleged\w*|claim\w*|believ\w*|said|says|den\w+|refus\w+|fail\w*"
    r"|plan\w*|will|too|less|more|all|every|instead|rather|according)\b|[?:;]",
    re.IGNORECASE,
)
"""What narrows a statement down, unless the question says it, too."""
_OUTRIGHT = re.compile(r"(?P<said>yes|no)\b(?=[,.!:;—–-]| -)", re.IGNORECASE)


def yes_or_no(question: str, asked: AskedFor, sentence: Sentence) -> str:
    """ "Yes" or "No" where that is certain, else ""."""
    asks = _ASKS.match(question)
    if asks is None or not asked.direct or _OR.search(question) or _NEGATION.search(question):
        return ""
    wanted = _stems(question[asks.end() :])
    if not wanted:
        return ""
    outright = _OUTRIGHT.match(sentence.text)
    if outright is not None:
        heading = set(_stems(above(sentence.passage.found)))
        is_headed = sum(word in heading for word in wanted) >= _LEAST_HEADING_SHARE * len(wanted)
        return outright["said"].capitalize() if is_headed else ""
    if asks["verb"].lower() in _PRESENT and _PAST.search(sentence.text):
        return ""
    narrowed = {each.lower() for each in _LIMITS.findall(sentence.text)} - {
        each.lower() for each in _LIMITS.findall(question.rstrip("? "))
    }
    says = _stems(sentence.text)
    if narrowed or len(says) > len(wanted) + _MOST_FURTHER_WORDS or not _has_in_order(says, wanted):
        return ""
    negations = len(_NEGATION.findall(sentence.text))
    return {0: "Yes", 1: "No"}.get(negations, "")


def _stems(text: str) -> list[str]:
    return [stem(word) for m in word_matches(text) if (word := m.group().lower()) not in FUNCTION_WORDS]


def _has_in_order(words: list[str], wanted: list[str]) -> bool:
    """Whether one list has the other in its order: "Ada manages Max" does not say that Max manages Ada."""
    left = iter(words)
    return all(word in left for word in wanted)


_MOST_SENTENCES_SHOWN = 3  # in an answer
_MOST_SENTENCES_OF_A_PASSAGE = 2
"""Most sentences in an answer, and of one passage."""
_FURTHER_SENTENCE_SHARE = 0.6  # of the best one's score
_FURTHER_SENTENCE_SHARE_OF_WHOLE = 0.85  # likewise, where the best one says the whole question
_WHOLE_QUESTION_SHARE = 0.8  # of the words of a question that count as the whole
_LEAST_FURTHER_SENTENCE_COSINE = 0.2
"""A further sentence is shown if its score is at least the share `_FURTHER_SENTENCE_SHARE` of the best one's, and its
cosine at least `_LEAST_FURTHER_SENTENCE_COSINE`. Where the best one has the share `_WHOLE_QUESTION_SHARE` of the
question's words itself, with its title, and no passage
leads to another, the others are mostly padding: there the share is `_FURTHER_SENTENCE_SHARE_OF_WHOLE`."""
_MOST_LIST_ITEMS_SHOWN = 8
"""Items of a list, or lines of code, that are shown."""
_SENTENCES_BETWEEN_LIST_ITEMS = 2
"""Sentences from one item of a list to the next, which may explain it."""
_MOST_SENTENCES_EMBEDDED = 40
"""Sentences that are embedded, the best passages first. Embedding takes most of the time: 5 to 7 ms a sentence on two
busy cores."""

# Added to the cosine of a sentence:
_REACHED_BONUS = 0.5  # it is in a passage that another one led to
_BETWEEN_NAMES_BONUS = 0.6  # it is on who stands in between
_SAID_WEIGHT = 0.2  # the share of the words for what is asked that it says
_DIRECTLY_SAID_WEIGHT = 0.4  # the same where the question is direct
_FITTING_NAME_WEIGHT = 0.3  # it has a name of the kind that is asked for
_NAMED_WEIGHT = 0.3  # the share of the names of a direct question that it says
_HEADING_WEIGHT = 0.3  # the cosine of the question and the heading above it
_UNDER_TITLE_SHARE = 0.5  # of a name that it says, for one that it only stands under
_WHOLLY_SAID_WEIGHT = 0.3  # again where it says all of the words for what is asked
_RANK_PENALTY = 0.03  # less for each passage ranked above
_STEPS_RANK_PENALTY = 0.15
"""More so of a how-to question: which section has the steps its sentences say less well than its place does."""

_FIGURE = re.compile(
    r"\d|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze"
    r"|douze|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|twee|drie"
    r"|vijf|zes|zeven|negen|tien)\b",
    re.IGNORECASE,
)
"""A number, also in words of the languages that are not parsed."""
_WORD = re.compile(r"\w")
_VALUES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT", "NORP", "GPE", "LANGUAGE"})


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of passages that answer a question.

    Attributes:
        sentences: as they are shown, the hops of a chain in order; none where the passages do not answer it.
        best: the one that answers; None where none does.
        guess: the name, date, number or value in it that the question asks for; "" where that is not certain.
        confidence: that the passages answer the question; None where they have no sentence.
    """

    sentences: tuple[Sentence, ...]
    best: Sentence | None = None
    guess: str = ""
    confidence: Confidence | None = None

    @property
    def short(self) -> str:
        """The answer alone: the guess, or else the sentence that answers."""
        return self.guess or (self.best.shown if self.best is not None else "")


def extract(question: str, context: Context, reader: AnswerReader, *, least: float = USUAL) -> Extract:
    """The sentences of the passages that answer a question best, and its short answer; no sentence where the passages
    do not answer it.

    Args:
        least: the confidence that an answer needs, from 0 (always answer) to 1.
    """
    if not _WORD.search(question):  # "???"
        return Extract(())
    asked = reader.asked_for(question)
    read = list(reader.sentences(context.items))
    scene = _Scene(question, asked, context.items, read)
    sentences = _scored(question, asked, read, scene, reader)
    if not sentences:
        return Extract(())
    confidence = confidence_in(question, asked, context.items, sentences, reader.words)
    if confidence.value < least and content_words(question):  # "Where?" says too little to judge by
        return Extract((), confidence=confidence)
    comparison = compared(question, asked, sentences)
    if comparison is not None:
        return Extract(comparison.sentences, comparison.sentences[0], comparison.outcome, confidence)
    found = bridges(asked, sentences)
    sentences = sorted((_across(each, found) for each in sentences), key=lambda each: -each.score)
    best = sentences[0]
    if asks_how(question):
        steps = _steps(best, read)
        near = _worth_showing(sentences, _nearness_wanted(question, best, scene))
        elsewhere = [each for each in near if each.passage is not best.passage]
        return Extract((*steps, *elsewhere[: _MOST_SENTENCES_SHOWN - 1]), steps[0], "", confidence)
    through = next((each.name for each in found if is_of(best, each.name)), "") if len(found) == 1 else ""
    chosen = list(_worth_showing(sentences, _nearness_wanted(question, best, scene)))
    chain = _chain(best, sentences, asked, scene)
    beside = [each for each in read if each.passage.number == best.passage.number]
    guess = guess_in(question, asked, chain, beside, through) or yes_or_no(question, asked, best)
    further = [each for each in chosen if all(each.text not in (other.text, other.before) for other in chain)]
    return Extract((*chain, *further)[: max(_MOST_SENTENCES_SHOWN, len(chain))], best, guess, confidence)


def _scored(
    question: str, asked: AskedFor, read: Sequence[Sentence], scene: _Scene, reader: AnswerReader
) -> list[Sentence]:
    """The sentences that can answer by their cosine, their place and what they say, best first."""
    readable = list(islice(_readable(question, read), _MOST_SENTENCES_EMBEDDED))
    if not readable:
        return []
    headings = list(dict.fromkeys(_heading(each) for each in readable))
    cosines = cosines_with(reader.embedder, question, [*(each.text for each in readable), *headings])
    headed = dict(zip(headings, cosines[len(readable) :], strict=True))
    types, figure = types_asked_for(question), asks_for_a_figure(question)
    final = [word for word in asked.wanted if word not in asked.through] or asked.wanted
    scored: list[Sentence] = []
    for each, cosine in zip(readable, cosines[: len(readable)], strict=True):
        stems = each.stems | meaning_stems(each.before)
        said = sum(how_far_said(word, stems) for word in final) / max(1, len(final))
        fits = (
            (each.item and asks_for_code(question))
            or (figure and _FIGURE.search(each.text) is not None)
            or any(mention.type in types and mention.surface not in question for mention in each.mentions)
        )
        score = float(cosine) + scene.bonus(each.passage) + _FITTING_NAME_WEIGHT * fits
        score += (_DIRECTLY_SAID_WEIGHT if asked.direct else _SAID_WEIGHT) * said
        under = float(headed[_heading(each)]) if _heading(each) else 0.0
        score += _HEADING_WEIGHT * under - _STEPS_RANK_PENALTY * asks_how(question) * (each.passage.number - 1)
        if asked.direct:
            score += _WHOLLY_SAID_WEIGHT * (bool(final) and all(is_said(word, stems) for word in final))
            score += _NAMED_WEIGHT * (scene.share_named(each) + scene.is_key(each))
        scored.append(replace(each, score=score, cosine=max(float(cosine), under)))
    return sorted(scored, key=lambda each: -each.score)


def _heading(sentence: Sentence) -> str:
    """The heading that a sentence stands under, if it is not the title."""
    return above(sentence.passage.found).partition("\n")[2]


def _steps(best: Sentence, read: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """What to do, in its order: the steps or the code around the best sentence, with the sentence before them; or the
    section from its beginning, if it has none."""
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
    return tuple(section[first - introduced : last + 1])


def _across(sentence: Sentence, found: Sequence[Bridge]) -> Sentence:
    """A sentence on who stands in between comes before those on the names of the question."""
    if any(is_of(sentence, each.name) and sentence.text != each.sentence.text for each in found):
        return replace(sentence, score=sentence.score + _BETWEEN_NAMES_BONUS)
    return sentence


def _readable(question: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences that can answer, each once: no navigation, no header of a table, and none that only repeats words
    of the question, unless that asks for yes or no."""
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
    """Passages that others lead to. "Where was the director of Nosferatu born?" is answered where Nosferatu's passage
    leads to: in that of Murnau, whom the question does not name."""

    def __init__(self, question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence]) -> None:
        said = padded(question)
        self._names = [padded(name) for name in asked.names]
        titles = {each.number: padded(without_parentheses(each.title)) for each in passages}
        texts = {each.number: " ".join(padded(s.text) for s in sentences if s.passage is each) for each in passages}
        named = {number for number, title in titles.items() if title.strip() and title in said}
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
        """The share of the names of the question that a sentence says, or that its pronoun means; one
        that it only stands under counts half."""
        text = padded(f"{sentence.before} {sentence.text} {sentence.meant}")
        title = padded(above(sentence.passage.found))
        shares = [1.0 if name in text else _UNDER_TITLE_SHARE * (name in title) for name in self._names]
        return sum(shares) / max(1, len(shares))

    def is_key(self, sentence: Sentence) -> bool:
        """Whether a sentence is the row of a table that begins with a name of the question."""
        cells = cells_of(sentence.text)
        return bool(cells) and any(padded(cells[0]) == name for name in self._names)

    @property
    def leads(self) -> bool:
        """Whether a passage leads to another one."""
        return bool(self._reached)

    def reached(self, passage: Item) -> bool:
        """Whether another passage leads to it, and the question does not name it."""
        return passage.number in self._reached

    def bonus(self, passage: Item) -> float:
        return _REACHED_BONUS * (passage.number in self._reached) - _RANK_PENALTY * (passage.number - 1)


def _nearness_wanted(question: str, best: Sentence, scene: _Scene) -> float:
    """The share of the best score that a further sentence needs."""
    asked = content_words(question)
    has = asked & content_words(f"{above(best.passage.found)} {best.text}")
    return (
        _FURTHER_SENTENCE_SHARE_OF_WHOLE
        if not scene.leads and len(has) >= _WHOLE_QUESTION_SHARE * len(asked)
        else _FURTHER_SENTENCE_SHARE
    )


def _worth_showing(sentences: Sequence[Sentence], near: float) -> Iterator[Sentence]:
    """The best, and those near it that add something: what is asked may take several sentences to answer."""
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


def _chain(best: Sentence, sentences: Sequence[Sentence], asked: AskedFor, scene: _Scene) -> tuple[Sentence, ...]:
    """The hops to the sentence that answers, in order: before one of a passage that another one led to, the one that
    led to it."""
    chain = [best]
    while len(chain) < _MOST_SENTENCES_SHOWN and scene.reached(chain[0].passage):
        link = _link(chain, sentences, asked)
        if link is None:
            break
        chain.insert(0, link)
    if len(chain) == 1 and asked.names and not is_about(best, asked.names):
        return _by_shared_name(best, sentences, asked)
    return tuple(chain)


def _by_shared_name(best: Sentence, sentences: Sequence[Sentence], asked: AskedFor) -> tuple[Sentence, ...]:
    """The hops to a sentence whose passage has a name in common with a sentence about the names of the question: "based
    on the novel Dracula", "He wrote the novel Dracula"."""
    begun = [each for each in sentences if is_about(each, asked.names) and each.passage is not best.passage]
    known = {entity_key(name) for name in asked.names}
    own = [best, *(each for each in sentences if each.passage is best.passage and each.text != best.text)]
    for first in begun:
        shared = _proper_names(first) - known
        link = next((each for each in own if _proper_names(each) & shared), None)
        if link is not None:
            return (first, best) if link is best else (first, link, best)
    return (best,)


def _proper_names(sentence: Sentence) -> frozenset[str]:
    return frozenset(entity_key(each.surface) for each in sentence.mentions if each.type not in _VALUES)


def _link(chain: Sequence[Sentence], sentences: Sequence[Sentence], asked: AskedFor) -> Sentence | None:
    """The sentence of another passage that names what the first one of a chain is about."""
    title = padded(without_parentheses(chain[0].passage.title))
    read = {each.passage.number for each in chain}
    leading = [
        each for each in sentences if each.passage.number not in read and title.strip() and title in padded(each.text)
    ]
    words = (*asked.others, *asked.wanted)
    return max(leading, key=lambda each: each.score + sum(is_said(word, each.stems) for word in words), default=None)
