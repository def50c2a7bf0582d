"""Analyses the sentences of passages: finds names and facts in them, and determines what pronouns refer to."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from overstory.answer.citations import without_citations
from overstory.answer.context import Item
from overstory.answer.paragraphs import cells_of, paragraphs, row_texts
from overstory.answer.support import WordVectors, has_name, is_supported, meaning_stems, padded
from overstory.display import printable, shortened
from overstory.model import FactStatement, Hit, Mention
from overstory.model.passage_text import PATH_SEPARATOR
from overstory.protocols import Embedder
from overstory.text.coreference.chains import resolved
from overstory.text.coreference.references import PRONOUNS, REFERENCES, Reference, References
from overstory.text.extraction.findings import FINDINGS, Parsed
from overstory.text.languages import language_of
from overstory.text.names.abbreviations import compatible
from overstory.text.names.keys import entity_key, without_parentheses
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import combined
from overstory.text.parsing.spacy_parser import SpacyParser
from overstory.text.questions.asked_for import ASKED_FOR, AskedFor
from overstory.text.questions.names import names_by_form
from overstory.text.sentences import sentence_starts

_LONGEST_SHOWN_SENTENCE_CHARACTERS = 500
"""Longer sentences are shortened. A table without a full stop can contain thousands of characters."""
_LONGEST_PARSED_PASSAGE_CHARACTERS = 4_000
"""Only this many characters of a passage are parsed. The rest is only split into sentences."""
_LEAST_ROW_CELLS = 2
_MOST_CHARACTERS_TO_A_PRONOUN = 16
"""A pronoun counts as the subject if it begins within the first 16 characters, as in "Later she studied"."""

_WORD = re.compile(r"\w")
_JOINED = re.compile(r"(?:, [A-Z][^,.;]{1,60})?,? (?:and|or|&) ")
_OWNER = re.compile(r"['’]s?\b")
_NO_THINGS = frozenset({"PERSON", "NORP", "LANGUAGE", "GPE", "LOC"})
_NOBODY = frozenset({"NORP", "GPE", "LOC", "FAC", "LANGUAGE", "WORK_OF_ART", "EVENT", "LAW"})
_GROUP = re.compile(
    r"(?:the )?(?:team|project|company|group|department|committee|board|bank|firm|office|ministry|institute|university"
    r")\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?:^|\s)--\w|^\s*\$ ")
_FENCE = re.compile(r"```\w*")
_INDENTED = re.compile(r"(?: {4}|\t)\S")
_ITEM = re.compile(r"\s*(?:[-*•‣◦]|\d{1,3}[.)])\s")
_BULLET = re.compile(r"\s*[-*•‣◦]\s+(?=\S)")
_INTRODUCES = re.compile(r"[:：]\W*\Z")
_LETTERS_LISTED = re.compile(r"\b[A-Z](?:, [A-Z])*,? (?:and|or|und|oder|et|ou|y|e|en) [A-Z]\. +(?=[A-Z])")
"""Matches "A, B and C." before a new sentence. Its last letter is no initial."""
_DIGIT = re.compile(r"\d")
_WORDS = re.compile(r"\w+")
_THINGS = frozenset({"it", "its", "them"})
_LEANS = re.compile(r"(?:[A-Z]\w{1,9},? )?(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, or a table row.

    Attributes:
        text: the sentence on one line. If it begins with a pronoun, the name that the pronoun refers to is inserted in
            brackets: "She [Marta Oyelaran] studied …".
        place: position of the sentence in the passage, from 0.
        meant: the name that the leading pronoun refers to; "" if there is no such pronoun, or if this is uncertain.
        before: the sentence before, if this sentence cannot be understood without it; otherwise "". This is the case if
            the sentence begins with a pronoun of uncertain meaning, or if it contains a pronoun that refers to a thing,
            as in "Marta Oyelaran has run it".
        row: number of cells if the sentence is a table row; otherwise 0.
        item: True for a list item or a line of code.
        dated: the date of the sentence's document, if the question asks about time and the sentence does not state one.
        lead: the line that introduces the list of this item, as "Members of the project:"; "" for any other sentence.
        stems: stems of the content words in the sentence, in the title and heading above it, in its table header, and
            in the line that introduces it.
        score: the cosine plus bonuses for the passage and for matching words.
        cosine: the question's cosine similarity to the sentence or to the heading above it, whichever is higher.
    """

    passage: Item
    text: str
    place: int = 0
    mentions: tuple[Mention, ...] = ()
    facts: tuple[FactStatement, ...] = ()
    meant: str = ""
    before: str = ""
    row: int = 0
    header: bool = False
    item: bool = False
    lead: str = ""
    stems: frozenset[str] = frozenset()
    score: float = 0.0
    cosine: float = 0.0
    dated: str = ""

    @property
    def place_in_context(self) -> tuple[int, int]:
        """Number of the passage, and position in it."""
        return self.passage.number, self.place

    @property
    def shown(self) -> str:
        """The text to quote in an answer. It includes the sentence before if this sentence depends on it."""
        dated = f"{self.dated}:" if self.dated else ""
        return " ".join(filter(None, (dated, self.before, self.lead, self.text)))


class AnswerReader:
    """Analyses questions and passages for answers without a language model. Safe to share between threads."""

    def __init__(self, embedder: Embedder, pipeline: str) -> None:
        """
        Args:
            pipeline: name or path of a spaCy pipeline.
        """
        self.embedder = embedder
        self.words = WordVectors(embedder)
        found = find_pipeline(pipeline)
        self._of_passages = SpacyParser(found, combined((FINDINGS, REFERENCES)))
        self._of_questions = SpacyParser(found, ASKED_FOR)

    def asked_for(self, question: str) -> AskedFor:
        """Analyse a question. In languages other than English, only the names are found, by their form."""
        piece = question.lower() if question.isupper() else question
        asked = self._of_questions.parse([piece[:_LONGEST_PARSED_PASSAGE_CHARACTERS]])[0]
        if language_of(question) == "en":
            return asked
        return AskedFor(names_by_form(question), (), (), subject=False, direct=False)

    def sentences(self, passages: Sequence[Item]) -> Iterator[Sentence]:
        """Yield the sentences of passages, in the order of the text."""
        texts = [running_text(each.body) for each in passages]
        parses = self._of_passages.parse([text[:_LONGEST_PARSED_PASSAGE_CHARACTERS] for text in texts])
        for passage, text, (found, references) in zip(passages, texts, parses, strict=True):
            yield from _sentences(passage, text, found, references)


_FIELD = re.compile(r"\A\s*(?:[-*•]\s+)?[^\s:=|][^:=|\n]{0,60}?\s*[:=]\s+(?P<value>\S.*)\Z", re.DOTALL)


def records_named(sentences: Iterable[Sentence], names: Sequence[str]) -> list[Sentence]:
    """Return the sentences; fields of a record get the field whose value is one of the names as `lead`.

    A record is a run of lines like "shelf: C2". Only the line "name: Borax" states what the others are about.
    """
    read = list(sentences)
    values = [found["value"].strip() if (found := _FIELD.match(each.text)) else "" for each in read]
    keys = {padded(name) for name in names}
    at = 0
    while at < len(read):
        stop = at
        while stop < len(read) and values[stop] and read[stop].passage is read[at].passage:
            stop += 1
        naming = next((each for each in range(at, stop) if padded(values[each]) in keys), None)
        if naming is not None:
            lead = read[naming]
            for other in range(at, stop):
                if other != naming and not read[other].lead:
                    stems = read[other].stems | lead.stems
                    read[other] = replace(read[other], lead=lead.text, stems=stems)
        at = max(stop, at + 1)
    return read


def running_text(body: str) -> str:
    """Return the text of a passage without headings and reference marks like [1].

    Reference marks are removed because they would look like citations in an answer. After a full stop, they would also
    hide the end of a sentence.
    """
    return "\n\n".join(paragraphs(without_citations(printable(body))))


def above(found: object) -> str:
    """Return the title of a passage or part. For a passage, the last heading above it follows on a second line."""
    if not isinstance(found, Hit):
        return str(getattr(found, "title", ""))
    last = found.heading.split(PATH_SEPARATOR)[-1]
    return found.title if last in ("", found.title) else f"{found.title}\n{last}"


def with_titles(passage: Item) -> str:
    """Return the title of an item, the last heading above it, and its text, on separate lines."""
    return f"{above(passage.found)}\n{passage.body}"


def _sentences(passage: Item, text: str, found: Parsed, references: References) -> Iterator[Sentence]:
    pieces = [piece for piece in _pieces(text) if _WORD.search(text[piece[0] : piece[1]])]
    starts = [start for start, _ in pieces]
    by_piece: list[list[Mention]] = [[] for _ in pieces]
    for mention in found.mentions:
        at = bisect_right(starts, mention.start) - 1
        if at >= 0 and mention.end <= pieces[at][1]:
            by_piece[at].append(mention)
    facts: list[list[FactStatement]] = [[] for _ in pieces]
    for fact in found.facts:
        at = bisect_right(starts, _start_of(fact, found)) - 1
        if at >= 0:
            facts[at].append(fact)
    meanings = dict(_meanings(text, references, passage.title))
    headed = meaning_stems(above(passage.found))
    cells = [len(cells_of(text[start:stop])) for start, stop in pieces]
    in_code = False
    columns = frozenset[str]()
    lead = ""
    for place, (start, stop) in enumerate(pieces):
        piece = text[start:stop]
        fences = piece.count("```")
        code = in_code or fences > 0 or _INDENTED.match(piece) is not None or _CODE.search(piece) is not None
        in_code = in_code != (fences % 2 == 1)
        if fences:
            piece = _FENCE.sub("", piece)
            if not _WORD.search(piece):
                continue
        pronoun, meant = next(
            (
                (at, name)
                for at, name in meanings.items()
                if start <= at < min(stop, start + _MOST_CHARACTERS_TO_A_PRONOUN)
            ),
            (start, ""),
        )
        header = _is_header(text, pieces, cells, place)
        columns = meaning_stems(piece) if header else columns if cells[place] > 1 else frozenset()
        if meant:
            end = pronoun + _length_of_word(text, pronoun)
            piece = f"{text[start:end]} [{meant}]{text[end:stop]}"
        bulleted = _ITEM.match(piece) is not None
        item = code or bulleted
        if not bulleted:
            lead = ""
        if not code and (bullet := _BULLET.match(piece)):
            piece = piece[bullet.end() :]
        yield Sentence(
            passage,
            shortened(piece, _LONGEST_SHOWN_SENTENCE_CHARACTERS),
            place,
            tuple(by_piece[place]),
            tuple(facts[place]),
            meant,
            shortened(text[slice(*pieces[place - 1])], _LONGEST_SHOWN_SENTENCE_CHARACTERS)
            if place and not meant and (_LEANS.match(piece) or _leans_on_a_thing(references, start, stop))
            else "",
            cells[place],
            header,
            item,
            lead,
            meaning_stems(piece) | headed | columns | meaning_stems(lead),
        )
        if not bulleted and _INTRODUCES.search(piece):
            lead = shortened(piece, _LONGEST_SHOWN_SENTENCE_CHARACTERS)


def _is_header(text: str, pieces: Sequence[tuple[int, int]], cells: Sequence[int], place: int) -> bool:
    """Return True if a piece of the text is the header row of a table.

    The next piece must be a row with equally many cells. In addition, a rule must separate the two rows, or only the
    next row must contain a digit.

    Args:
        pieces: the (start, end) of each sentence or row.
        cells: number of cells of each piece.
    """
    below = place + 1
    if cells[place] < _LEAST_ROW_CELLS or below >= len(cells) or cells[below] != cells[place]:
        return False
    if place and cells[place - 1] == cells[place]:
        return False
    (start, stop), (next_start, next_stop) = pieces[place], pieces[below]
    if "--" in text[stop:next_start]:
        return True
    return not _DIGIT.search(text, start, stop) and _DIGIT.search(text, next_start, next_stop) is not None


def _length_of_word(text: str, start: int) -> int:
    found = _WORDS.match(text, start)
    return found.end() - start if found else 0


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    starts = {*sentence_starts(text), *(match.end() for match in _LETTERS_LISTED.finditer(text)), len(text)}
    for start, stop in pairwise(sorted(starts)):
        yield from row_texts(text, start, stop)


def _leans_on_a_thing(references: References, start: int, stop: int) -> bool:
    """Return True if a sentence names people and then refers to a thing by a pronoun, as in "Ada has run it"."""
    first = bisect_left(references.references, start, key=lambda each: each.start)
    after_a_person = False
    for each in references.references[first:]:
        if each.start >= stop or each.kind == "phrase" or (each.kind == "name" and each.type != "PERSON"):
            return False
        if each.kind == "pronoun":
            return after_a_person and each.surface.lower() in _THINGS
        after_a_person = True
    return False


def _start_of(fact: FactStatement, found: Parsed) -> int:
    for mention in (fact.subject_mention, fact.object_mention):
        if mention is not None:
            return found.mentions[mention].start
    return found.sentences[min(fact.sentence, len(found.sentences) - 1)]


def _meanings(text: str, references: References, title: str) -> Iterator[tuple[int, str]]:
    """Yield each pronoun that certainly refers to a name, as (offset of the pronoun, name).

    A pronoun refers to the subject of the sentence before if this subject is the passage's title, or the only candidate
    in that sentence. "He" and "she" may also refer to the only person mentioned so far.
    """
    bare = without_parentheses(title)
    known = title if bare and entity_key(bare) in entity_key(text) else ""
    by_sentence: list[list[Reference]] = [[] for _ in references.sentences]
    for reference in references.references:
        by_sentence[reference.sentence].append(reference)
    found = resolved(references, known)
    about: list[str] = []  # name of the subject of each sentence; "" if it is unknown
    others: set[str] = set()  # keys of all names so far that may be people
    people_before: set[str] = set()  # keys of the names in the sentence before that may be people
    things_before: set[str] = set()
    phrases: set[str] = set()
    joined = False  # True if the sentence before has several subjects, as in "Ada and Max"
    for number, (here, meant) in enumerate(zip(by_sentence, found, strict=True)):
        first = here[0] if here else None
        name = ""
        if first is not None and first.kind == "pronoun":
            candidate = next(
                (each.name for each in meant if each.by == "coreference" and each.surface == first.surface), ""
            )
            before = about[-1] if number else ""
            person = PRONOUNS[first.surface.lower()] in {"he", "she"}
            rivals = people_before if person else things_before
            meant_before = entity_key(candidate) == entity_key(before) and not joined
            meant_before = meant_before and rivals <= {entity_key(candidate)}
            only = person and others <= {entity_key(candidate)}
            titled = entity_key(candidate) == entity_key(known) == entity_key(before)
            certain = meant_before or only or titled
            if candidate and certain and (not person or _may_be_a_person(candidate)):
                name = candidate
            elif before and not person and before in phrases and not things_before:
                name = before
            if name:
                yield first.start, without_parentheses(name)
        elif first is not None and first.kind == "name":
            name = next((each.name for each in meant if each.surface == first.surface), first.surface)
        elif first is not None and first.salient:
            name = first.surface
            phrases.add(name)
        if first is not None and _OWNER.match(text, first.start + len(first.surface)):
            name = ""  # in "Ada's father", the father is the subject, not Ada
        about.append(name)
        named = {
            each.surface
            for each in here
            if each.kind == "name" and (each.type not in _NOBODY or (each.type == "NORP" and " " in each.surface))
        }
        people_before = {entity_key(each.name) for each in meant if each.surface in named}
        others |= people_before
        of_things = {each.surface for each in here if each.kind == "name" and each.type not in _NO_THINGS}
        things_before = {entity_key(each.name) for each in meant if each.surface in of_things}
        joined = first is not None and _JOINED.match(text, first.start + len(first.surface)) is not None


def _may_be_a_person(name: str) -> bool:
    """Return True if a name may be a person's name.

    It must contain at least two words, and must not begin like the name of a group, such as "the team Sula".
    """
    return " " in entity_key(name) and _GROUP.match(name) is None


_BY = re.compile(r"\bby\b")
_PARENTS = {"father": 0, "mother": 1}
_CHILD_OF = re.compile(r"\b(?:(?:son|daughter|child|children) of|born to)\b(?P<parents>[^.;]{3,160})")
_AND = re.compile(r"\b(?:and|by)\b")


@dataclass(frozen=True, slots=True)
class Bridge:
    """A bridge entity, through which a question leads from its names to the answer.

    Example: in "Where was the director of Nosferatu born?", the bridge entity is F. W. Murnau.

    Attributes:
        sentence: a sentence that relates the bridge entity to a name of the question.
    """

    sentence: Sentence
    name: str


def bridges(asked: AskedFor, sentences: Sequence[Sentence]) -> tuple[Bridge, ...]:
    """Return the candidates for the bridge entity of a question, in the order of the sentences.

    Return () if the question has no bridge entity, or several.

    Args:
        sentences: the sentences to search, best first.
    """
    if len(asked.through) != 1 or not asked.names:
        return ()
    relation = asked.through[0].lower()
    found: dict[str, Bridge] = {}
    for each in sentences:
        if is_about(each, asked.names):
            for name in _related(relation, asked.names, each):
                found.setdefault(entity_key(name), Bridge(each, name))
    return tuple(found.values())


def is_about(sentence: Sentence, names: Sequence[str]) -> bool:
    """Return True if a sentence, its title or its heading contains one of the names, or a pronoun for one of them."""
    texts = [sentence.text, sentence.lead, *above(sentence.passage.found).split("\n")]
    return any(has_name(text, name) for text in texts for name in names)


def is_of(sentence: Sentence, name: str) -> bool:
    """Return True if the name is the subject of a sentence.

    This is the case if the sentence begins with the name or with a pronoun for it, or if the name is its title or
    heading.
    """
    titles = [without_parentheses(line) for line in above(sentence.passage.found).split("\n")]
    return any(same_name(title, name) for title in (*titles, sentence.meant)) or padded(sentence.text).startswith(
        padded(name)
    )


def same_name(one: str, other: str) -> bool:
    """Return True if two names may belong to the same entity, like "F. W. Murnau" and "Friedrich Wilhelm Murnau"."""
    first, second = (entity_key(without_parentheses(name)).split() for name in (one, other))
    if not first or not second:
        return False
    if first == second:
        return True
    return len(first) > 1 and len(second) > 1 and first[-1] == second[-1] and compatible(first[:-1], second[:-1])


def _related(relation: str, names: Sequence[str], sentence: Sentence) -> Iterator[str]:
    people = [each.surface for each in sentence.mentions if not any(has_name(name, each.surface) for name in names)]
    if relation in _PARENTS:
        yield from _parent(_PARENTS[relation], sentence.text, people)
        return
    for fact in sentence.facts:
        if is_supported(relation, meaning_stems(fact.predicate)):
            phrase = fact.object if _BY.search(fact.predicate) or _about(fact.subject, names) else fact.subject
            yield from (name for name in people if name in phrase)
        elif fact.predicate.startswith("be") and is_supported(relation, meaning_stems(fact.object)):
            yield from (name for name in people if name in fact.subject)
        elif fact.predicate.startswith("be") and is_supported(relation, meaning_stems(fact.subject)):
            yield from (name for name in people if name in fact.object)


def _parent(which: int, text: str, people: Sequence[str]) -> Iterator[str]:
    """Yield the names of the father or the mother in texts like "son of Max and Ada".

    Args:
        which: position of the parent in such a text. Usually, it is 0 for the father and 1 for the mother.
    """
    for match in _CHILD_OF.finditer(text):
        parents = _AND.split(match["parents"])
        if len(parents) > which:
            at = {name: parents[which].find(name) for name in people if name in parents[which]}
            if at:
                yield min(at, key=lambda name: (at[name], -len(name)))


def _about(phrase: str, names: Sequence[str]) -> bool:
    return any(has_name(phrase, name) for name in names)
