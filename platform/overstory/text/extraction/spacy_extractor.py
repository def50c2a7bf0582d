"""The default extractor, which finds entities and facts with a spaCy pipeline.

It starts several processes if there is enough text. For chunks in other languages, it uses the further pipelines from
the settings. If there is no pipeline for a language, names are found by rules (`extracted_by_rules`).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from overstory.errors import install_command
from overstory.model import ChunkText, Extraction, Mention
from overstory.settings import ExtractionSettings
from overstory.text.extraction.extractors import LanguageNote
from overstory.text.extraction.facts import FACT_RULES_VERSION
from overstory.text.extraction.findings import FINDINGS
from overstory.text.extraction.mentions import Surroundings, mention, plausible, shaped_names, surroundings
from overstory.text.extraction.segmenters import SEGMENTERS, segmenter_version, unspaced_names
from overstory.text.function_words import word_set
from overstory.text.languages import stop_words
from overstory.text.names.shapes import Shape
from overstory.text.parsing.jobs import read_texts
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.sentences import sentence_starts

# The following rules find names in languages that capitalise names and have no pipeline.
#
# In most languages, a capitalised word inside a sentence is a name, together with its capitalised neighbours. German
# capitalises all nouns. A single German word is therefore a name only if there is further evidence: its form ("LaTeX",
# "NASA"), a title before it, a preposition without an article before it ("in Köln", but "in der Stadt"), or a hyphen
# after it ("Debian-Paket"). A word that often has an article or adjective before it is a common noun, and so is a word
# with the ending of a noun ("-ung", "-heit").

_LONGEST_QUOTED_NAME_WORDS = 6
_LONGEST_ABBREVIATION_LETTERS = 4
"""Maximum length of a word whose full stop does not end a sentence, such as a title or an initial."""
_LONGEST_ACRONYM_LETTERS = 6
"""Maximum length of a name in capitals. In manuals, longer words in capitals are placeholders, such as OPTIONS."""

_WORD = re.compile(r"[^\W\d_](?:[\w+#]|[-'’.](?=\w))*+")
_ELIDED = re.compile(r"(?:[LlDdNnSsJjMmTtCc]|[Qq]u|[Dd]ell|[Nn]ell|[Aa]ll|[Dd]all|[Ss]ull|[Uu]n)['’](?=\w)")
"""Matches articles and prepositions that French, Italian and Catalan shorten before a vowel: "l'", "dell'"."""
_ELIDES = ("fr", "it", "ca")


_CONNECTORS = word_set(
    "de del della delle dei di da do dos das du des la le les el los al of the van von vom zu zur zum der den ter ten "
    "af av"
)
"""Lowercase words that may stand inside names."""
_MOST_CONNECTORS = 2

_QUOTED = re.compile(r"[„“»«\"]\s?([^„“”»«\"\n]{2,80}?)\s?[“”»«\"]")
_TITLES = word_set(
    "herr herrn frau dr prof professor m mm mme mlle monsieur madame sr sra srta señor señora don doña sig sig.ra "
    "signor signora meneer mevrouw san saint sainte sankt"
)
_LABELS = word_set(
    "abschnitt kapitel abbildung tabelle anhang section chapitre figure tableau annexe sección capítulo figura tabla "
    "apéndice sezione capitolo figura tabella appendice secção seção capítulo tabela hoofdstuk sectie figuur tabel"
)
"""Words for the parts of a book, such as "Kapitel" in "Kapitel 3"."""
_PATH = frozenset("/.-_@#&=")

_ENDS_QUOTE = re.compile(r"[.!?…:;,=<>{}()\[\]|/\\]")

_GERMAN_NOUN = re.compile(
    "(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|ion|ionen|tät|täten|ismus|ment|mente|nis|nisse|tum|"
    "ling|chen|lein|enz|anz|ität|age|eur|ierung|wesen|zeug|werk|weise|name|namen|datei|dateien|liste|zeile|zeichen|zeit|zeiten|"
    "[akn]tur|[akn]turen)$"
)
_GERMAN_ADJECTIVE = re.compile(
    "(?:ig|lich|isch|sam|bar|los|haft|ell|iv|al|artig|end|iert)e[rsnm]?$|"
    "^(?:Ge|Be|Ver|Um|Er|Ent|Zer|Ab|An|Auf|Aus|Ein|Vor|Zu|Über|Unter)[a-zäöüß]{3,}(?:t|en)e[rsnm]?$"
)
_GERMAN_DETERMINERS = word_set(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese "
    "dieses diesen diesem jeder jede jedes jeden jedem welcher welche welches alle allen aller viele vielen mehrere "
    "einige einigen mein meine meinen meiner sein seine seinen seiner seinem ihr ihre ihren ihrer ihrem ihres "
    "seines meines unseres unser unsere "
    "unseren unserer euer zwei drei vier fünf am im zum zur vom beim ins ans aufs kann wird mehr weniger beide beiden "
    "solche solchen etwas siehe"
)
_GERMAN_OPENERS = word_set("siehe falls sofern sobald sodass sowie sowohl")
"""Words that begin sentences but are not in the list of stop words."""
_GERMAN_CONNECTORS = word_set("von van zu der de")
_GERMAN_PLACES = word_set("in aus nach von bei für mit gegen über durch um an bis zwischen ab unter")
_GERMAN_NOT_NAMES = word_set(
    "januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch "
    "donnerstag freitag samstag sonntag anfang mitte ende beispiel hilfe bezug form reihe folge ordnung zusammenhang "
    "verbindung abschnitt kapitel seite version teil art zeit fall grund jahr jahre jahren tag tage tagen uhr prozent "
    "euro"
)


class _PlacedWord(NamedTuple):
    text: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def has_shape(self) -> bool:
        """Return True if the capitals in a word show that it is a name: "LaTeX", "NASA"."""
        letters = [each for each in self.text if each.isalpha()]
        if len(letters) < 2:
            return False
        if all(each.isupper() for each in letters):
            return len(letters) <= _LONGEST_ACRONYM_LETTERS
        parts = re.split(r"[-'’.]", self.text)
        return any(any(each.isupper() for each in part[1:]) for part in parts)


def capitalised_names(around: Surroundings, language: str) -> list[Mention]:
    """Return the names in a text, recognised by their capitals, in order and without overlaps.

    A name in quotation marks is a single name.
    """
    text = around.text
    words = list(_words(text, elides=language in _ELIDES))
    reader = _Reader(around, language, words)
    found: list[Mention] = []
    after = 0
    for start, end in sorted({*reader.quoted(), *reader.runs()}, key=lambda span: (span[0], -span[1])):
        if start < after:
            continue
        named = mention(text, start, end, type_="", sentence=bisect_right(around.sentences, start) - 1)
        named = plausible(named, around) if named is not None else None
        if named is not None:
            found.append(named)
            after = end
    return found


def _words(text: str, *, elides: bool) -> Iterator[_PlacedWord]:
    for match in _WORD.finditer(text):
        elided = _ELIDED.match(match.group()) if elides else None
        start = elided.end() if elided else 0
        yield _PlacedWord(match.group()[start:], match.start() + start, match.end())


class _Reader:
    """Finds names by their capitals, and by how their words are written elsewhere in the text."""

    def __init__(self, around: Surroundings, language: str, words: Sequence[_PlacedWord]) -> None:
        self._around, self._language, self._words = around, language, words
        self._common = stop_words(language)
        self._begins = {*around.sentences, *around.blocks}
        self._lower = {word.text for word in words if not word.is_capital and not _is_of_path(around.text, word)}
        self._written = {word.text for word in words}
        self._determined: Counter[str] = Counter()
        self._undetermined: Counter[str] = Counter()
        self._inside: set[str] = set()
        self._halves = {word.text.split("-")[0] for word in words if "-" in word.text and word.is_capital}
        self._first_places = {n for n, word in enumerate(words) if word.is_capital and self._begins_sentence(n)}
        for place, word in enumerate(words):
            if not word.is_capital:
                continue
            if place not in self._first_places:
                self._inside.add(word.text)
            before = self._before(place)
            if before is not None and _determines(before.text):
                self._determined[word.text] += 1
            else:
                self._undetermined[word.text] += 1

    def quoted(self) -> Iterator[tuple[int, int]]:
        """Yield the spans of names in quotation marks. They begin with a capital and are neither code nor sentences."""
        if self._around.technical:
            return
        for match in _QUOTED.finditer(self._around.text):
            inner = match.group(1)
            words = inner.split()
            several = len(words) > 1 or self._language != "de"
            if (
                inner[:1].isupper()
                and len(words) <= _LONGEST_QUOTED_NAME_WORDS
                and several
                and not _ENDS_QUOTE.search(inner)
            ):
                yield match.span(1)

    def runs(self) -> Iterator[tuple[int, int]]:
        """Yield the spans of names in sequences of capitalised words, which may contain connectors such as "de"."""
        place = 0
        while place < len(self._words):
            stop = self._run(place) if self._words[place].is_capital else place
            if stop > place:
                yield from self._names(place, stop)
            place = max(stop, place + 1)

    def _run(self, first: int) -> int:
        """Return the end of the sequence of capitalised words that begins at `first`."""
        stop = place = first + 1
        connectors = 0
        while place < len(self._words) and self._adjoins(place):
            word = self._words[place]
            if word.is_capital and place not in self._first_places:
                place += 1
                stop, connectors = place, 0
            elif connectors < _MOST_CONNECTORS and self._may_connect(place, first):
                place, connectors = place + 1, connectors + 1
            else:
                break
        return stop

    def _may_connect(self, place: int, first: int) -> bool:
        """Return True if a lowercase word may be inside the name that begins at `first`.

        In German, the first word must be a possible name.
        """
        word = self._words[place]
        if self._language != "de":
            return word.text in _CONNECTORS
        if word.text == "der" and self._words[place - 1].text not in _GERMAN_CONNECTORS:  # allows "von der Leyen"
            return False
        return word.text in _GERMAN_CONNECTORS and self._may_be_german_name(self._words[first].text)

    def _names(self, first: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield the span of the name in a sequence of capitalised words, if there is one.

        Titles and stop words at its ends are not part of the name.
        """
        words = self._words
        while first < stop and (
            words[first].text.lower() in self._common
            or words[first].text.lower() in _GERMAN_OPENERS
            or words[first].text.lower() in _CONNECTORS
            or (words[first].text.lower() in _TITLES and stop - first > 1)
        ):
            first += 1
        while first < stop and (words[stop - 1].text.lower() in self._common or words[stop - 1].text in _CONNECTORS):
            stop -= 1
        if (
            stop - first > 1 and first in self._first_places and words[first + 1].text.isupper()
        ):  # leaves out "Sowohl" in a sentence that begins with "Sowohl SIP als auch"
            first += 1
        if first == stop or _is_of_path(self._around.text, words[first]):
            return
        if stop - first == 1 and words[first].text.lower() in _LABELS:
            return
        if self._language == "de":
            yield from self._german(first, stop)
        elif stop - first > 1 or self._is_name(first):
            yield words[first].start, words[stop - 1].end

    def _is_name(self, place: int) -> bool:
        """Return True if a capitalised word is a name by itself.

        It is one if it has the form of a name, or if it occurs inside a sentence but never in lower case.
        """
        word = self._words[place]
        if word.text.isupper() and len(word.text) > 1:
            return word.has_shape and not self._is_placeholder(word)
        if word.has_shape:
            return True
        return word.text in self._inside and word.text.lower() not in self._lower and len(word.text) > 1

    def _is_placeholder(self, word: _PlacedWord) -> bool:
        """Return True for a placeholder in a manual: FILE, [OPTION], --size=SIZE."""
        text = self._around.text
        beside = text[max(0, word.start - 1) : word.start] + text[word.end : word.end + 1]
        other = word.text.lower()
        return (
            bool(re.search(r"[\[\]<>=…|{}]", beside)) or other in self._lower or word.text.capitalize() in self._written
        )

    def _german(self, first: int, stop: int) -> Iterator[tuple[int, int]]:
        words = self._words
        if first in self._first_places and _GERMAN_ADJECTIVE.search(words[first].text):  # as in "Dynamisches Routing"
            return
        while first < stop and not self._may_stand_at_edge(words[first].text):
            first += 1
        while first < stop and not self._may_stand_at_edge(words[stop - 1].text):
            stop -= 1
        if first == stop:
            return
        end = words[stop - 1].end
        if half := _shaped_half(words[stop - 1]):  # "SSH" in "SSH-Server"
            end = words[stop - 1].start + len(half)
        if stop - first > 1 or half or self._is_german_name(first):
            yield words[first].start, end

    def _may_be_german_name(self, text: str) -> bool:
        if _PlacedWord(text, 0, 0).has_shape:
            return True
        if text in self._determined and self._undetermined[text] <= 2 * self._determined[text]:
            return False
        return not (_GERMAN_NOUN.search(text) or text.lower() in _GERMAN_NOT_NAMES or text.lower() in self._lower)

    def _may_stand_at_edge(self, text: str) -> bool:
        return text.lower() not in self._common and self._may_be_german_name(text)

    def _is_german_name(self, place: int) -> bool:
        word, before = self._words[place], self._before(place)
        if word.has_shape:
            return not (word.text.isupper() and self._is_placeholder(word))
        if len(word.text) < 3:
            return False
        if before is not None and before.text.lower().rstrip(".") in _TITLES:
            return True
        if word.text in self._halves:
            return True
        plural = word.text.endswith(("en", "eln", "ern", "er", "e")) and self._undetermined[word.text] < 2
        return before is not None and before.text in _GERMAN_PLACES and not plural

    def _before(self, place: int) -> _PlacedWord | None:
        if place == 0 or not self._adjoins(place):
            return None
        return self._words[place - 1]

    def _adjoins(self, place: int) -> bool:
        """Return True if only white space lies between a word and the previous word in the same sentence.

        The full stop of an abbreviation may also lie between them.
        """
        before, word = self._words[place - 1], self._words[place]
        text = self._around.text
        between = text[before.end : word.start]
        if self._is_abbreviated(place - 1):
            return True
        is_gap = between != "" and between.strip(" \t\n") == "" and between.count("\n") <= 1
        return is_gap and word.start not in self._begins

    def _is_abbreviated(self, place: int) -> bool:
        """Return True for an abbreviation whose full stop does not end the sentence: "J. S.", "Dr. Mayer"."""
        word, following = self._words[place], self._words[place + 1]
        between = self._around.text[word.end : following.start]
        return (
            between in (". ", ".")
            and len(word.text) <= _LONGEST_ABBREVIATION_LETTERS
            and following.start not in self._begins
        )

    def _begins_sentence(self, place: int) -> bool:
        word = self._words[place]
        if place == 0 or word.start in self._begins or word.start - 2 in self._begins:  # 2 is the length of "L'"
            return True
        if self._is_abbreviated(place - 1):
            return False
        between = self._around.text[self._words[place - 1].end : word.start]
        return bool(re.search(r"[.!?:;…•*\"“„»«¿¡(\[]|\n\s*\n|\n {4,}", between))


def _shaped_half(word: _PlacedWord) -> str:
    """Return the first part of a German compound if it has the form of a name ("SSH" in "SSH-Server"), otherwise ""."""
    half, _, other = word.text.partition("-")
    return half if other and other[0].isupper() and _PlacedWord(half, 0, 0).has_shape else ""


def _is_of_path(text: str, word: _PlacedWord) -> bool:
    return text[max(0, word.start - 1) : word.start] in _PATH or text[word.end : word.end + 1] == "/"


def _determines(word: str) -> bool:
    """Return True if a German word is an article or has the ending of an adjective, so that a noun follows."""
    return word.lower() in _GERMAN_DETERMINERS or (
        word[0].islower()
        and len(word) > 4
        and word.endswith(("en", "er", "es", "em", "e"))
        and word not in _GERMAN_PLACES
    )


RULES_VERSION = 2
"""Increase this number whenever the sentences or names that the rules find in the same text may change."""


def extracted_by_rules(chunk: ChunkText) -> Extraction:
    """Return the sentences and names in a chunk, which are found by rules for its language. No facts are found."""
    text, language = chunk.text, chunk.language
    starts = sentence_starts(text, language)
    around = surroundings(text, starts)
    found = unspaced_names(around, language) if language in SEGMENTERS else capitalised_names(around, language)
    shaped = [
        Mention(
            text[shape.start : shape.end], shape.type, bisect_right(starts, shape.start) - 1, shape.start, shape.end
        )
        for shape in _without_words(shaped_names(around), text, language)
    ]
    apart = [each for each in found if all(each.end <= other.start or other.end <= each.start for other in shaped)]
    mentions = sorted([*shaped, *apart], key=lambda each: each.start)
    return Extraction(chunk.id, tuple(starts), tuple(mentions), ())


def _without_words(found: Iterable[Shape], text: str, language: str) -> Iterator[Shape]:
    """Yield the technical names that neither are stop words nor directly follow one.

    For example, "con" and "privilegios" are not packages in "ejecute apt install vim con privilegios".
    """
    common, left_out = stop_words(language), -1
    for shape in found:
        goes_on = left_out >= 0 and text[left_out : shape.start].isspace()
        if goes_on or text[shape.start : shape.end] in common:
            left_out = shape.end
        else:
            yield shape


_EXTRACTOR_VERSION = 3
"""Increase this number whenever the sentences or mentions extracted from the same parse may change."""

_MIXED_CHUNKS_READ_TOGETHER = 2_000
"""Number of chunks per batch in a corpus with several languages. New processes are started for each batch."""

Read = Callable[[Iterable[ChunkText]], Iterator[Extraction]]


class SpacyExtractor:
    """Extracts sentences, named entities of all types, and facts. Several threads can use it at once."""

    by: str = "ner"

    def __init__(self, settings: ExtractionSettings) -> None:
        self._pipeline = find_pipeline(settings.pipeline)
        others = map(find_pipeline, settings.further_pipelines)
        digest = hashlib.sha256(
            f"{self._pipeline.fingerprint} {_EXTRACTOR_VERSION} {FACT_RULES_VERSION}".encode()
        ).hexdigest()
        self.fingerprint: str = f"spacy:{digest[:16]}"
        self._processes = settings.processes
        self._parser = SpacyParser(self._pipeline, FINDINGS)
        self._others = {each.language: SpacyParser(each, FINDINGS) for each in others}

    def reading_of(self, language: str) -> str:
        """Return the fingerprint of the pipeline or rules that read a language; "" if the main pipeline reads it."""
        if self._is_own(language):
            return ""
        if language in self._others:
            return self._others[language].pipeline.fingerprint
        return f"rules {RULES_VERSION} {segmenter_version(language) if language in SEGMENTERS else ''}".strip()

    def language_notes(self, languages: Sequence[str]) -> tuple[LanguageNote, ...]:
        without = [
            each
            for each in languages
            if each in SEGMENTERS
            and each not in self._others
            and not self._is_own(each)
            and not segmenter_version(each)
        ]
        if not without:
            return ()
        packages = " and ".join(f"{SEGMENTERS[each]} ({each})" for each in without)
        missing = f"only names marked by the script are found in {' and '.join(without)}: {packages} is not installed"
        return (LanguageNote(missing, f"{install_command('multilingual')}, then run overstory index again"),)

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        """Yield the extraction of each chunk, in order. Call it once for all chunks, because it starts processes."""

        def read(some: Iterable[ChunkText]) -> Iterator[Extraction]:
            for chunk, found in read_texts(self._parser, some, _text, processes=self._processes):
                yield Extraction(chunk.id, *found)

        return self._in_order(chunks, read)

    def extract_sharing(self, chunks: Iterable[ChunkText], parsed: ParsedTexts) -> Iterator[Extraction]:
        parser = SpacyParser(self._pipeline, combined([FINDINGS, *parsed.readings]))

        def read(some: Iterable[ChunkText]) -> Iterator[Extraction]:
            for chunk, (found, *others) in read_texts(parser, some, _text, processes=self._processes):
                parsed.add(self._pipeline, chunk.text, others)
                yield Extraction(chunk.id, *found)

        return self._in_order(chunks, read)

    def _in_order(self, chunks: Iterable[ChunkText], read: Read) -> Iterator[Extraction]:
        """Yield the extractions in the order of the chunks.

        Chunks in the language of the main pipeline are read in batches by `read`, and all others one at a time.
        """
        rest = iter(chunks)
        ahead: list[ChunkText] = []

        def own() -> Iterator[ChunkText]:
            for chunk in rest:
                if not self._is_own(chunk.language):
                    ahead.append(chunk)
                    return
                yield chunk

        yield from read(own())
        mixed = chain(ahead, rest)
        while page := list(islice(mixed, _MIXED_CHUNKS_READ_TOGETHER)):
            found = read([chunk for chunk in page if self._is_own(chunk.language)])
            for chunk in page:
                yield next(found) if self._is_own(chunk.language) else self._foreign(chunk)

    def _is_own(self, language: str) -> bool:
        """Return True if the main pipeline reads texts in a language. "" stands for English or an unknown language."""
        return language in ("", self._pipeline.language)

    def _foreign(self, chunk: ChunkText) -> Extraction:
        parser = self._others.get(chunk.language)
        if parser is None:
            return extracted_by_rules(chunk)
        (found,) = parser.parse([chunk.text])
        return Extraction(chunk.id, found.sentences, found.mentions, ())  # the fact rules are for English only


def _text(chunk: ChunkText) -> str:
    return chunk.text
