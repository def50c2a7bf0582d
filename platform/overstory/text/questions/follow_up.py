"""Questions that go on from the one before: "And when did he die?" becomes "When did Bram Stoker die?".

By rules, for English. A pronoun stands for a name of the turns before that fits it: "he" and "she" for a person, "it"
for none. "What about Dracula?" asks the question before of something else, "And when?" asks something else of it. A
question with a name of its own, and without a pronoun before that, stands alone and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from overstory.text.coreference.chains import CLASSES
from overstory.text.coreference.references import PRONOUNS
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import entity_key


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a question or an answer.

    Attributes:
        type: the pipeline's label ("PERSON", "GPE", …), "" if it is not known.
        gender: "he" or "she" if that is known of a person.
    """

    name: str
    type: str = ""
    gender: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked, as it was completed, and its short answer.

    Attributes:
        named: the names in the question, in its order.
        answered_with: the names in the answer.
        chunks: ids of the passages that the answer cites.
    """

    question: str
    answer: str = ""
    named: tuple[Named, ...] = ()
    answered_with: tuple[Named, ...] = ()
    chunks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completed:
    """A question that can be understood by itself; `notes` say what was chosen where there was a choice."""

    question: str
    notes: tuple[str, ...] = ()


FEW_WORDS = 4
"""A question of so few words, all of them function words, goes on from the one before."""

_PERSONS = frozenset({"he", "she"})
_GROUPS = frozenset({"ORG", "NORP", "GPE", "PERSON"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_FIGURES = frozenset({"DATE", "TIME", "CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL"})
_NO_THINGS = _FIGURES | {"PERSON"}

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LEAD = re.compile(r"\W*+(?:and|but|so|then|also|ok|okay)\b[\s,]*", re.IGNORECASE)
_ABOUT = re.compile(r"\W*(?:what|how)\s+about\s+(?P<what>[^?]*[^?\s])", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:for|of|in|at|on|with|by|from|to|before|after|since|during)\s", re.IGNORECASE)
_BEGINS = re.compile(r"\W*(?P<word>when|where|why|how|who|whom|whose|what|which)\b", re.IGNORECASE)
_ADVERBS = frozenset({"when", "where", "why", "how"})
_VERBS = _words(
    "am is are was were be been do does did has have had can could will would shall should may might must wrote made"
)
_BARE = _words("exactly precisely year month day date long many much often far old one ones else city country place")
_BE = _words("is are was were be been isn't aren't wasn't weren't")
_THERE_IS = _words("is are was were been be any no")
_EXPLETIVE = re.compile(
    r"\bit\s+(?:is\s+|was\s+)?(?:true|possible|known|clear|likely|important|necessary|easy|hard|raining|snowing|rains"
    r"|snows|take[sn]?|took)\b",
    re.IGNORECASE,
)
_POINTING = _words("that this those these")
_AFTER_POINTING = _words("? . happen happened mean means be so")
_REFLEXIVE = _words("himself herself itself themselves")
_POSSESSIVE = _words("his its their")
_MAY_POSSESS = _words("her")
_DEFINITE = _words("the this that")
_TELLS_APART = _words("of that which who in by with from for")
_CONTRACTION = re.compile("['’]")


def complete(question: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed | None:
    """The question with what it leaves to the turns before; None if it stands alone, or there were none.

    Args:
        own: the names in the question itself.
        turns: oldest first.
    """
    if not turns:
        return None
    text = " ".join(question.split())
    lead = _LEAD.match(text)
    bare = text[lead.end() :] if lead else text
    led = bare != text and bool(_WORD.search(bare))
    bare = _capitalised(bare) if led else text
    referring = _referring(bare, own, turns)
    if referring is not None:
        return _finished(referring, turns)
    if _refers_without_name(bare, own):
        note = f"What {_first_pronoun(bare)!r} stands for is not known: the question before was added."
        return Completed(f"{bare.rstrip(' ?.!')}? {turns[-1].question}", (note,))
    about = _ABOUT.match(bare)
    if about is not None:
        return _of_another(about["what"], own, turns)
    if led and (own or _PREPOSITION.match(bare)) and not _has_verb(bare) and not _BEGINS.match(bare):
        return _of_another(bare.rstrip(" ?.!"), own, turns)
    if own:
        return None
    if _is_bare(bare, led=led):
        return _another_question(bare, turns[-1])
    if _points_back(bare):
        return Completed(f"{turns[-1].question} {bare}")
    return _with_names(bare, turns) if led else None


def _finished(found: Completed, turns: Sequence[Turn]) -> Completed:
    """A question of a completed beginning without a verb: "Dublin's population?" after "its population?"."""
    bare = found.question.rstrip(" ?.!")
    if _has_verb(bare) or _BEGINS.match(bare) or _ABOUT.match(bare):
        return found
    if _PREPOSITION.match(bare):
        return Completed(_appended(turns[-1].question, bare), found.notes)
    return Completed(f"What is {bare}?", found.notes)


# Pronouns


@dataclass(frozen=True, slots=True)
class _Pronoun:
    """A pronoun of a question: `form` is its first form, "he" for "his"; "there" stands for a place, and "the film" has
    its noun."""

    form: str
    start: int
    end: int
    possessive: bool = False


def _referring(text: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed | None:
    """The question with names for its pronouns; None if it has none, or nothing fits them."""
    found = text
    notes: list[str] = []
    shift = 0
    replaced: set[str] = set()
    for pronoun in _pronouns(text):
        if pronoun.form in replaced or _is_named_before(pronoun, text, own):
            continue
        meant, others = _meant(pronoun, turns)
        if not meant:
            continue
        replaced.add(pronoun.form)
        name = f"in {meant}" if pronoun.form == "there" else f"{meant}'s" if pronoun.possessive else meant
        found = found[: pronoun.start + shift] + name + found[pronoun.end + shift :]
        shift += len(name) - (pronoun.end - pronoun.start)
        if others:
            word = text[pronoun.start : pronoun.end].lower()
            notes.append(f"{word!r} was taken for {meant}; it may also be {' or '.join(others)}.")
    return Completed(_capitalised(found), tuple(notes)) if replaced else None


def _pronouns(text: str) -> Iterator[_Pronoun]:
    words = list(_WORD.finditer(text))
    lower = [word.group().lower() for word in words]
    for at, word in enumerate(words):
        form = lower[at]
        following = lower[at + 1] if at + 1 < len(words) else ""
        if form in _REFLEXIVE or (form == "it" and _EXPLETIVE.match(text, word.start())):
            continue
        base = _CONTRACTION.split(form)[0]
        if form in PRONOUNS or (base in PRONOUNS and base not in _POSSESSIVE):
            possessive = form in _POSSESSIVE or (form in _MAY_POSSESS and _is_noun(following))
            yield _Pronoun(PRONOUNS[base], word.start(), word.start() + len(base), possessive)
        elif form == "there" and (at == 0 or lower[at - 1] not in _THERE_IS) and following not in _BE:
            yield _Pronoun("there", word.start(), word.end())
        elif form in CLASSES and at and lower[at - 1] in _DEFINITE and not _is_told_apart(text, word.end()):
            yield _Pronoun(form, words[at - 1].start(), word.end())


def _is_noun(word: str) -> bool:
    return bool(word) and word not in FUNCTION_WORDS and word not in _VERBS


def _is_told_apart(text: str, end: int) -> bool:
    """Whether a noun is told apart by what follows: "the author of Dracula", "the film Nosferatu"."""
    following = _WORD.search(text, end)
    if following is None:
        return False
    return following.group().lower() in _TELLS_APART or following.group()[0].isupper()


def _is_named_before(pronoun: _Pronoun, text: str, own: Sequence[Named]) -> bool:
    """Whether a name before it in the question itself may be what it stands for."""
    before = text[: pronoun.start].lower()
    named = [each for each in own if each.name.lower() in before]
    if pronoun.form == "it":  # a title may have been taken for a person
        return any(each.type != "PERSON" or " " not in each.name for each in named)
    return any(_fits(pronoun.form, each) for each in named)


def _meant(pronoun: _Pronoun, turns: Sequence[Turn]) -> tuple[str, list[str]]:
    """What a pronoun stands for, of the last turn that has something fitting, and what else it may be; "" if there is
    nothing. People of whom it is known that they are "he" or "she" come first, then names that are surely of a fitting
    type, then those of the answer."""
    for turn in reversed(turns):
        fitting = [each for each in (*turn.answered_with, *turn.named) if _fits(pronoun.form, each)]
        sure = [each for each in fitting if each.type]
        names = _different(sorted(sure or fitting, key=lambda each: each.gender != pronoun.form))
        if names:
            return names[0], names[1:]
    if pronoun.form in CLASSES or pronoun.form == "there":
        return "", []
    last = turns[-1]  # types are guesses: a wrong one is better asked than nothing
    left = last.named if pronoun.form == "it" else (*last.answered_with, *last.named)
    wrong = _different(each for each in left if not each.gender)
    return (wrong[0], wrong[1:]) if wrong else ("", [])


def _fits(form: str, named: Named) -> bool:
    kind = named.type
    if form in _PERSONS:
        return kind in ("PERSON", "") and named.gender in ("", form)
    if form == "it":
        return kind not in _NO_THINGS
    if form == "they":
        return kind in _GROUPS or not kind
    if form == "there":
        return kind in _PLACES
    return kind in CLASSES.get(form, frozenset())


def _different(names: Iterable[Named]) -> list[str]:
    """Names by their keys; a part of another name is that name."""
    found: dict[str, str] = {}
    for each in names:
        key = "" if each.type in _FIGURES else entity_key(each.name)
        if key and not any(f" {key} " in f" {other} " for other in found):
            found[key] = each.name
    return list(found.values())


def _refers_without_name(text: str, own: Sequence[Named]) -> bool:
    return any(pronoun.form in PRONOUNS and not _is_named_before(pronoun, text, own) for pronoun in _pronouns(text))


def _first_pronoun(text: str) -> str:
    first = next(pronoun for pronoun in _pronouns(text) if pronoun.form in PRONOUNS)
    return text[first.start : first.end].lower()


# Questions with a part left out


def _of_another(what: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed:
    """The question before, of something else: "What about Dracula?", "And in Cork?", "What about the salary?"."""
    last = turns[-1]
    new = next(iter(own), None)
    plain = _PREPOSITION.sub("", what, count=1) if new else what
    old = _replaced_by(new, last, only_alike=plain != what) if new else ""
    if new and old:
        asked = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: plain, last.question, count=1)
        others = [each for each in _different(last.named) if each != old]
        note = (f"{new.name} was taken in place of {old}; it may also be meant for {' or '.join(others)}.",)
        return Completed(asked, note if others else ())
    if new or _PREPOSITION.match(what):
        return Completed(_appended(last.question, what))
    names = _different((*last.named, *last.answered_with))
    return Completed(f"What about {what} of {names[0]}?" if names else f"{last.question} What about {what}?")


def _replaced_by(new: Named, last: Turn, *, only_alike: bool) -> str:
    """The name of the question before in whose place another one stands: the first of its type, or the only one.

    Args:
        only_alike: its type must be that of the other: "in Cork" does not take the place of a person.
    """
    there = [each for each in last.named if each.name in last.question]
    alike = [each for each in there if new.type and each.type == new.type]
    if not alike and (len(there) == 1 or not new.type) and not (only_alike and new.type):
        alike = there
    return alike[0].name if alike else ""


def _another_question(text: str, last: Turn) -> Completed:
    """The question before with another question word ("And when?"), or after it where that gives no question."""
    new, old = _BEGINS.match(text), _BEGINS.match(last.question)
    if new and old and {new["word"].lower(), old["word"].lower()} <= _ADVERBS and len(_WORD.findall(text)) == 1:
        return Completed(f"{new['word'].capitalize()}{last.question[old.end() :]}")
    return Completed(f"{text.rstrip(' ?.!')}? {last.question}")


def _with_names(text: str, turns: Sequence[Turn]) -> Completed | None:
    """A question that goes on ("And who directed the film?") with the names of the one before in brackets."""
    last = turns[-1]
    names = _different((*last.named, *last.answered_with))
    return Completed(f"{text.rstrip(' ?.!')} ({', '.join(names)})?") if names else None


def _is_bare(text: str, *, led: bool) -> bool:
    """Whether it is a question word with nothing that it asks of: "When?", "Since when exactly?", "In which year?"."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not words or len(words) > FEW_WORDS or not (led or text.rstrip().endswith(("?", "？"))):
        return False
    return any(map(_BEGINS.match, words)) and all(word in FUNCTION_WORDS or word in _BARE for word in words)


def _points_back(text: str) -> bool:
    """Whether it asks of "that" which the question before asked: "When was that?", "Why did this happen?"."""
    words = [word.lower() for word in _WORD.findall(text)]
    return (
        any(
            word in _POINTING and (at + 1 == len(words) or words[at + 1] in _AFTER_POINTING)
            for at, word in enumerate(words)
        )
        and len(words) <= 2 * FEW_WORDS
    )


def _has_verb(text: str) -> bool:
    return any(word.lower() in _VERBS for word in _WORD.findall(text))


def _appended(question: str, what: str) -> str:
    what = what[:1].lower() + what[1:] if _PREPOSITION.match(what) else what
    return f"{question.rstrip(' ?.!')} {what.rstrip(' ?.!')}?"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
