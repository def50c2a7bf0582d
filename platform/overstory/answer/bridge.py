"""Who stands between the thing that a question names and what it asks for: the director in "Where was the director of
Nosferatu born?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overstory.answer.reading import Sentence, above
from overstory.answer.support import is_said, meaning_stems
from overstory.answer.words import padded
from overstory.text.names.abbreviations import compatible
from overstory.text.names.keys import entity_key, without_parentheses
from overstory.text.questions.asked_for import AskedFor

_BY = re.compile(r"\bby\b")
_PARENTS = {"father": 0, "mother": 1}
_CHILD_OF = re.compile(r"\b(?:(?:son|daughter|child|children) of|born to)\b(?P<parents>[^.;]{3,160})")
_AND = re.compile(r"\b(?:and|by)\b")


@dataclass(frozen=True, slots=True)
class Bridge:
    """The sentence that says who it is, and the name there."""

    sentence: Sentence
    name: str


def bridges(asked: AskedFor, sentences: Sequence[Sentence]) -> tuple[Bridge, ...]:
    """The names that sentences about the names of the question give to who stands in between, each once, the nearest
    sentences first; none where the question has no such person, or several."""
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
    """Whether a sentence speaks of one of these names: it says it, its pronoun means it, or its passage has it for a
    title."""
    texts = [sentence.text, *above(sentence.passage.found).split("\n")]
    return any(_has(text, name) for text in texts for name in names)


def is_of(sentence: Sentence, name: str) -> bool:
    """Whether a sentence is on one thing: by its title, its first words, or what its pronoun means."""
    titles = [without_parentheses(line) for line in above(sentence.passage.found).split("\n")]
    return any(same_name(title, name) for title in (*titles, sentence.meant)) or padded(sentence.text).startswith(
        padded(name)
    )


def same_name(one: str, other: str) -> bool:
    """Whether two names are of one thing, as far as their words show: "F. W. Murnau", "Friedrich Wilhelm Murnau"."""
    first, second = (entity_key(without_parentheses(name)).split() for name in (one, other))
    if not first or not second:
        return False
    if first == second:
        return True
    return len(first) > 1 and len(second) > 1 and first[-1] == second[-1] and compatible(first[:-1], second[:-1])


def _related(relation: str, names: Sequence[str], sentence: Sentence) -> Iterator[str]:
    """Names in a sentence that stand in a relation to one of the question."""
    people = [each.surface for each in sentence.mentions if not any(_has(name, each.surface) for name in names)]
    if relation in _PARENTS:
        yield from _parent(_PARENTS[relation], sentence.text, people)
        return
    for fact in sentence.facts:
        if is_said(relation, meaning_stems(fact.predicate)):
            phrase = fact.object if _BY.search(fact.predicate) or _about(fact.subject, names) else fact.subject
            yield from (name for name in people if name in phrase)
        elif fact.predicate.startswith("be") and is_said(relation, meaning_stems(fact.object)):
            yield from (name for name in people if name in fact.subject)
        elif fact.predicate.startswith("be") and is_said(relation, meaning_stems(fact.subject)):
            yield from (name for name in people if name in fact.object)


def _parent(which: int, text: str, people: Sequence[str]) -> Iterator[str]:
    """The father is named first, as a rule: "son of Ada and Max" is left out where only one of them is named."""
    for match in _CHILD_OF.finditer(text):
        parents = _AND.split(match["parents"])
        if len(parents) > which:
            at = {name: parents[which].find(name) for name in people if name in parents[which]}
            if at:
                yield min(at, key=lambda name: (at[name], -len(name)))


def _about(phrase: str, names: Sequence[str]) -> bool:
    return any(_has(phrase, name) for name in names)


def _has(text: str, name: str) -> bool:
    return padded(name) in padded(text)
