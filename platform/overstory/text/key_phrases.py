"""Key phrases: one to three adjacent words that several texts of a group share but most other texts lack."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory.text.words import stem

_MOST_KEY_PHRASES = 5
_FEW_TEXTS = 20
"""If a collection contains fewer texts, every phrase counts as distinctive."""
_SAMPLED_TEXTS = 5_000
"""Maximum number of texts that are read to find out which words are common."""
_LONGEST_TEXT_SEARCHED_CHARACTERS = 2_000
"""Number of characters at the beginning of each text that are searched for key phrases."""
_LONGEST_KEY_PHRASE_WORDS = 3
LONGER: Mapping[int, float] = {1: 1.0, 2: 1.5, 3: 1.7}
"""Factor for the score of a phrase, by its number of words: "jazz pianist" is more specific than "pianist"."""

Term: TypeAlias = tuple[str, ...]
"""The stems of one to three adjacent words."""
S = TypeVar("S")

_RUN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*(?: +[^\W_]+(?:['’-][^\W_]+)*)*")
"""Matches a sequence of words that are separated only by spaces."""
_IS_A = re.compile(r"\b(?:is|was|are|were) (?:an?|the|one of the) ((?:[^\W_]+[ -]?){1,6})")
_BLAND_WORDS = (
    "according became become began begin best born built called came city common complete consist consists currently "
    "date death developed different died early entities ended established example famous father featured features "
    "first five following formed found four full group include included includes including known large largest late "
    "led left life list located main major man member members mother name named new notable number old order "
    "original originally people place played plays popular position produced published released said second series "
    "served set sometimes son starring started stars summary term third time times title took total usually version "
    "won word work worked works world written wrote year years young american british based directed daughter "
    "films albums among day made making being day days wife husband husbands wives brother sister january february "
    "march april may june july august september october november december one's both there it's he's she's"
)
_BLAND = frozenset(_BLAND_WORDS.split())
"""Words that are uninformative even if they are rare in the texts."""
_CODE_WORDS = (
    "args argv bool boolean char class const def elif endif enum esac extern false foreach func ifdef ifndef impl "
    "int let mut namespace null nullptr printf pub ref return sizeof static str struct sub switch true typedef "
    "uint undef undefined usr var void http https www"
)
_MAIL_WORDS = (
    "base64 bcc content-disposition content-length content-transfer-encoding content-type dkim-signature esmtp esmtps "
    "in-reply-to iso-8859-1 list-unsubscribe message-id mime-version quoted-printable received references reply-to "
    "return-path smtp text/html text/plain us-ascii user-agent utf-8 x-mailer dear hello hi regards sincerely"
)
_NOISE = frozenset(f"{_CODE_WORDS} {_MAIL_WORDS}".split())
"""Words from source code, mail headers and greetings, which are never the subject of a text."""
_CODE = re.compile(r"(?<!\bM)(?<!\bMa)[a-z][A-Z]|[A-Z]{2}[a-z]|\d[^\W\d]|[^\W\d]\d|(?:n['’]t|['’](?:ll|re|ve|d|m))$")
"""Matches in identifiers and contractions: "myEmitter", "XMLNode", "x86", "doesn't"."""
_GENERIC_WORDS = (
    "addition amount area argument arguments article base basis behaviour behavior call calls case cases change "
    "changes character characters clock code column command commands comment corresponding data default detail "
    "details directory document documents element elements end error errors example examples field fields file "
    "files flag flags form format function functions group half id index info information input instance issue "
    "item items key kind length level line lines link log lot message messages method methods mode module modules "
    "names note notes number numbers object objects older option options others output package packages page "
    "pages parameter parameters part parts path pattern patterns phone point port problem process program "
    "programs property reason release result results return returns rule rules section sections set sets setting "
    "settings side similar simple size source start state status string strings structure subject subroutine "
    "support system systems task text thing things title true type types unit user users value values variable "
    "variables version versions void way ways website words"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())
"""Nouns that are too general to be a theme on their own. A longer theme may end with such a noun."""
_VERB_WORDS = (
    "adding allowing appearing based becoming beginning bringing building calling causing certain changing coming "
    "containing corresponding creating depending doing ending failing fails featuring finding fixing following "
    "forming gave gets getting gives giving go goes going got greatest having holding including interpret keeping "
    "largest leading letting living looking making meaning met moving naming needing needs newer offering older "
    "opening passing performing playing preventing previous produces producing provides providing putting ran "
    "reading recent rely returning running said saying searches seeing serving sets setting showing speaking "
    "specifies starring starting stating staying stop stops supporting supports taking telling tells trying "
    "turning unlock uses using want wants went winning working writing wrote"
)
_VERBS = frozenset(_VERB_WORDS.split())
"""Verb forms that a theme must not begin or end with."""
_BEFORE = (
    r"(?:^|[.,;:(–—]\s+|\b(?:an?|the|of|in|for|with|by|from|on|its|their|his|her|this|these|those|and|or|is|was|are|were|"
    r"as|to|at|between|der|die|das|ein|eine|einer|des|dem|den|le|la|les|un|une|du)\s+)(?:[^\W\d_]+\s+)?"
)
_DEFINED = (
    r"(?:\b(?:is|was|are|were|ist|war|est)\s+(?:an?|the|one\s+of\s+the|eine?|une?)|,\s+(?:an?|eine?|une?)|(?:^|[.!?]\s+)an?)"
    r"\s+(?:[^\W\d_]+[\s-]+){0,4}|(?:^|[.!?]\s+)(?=\S+\s+of\s)"
)
"""Matches the text before a noun that defines the subject, such as "was a Danish" in "Bohr was a Danish physicist"."""
_DETERMINED = r"\b(?:an?|the|of|this|these|its|their|between)\s+"
"""Matches a determiner or preposition before a noun."""
_NO_NOUN = re.compile(r"(?:ing|ed|able|ible|al|ous|ive|ful|less|ic)$")
"""Matches the endings of adjectives and participles."""
_SHORTEST_NOUN_LETTERS = 4
_AFTER = (
    r"(?=$|\s*[.,;:!?)–—]|\s+(?:an?|and|are|as|at|by|can|for|from|has|have|he|in|into|is|it|its|of|on|or|she|so|that|the|"
    r"they|to|was|were|when|where|which|while|who|whose|will|with|und|von|der|die|das|ist|im|in|et|de|du|des|est)\b)"
)
"""Matches where a noun phrase ends: before punctuation, the end of the text, or a word that cannot continue it."""
_PREDICATE = re.compile(r"[a-z]{3,}(?:ed|ly)")
"""Matches past tenses and adverbs, with which a key phrase does not end."""
_ADVERB = re.compile(r"[a-z]{3,}ly")
_POSSESSIVE = re.compile(r"['’]s?$")
_UNREADABLE = re.compile(r"://|[^\W\d_]: |[a-z]{2}[.!?] [A-Z]|[\n|=]|^\w[^\"]*\w\"\s\w+\"|^[\W\d_]*$")
"""Matches text that is not a name: an address, a header ("Date: Mon"), the end of a sentence, a table cell, or text
with unusual quotation marks."""


class Described(NamedTuple):
    """An entity or a member of a group, with a text that describes it (may be empty)."""

    name: str
    text: str


class CommonWords:
    """The frequencies of words in a sample of a collection, which is read on first use."""

    def __init__(self, sample: Callable[[], Iterable[Described]]) -> None:
        """
        Args:
            sample: returns the sampled texts, for example those chosen by `evenly`. It is called at most once.
        """
        self._sample = sample

    @functools.cached_property
    def _known(self) -> tuple[Counter[str], int]:
        """The number of sampled texts that contain each stem, and the number of all sampled texts."""
        known = Counter[str]()
        read = 0
        for name, text in self._sample():
            known.update({stem(word) for word in words_of(f"{name} {text[:_LONGEST_TEXT_SEARCHED_CHARACTERS]}")})
            read += 1
        return known, read

    def specificity(self, word: str) -> float:
        """Return the inverse document frequency of a stem, which is 0.0 if every sampled text contains the stem."""
        known, read = self._known
        return math.log((read + 1) / (known[word] + 1))

    def distinguishes(self, phrase: str) -> bool:
        """Return True if a phrase contains a word that occurs in less than a third of the texts.

        If there are fewer than `_FEW_TEXTS` texts, the result is always True.
        """
        known, read = self._known
        return read < _FEW_TEXTS or any(3 * known[stem(word)] < read for word in words_of(phrase))


def evenly(items: Sequence[S], most: int = _SAMPLED_TEXTS) -> Sequence[S]:
    """Return at most `most` items, evenly spaced."""
    return items[:: max(1, -(-len(items) // most))]


def key_phrases(things: Sequence[Described], common: CommonWords, *, head: str | None = None) -> list[str]:
    """Return up to five key phrases of a group, most specific first.

    A key phrase must occur in at least two members and in two different sentences, unless the texts of all members are
    equal. A phrase in the name of exactly one member is left out, because it describes only that member.

    Args:
        head: name under which the group is shown, by default the first member's name. Phrases that consist only of its
            words are left out.
    """
    uses = _TermUses(things)
    least = 2 if len({thing.text for thing in things}) > 1 else 1
    in_names = Counter(term for thing in things for term in {term for _, term in _terms(thing.name)})
    named = head if head is not None or not things else things[0].name
    in_head = {stem(word) for word in words_of(named or "")}
    score = dict[Term, float]()
    for term, things_with in uses.things.items():
        shared = min(things_with, uses.sentences[term])
        if shared < least or in_names[term] == 1 or in_head.issuperset(term):
            continue
        specific = sum(map(common.specificity, term)) / len(term)
        score[term] = (shared + (term in uses.defining)) * specific * LONGER[len(term)]
    chosen: list[Term] = []
    for term in sorted(score, key=lambda term: (-score[term], term)):
        if len(chosen) == _MOST_KEY_PHRASES:
            break
        if score[term] > 0.0 and not any(set(term) & set(other) for other in chosen):
            chosen.append(term)
    return uses.surfaces(chosen)


def theme_of(phrases: Sequence[str], things: Sequence[Described]) -> str:
    """Return a key phrase that can name the theme of a group in its title, or "" if none is suitable.

    A theme is a noun phrase of two or three words, or a single noun with which a text defines its subject. Names and
    general nouns such as "file" are not suitable.

    Args:
        phrases: key phrases of the group, most specific first.
    """
    texts = [" ".join(sentences_of(thing.text)) for thing in things]
    names = " | ".join(thing.name for thing in things).casefold()
    for phrase in sorted(phrases, key=lambda phrase: " " not in phrase):
        words = phrase.split()
        last = words[-1]
        ends = {words[0].lower(), last.lower()}
        if ends & _VERBS or _PREDICATE.fullmatch(words[0]) or any(map(_ADVERB.fullmatch, words)):
            continue
        if len(words) == 1 and (
            last.lower() in _GENERIC or _NO_NOUN.search(last) or len(last) < _SHORTEST_NOUN_LETTERS
        ):
            continue
        if not any(map(str.islower, words)) and phrase.casefold() in names:
            continue
        before = _BEFORE if len(words) > 1 else _DEFINED if last[0].isupper() else f"{_DEFINED}|{_DETERMINED}"
        stands = re.compile(rf"(?:{before}){re.escape(phrase)}{_AFTER}", re.IGNORECASE)
        if any(map(stands.search, texts)):
            return phrase
    return ""


def is_readable_name(name: str) -> bool:
    """Return True if a name can be shown in a title.

    Headers, sentences and addresses cannot be shown, and neither can names with unclosed brackets.
    """
    words = name.lower().split()
    if not words or _UNREADABLE.search(name) or not _NOISE.isdisjoint(word.strip(":;,") for word in words):
        return False
    return (
        all(name.count(one) == name.count(other) for one, other in ("()", "[]", "{}", "<>"))
        and name.count('"') % 2 == 0
    )


@functools.lru_cache(maxsize=1_000)
def sentences_of(text: str) -> tuple[str, ...]:
    """Return the sentences in the first 2,000 characters of a text, each on one line."""
    start = text[:_LONGEST_TEXT_SEARCHED_CHARACTERS]
    sentences = (" ".join(sentence.split()) for sentence in sentence_texts(start, sentence_starts(start)))
    return tuple(sentence for sentence in sentences if sentence)


def words_of(text: str) -> list[str]:
    return [word for run in _RUN.findall(text) for word in run.split()]


class _TermUses:
    """The terms in the texts of a group, and how often each is used.

    Attributes:
        things: number of members whose texts contain each term.
        sentences: number of distinct sentences that contain each term.
        defining: terms with which a text states what something is, such as "physicist" in "Bohr was a physicist".
    """

    def __init__(self, things: Iterable[Described]) -> None:
        self.things, self.sentences = Counter[Term](), Counter[Term]()
        self.defining = set[Term]()
        self._terms = dict[str, list[tuple[str, Term]]]()
        self._times = Counter[str]()
        for thing in things:
            sentences = sentences_of(thing.text)
            self._times.update(sentences)
            for sentence in sentences:
                if sentence not in self._terms:
                    self._read(sentence)
            self.things.update({term for sentence in sentences for _, term in self._terms[sentence]})

    def _read(self, sentence: str) -> None:
        found = self._terms[sentence] = _terms(sentence)
        terms = {term for _, term in found}
        self.sentences.update(terms)
        for definition in _IS_A.findall(sentence):
            self.defining.update(term for _, term in _terms(definition) if term in terms)

    def surfaces(self, wanted: Sequence[Term]) -> list[str]:
        """Return the most frequent spelling of each term; among equally frequent spellings, one in lower case."""
        ways = {term: Counter[str]() for term in wanted}
        for sentence, found in self._terms.items():
            for words, term in found:
                if term in ways:
                    ways[term][words] += self._times[sentence]
        return [min(ways[term], key=functools.partial(_by_use, ways[term])) for term in wanted]


def _by_use(ways: Mapping[str, int], words: str) -> tuple[int, int, str]:
    return -ways[words], -sum(map(str.islower, words)), words


@functools.lru_cache(maxsize=65_536)
def _word(word: str) -> tuple[bool, bool, str, str, str]:
    """Return a word's properties.

    Returns:
        - True if the word is informative.
        - True if a phrase may end with the word.
        - The form that the word takes at the end of a phrase, without possessive 's.
        - The stem of the word.
        - The stem of its form at the end of a phrase.
    """
    plain = word.lower()
    tells = (
        len(word) > 2
        and not word[0].isdigit()
        and plain not in FUNCTION_WORDS
        and plain not in _BLAND
        and plain not in _NOISE
        and not _CODE.search(word)
    )
    last = _POSSESSIVE.sub("", word)
    return tells, not _PREDICATE.fullmatch(word), last, stem(word), stem(last)


def _terms(text: str) -> list[tuple[str, Term]]:
    """Return each informative word and each phrase of two or three informative words in a text, with their stems."""
    found: list[tuple[str, Term]] = []
    for run in _RUN.findall(text):
        before: list[tuple[str, Term]] = []  # phrases that the next word may extend, longest first
        for word in run.split():
            tells, ends, last, stemmed, last_stemmed = _word(word)
            if not tells:
                before = []
                continue
            if ends:
                found.append((last, (last_stemmed,)))
                found += [(f"{words} {last}", (*stems, last_stemmed)) for words, stems in before]
            shorter = (each for each in before if len(each[1]) + 1 < _LONGEST_KEY_PHRASE_WORDS)
            before = [*((f"{words} {word}", (*stems, stemmed)) for words, stems in shorter), (word, (stemmed,))]
    return found
