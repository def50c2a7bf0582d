"""Short answers, which are the name, date, number or value that a question asks for, or "Yes" or "No".

A short answer is also called a guess. It is of the type that the question asks for, and has the right role in the
sentence. For example, it is the agent of the question's verb, the date next to "born", or the number before the counted
noun. If the answer is uncertain, the guess is "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from overstory.answer.answer_type import (
    DATE,
    DURATION,
    NUMBER,
    PERSON,
    PLACE,
    Types,
    asks_for_an_end,
    asks_to_choose,
    types_asked_for,
)
from overstory.answer.comparison import life_in
from overstory.answer.paragraphs import cells_of
from overstory.answer.reader import Sentence, above, is_about, is_of, same_name
from overstory.answer.support import is_supported, meaning_stems, padded
from overstory.model import FactStatement, Mention
from overstory.text import entity_key
from overstory.text.coreference.references import PRONOUNS
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.questions.asked_for import AskedFor
from overstory.text.words import stem, word_matches

WHO: Types = ("PERSON", "ORG")
NATIONALITY: Types = ("NORP", "LANGUAGE", "GPE")
_LONGEST_VALUE_WORDS = 12  # if the text after a key has more words, it is a sentence, not a value
_MOST_CHARACTERS_TO_A_NAME = 40
"""Maximum number of characters between a word of the question and the name that answers it, as in "directed by F. W.
Murnau"."""
_MOST_CHARACTERS_TO_A_PLACE = 80  # maximum number of characters between an event and its place
_LEAST_SUPPORTED_WORD_SHARE = 0.8
"""Minimum fraction of a question's words that the sentences of a chain must support."""

_FOOTNOTE = re.compile(r"(?<=[^\W\d_])\d+$")
_OF_A_WORK = r"\b(?:album|book|film|game|movie|novel|opera|play|poem|series|song)\s+[\"'“‘]?"
"""Matches the words before the title of a work, as in "based on the novel Dracula". spaCy may take such a title for a
person."""
_DATED = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|century|noon|midnight)\b",
    re.IGNORECASE,
)
_LONG = re.compile(r"\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?)\b", re.IGNORECASE)
_NO_NUMBER = frozenset({"one", "zero", "half"})
"""Number words that often count nothing, as in "one of the largest"."""
_OF_BIRTH = frozenset(map(stem, ("born", "birth", "birthday")))
_OF_DEATH = frozenset(map(stem, ("died", "die", "death")))
_BY = re.compile(r"\bby\b")
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_POSSESSED = re.compile(r"^(?:The )?[^,.;]{2,60}['’]s (?!\d)")
_OWNED = re.compile(r"['’]s\b|\bof\b")
_UNIT = re.compile(r" (\w+)")
_COUNTS = frozenset({"CARDINAL", "QUANTITY"})
_PERSONS = frozenset({"he", "she"})
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_PASSIVE = re.compile(r"be \w+(?:ed|en|t|n|d)\b")
_KEYED = re.compile(r"\s*(?:[-*•]\s+)?(?P<key>[^\s:=|]{1,60})\s*(?:[:=]|\s[–—-])\s+(?P<value>\S.{0,200})")
_PREPOSITION = re.compile(r"\b(?:in|at|near|from|to|into|on)(?: the| a)?(?: [\w'’-]+){0,2} $")
_ELSEWHERE = re.compile(r";|\) (?:is|was)\b")
"""Matches text that separates an event from an unrelated place, as in "(born in 1954) is a politician in Nova Scotia".
"""
_BY_WHOM = re.compile(r"(?<!\w)(\w{1,40}) by (?:who|whom)\W{0,4}$", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|in|at|from|on|into|near)(?: the)? $")
_COUNTRY = re.compile(r"\b(?:country|nationality|citizenship|ethnicity)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:is|was|are|were) (?:an?|the) $")
_REST = re.compile(r"(?:-\w+)*(?:, [A-Z]\w+(?= and | \(|[.,;]|$))?")
_HEDGES = re.compile(
    r"\b(?:not|never|nobody|neither|nor|cannot|\w+n['’]t|no longer|den(?:y|ies|ied)|rumou?rs?|alleg\w+|claim\w*"
    r"|believ\w+|suppos\w+|reportedly|[Aa]ccording to|false(?:ly)?|wrong(?:ly)?|whether|nearly|almost|offered"
    r"|declined|refused|(?:was|were|is|are) to|will|would|might|may|could|planned|former(?:ly)?|perhaps|probably"
    r"|possibly|if|instead|until|before (?:he|she|it|they|moving|his|her))\b"
)
"""Matches words that indicate that a statement may be false, planned or outdated. "May" with a capital does not match,
because it is the month."""
_COMMENT = re.compile(r"(?<!\s)\s++(?:#|//|;).*")
_MONEY = re.compile(r"\b(?:cost|price|pay|paid|fee|salary|wage|budget|charge|revenue|worth|rent)\w*\b", re.IGNORECASE)


def guess_in(
    question: str, asked: AskedFor, chain: Sequence[Sentence], others: Sequence[Sentence], through: str = ""
) -> str:
    """Return the short answer in the last sentence of a chain; "" if the answer is uncertain.

    Args:
        chain: the sentences that lead to the answer. The last sentence contains the answer.
        others: all sentences of the passage that contains the last sentence, in order, including table headers.
        through: name of the bridge entity that connects the names in the question with the answer; "" for none.
    """
    sentence = chain[-1]
    if not asks_to_choose(question) and (value := _cell(asked, sentence, others)):
        return value
    types = types_asked_for(question)
    if through:
        between = {word.lower() for word in asked.through}
        asked = asked._replace(
            wanted=tuple(word for word in asked.wanted if word.lower() not in between),
            others=tuple(word for word in asked.others if word.lower() not in between),
        )
    certain = is_of(sentence, through) if through else _is_certain(asked, chain)
    by_whom = _BY_WHOM.search(question)
    if by_whom is not None and not is_supported(by_whom[1], sentence.stems):
        return ""
    if not types or not certain or not is_outright(question, sentence.text):
        return ""
    wanted = WHO if types == PERSON else types
    fitting = [each for each in sentence.mentions if _fits(each, wanted, f"{question} {through}", sentence.text)]
    if (asked.direct or through) and types in (DATE, PLACE) and not _is_of_it(asked, sentence, through):
        return ""
    if types == DATE:
        return _date(question, asked, sentence, fitting)
    if types == DURATION:
        found = _next_to(asked, sentence, [each for each in fitting if _LONG.search(each.surface)])
        return found.surface if found is not None else ""
    if types == NUMBER:
        return _number(question, asked, sentence, fitting)
    if types == PLACE and (place := _place(asked, sentence)):
        return place
    if types in (PLACE, NATIONALITY):
        return _called(sentence, fitting) if _COUNTRY.search(question) else _where(asked, sentence, fitting)
    acting = [each for each in sentence.mentions if _may_act(each, question)] if types == PERSON else []
    by_role = list(dict.fromkeys(_in_role(asked, sentence, [*fitting, *acting])))
    if len(by_role) == 1:
        return _cleaned(by_role[0], types)
    stated = any(is_supported(word, meaning_stems(fact.predicate)) for fact in sentence.facts for word in asked.wanted)
    if by_role or stated or not (asked.direct or through):
        return ""
    if not through and not _names_itself(asked, sentence):
        return ""
    adjacent = _next_to(asked, sentence, [each for each in fitting if not _is_place_of(each, sentence.text)])
    return _cleaned(adjacent.surface, types) if adjacent is not None else ""


_WHO = re.compile(r"\W*(?:wer|wem|wen|qui|quién|quiénes|chi|quem)\b", re.IGNORECASE)


_NAME = re.compile(
    r"(?<![\w'’-])(?:[^\W\d_a-z][^\W\d_A-Z]+|[A-Z]\.)(?: (?:[^\W\d_a-z][^\W\d_A-Z]+|[A-Z]\.))+(?![\w'’-])"
)
"""Matches two or more capitalised words, which the pipeline may not have found to be a name."""


def only_value(question: str, sentence: Sentence, clause: str) -> str:
    """Return the only name or number of the type that a question asks for in a clause; "" if there are several.

    Args:
        sentence: a sentence that is known to answer the question.
        clause: the part of the sentence that answers it.
    """
    types = types_asked_for(question) or (PERSON if _WHO.match(question) else ())
    wanted = WHO if types == PERSON else types
    fitting = [
        each
        for each in sentence.mentions
        if _fits(each, wanted, question, clause) and (types != NUMBER or not _YEAR.fullmatch(each.surface))
    ]
    people = [each for each in fitting if each.type == "PERSON"]
    fitting = people if types == PERSON and people else fitting
    different = {entity_key(each.surface): each.surface for each in fitting}
    if types == PERSON and not people:
        others = {word for each in sentence.mentions for word in _words(each.surface)} | _words(question)
        runs = [each for each in _NAME.findall(clause) if _words(each).isdisjoint(others)]
        different = {entity_key(each): each for each in runs} or different
    if len(different) != 1:
        return ""
    value = next(iter(different.values()))
    unit = _UNIT.match(clause, clause.find(value) + len(value)) if types == NUMBER else None
    return f"{value} {unit[1]}" if unit is not None and unit[1].lower() not in FUNCTION_WORDS else value


def may_have_value(question: str, sentence: Sentence) -> bool:
    """Return True if a sentence contains a name or number of the type asked for, or if no type is asked for."""
    types = types_asked_for(question) or (PERSON if _WHO.match(question) else ())
    if types == PERSON and any(not _words(each) <= _words(question) for each in _NAME.findall(sentence.shown)):
        return True
    return not types or any(_fits(each, types, question, sentence.text) for each in sentence.mentions)


def is_outright(question: str, text: str) -> bool:
    """Return True if a sentence states something outright, for the years in the question.

    The sentence must not contain hedging words that are not in the question. If the question contains years, the
    sentence must contain exactly the same years.
    """
    asked = set(_HEDGES.findall(question))
    if any(hedge not in asked for hedge in _HEDGES.findall(text)):
        return False
    years = set(_YEAR.findall(question))
    return not years or set(_YEAR.findall(text)) == years


def _may_act(mention: Mention, question: str) -> bool:
    """Return True if a mention may be a person's name, although the pipeline found a different type."""
    words = mention.surface.split()
    named = mention.type in {"GPE", "NORP", "LOC", "PRODUCT", "WORK_OF_ART", "FAC"}
    whole = len(words) > 1 and all(word[:1].isupper() and word.isalpha() for word in words)
    return named and whole and not _words(mention.surface) <= _words(question)


def _names_itself(asked: AskedFor, sentence: Sentence) -> bool:
    """Return True if a sentence itself contains a name of the question, or a pronoun for the name.

    A name that is only in the title is not enough. If the question contains no name, the result is True.
    """
    text = padded(f"{sentence.text} {sentence.meant}")
    return not asked.names or any(padded(name) in text for name in asked.names)


def _is_place_of(mention: Mention, text: str) -> bool:
    """Return True if a preposition of place or direction precedes a name, as in "moved to Rotterdam"."""
    at = text.find(mention.surface)
    return _TO.search(text[max(0, at - _MOST_CHARACTERS_TO_A_PLACE) : at]) is not None


def _is_certain(asked: AskedFor, chain: Sequence[Sentence]) -> bool:
    """Return True if the last sentence of a chain certainly answers the question.

    The sentence must support all words that express what is asked. If the chain consists of this sentence, it must be
    about a name in the question. Otherwise, the chain must support most words of the question and begin with a sentence
    about such a name.
    """
    sentence = chain[-1]
    if not all(is_supported(word, sentence.stems) for word in asked.wanted):
        return False
    if len(chain) == 1:
        return asked.direct and (not asked.names or is_about(sentence, asked.names))
    words = (*asked.wanted, *asked.others)
    supported = [any(is_supported(word, each.stems) for each in chain) for word in words]
    return sum(supported) >= _LEAST_SUPPORTED_WORD_SHARE * len(supported) and is_about(chain[0], asked.names or ("",))


def _called(sentence: Sentence, fitting: Sequence[Mention]) -> str:
    """Return the nationality in a sentence like "Ada was an English mathematician"; "" if there is none."""
    for each in fitting:
        at = sentence.text.find(each.surface)
        after = sentence.text[at + len(each.surface) :][:1]
        if each.type == "NORP" and _CALLED.search(sentence.text[:at]) and after == " ":
            return each.surface
    return ""


def _where(asked: AskedFor, sentence: Sentence, fitting: Sequence[Mention]) -> str:
    """Return the place of the event that is asked for, as in "born in Ulm"; "" if there is none.

    This is the first place that follows a word for the event and a preposition.
    """
    places = sorted({at for word in asked.wanted for at in _places(word, sentence.text)})
    for start in places:
        for each in sorted(fitting, key=lambda mention: sentence.text.find(mention.surface, start)):
            at = sentence.text.find(each.surface, start)
            between = sentence.text[start : max(start, at)]
            near = len(between) <= _MOST_CHARACTERS_TO_A_PLACE and not _ELSEWHERE.search(between)
            if at >= 0 and near and _PREPOSITION.search(between):
                rest = _REST.match(sentence.text, at + len(each.surface))
                return each.surface + (rest.group() if rest else "")
    return ""


def _fits(mention: Mention, types: Types, question: str, sentence: str) -> bool:
    surface, words = mention.surface, _words(mention.surface)
    if mention.type not in types or not words or words <= _words(question):
        return False
    if not re.search(rf"(?<!\w){re.escape(surface)}(?!\w)", sentence):
        return False
    if "PERSON" in types:
        return not re.search(rf"{_OF_A_WORK}{re.escape(surface)}", sentence, re.IGNORECASE)
    if types == DATE:
        return _DATED.search(surface) is not None
    return types != NUMBER or not words <= _NO_NUMBER


def _in_role(asked: AskedFor, sentence: Sentence, fitting: Sequence[Mention]) -> Iterator[str]:
    """Yield the names that have the role that is asked for.

    A fact like "Ada is the mayor" identifies such a name. Without such facts, the name is the subject or the object of
    a fact with the question's verb.
    """
    surfaces = [each.surface for each in fitting]
    found = False
    for fact in sentence.facts:
        for called, other in ((fact.object, fact.subject), (fact.subject, fact.object)):
            if _identifies(asked, fact, called) and (
                name := next((surface for surface in surfaces if surface in other), "")
            ):
                found = True
                yield name
                break
    for fact in () if found else sentence.facts:
        if any(is_supported(word, meaning_stems(fact.predicate)) for word in asked.wanted):
            passive = _PASSIVE.match(fact.predicate) is not None
            by = _BY.search(fact.predicate) is not None
            if passive and not by and asked.subject:
                continue  # the object of the fact states where, when or to whom, not by whom
            agent, patient = (fact.object, fact.subject) if by else (fact.subject, fact.object)
            phrase, other = (agent, patient) if asked.subject or by else (patient, agent)
            if phrase.lower() in _PERSONS and sentence.meant and _concerns(other, asked, sentence):
                yield sentence.meant
            elif _concerns(other, asked, sentence):
                yield from [surface for surface in surfaces if surface in phrase][:1]


def _concerns(phrase: str, asked: AskedFor, sentence: Sentence) -> bool:
    if phrase.lower() in PRONOUNS:
        return not asked.names or any(entity_key(name) == entity_key(sentence.meant) for name in asked.names)
    if not asked.names:
        return True
    words = meaning_stems(phrase)
    named = any(_words(name) & _words(phrase) for name in asked.names)
    return named or any(stem(word.lower()) in words for word in (*asked.wanted, *asked.others))


def _identifies(asked: AskedFor, fact: FactStatement, called: str) -> bool:
    """Return True if a fact identifies what is asked for, as "Ada is the mayor of Ulm" does for "Who is the mayor …?".

    Args:
        called: the subject or object of the fact that should contain a word expressing what is asked.
    """
    if not fact.predicate.startswith("be") or _PASSIVE.match(fact.predicate):
        return False
    if len(_OWNED.findall(called)) > 1:
        return False  # "Ada's wife's brother" is not Ada's brother
    return any(is_supported(word, meaning_stems(called)) for word in asked.wanted)


def _next_to(asked: AskedFor, sentence: Sentence, fitting: Sequence[Mention]) -> Mention | None:
    """Return the only fitting mention, or else the mention that closely follows a word expressing what is asked.

    Return None if it is uncertain which mention answers the question.
    """
    different = {entity_key(each.surface): each for each in fitting}
    if not asked.wanted or not all(is_supported(word, sentence.stems) for word in asked.wanted):
        return None
    if len(different) == 1:
        return next(iter(different.values()))
    for at in sorted({at for word in asked.wanted for at in _places(word, sentence.text)}):
        after = [
            each
            for each in different.values()
            if 0 <= sentence.text.find(each.surface, at) - at <= _MOST_CHARACTERS_TO_A_NAME
        ]
        if after:
            found = min(after, key=lambda each: sentence.text.find(each.surface, at))
            nearest = _nearest_to_names(asked, sentence.text, list(different.values()), found)
            return found if found is nearest else None
    return None


def _nearest_to_names(asked: AskedFor, text: str, fitting: Sequence[Mention], otherwise: Mention) -> Mention:
    places = [at for name in asked.names if (at := text.find(name)) >= 0]
    if not places:
        return otherwise
    return min(fitting, key=lambda each: min(abs(text.find(each.surface) - at) for at in places))


def _places(word: str, text: str) -> Iterator[int]:
    for match in re.finditer(r"\w+", text):
        if match.group().lower() not in FUNCTION_WORDS and is_supported(word, (stem(match.group().lower()),)):
            yield match.start()


def _is_of_it(asked: AskedFor, sentence: Sentence, through: str) -> bool:
    """Return True if the subject of a sentence is a name of the question, and not, for example, "Ada's father".

    Args:
        through: name of the bridge entity. If it is not "", it is used instead of the names of the question.
    """
    names = (through,) if through else asked.names
    if not names or any(same_name(sentence.meant, name) for name in names):
        return True
    begins = [padded(_ARTICLE.sub("", sentence.text))] + [
        padded(fact.subject)
        for fact in sentence.facts
        if any(is_supported(word, meaning_stems(fact.predicate)) for word in asked.wanted)
    ]
    own = (padded(name) for name in names)
    of_titles = [_short(name) for name in names]
    if _is_about_another(asked, sentence, names):
        return False
    begun = any(text.startswith(name) for name in (*own, *of_titles) for text in begins)
    return begun and not _POSSESSED.search(sentence.text[:_MOST_CHARACTERS_TO_A_PLACE])


def _is_about_another(asked: AskedFor, sentence: Sentence, names: Sequence[str]) -> bool:
    """Return True if another person stands between a name and the statement, as in "Ada replaces Max, who retired"."""
    for at in {at for word in asked.wanted for at in _places(word, sentence.text)}:
        before = sentence.text[:at]
        named = max((before.rfind(name) + len(name) for name in names if name in before), default=-1)
        between = before[named:] if named >= 0 else ""
        if any(each.type == "PERSON" and each.surface in between for each in sentence.mentions):
            return True
    return False


def _short(name: str) -> str:
    """Return the last word of a name, padded with spaces. After the first mention, texts often use only this word."""
    return f" {padded(name).split()[-1]} " if padded(name).split() else " "


def _date(question: str, asked: AskedFor, sentence: Sentence, fitting: Sequence[Mention]) -> str:
    stems = {stem(word.lower()) for word in (*asked.wanted, *asked.others)}
    life = life_in(sentence.text)
    if stems & _OF_DEATH or asks_for_an_end(question):
        if life.died:
            return life.died
    elif stems & _OF_BIRTH and life.born:
        return life.born
    dates = [each for each in fitting if not (_LONG.search(each.surface) and not re.search(r"\d{4}", each.surface))]
    found = _next_to(asked, sentence, dates)
    return found.surface if found is not None else ""


def _place(asked: AskedFor, sentence: Sentence) -> str:
    stems = {stem(word.lower()) for word in asked.wanted}
    life = life_in(sentence.text)
    return life.deathplace if stems & _OF_DEATH else life.birthplace if stems & _OF_BIRTH else ""


def _number(question: str, asked: AskedFor, sentence: Sentence, fitting: Sequence[Mention]) -> str:
    """Return the number that is asked for, with the noun that it counts ("12 films"); "" if it is uncertain."""
    counts = {
        each.surface
        for each in fitting
        if each.type in _COUNTS and not _YEAR.fullmatch(each.surface) and _counts(asked, each, sentence.text)
    }
    if len(counts) > 1:
        return ""
    for each in fitting:
        after = sentence.text[sentence.text.find(each.surface) + len(each.surface) :]
        unit = re.match(r"(?: \w+){0,2}? (\w+)", after)
        for word in asked.wanted:
            if unit and is_supported(word, (stem(unit[1].lower()),)):
                return f"{each.surface}{unit[0]}"
            if is_supported(word, meaning_stems(each.surface)):
                return each.surface
    if _MONEY.search(question):
        fitting = [each for each in fitting if each.type == "MONEY"]
    found = _next_to(asked, sentence, fitting)
    return found.surface if found is not None else ""


def _counts(asked: AskedFor, mention: Mention, text: str) -> bool:
    """Return True if a number may count what is asked for.

    Either a noun for what is asked follows the number, or no noun follows it, as in "55 in".
    """
    after = text[text.find(mention.surface) + len(mention.surface) :]
    unit = _UNIT.match(after)
    if unit is None or unit[1].lower() in FUNCTION_WORDS:
        return True
    return any(is_supported(word, (stem(unit[1].lower()),)) for word in asked.wanted)


def _cell(asked: AskedFor, sentence: Sentence, others: Sequence[Sentence]) -> str:
    """Return the value for a name of the question, from a table row or from a line like "key: value"; "" for none.

    Args:
        others: all sentences of the passage, including table headers.
    """
    keys = {entity_key(name) for name in asked.names}
    cells = cells_of(sentence.text)
    if len(cells) > 1:
        at = next((place for place, cell in enumerate(cells) if entity_key(cell) in keys), None)
        if at is None:
            return ""
        header = next((cells_of(row.text) for row in others if row.header and row.row == len(cells)), cells)
        if header != cells:
            for place, title in enumerate(header):
                if place != at and any(is_supported(word, meaning_stems(title)) for word in asked.wanted):
                    return cells[place]
        return cells[at + 1] if len(cells) == at + 2 else ""
    line = _KEYED.fullmatch(sentence.text)
    if line is not None and entity_key(line["key"]) in keys and len(line["value"].split()) <= _LONGEST_VALUE_WORDS:
        return _COMMENT.sub("", line["value"]).strip().rstrip(".")
    return ""


def _cleaned(surface: str, types: Types) -> str:
    return _FOOTNOTE.sub("", surface) if types == PERSON else surface


def _words(text: str) -> frozenset[str]:
    return frozenset(entity_key(text).split()) - FUNCTION_WORDS


_MOST_FURTHER_WORDS = 6
"""A sentence may contain at most this many more content words than the question, because more words could change its
meaning."""
_LEAST_HEADING_SHARE = 0.8
"""If a sentence begins with "Yes" or "No", the heading above it must contain this fraction of the question's words."""

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
"""Matches words that restrict a statement, unless the question contains them, too."""
_OUTRIGHT = re.compile(r"(?P<answer>yes|no)\b(?=[,.!:;—–-]| -)", re.IGNORECASE)


def yes_or_no(question: str, asked: AskedFor, sentence: Sentence) -> str:
    """Return "Yes" or "No" if this is certainly the answer according to the sentence; otherwise ""."""
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
        return outright["answer"].capitalize() if is_headed else ""
    if asks["verb"].lower() in _PRESENT and _PAST.search(sentence.text):
        return ""
    narrowed = {each.lower() for each in _LIMITS.findall(sentence.text)} - {
        each.lower() for each in _LIMITS.findall(question.rstrip("? "))
    }
    stated = _stems(sentence.text)
    if narrowed or len(stated) > len(wanted) + _MOST_FURTHER_WORDS or not _has_in_order(stated, wanted):
        return ""
    negations = len(_NEGATION.findall(sentence.text))
    return {0: "Yes", 1: "No"}.get(negations, "")


def _stems(text: str) -> list[str]:
    return [stem(word) for m in word_matches(text) if (word := m.group().lower()) not in FUNCTION_WORDS]


def _has_in_order(words: list[str], wanted: list[str]) -> bool:
    """Return True if `words` contains all of `wanted` in the same order.

    The order matters, because "Ada manages Max" does not mean "Max manages Ada".
    """
    left = iter(words)
    return all(word in left for word in wanted)
