"""Reads questions about sets: how many, which, who, list; with not, except, without, both, at least and the like.

The words that express an operation are found here, in English, German, French and Spanish. All other words must be
found in a table or in a graph, which is checked elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.languages import ENGLISH, stop_words
from overstory.text.words import stem

Operator = Literal[">", ">=", "<", "<=", "="]

_LONGEST_SET_QUESTION_CHARACTERS = 400

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKEN = re.compile(r"\d{4}-\d{2}-\d{2}|\d[\d.,]*\d(?![^\W_])|[^\W_]+(?:[-'’.&/][^\W_]+)*|[,;:]")
_ELIDED = re.compile(r"^(?:l|d|qu|s|j|c)['’](?=\w)", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![^\W_])-?\d[\d.,]*(?![^\W_])")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
_NUMBER_WORDS: Mapping[str, int] = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), start=1)
}

_COUNTS: Mapping[str, str] = {
    phrase: language
    for language, phrases in (
        ("en", "how many, the number of, number of"),
        ("de", "wie viele, wieviele, anzahl der"),
        ("fr", "combien de, combien"),
        ("es", "cuántos, cuántas, cuantos, cuantas"),
    )
    for phrase in phrases.split(", ")
}
_LISTS: Mapping[str, str] = {
    phrase: language
    for language, phrases in (
        ("en", "who, whom, which, what, list, name, show me, show, give me, everyone, everybody, all"),
        ("de", "wer, wen, welche, welcher, welches, welchen, nenne, liste, zeige, alle"),
        ("fr", "qui, quel, quels, quelle, quelles, nomme, nommez, listez, tous, toutes"),
        (
            "es",
            "quién, quien, quiénes, quienes, qué, cuál, cuáles, cual, cuales, lista, enumera, muestra, todos, todas",
        ),
    )
    for phrase in phrases.split(", ")
}
"""Map from words that ask to the language of the question."""
_IMPERATIVES = word_set(
    "list name show give all everyone everybody nenne liste zeige alle nomme nommez listez tous toutes"
)
_BEFORE_QUESTION_WORD = word_set(
    "and so please in at to for by with from of on what is are und in an zu für von mit bei auf et dans à de pour avec"
    " y en a con para por sur"
)
_WHO = word_set("who whom everyone everybody wer wen qui quién quien quiénes quienes")
_OTHER_QUESTIONS = word_set(
    "why how when where whether wann wo warum wieso wie pourquoi comment quand où cuándo dónde cómo"
)
_AUXILIARIES = word_set("is are was were am does did do has have had ist sind war est sont était es son era c'est")

_NOT = (
    *("not", "never", "nobody", "except for", "except", "excluding", "apart from", "other than", "nor", "neither"),
    *("nicht", "außer", "ausser", "ausgenommen", "weder"),
    *("pas", "sauf", "excepté", "hormis", "ni"),
    *("excepto", "salvo", "menos", "tampoco"),
)
_LACKS = (
    *("without", "no", "lack", "lacks", "ohne", "kein", "keine", "keinen", "keiner", "sans", "aucun", "aucune"),
    *("sin", "ningún", "ninguna"),
)
_ENDS_NOT = word_set("but aber sondern mais pero sino ;")
_ENDS_LACKING = word_set("in at on from im am bei dans à au en")
"""Prepositions after which *without* and *no* no longer apply: "no phone in Ulm"."""
_AND = word_set("and und et y e")
_OR = word_set("or oder ou o u")
_BOTH = frozenset({"both", "sowohl", "beide", "beiden"})
_EACH = word_set("each every per jede jeder jedes jedem pro chaque cada")
_HAVING = word_set("with have has having had mit hat haben avec a ont con tiene tienen")

_COMPARISONS: Sequence[tuple[Operator, str]] = (
    (">=", "at least, no less than, no fewer than, a minimum of, since, mindestens, seit, ab, au moins, depuis"),
    (">=", "al menos, por lo menos, como mínimo, desde"),
    ("<=", "at most, no more than, not more than, up to, a maximum of, höchstens, maximal, au plus, como máximo"),
    (">", "more than, greater than, higher than, larger than, bigger than, longer than, heavier than, older than"),
    (">", "größer als, höher als, länger als, schwerer als, älter als, teurer als"),
    ("<", "kleiner als, niedriger als, kürzer als, leichter als, jünger als, billiger als, günstiger als"),
    (">", "over, above, exceeding, after, mehr als, über, nach, plus de, après, más de, después de"),
    (
        "<",
        "less than, fewer than, lower than, smaller than, shorter than, lighter than, younger than, cheaper than",
    ),
    ("<", "under, below, before, weniger als, unter, vor, moins de, avant, menos de, antes de"),
    ("=", "exactly, genau, exactement, exactamente"),
)
_COMPARED: Mapping[str, Operator] = {
    phrase: operator for operator, phrases in _COMPARISONS for phrase in phrases.split(", ")
}
_BETWEEN = word_set("between zwischen entre")

_MEASURES: Mapping[str, str] = {
    word: columns
    for words, columns in (
        (
            "expensive cost costs cheap cheaper cheapest teuer teuerste billigste kosten kostet",
            "price cost preis kosten",
        ),
        ("earn earns paid verdient verdienen", "salary wage pay gehalt lohn"),
        ("old older oldest ältester älteste", "age born birth founded built alter geboren"),
        ("young younger youngest jüngster jüngste", "age born birth alter geboren"),
        (
            "heavy heavier heaviest light lighter lightest weigh weighs schwer schwerste leichteste wiegt",
            "weight gewicht",
        ),
        ("long longer longest short shorter shortest länger längste kürzeste", "length duration länge dauer"),
        ("tall taller tallest high higher", "height höhe"),
        ("wide wider widest breiteste", "width breite"),
        ("deep deeper deepest tiefste", "depth tiefe"),
        ("large larger largest big bigger biggest größte", "size area capacity größe fläche"),
        ("fast faster fastest slow slowest schnellste langsamste", "speed geschwindigkeit"),
        ("latest newest earliest late early", "date year joined since datum jahr"),
    )
    for word in words.split()
}
"""Words that ask for a measure without its name, with the words of columns that may contain it."""
TIME_COLUMNS = word_set("born birth founded built geboren joined date year since datum jahr")
_LARGEST = word_set(
    "most highest largest biggest greatest longest heaviest tallest widest deepest fastest latest newest maximum"
    " höchste höchsten größte größten meisten längste schwerste teuerste breiteste tiefste schnellste neueste"
)
_SMALLEST = word_set(
    "least lowest smallest fewest shortest lightest cheapest slowest earliest minimum"
    " niedrigste niedrigsten kleinste kleinsten wenigsten kürzeste leichteste billigste langsamste früheste"
)
_BY_AGE = {"oldest": 1, "älteste": 1, "ältester": 1, "youngest": -1, "jüngste": -1, "jüngster": -1}

PEOPLE = word_set(
    "people person persons employee employees member members colleague colleagues worker workers everyone everybody"
    " anyone anybody someone somebody nobody personen leute mitarbeiter mitarbeiterinnen mitarbeitende beschäftigte"
    " kollegen menschen personne personnes gens employés collègues persona personas gente empleados trabajadores"
)
"""Words for the people in any table of people. They restrict nothing."""
_THINGS = word_set(
    "one ones row rows entry entries record records item items thing things alle zeilen einträge tous toutes lignes"
    " filas"
)
"""Words for the things in any table. They restrict nothing."""
_OF_PEOPLE = word_set(
    "work works working live lives living earn earns employed arbeiten arbeitet wohnen wohnt verdienen verdient"
    " travaille travaillent habite habitent trabaja trabajan vive viven"
)
"""Verbs for what people do. If a question names nothing else, it is about people: "How many work in Ulm?"."""
_LIGHT_WORDS = word_set(
    "work works working live lives living located based stay stays belong belongs employ employed stand stands sit sits"
    " found there took take takes taken place occur occurs occurred happen happens happened come comes came use uses"
    " used run runs give gives given cost costs weigh weighs earn earns available held kept total different table sheet"
    " list listed name names named give show"
    " arbeiten arbeitet wohnen wohnt leben lebt gibt gehören gehört befinden befindet stehen steht"
    " travaille travaillent habite habitent vit vivent trouve trouvent existe existent"
    " trabaja trabajan vive viven hay tiene tienen está están existen"
)
"""Words that connect a thing with the values in its row. Other verbs must be in the table, as "Joined" is."""
_MEANINGFUL = word_set(
    "back bottom first former front last latter name next only own part same side top"
    " before after until till since during vor nach seit bis während avant après depuis jusque antes después hasta"
    " desde"
)
"""Function words that may restrict what is asked for. They are not ignored."""
_UNITS = word_set("euro euros eur usd dollar dollars pound pounds gbp chf percent prozent")


class SetWord(NamedTuple):
    """A word of a question that expresses no operation.

    Attributes:
        key: stem of the word.
        place: index of the word among all tokens of the question.
        negative: True if the word is in the scope of *not*, *except* or *without*.
        lacking: True if *without* or *no* precedes the word or its adjective.
        having: True if *with* or *have* precedes the word, possibly with words between.
        light: True if the word may be ignored if no table contains it.
        kind: True for a word such as "people" for the things in any table.
        unit: True for a unit such as "euros".
    """

    text: str
    key: str
    place: int
    negative: bool = False
    lacking: bool = False
    having: bool = False
    light: bool = False
    kind: bool = False
    unit: bool = False


class Limit(NamedTuple):
    """A comparison, such as "more than 100", with the index of its first and last token.

    Attributes:
        upper: the second number of "between 3 and 5"; None for other comparisons.
    """

    operator: Operator
    number: float
    upper: float | None
    start: int
    end: int
    negative: bool
    text: str


class Extreme(NamedTuple):
    """A superlative: sign 1 for the largest value, -1 for the smallest.

    Attributes:
        columns: words of columns that may contain the measure, if the superlative implies one ("heaviest").
    """

    sign: int
    columns: frozenset[str]
    place: int


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question about a set.

    Attributes:
        counts: True if the question asks for a number.
        tokens: all tokens of the question.
        words: the words that express no operation, in order. Function words are left out.
        head: index of the token after "how many", "which" or "who".
        person: True if the question asks for people: "who", "how many people", "how many work in Ulm".
        excluded: words in the scope of a negation, as written; "" if there is no negation.
        either: True if "or" connects two words that are not negated.
        both: True if the question asks for things for which two values hold, as in "both in Ulm and in Kiel".
        each: indices of the tokens "each" and "per".
        measures: words of columns by the index of the token that implies them, as "cost" implies "price".
        operates: True if the question contains more than a restriction: a count, a negation, a comparison and so on.
    """

    counts: bool
    tokens: tuple[str, ...]
    words: tuple[SetWord, ...]
    head: int
    person: bool
    excluded: str
    either: bool
    both: bool
    limits: tuple[Limit, ...]
    extreme: Extreme | None
    each: tuple[int, ...]
    measures: Mapping[int, frozenset[str]]

    @property
    def operates(self) -> bool:
        return bool(self.counts or self.excluded or self.both or self.limits or self.extreme or self.each)


def set_question(question: str) -> SetQuestion | None:
    """Return a question about a set; None for any other question.

    "How many work in Ulm?", "Who works in Ulm but not in Valves?" and "List all pumps" are about sets. "Why does it not
    start?", "Is it not in Ulm?" and "What is a pump?" are not.
    """
    if len(question) > _LONGEST_SET_QUESTION_CHARACTERS:
        return None
    tokens = _tokens(question)
    lower = [each.lower() for each in tokens]
    asked = _asked(lower)
    if asked is None or (lower[asked.at] in ("what", "qué") and _is_auxiliary(lower, asked.at + 1)):
        return None
    return _SetReading(tokens, asked).read()


def excluded_in(question: str) -> str:
    """Return the words that a question excludes, such as "Valves" for "Who is not in Valves?"; "" if there are none.

    Only questions for people or things exclude something. A negation after "if" or "because" excludes nothing, and
    neither does "without opening it".
    """
    if len(question) > _LONGEST_SET_QUESTION_CHARACTERS or _MANNER.search(question):
        return ""
    tokens = _tokens(question)
    asked = _asked([each.lower() for each in tokens])
    return "" if asked is None else _SetReading(tokens, asked).read().excluded


def negates(sentence: str) -> bool:
    """Return True if a sentence contains a negation, such as "not", "without" or "except"."""
    return _NEGATION.search(sentence) is not None


_MANNER = re.compile(
    r"\b(?:if|when|because|unless|wenn|falls|weil|si|quand|parce\s+que|cuando|porque)\b"
    r"|\bwithout\s+\w+ing\b|\bohne\b.*\bzu\b|\bsans\s+\w+(?:er|ir|re)\b|\bsin\s+\w+(?:ar|er|ir)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"n['’]t\b|\b(?:not|no|none|nobody|nothing|never|neither|nor|cannot|without|except|excluding|excluded|exempt|lacks?"
    r"|nicht|kein\w*|nie|niemals|niemand|ohne|außer|ausgenommen|weder"
    r"|pas|aucun\w*|jamais|personne|sans|sauf|excepté|hormis|ni|sin|excepto|salvo|nunca|nadie|ning[uú]n\w*|tampoco)\b",
    re.IGNORECASE,
)


def number_of(text: str) -> float | None:
    """Return the number in a cell, such as 1200.5 in "1,200.50 €"; None if the cell is not a single number."""
    found = _NUMBER.findall(text)
    rest = _NUMBER.sub("", text)
    if len(found) != 1 or len(rest.split()) > 1:
        return None
    digits = found[0].rstrip(".,")
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _GROUPED_BY_POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


class _AskingWords(NamedTuple):
    """The words that ask: index of the first, number of words, language, and True if they ask for a number."""

    at: int
    length: int
    language: str
    counts: bool


def _tokens(question: str) -> list[str]:
    return [_ELIDED.sub("", each.group()) for each in _TOKEN.finditer(question)]


def date_number(date: str) -> float:
    """Return a date in ISO 8601 as a number: 20240315 for "2024-03-15"."""
    return float(date[:10].replace("-", ""))


def _asked(lower: Sequence[str]) -> _AskingWords | None:
    """Return the words that ask; None for questions for a reason, a manner, a time or a place, and for yes or no."""
    for at, word in enumerate(lower):
        for phrases in (_COUNTS, _LISTS) if _may_ask(lower, at) else ():
            if length := _phrase_at(lower, at, phrases):
                return _AskingWords(at, length, phrases[" ".join(lower[at : at + length])], phrases is _COUNTS)
        if word in _OTHER_QUESTIONS or (at == 0 and word in _AUXILIARIES):
            return None
    return None


def _may_ask(lower: Sequence[str], at: int) -> bool:
    """Return True at the beginning of a question, after a preposition ("in which city"), and after a comma."""
    if at == 0 or lower[at - 1] == ",":
        return True
    return lower[at] not in _IMPERATIVES and at <= 2 and all(word in _BEFORE_QUESTION_WORD for word in lower[:at])


def _is_auxiliary(lower: Sequence[str], at: int) -> bool:
    return at < len(lower) and (lower[at] in _AUXILIARIES or lower[at].endswith(("n't", "n’t")))


def _phrase_at(lower: Sequence[str], at: int, phrases: Iterable[str]) -> int:
    """Return the number of words of the longest phrase at an index; 0 if there is none."""
    fitting = (each.split() for each in phrases)
    return max((len(each) for each in fitting if list(lower[at : at + len(each)]) == each), default=0)


class _SetReading:
    def __init__(self, tokens: list[str], asked: _AskingWords) -> None:
        self._tokens = tokens
        self._lower = [each.lower() for each in tokens]
        self._at, self._head, self._counts = asked.at, asked.at + asked.length, asked.counts
        self._language = asked.language
        foreign = frozenset[str]() if asked.language == ENGLISH else stop_words(asked.language)
        self._ignored = (FUNCTION_WORDS | foreign) - _MEANINGFUL
        self._negative = self._lacks = self._has = False
        self._words: list[SetWord] = []
        self._limits: list[Limit] = []
        self._each: list[int] = []
        self._extreme: Extreme | None = None
        self._either = self._both = False
        self._measures: dict[int, frozenset[str]] = {}

    def read(self) -> SetQuestion:
        at = 0
        while at < len(self._lower):
            at = self._head if at == self._at else at + self._step(at)
        places = [each.place for each in self._words if each.negative]
        excluded = " ".join(self._tokens[places[0] : places[-1] + 1]) if places else ""
        return SetQuestion(
            counts=self._counts,
            tokens=tuple(self._tokens),
            words=tuple(self._words),
            head=self._head,
            person=self._asks_for_people(),
            excluded=excluded or ("not" if any(each.negative for each in self._limits) else ""),
            either=self._either,
            both=self._both,
            limits=tuple(self._limits),
            extreme=self._extreme,
            each=tuple(self._each),
            measures=self._measures,
        )

    def _asks_for_people(self) -> bool:
        first = next((each.text.lower() for each in self._words if each.place >= self._head), "")
        return self._lower[self._at] in _WHO or first in PEOPLE or (self._counts and first in _OF_PEOPLE)

    def _step(self, at: int) -> int:
        """Read the token at an index, and return the number of tokens read."""
        if length := self._limit(at):
            return length
        word = self._lower[at]
        if word in _MEASURES:
            self._measures[at] = frozenset(_MEASURES[word].split())
        if sign := (word in _LARGEST) - (word in _SMALLEST) or _BY_AGE.get(word, 0):
            self._extreme = Extreme(sign, self._measures.pop(at, frozenset()), at)
            return 1
        is_name = at > 0 and self._tokens[at][0].isupper() and not self._tokens[0].isupper()
        can_negate = not is_name and (at == 0 or at > self._at)
        if can_negate and (length := _phrase_at(self._lower, at, _NOT)):
            self._negative, self._lacks = True, False
            return length
        if can_negate and (word.endswith(("n't", "n’t")) or (word == "no" and self._language == "es")):
            self._negative, self._lacks = True, False
        elif can_negate and word in _LACKS:
            self._negative, self._lacks = True, True
        elif self._ends_negation(word, at):
            self._negative = self._lacks = self._has = False
        elif word in _AND:
            self._conjunction(at)
        elif word in _OR:
            self._either = self._either or not self._negative
        elif word in _BOTH:
            self._both = True
        elif word in _EACH:
            self._each.append(at)
        else:
            self._word(at)
        return 1

    def _ends_negation(self, word: str, at: int) -> bool:
        """Return True for "but", for a preposition after "no phone", and for the comma in "Except Ada, who …"."""
        return word in _ENDS_NOT or (self._lacks and word in _ENDS_LACKING) or (word == "," and at < self._at)

    def _conjunction(self, at: int) -> None:
        """End the scope of a negation at "and" if a verb follows: "not in Ulm and works in Kiel"."""
        after = self._lower[at + 1] if at + 1 < len(self._lower) else ""
        if after in _LIGHT_WORDS or after in _AUXILIARIES or after in _HAVING:
            self._negative = self._lacks = self._has = False

    def _word(self, at: int) -> None:
        word = self._lower[at]
        self._has = self._has or word in _HAVING
        if word in _HAVING or word in ",;:" or (word in self._ignored and not self._is_acronym(at)):
            return
        light = word in _LIGHT_WORDS or at in self._measures
        self._words.append(
            SetWord(
                self._tokens[at],
                stem(self._tokens[at]),
                at,
                negative=self._negative and word not in PEOPLE | _THINGS,
                lacking=self._lacks,
                having=self._has,
                light=light,
                kind=word in PEOPLE | _THINGS,
                unit=word in _UNITS,
            )
        )

    def _is_acronym(self, at: int) -> bool:
        return len(self._tokens[at]) > 1 and self._tokens[at].isupper() and not "".join(self._tokens).isupper()

    def _limit(self, at: int) -> int:
        """Read a comparison at an index, and return its number of tokens; 0 if there is none."""
        if self._lower[at] in _BETWEEN and at + 3 < len(self._lower) and self._lower[at + 2] in _AND:
            low, high = _number(self._lower[at + 1]), _number(self._lower[at + 3])
            if low is not None and high is not None:
                self._add_limit(">=", low, high, at, at + 3)
                return 4
        length = _phrase_at(self._lower, at, _COMPARED)
        number = _number(self._lower[at + length]) if length and at + length < len(self._lower) else None
        if number is None:
            return self._limit_after(at)
        self._add_limit(_COMPARED[" ".join(self._lower[at : at + length])], number, None, at, at + length)
        return length + 1

    def _limit_after(self, at: int) -> int:
        """Read a comparison such as "5 or more"."""
        number = _number(self._lower[at])
        after = self._lower[at + 1 : at + 3]
        if number is None or after not in (["or", "more"], ["or", "fewer"], ["or", "less"], ["oder", "mehr"]):
            return 0
        self._add_limit(">=" if after[1] in ("more", "mehr") else "<=", number, None, at, at + 2)
        return 3

    def _add_limit(self, operator: Operator, number: float, upper: float | None, start: int, end: int) -> None:
        text = " ".join(self._tokens[start : end + 1])
        self._limits.append(Limit(operator, number, upper, start, end, self._negative, text))


def _number(word: str) -> float | None:
    if _ISO_DATE.fullmatch(word):
        return date_number(word)
    if word in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[word])
    return number_of(word) if word[:1].isdigit() else None
