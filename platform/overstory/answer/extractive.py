"""Answers without a language model: the sentences nearest to the question, and the name, date or number asked for.

Results on HotpotQA, MuSiQue and 2WikiMultiHopQA, whose questions need two to four passages: embedding sentences with
their titles does not help, nor do words shared with the question, nor titles as candidate answers. What helps most is
the passage of a sentence: see `_Scene`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from overstory.answer.answer_type import asks_for_a_figure, asks_for_code, asks_how, asks_to_choose, types_asked_for
from overstory.answer.comparison import compared
from overstory.answer.confidence import USUAL, Confidence, confidence_in
from overstory.answer.context import Context, Item
from overstory.answer.guess import guess_in, yes_or_no
from overstory.answer.paragraphs import cells_of, is_navigation
from overstory.answer.reader import AnswerReader, Bridge, Sentence, above, bridges, is_about, is_of
from overstory.answer.support import content_words, degree_of_support, is_supported, meaning_stems, padded
from overstory.protocols import cosines_with
from overstory.text.names.keys import entity_key, key_words, without_parentheses
from overstory.text.questions.asked_for import AskedFor

_MOST_SENTENCES_SHOWN = 3  # maximum sentences of an answer
_MOST_SENTENCES_OF_A_PASSAGE = 2  # maximum sentences of an answer from one passage
_FURTHER_SENTENCE_SHARE = 0.6  # minimum score of a further sentence, as a share of the best score
_FURTHER_SENTENCE_SHARE_OF_WHOLE = 0.85  # the same, if the best sentence covers the whole question
_WHOLE_QUESTION_SHARE = 0.8  # share of the question's words that a sentence needs to cover the whole question
_LEAST_FURTHER_SENTENCE_COSINE = 0.2
"""Minimum cosine of a further sentence.

Further sentences are mostly padding if the best sentence, with its title, covers the whole question and no passage
leads to another. They then need a score of `_FURTHER_SENTENCE_SHARE_OF_WHOLE`."""
_MOST_LIST_ITEMS_SHOWN = 8  # maximum list items, or lines of code, of an answer
_SENTENCES_BETWEEN_LIST_ITEMS = 2
"""Maximum distance of two items of one list, in sentences: text between items may explain them."""
_MOST_SENTENCES_EMBEDDED = 40
"""Maximum sentences to embed, best passages first. Embedding dominates the time: 5 to 7 ms per sentence on two busy
cores."""

# Terms added to the cosine of a sentence:
_REACHED_BONUS = 0.5  # the passage of the sentence was reached from another passage
_BETWEEN_NAMES_BONUS = 0.6  # the sentence is about the bridge entity: the director in "the director of Nosferatu"
_STATED_WEIGHT = 0.2  # times the share of the words for what is asked that the sentence supports
_DIRECTLY_STATED_WEIGHT = 0.4  # the same for a direct question
_FITTING_NAME_WEIGHT = 0.3  # the sentence contains a name of the type that is asked for
_NAMED_WEIGHT = 0.3  # times the share of the names of a direct question that the sentence contains
_HEADING_WEIGHT = 0.3  # times the cosine of the question and the heading above the sentence
_UNDER_TITLE_SHARE = 0.5  # a name in the title or heading counts half of one in the sentence
_WHOLLY_STATED_WEIGHT = 0.3  # the sentence supports all words for what is asked
_RANK_PENALTY = 0.03  # subtracted for each passage ranked above
_STEPS_RANK_PENALTY = 0.15
"""Rank penalty for how-to questions: the rank of a section predicts its steps better than its sentences do."""

_FIGURE = re.compile(
    r"\d|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze"
    r"|douze|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|twee|drie"
    r"|vijf|zes|zeven|negen|tien)\b",
    re.IGNORECASE,
)
"""A number in digits, or as a word of a language that is not parsed."""
_WORD = re.compile(r"\w")
_VALUES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT", "NORP", "GPE", "LANGUAGE"})


@dataclass(frozen=True, slots=True)
class Extract:
    """Sentences of passages that answer a question.

    Attributes:
        sentences: the sentences in the order in which they are shown; empty if the passages do not answer the question.
        best: the sentence that answers the question; None if there is none.
        guess: the name, date, number or value in `best` that the question asks for; "" if that is uncertain.
        confidence: confidence that the passages answer the question; None if the passages have no sentence.
    """

    sentences: tuple[Sentence, ...]
    best: Sentence | None = None
    guess: str = ""
    confidence: Confidence | None = None

    @property
    def short(self) -> str:
        """The guess, or else the best sentence; "" without either."""
        return self.guess or (self.best.shown if self.best is not None else "")


def extract(question: str, context: Context, reader: AnswerReader, *, least: float = USUAL) -> Extract:
    """Return the sentences that answer a question best, and its short answer; no sentences if confidence is too low.

    Args:
        least: minimum confidence, from 0 (always answer) to 1.
    """
    if not _WORD.search(question):  # no letter or digit, as in "???"
        return Extract(())
    asked = reader.asked_for(question)
    read = list(reader.sentences(context.items))
    scene = _Scene(question, asked, context.items, read)
    sentences = _scored(question, asked, read, scene, reader)
    if not sentences:
        return Extract(())
    confidence = confidence_in(question, asked, context.items, sentences, reader.words)
    if confidence.value < least and content_words(question):  # confidence is meaningless for "Where?"
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
    same_passage = [each for each in read if each.passage.number == best.passage.number]
    guess = guess_in(question, asked, chain, same_passage, through) or yes_or_no(question, asked, best)
    further = [each for each in chosen if all(each.text not in (other.text, other.before) for other in chain)]
    return Extract((*chain, *further)[: max(_MOST_SENTENCES_SHOWN, len(chain))], best, guess, confidence)


def _scored(
    question: str, asked: AskedFor, read: Sequence[Sentence], scene: _Scene, reader: AnswerReader
) -> list[Sentence]:
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
        if asked.direct:
            score += _WHOLLY_STATED_WEIGHT * (bool(final) and all(is_supported(word, stems) for word in final))
            score += _NAMED_WEIGHT * (scene.share_named(each) + scene.is_key(each))
        scored.append(replace(each, score=score, cosine=max(float(cosine), under)))
    return sorted(scored, key=lambda each: -each.score)


def _heading(sentence: Sentence) -> str:
    return above(sentence.passage.found).partition("\n")[2]


def _steps(best: Sentence, read: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the steps for a how-to question, in order.

    These are the list items or code lines around the best sentence, with the sentence that introduces them. If the
    section has neither, up to three sentences around the best one are returned.
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
    return tuple(section[first - introduced : last + 1])


def _across(sentence: Sentence, found: Sequence[Bridge]) -> Sentence:
    if any(is_of(sentence, each.name) and sentence.text != each.sentence.text for each in found):
        return replace(sentence, score=sentence.score + _BETWEEN_NAMES_BONUS)
    return sentence


def _readable(question: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield distinct sentences that may answer: no navigation, no table headers, no mere repetition of the question."""
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
    """Finds passages that are reached from others: their title is mentioned in a passage that the question names.

    Example: "Where was the director of Nosferatu born?" is answered in the passage on Murnau. The question does not
    name him, but the passage on Nosferatu does.
    """

    def __init__(self, question: str, asked: AskedFor, passages: Sequence[Item], sentences: Sequence[Sentence]) -> None:
        stated = padded(question)
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
        """Return the share of the question's names in a sentence; a name only in the title or heading counts half."""
        text = padded(f"{sentence.before} {sentence.text} {sentence.meant}")
        title = padded(above(sentence.passage.found))
        shares = [1.0 if name in text else _UNDER_TITLE_SHARE * (name in title) for name in self._names]
        return sum(shares) / max(1, len(shares))

    def is_key(self, sentence: Sentence) -> bool:
        """Return True if a sentence is a table row that begins with a name of the question."""
        cells = cells_of(sentence.text)
        return bool(cells) and any(padded(cells[0]) == name for name in self._names)

    @property
    def leads(self) -> bool:
        """True if any passage was reached from another passage."""
        return bool(self._reached)

    def reached(self, passage: Item) -> bool:
        """Return True if the passage was reached from another passage and is not named in the question."""
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
    """Yield the best sentence, and further ones with a similar score that add new words."""
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
    """Return the sentences that lead to the best one, in order, each mentioning the passage of the next."""
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
    """Return a chain through a shared name: "… based on the novel Dracula", "He wrote the novel Dracula"."""
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
    title = padded(without_parentheses(chain[0].passage.title))
    read = {each.passage.number for each in chain}
    leading = [
        each for each in sentences if each.passage.number not in read and title.strip() and title in padded(each.text)
    ]
    words = (*asked.others, *asked.wanted)
    return max(
        leading, key=lambda each: each.score + sum(is_supported(word, each.stems) for word in words), default=None
    )
