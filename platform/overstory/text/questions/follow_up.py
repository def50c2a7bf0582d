"""Completes follow-up questions: "And when did he die?" becomes "When did Bram Stoker die?".

The rules are for English. A pronoun is replaced by a matching name from earlier turns: "he" and "she" by a person, "it"
by anything else (see `antecedents`). "What about Dracula?" repeats the last question with another name. "And when?"
repeats the last question with another question word. A question that contains a name before any pronoun is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from overstory.text.coreference.chains import CLASSES
from overstory.text.coreference.references import PRONOUNS
from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.questions.antecedents import Named, Turn, distinct_names, fits, resolve_pronoun


@dataclass(frozen=True, slots=True)
class Completed:
    """A question that can be understood without the conversation.

    Attributes:
        notes: notes for the user on choices between several possible meanings.
        is_ambiguous: True if a pronoun may also refer to another name.
    """

    question: str
    notes: tuple[str, ...] = ()
    is_ambiguous: bool = False


_FEW_WORDS = 4
"""Maximum number of words in a question that consists of a question word and little else ("Since when exactly?")."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LEAD = re.compile(r"\W*+(?:and|but|so|then|also|ok|okay)\b[\s,]*", re.IGNORECASE)
_ABOUT = re.compile(r"\W*(?:what|how)\s+about\s+(?P<what>[^?]*[^?\s])", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:for|of|in|at|on|with|by|from|to|before|after|since|during)\s", re.IGNORECASE)
_BEGINS = re.compile(r"\W*(?P<word>when|where|why|how|who|whom|whose|what|which)\b", re.IGNORECASE)
_ADVERBS = frozenset({"when", "where", "why", "how"})
_VERBS = word_set(
    "am is are was were be been do does did has have had can could will would shall should may might must wrote made"
)
_BARE = word_set("exactly precisely year month day date long many much often far old one ones else city country place")
_BE = word_set("is are was were be been isn't aren't wasn't weren't")
_THERE_IS = word_set("is are was were been be any no")
_EXPLETIVE = re.compile(
    r"\bit\s+(?:is\s+|was\s+)?(?:true|possible|known|clear|likely|important|necessary|easy|hard|raining|snowing|rains"
    r"|snows|take[sn]?|took|(?:safe|legal|common|usual|better|best|good|bad|ok|okay|worth|allowed)\s+(?:to|for|that|if)"
    r"|(?:mean|matter|help|called)\s+(?:to|when|if|that))\b",
    re.IGNORECASE,
)
_POINTING = word_set("that this those these")
_AFTER_POINTING = word_set("? . happen happened mean means be so")
_REFLEXIVE = word_set("himself herself itself themselves")
_POSSESSIVE = word_set("his its their")
_MAY_POSSESS = word_set("her")
_DEFINITE = word_set("the this that")
_TELLS_APART = word_set("of that which who in by with from for")
_CONTRACTION = re.compile("['’]")
_NAMED_LATER = re.compile(
    r"\W*(?:when|before|after|while|since|until|once|if|although|because|during|in|at|on|with|by|for|from|despite)\b[^,?]*,",
    re.IGNORECASE,
)


def complete(question: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed | None:
    """Return a question completed by words from earlier turns, or None if it is complete or the first question.

    Args:
        own: names in the question itself.
        turns: the turns before the question, oldest first.
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
        note = f"It is unclear what {_first_pronoun(bare)!r} refers to, so the last question was added."
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


def refers_back(question: str, own: Sequence[Named]) -> bool:
    """Return True if a question contains a pronoun or a phrase like "the film" but no name to which it can refer.

    Args:
        own: names in the question itself.
    """
    text = " ".join(question.split())
    return any(not _is_named(pronoun, text, own) for pronoun in _pronouns(text))


def _finished(found: Completed, turns: Sequence[Turn]) -> Completed:
    """Turn a completed phrase without a verb into a question: "What is Dublin's population?"."""
    bare = found.question.rstrip(" ?.!")
    if _has_verb(bare) or _BEGINS.match(bare) or _ABOUT.match(bare):
        return found
    if _PREPOSITION.match(bare):
        return replace(found, question=_appended(turns[-1].question, bare))
    return replace(found, question=f"What is {bare}?")


# Pronouns


@dataclass(frozen=True, slots=True)
class _Pronoun:
    """A pronoun in a question, or a phrase like "the film".

    Attributes:
        form: the nominative of the pronoun ("he" for "his"), "there", or the noun of the phrase ("film").
        start, end: offsets of the pronoun in the question.
        possessive: True if the pronoun stands for a possessive, such as "his".
    """

    form: str
    start: int
    end: int
    possessive: bool = False


def _referring(text: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed | None:
    """Return the question with its pronouns replaced by names, or None if there is nothing to replace."""
    found = text
    notes: list[str] = []
    shift = 0
    replaced: set[str] = set()
    for pronoun in _pronouns(text):
        if pronoun.form in replaced or _is_named(pronoun, text, own):
            continue
        meant, others = resolve_pronoun(pronoun.form, text, turns)
        if not meant:
            continue
        replaced.add(pronoun.form)
        name = f"in {meant}" if pronoun.form == "there" else f"{meant}'s" if pronoun.possessive else meant
        found = found[: pronoun.start + shift] + name + found[pronoun.end + shift :]
        shift += len(name) - (pronoun.end - pronoun.start)
        if others:
            word = text[pronoun.start : pronoun.end].lower()
            notes.append(f"{word!r} was read as {meant}; it may also be {' or '.join(others)}.")
    return Completed(_capitalised(found), tuple(notes), is_ambiguous=bool(notes)) if replaced else None


def _pronouns(text: str) -> Iterator[_Pronoun]:
    words = list(_WORD.finditer(text))
    is_shouted = text.isupper()
    lower = [word.group().lower() for word in words]
    for at, word in enumerate(words):
        form = lower[at]
        following = lower[at + 1] if at + 1 < len(words) else ""
        if form in _REFLEXIVE or (form == "it" and _EXPLETIVE.match(text, word.start())):
            continue
        if at and word.group()[0].isupper() and not is_shouted:
            continue  # a word in a title, such as "They Flew Alone"
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
    """Return True if the next word specifies a noun, as in "the author of Dracula" and "the film Nosferatu"."""
    following = _WORD.search(text, end)
    if following is None:
        return False
    return following.group().lower() in _TELLS_APART or following.group()[0].isupper()


def _is_named(pronoun: _Pronoun, text: str, own: Sequence[Named]) -> bool:
    """Return True if a pronoun may refer to a name in the question itself.

    The name must come before the pronoun. If the pronoun is in a subordinate clause at the beginning, the name may also
    come later: "When he died, where did Bram Stoker live?".
    """
    first = _NAMED_LATER.match(text)
    before = (text if first and pronoun.end < first.end() else text[: pronoun.start]).lower()
    named = [each for each in own if each.name.lower() in before]
    if pronoun.form == "it":  # a single word of type PERSON may be a title
        return any(each.type != "PERSON" or " " not in each.name for each in named)
    return any(fits(pronoun.form, each) for each in named)


def _refers_without_name(text: str, own: Sequence[Named]) -> bool:
    return any(pronoun.form in PRONOUNS and not _is_named(pronoun, text, own) for pronoun in _pronouns(text))


def _first_pronoun(text: str) -> str:
    first = next(pronoun for pronoun in _pronouns(text) if pronoun.form in PRONOUNS)
    return text[first.start : first.end].lower()


# Questions in which a part is left out


def _of_another(what: str, own: Sequence[Named], turns: Sequence[Turn]) -> Completed:
    """Repeat the last question with another name or thing: "What about Dracula?", "And in Cork?"."""
    last = turns[-1]
    new = next(iter(own), None)
    plain = _PREPOSITION.sub("", what, count=1) if new else what
    old = _replaced_by(new, last, only_alike=plain != what) if new else ""
    if new and old:
        asked = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: plain, last.question, count=1)
        others = [each for each in distinct_names(last.named) if each != old]
        note = (f"{new.name} replaced {old} in the last question; it could also replace {' or '.join(others)}.",)
        return Completed(asked, note if others else ())
    if new or _PREPOSITION.match(what):
        return Completed(_appended(last.question, what))
    names = distinct_names((*last.named, *last.answered_with))
    return Completed(f"What about {what} of {names[0]}?" if names else f"{last.question} What about {what}?")


def _replaced_by(new: Named, last: Turn, *, only_alike: bool) -> str:
    """Return the name in the last question that the new name should replace, or "".

    It is the first name of the same type or, failing that, the only name in the question. If the type of the new name
    is unknown, it is the first name in the question.

    Args:
        only_alike: True to accept only a name of the same type, because "in Cork" cannot replace a person.
    """
    there = [each for each in last.named if each.name in last.question]
    alike = [each for each in there if new.type and each.type == new.type]
    if not alike and (len(there) == 1 or not new.type) and not (only_alike and new.type):
        alike = there
    return alike[0].name if alike else ""


def _another_question(text: str, last: Turn) -> Completed:
    """Repeat the last question with another question word ("And when?"); if this is impossible, append the question."""
    new, old = _BEGINS.match(text), _BEGINS.match(last.question)
    if new and old and {new["word"].lower(), old["word"].lower()} <= _ADVERBS and len(_WORD.findall(text)) == 1:
        return Completed(f"{new['word'].capitalize()}{last.question[old.end() :]}")
    return Completed(f"{text.rstrip(' ?.!')}? {last.question}")


def _with_names(text: str, turns: Sequence[Turn]) -> Completed | None:
    """Add the names of the last turn to a question, in brackets: "Who directed the film (Iris)?"."""
    last = turns[-1]
    names = distinct_names((*last.named, *last.answered_with))
    return Completed(f"{text.rstrip(' ?.!')} ({', '.join(names)})?") if names else None


def _is_bare(text: str, *, led: bool) -> bool:
    """Return True for a question that consists of a question word and little else: "When?", "In which year?"."""
    words = [word.lower() for word in _WORD.findall(text)]
    if not words or len(words) > _FEW_WORDS or not (led or text.rstrip().endswith(("?", "？"))):
        return False
    return any(map(_BEGINS.match, words)) and all(word in FUNCTION_WORDS or word in _BARE for word in words)


def _points_back(text: str) -> bool:
    """Return True if a question refers to the whole last question by "this" or "that": "Why did this happen?"."""
    words = [word.lower() for word in _WORD.findall(text)]
    return (
        any(
            word in _POINTING and (at + 1 == len(words) or words[at + 1] in _AFTER_POINTING)
            for at, word in enumerate(words)
        )
        and len(words) <= 2 * _FEW_WORDS
    )


def _has_verb(text: str) -> bool:
    return any(word.lower() in _VERBS for word in _WORD.findall(text))


def _appended(question: str, what: str) -> str:
    what = what[:1].lower() + what[1:] if _PREPOSITION.match(what) else what
    return f"{question.rstrip(' ?.!')} {what.rstrip(' ?.!')}?"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
