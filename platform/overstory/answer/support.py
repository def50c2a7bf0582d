"""Determines whether sentences support the words of a question.

A sentence supports a word if it contains one of the following:

- the word itself, or a word derived from it;
- a word for the same relation, such as "wife" for "married";
- a notation with the same meaning, such as the dates of a life for "born";
- a word with a similar vector.
"""

from __future__ import annotations

import functools
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from overstory.protocols import Embedder, Vectors
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key, key_words
from overstory.text.words import stem, word_matches

_MOST_KEPT_WORD_VECTORS = 20_000  # maximum number of word vectors in the cache, about 30 MB
_MOST_WORDS_COMPARED = 200  # maximum number of distinct words with which a word is compared
_RELATED_WORD_SHARE = 0.75  # degree to which a word for the same relation ("manages") supports a word ("leads")
LEAST_SUPPORTING_COSINE = 0.6
"""Minimum cosine at which one word supports another. With the default embedder, the cosine between "spouse" and
"married" is 0.66, and the cosine between "salary" and "led" is 0.21."""

_LIFE = re.compile(r"\([^()]{0,80}\d{3,4}[^()]{0,40}[–—-][^()]{0,40}\d{3,4}[^()]{0,40}\)")
"""Matches the dates of a life, such as "(28 December 1888 – 11 March 1931)"."""
_BORN = re.compile(r"\([^()]{0,60}\b(?:born|b\.)[^()]{0,60}\d{3,4}|\(\s*\d{1,2} \w+ \d{4}\s*\)")
_YEAR = re.compile(r"\b(?:is|was|are|were) an? (?:\w+ )?\d{4} |\(\d{4}\)|\b(?:1[5-9]|20)\d\d\b")
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|euros?|dollars?|pounds?|kroner|francs?|USD|EUR|GBP)\b", re.IGNORECASE)
_LENGTH = re.compile(r"\d\s?(?:[mck]?m|met(?:er|re)s?|f(?:oo|ee)t|ft|inch(?:es)?|(?:centi|milli|kilo)met(?:er|re)s?)\b")
_WEIGHT = re.compile(r"\d\s?(?:k?g|t|tonn?e?s?|kilos?|kilograms?|grams?|lbs?|pounds?)\b")
_OBLIGED = re.compile(r"\b(?:must|shall|ha[sd] to|have to)\b")
_KIND = re.compile(r"\b(?:is|was|are|were|as) (?:an?|the|its|our|their|his|her)\b")
_VERSION = re.compile(r"\b(?:v|version )?\d+\.\d+(?:\.\d+)*\b")
_OF_VERSION = frozenset(map(stem, ("version", "release")))
_SET = re.compile(r"\s*[`\w.-]{2,60}\s*(?:=|: |\|)\s*\S|\s*\|")
_OF_SETTING = frozenset(map(stem, ("set", "value")))
_OF_LIFE = frozenset(map(stem, ("born", "birth", "died", "death", "age", "old", "lived", "longer")))
_OF_BIRTH = frozenset(map(stem, ("born", "birth", "age", "old")))
_OF_YEAR = frozenset(map(stem, ("released", "release", "earlier", "later", "published", "recent")))
_OF_DUTY = frozenset(map(stem, ("required", "mandatory", "necessary")))
_OF_LENGTH = frozenset(map(stem, ("deep", "wide", "broad", "high", "tall")))
_OF_WEIGHT = frozenset(map(stem, ("heavy", "weigh")))
_OF_AMOUNT = frozenset(map(stem, ("cost", "price", "fee")))
_OF_KIND = frozenset(
    map(
        stem,
        (
            *("nationality", "occupation", "profession", "genre", "kind", "citizenship", "position", "species"),
            *("role", "job", "function", "post", "title"),
        ),
    )
)


def meaning_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, and of the words that notations in it stand for.

    For example, "(1888–1931)" stands for "born" and "died".
    """
    found = {stem(word) for word in _words(text)}
    found |= {stem(part) for name in _IDENTIFIER.findall(text) for part in _PART.findall(name.lower())}
    if _LIFE.search(text):
        found |= _OF_LIFE
    elif _BORN.search(text):
        found |= _OF_BIRTH
    if _YEAR.search(text):
        found |= _OF_YEAR
    if _AMOUNT.search(text):
        found |= _OF_AMOUNT
    if _OBLIGED.search(text):
        found |= _OF_DUTY
    if _LENGTH.search(text):
        found |= _OF_LENGTH
    if _WEIGHT.search(text):
        found |= _OF_WEIGHT
    if _VERSION.search(text):
        found |= _OF_VERSION
    if _SET.match(text):
        found |= _OF_SETTING
    if _KIND.search(text):
        found |= _OF_KIND
    return frozenset(found)


_IDENTIFIER = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?:_[A-Za-z0-9]++)++")
_PART = re.compile(r"[a-z]{2,}")


def _words(text: str) -> Iterable[str]:
    return (m.group().lower() for m in word_matches(text) if m.group().lower() not in FUNCTION_WORDS)


class WordVectors:
    """LRU cache of the vectors of single words. Safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._turn = threading.Lock()

    def of(self, words: Sequence[str]) -> Vectors:
        """Return the unit vectors of distinct words, as float32 of shape (len(words), dimension)."""
        from numpy import stack  # imported here so that `--help` does not load numpy

        with self._turn:
            new = [word for word in words if word not in self._kept]
            if new:
                self._kept.update(zip(new, self.embedder.embed(new), strict=True))
            found = stack([self._kept[word] for word in words])
            for word in words:
                self._kept.move_to_end(word)
            while len(self._kept) > _MOST_KEPT_WORD_VECTORS:
                self._kept.popitem(last=False)
        return found


def is_supported(word: str, stems: Iterable[str]) -> bool:
    """Return True if one of the stems is the stem of the word or of a related word.

    For example, the stem of "married" supports "wife".
    """
    own = stem(word.lower())
    return any(same_relation(own, other) for other in stems)


def degree_of_support(word: str, stems: frozenset[str]) -> float:
    """Return to what degree stems support a word.

    The degree is 1.0 if the word's own stem is among `stems`, 0.75 if only the stem of a related word is, and 0.0
    otherwise.
    """
    return 1.0 if stem(word.lower()) in stems else _RELATED_WORD_SHARE * is_supported(word, stems)


def similarity(word: str, texts: Iterable[str], vectors: WordVectors) -> float:
    """Return the highest cosine between a word and one of the first 200 distinct words in the texts."""
    others: dict[str, None] = {}
    for text in texts:
        others.update(dict.fromkeys(_words(text)))
        if len(others) >= _MOST_WORDS_COMPARED:
            break
    if not others:
        return 0.0
    rows = vectors.of(
        [word.lower(), *(other for other in list(others)[:_MOST_WORDS_COMPARED] if other != word.lower())]
    )
    return float(max(rows[1:] @ rows[0], default=0.0))


_RELATIONS = """
born birth birthplace birthday native
die died dies death dead killed executed assassinated murdered buried posthumous posthumously suicide
married marry marriage wife husband spouse consort widow widower wed divorced queen
father mother parent parents son daughter child children grandfather grandmother grandson granddaughter stepmother
+stepfather stepson family
sibling siblings brother sister half-brother half-sister twin family
uncle aunt nephew niece
wrote write written writer writes author authored novelist screenplay script screenwriter penned playwright book
rewrote rewrite rewrites rewritten rewriting
directed direct directs director filmmaker directorial
composed compose composer composes music score scored soundtrack
sang sing sings sung singer vocals vocalist perform performed performs performer recorded record artist musician song
produced produce produces producer production
founded found founder founders founding established establish establishment created create creation formed form
+formation started start began begin begun launched launch opened inaugurated incorporated originated origin set
closed close closure closes shut ceased cease discontinued discontinue defunct dissolved disbanded abolished retired
+retire decommissioned switched ended
led lead leads leader leaders head heads headed heading manage manages managed manager managing run runs running boss
ruled rule rules ruler king queen monarch emperor reign reigned sultan governed governor
own owns owned owner owners ownership belongs belong belonging property
maintain maintains maintained maintainer maintenance responsible care
located locate location situated lies lie stands stand based headquartered headquarters seat site place
+stored store kept keep placed put parked hung hang
live lives lived living residence resides reside resided home inhabitant
study studied studies studying educated education attend attended attends graduate graduated university school college
+degree alumnus alumni alma
work works worked working employed employs employ employer employee employees job career
play plays played player players star stars starred starring cast portrayed portray portrays actor actress role
+appeared appears character
release released releases premiere premiered publish published publishes publication publisher issued issue debut
population inhabitants people residents
cost costs price prices priced fee fees charge charges charged pay pays paid worth
salary salaries wage wages earn earns earned paid pay income compensation
win wins won winner award awards awarded prize champion champions victory
buy buys bought buyer acquire acquired acquires acquisition purchase purchased takeover merged
sell sells sold seller sale sales
use uses used using user usage
need needs needed require requires required requirement necessary must mandatory obligatory compulsory
fix fixes fixed repaired repair repairs resolved resolves corrected mended solved solve
cancel cancels cancelled canceled cancellation terminate terminated termination
approve approves approved approval allow allows allowed permitted permit permission authorised authorized
remove removes removed delete deletes deleted deletion erase erases drop drops discard
add adds added append appends insert inserts inserted
change changes changed modify modifies modified alter alters altered edit edits replace replaces replaced substitute
show shows shown display displays displayed print prints printed list lists
make makes made build builds built manufacture manufactures manufactured produce produces produced
sign signs signed signature signatory
large larger largest big bigger biggest size area
tall taller tallest height high higher highest
long longer longest length
heavy heavier heaviest weight weigh weighs
deep deeper deepest depth
kg kilo kilos kilogram kilograms
cm centimetre centimetres centimeter centimeters
km kilometre kilometres kilometer kilometers
min minute minutes
eur euro euros
wide wider widest width broad breadth
old older oldest age aged elder eldest young younger youngest born birth
grow grows grew grown growing
speak speaks spoke spoken speech
teach teaches taught teacher teaching
bring brings brought
build builds built building
blow blows blew blown
break breaks broke broken breakdown
catch catches caught
choose chooses chose chosen choice
come comes came coming
draw draws drew drawn
drive drives drove driven
eat eats ate eaten
fall falls fell fallen
feel feels felt
fight fights fought
fly flies flew flown flight
forget forgets forgot forgotten
freeze freezes froze frozen
give gives gave given
hide hides hid hidden
hold holds held
keep keeps kept
know knows knew known
leave leaves left leaving
lay lays laid
lend lends
lose loses lost loss
meet meets met meeting
ride rides rode ridden
rise rises rose risen
send sends sent
shoot shoots shot
sink sinks sank sunk
sit sits sat
sow sows sowed sown
spend spends spent
stand stands stood
strike strikes struck
steal steals stole stolen
take takes took taken
tell tells told
think thinks thought
throw throws threw thrown
wear wears wore worn
arrive arrives arrived arrival
near nearest close closest next adjacent
border borders bordered bordering adjacent neighbouring neighboring
"""


def _families() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_RELATIONS.strip().replace("\n+", " ").splitlines()):
        for word in line.split():
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


_OF_STEM = _families()
_NONE: frozenset[int] = frozenset()

_LEAST_SHARED_LETTERS = 5
"""Minimum number of letters at the beginning that two related stems share, as "director" and "directorate" do."""


@functools.lru_cache(maxsize=65_536)
def same_relation(one: str, other: str) -> bool:
    """Return True if two stems are equal, are derived from the same word, or stand for the same relation."""
    if one == other:
        return True
    if _OF_STEM.get(one, _NONE) & _OF_STEM.get(other, _NONE):
        return True
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    shorter, longer = sorted((len(one), len(other)))
    return (shared >= _LEAST_SHARED_LETTERS and shared >= 0.6 * longer) or (
        shared == shorter >= _LEAST_SHARED_LETTERS - 1 and longer - shared <= 2
    )


_POSSESSIVE = re.compile(r"['’]s\b")
_STEM_LETTERS = 5  # stems are cut to this length, because the forms of a word begin with the same letters
_ENDINGS = ("ing", "ed", "es", "s", "er", "ion", "ly")
_LEAST_STEM_LETTERS = 4  # minimum number of letters that must be left if an ending is removed
_TOKEN = re.compile(r"\w+(?:['’_./-]\w+)*")
_INSIDE = re.compile(r"[\d_]|(?<=\w)[A-Z]")
"""Matches a digit, an underscore, or a capital within a word. A token that contains one of these is a name, even at the
start of a question."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Matches letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese."""


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text, without endings.

    In scripts without spaces between words, return all pairs of adjacent letters instead.
    """
    words = (word for word in key_words(text) if word not in FUNCTION_WORDS)
    return frozenset(part for word in words for part in _parts(word))


def _parts(word: str) -> Iterable[str]:
    if _UNSPACED.search(word):
        return (word[at : at + 2] for at in range(max(1, len(word) - 1)))
    return (_stem(word),)


def _stem(word: str) -> str:
    """Return a crude stem that is only compared for equality. For example, the stem of "reporting" is "repor"."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM_LETTERS:
            return word[: -len(ending)][:_STEM_LETTERS]
    return word[:_STEM_LETTERS]


def name_words(question: str) -> frozenset[str]:
    """Return the content words in the names, numbers and identifiers of a question."""
    tokens = _TOKEN.findall(question)
    names = [token for at, token in enumerate(tokens) if _INSIDE.search(token) or (at and token[0].isupper())]
    return frozenset(word for name in names for word in content_words(name))


_LETTERED = re.compile(r"\w+ (?P<letter>[B-HJ-Z]\d{0,3}|[AI]\d{1,3})")
"""Matches "shaft B", which a text may call "B". The letters A and I are also words."""


def has_name(text: str, name: str) -> bool:
    """Return True if a text contains a name as complete words. Scripts without spaces have no ends of words."""
    if _UNSPACED.search(name):
        return name in text
    if padded(name) in padded(text):
        return True
    lettered = _LETTERED.fullmatch(name)
    return lettered is not None and re.search(rf"(?<![\w.]){lettered['letter']}(?![\w'’])", text) is not None


def begins_with_name(text: str, name: str) -> bool:
    """Return True if a text begins with a name, or with the letter of "shaft B"."""
    lettered = _LETTERED.fullmatch(name)
    return padded(text).startswith(padded(name)) or (lettered is not None and text.startswith(f"{lettered['letter']} "))


def padded(text: str) -> str:
    """Return the normalised text with a space at both ends.

    If two texts are compared with `in`, the spaces ensure that only complete words match.
    """
    return f" {entity_key(_POSSESSIVE.sub('', text)).replace('_', ' ')} "
