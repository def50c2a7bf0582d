"""Pronouns for the subject of a passage, by a simple rule: a statement is read far from the text that it is from.

The first pronoun of a passage decides: where its statements first say "she", all of "she", "her" and "herself" are the
subject that the title names, and "he" is somebody else. What is certainly no person ("The Birds", "Lloyd (film)") is
neither. A pronoun that is left as a subject stands for the last subject before it that is none; one without such a
subject says nothing that another passage could be joined by, and its triple is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from overstory.text.names.stop_names import names_nothing, without_number
from overstory_systems.apr.triples import Triple

LONGEST_SUBJECT = 12
"""Words of a title that may name a subject; longer ones are sentences."""

_NO_PERSON = re.compile(
    r"(?:the|an?)\s.*|.*\((?:[^()]*\s)?(?:film|movie|album|song|single|novel|book|play|opera|series|show|game|band|magazine|"
    r"company|software|city|town|village|river|ship)\)",
    re.IGNORECASE,
)
_PERSONAL = (0, 1)
_FORMS = (
    ({"he", "him", "himself"}, {"his"}),
    ({"she", "her", "herself"}, {"her"}),
    ({"it", "itself"}, {"its"}),
    ({"they", "them", "themselves"}, {"their"}),
)
_ALONE = {form: kind for kind, (alone, _) in enumerate(_FORMS) for form in alone}
_POSSESSIVE = {form: kind for kind, (_, possessive) in enumerate(_FORMS) for form in possessive}


def subject_of(title: str) -> str:
    """The name of what a text with this title is about; "" where the title names nothing."""
    name = _without_qualifier(without_number(title.strip())).strip()
    return "" if names_nothing(name) or len(name.split()) > LONGEST_SUBJECT else name


def _without_qualifier(title: str) -> str:
    """Without the parenthesis at its end, which may be open."""
    plain = title.rstrip()
    inside = len(plain) - plain.endswith(")")
    start = plain.find("(", plain.rfind(")", 0, inside) + 1, inside)
    return title if start < 0 else plain[:start]


def resolved(triples: Sequence[Triple], title: str) -> list[Triple]:
    """The triples of a passage, in order, with the subject of its title in place of the pronouns that stand for it."""
    subject = subject_of(title)
    words = (word for triple in triples for word in (triple.head, triple.tail))
    kind = _first_kind(words, personal=_NO_PERSON.fullmatch(title.strip()) is None) if subject else -1
    if kind >= 0:
        triples = [
            triple._replace(
                head=_without_pronoun(triple.head, subject, kind), tail=_without_pronoun(triple.tail, subject, kind)
            )
            for triple in triples
        ]
    return list(_with_subjects(triples))


def _with_subjects(triples: Iterable[Triple]) -> Iterator[Triple]:
    """Without pronouns as subjects."""
    last = ""
    for triple in triples:
        if triple.head.casefold() not in _ALONE:
            last = triple.head
            yield triple
        elif last:
            yield triple._replace(head=last)


def _first_kind(texts: Iterable[str], *, personal: bool) -> int:
    """The kind of the first pronoun, −1 where there is none.

    Args:
        personal: whether "he" and "she" count.
    """
    for text in texts:
        first, _, rest = text.casefold().partition(" ")
        kind = _POSSESSIVE.get(first) if rest else _ALONE.get(first)
        if kind is not None and (personal or kind not in _PERSONAL):
            return kind
    return -1


def _without_pronoun(text: str, subject: str, kind: int) -> str:
    first, _, rest = text.partition(" ")
    if not rest:
        return subject if _ALONE.get(first.casefold()) == kind else text
    if _POSSESSIVE.get(first.casefold()) != kind:
        return text
    return f"{subject}'{'' if subject.endswith('s') else 's'} {rest}"
