"""Finds the names in a question, and the words for the information that the question asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from overstory.text.function_words import FUNCTION_WORDS, word_set
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import shapes_of_question
from overstory.text.parsing.readings import Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


_VALUES = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT"})
_WITHIN = frozenset({"of", "de", "von", "van", "la", "-", "–", "&"})
_MARKS = re.compile(r"[\d_]|(?<=\w)[A-Z]|\w[./:]\w")
"""Matches in words that are certainly names, because they contain a digit, an underscore or an inner capital."""
_YEAR = re.compile(r"(?:1\d|20)\d\d")
DESIGNATOR = re.compile(r"\d{1,3}[a-z]?|[A-Z]\d{0,3}")
"""Matches what tells things with the same noun apart: "shaft C", "pump 3", "turbine T1"."""
_AROUND = " \t,;:!?.'\"“”‘’«»()[]-"
_CLASS = re.compile(
    r"(?:\d{4} )?(?:feature )?(?:film|song|album|novel|book|musician|band|actor|singer|game|series)", re.IGNORECASE
)
"""Matches the text in parentheses after a title, as in "Nosferatu (1922 film)"."""
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_GENERIC = word_set(
    "person man woman people year date time month day place country city state town name kind type sort term number "
    "amount film movie song album book novel company thing first last many much one which whose call know located "
    "locate work have be do happen situate situated base same common both share other different following follow late "
    "also come give take make get mean find full original current currently say tell exactly please old list"
)
"""Words that an answer need not contain, such as words for the kind of answer and verbs without content."""
_TIES = word_set("relate related relation relationship connect connected connection link tie")
"""Words for a relation. A sentence that answers a question on the relation of two things need not contain them."""
_MEASURES = word_set("deep wide broad high tall heavy")
"""Words for what is measured. Unlike "long" in "how long", the answer must express them."""
_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "NUM", "ADV"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_ASKED_OF_ROOT = frozenset({"nsubj", "nsubjpass", "dobj", "attr", "acomp", "oprd", "prt", "pobj"})


class AskedFor(NamedTuple):
    """The result of analysing a question, such as "Where was the director of Nosferatu born?".

    Attributes:
        names: names in the question, as written: "Nosferatu".
        wanted: words for the information that the question asks for: "born". Empty if the question only asks for a name
            or a type.
        others: all other content words that are not part of a name: "director".
        subject: True if the question word is the subject of the question: "Who manages Sparrow?", but not "Who did Ada
            marry?".
        direct: True if a single fact about the names is the answer: "What is the salary of Ada?", but not the question
            above.
        through: nouns for people, groups or works that link the names to the answer: "director". Empty if the question
            contains a subordinate clause.
        verbs: those of the words that are verbs, which a table row does not contain.
        adjectives: those of the words that are adjectives or participles before a noun.
        pairs: each noun with the word that tells it apart from others of its kind: ("south", "bridge").
    """

    names: tuple[str, ...]
    wanted: tuple[str, ...]
    others: tuple[str, ...]
    subject: bool
    direct: bool
    through: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def asked_for(doc: Doc) -> AskedFor:
    """Analyse a parsed question."""
    named = _named(doc)
    wanted = _wanted(doc, named)
    kind = _kind_asked_for(doc)
    if kind >= 0 and doc[kind].lower_ in _MEASURES:
        kind = -1
    if any(token.i != kind and not named[token.i] and _is_content_word(token) for token in doc):
        wanted = [token for token in wanted if token.i != kind]
    at = {token.i for token in wanted}
    others = [token for token in doc if token.i not in at and not named[token.i] and _is_content_word(token)]
    names = tuple(dict.fromkeys(_names(doc, named)))
    things = sum(token.pos_ == "NOUN" and token.lemma_.lower() not in _TIES for token in (*wanted, *others))
    if len(names) + things > 1:
        wanted, others = ([token for token in each if token.lemma_.lower() not in _TIES] for each in (wanted, others))
    asking = _asking(doc)
    clauses = _has_clauses(doc, named)
    through = [token for token in doc if _is_between(token, named)]
    if len(wanted) + len(others) <= _MOST_WORDS_OF_A_SIMPLE_QUESTION:
        wanted, others = [*wanted, *(token for token in others if token.i != kind)], []
    return AskedFor(
        names=names,
        wanted=tuple(dict.fromkeys(token.text for token in wanted)),
        others=tuple(dict.fromkeys(token.text for token in others)),
        subject=asking is not None and (asking.dep_ in _SUBJECTS or asking.head.dep_ in _SUBJECTS),
        direct=(asking is not None or doc[0].pos_ == "AUX") and not clauses and not through,
        through=() if clauses else tuple(token.text for token in through),
        verbs=tuple(dict.fromkeys(token.text for token in (*wanted, *others) if _is_verb(token))),
        adjectives=tuple(
            dict.fromkeys(
                each.text for each in (*wanted, *others) if each.dep_ == "amod" and each.pos_ in {"ADJ", "VERB"}
            )
        ),
        pairs=tuple(
            (token.text, token.head.text)
            for token in doc
            if token.dep_ in {"amod", "compound"} and token.i + 1 == token.head.i and not named[token.i]
            if not named[token.head.i] and _is_content_word(token)
        ),
    )


_CLAUSES = frozenset({"relcl", "ccomp", "advcl", "csubj", "conj"})
_AGENTS = ("ist", "ian")
_FARTHER_KIN = ("grand", "great-", "step", "cousin", "uncle", "aunt", "nephew", "niece")
_PEOPLE = word_set(
    "person man woman boy girl father mother parent son daughter child brother sister sibling husband wife spouse "
    "king queen prince princess head chief boss author poet politician artist president musician star host colleague "
    "actress waitress empress duchess accountant assistant consultant lieutenant commandant attendant merchant tenant "
    "director composer performer singer songwriter writer screenwriter founder co-founder actor manager "
    "leader teacher player painter producer owner co-owner maker filmmaker publisher designer developer engineer "
    "editor officer minister commander lawyer doctor professor mayor senator governor emperor ruler successor "
    "predecessor "
    "inventor creator discoverer explorer winner killer murderer drummer rapper dancer conductor sculptor photographer "
    "programmer manufacturer builder employer worker employee trainer footballer cricketer boxer wrestler "
    "swimmer runner skater rider driver racer golfer goalkeeper keeper buyer purchaser seller sponsor "
    "donor investor contractor supplier provider customer dealer trader banker broker adviser advisor counsellor "
    "chancellor ambassador mediator prosecutor inspector auditor administrator operator maintainer contributor "
    "reviewer supervisor mentor tutor lecturer researcher philosopher astronomer geographer biographer lawmaker reader "
    "translator narrator presenter broadcaster reporter newsreader announcer anchor organizer organiser lover partner "
    "officeholder holder speaker follower believer pastor minister monk bishop "
    "landowner shareholder stakeholder farmer baker butcher carpenter bricklayer plumber miller fisher hunter soldier "
    "sailor captain gardener jeweller tailor weaver shoemaker watchmaker clockmaker lodger neighbour neighbor stranger "
    "ancestor descendant heir survivor traitor conqueror usurper pretender settler pioneer traveller traveler visitor "
    "daughter-in-law son-in-law father-in-law mother-in-law brother-in-law sister-in-law"
)
"""Nouns for people. Nouns in "-er" and "-or" must be listed, because others are things: a propeller, a cluster."""
_BODIES = word_set("country state city town county company team band film")
"""Nouns for groups, places and works. Like people, they can link the names in a question to the answer."""
_THINGS = word_set(
    "list checklist playlist setlist shortlist tracklist wishlist whitelist blacklist blocklist allowlist "
    "assist fist gist mist twist waist wrist median meridian obsidian"
)
"""Nouns for things that end in "-ist" or "-ian" as nouns for people do: "playlist", "obsidian"."""

_MOST_WORDS_OF_A_SIMPLE_QUESTION = 3
"""Maximum number of content words in a simple question. All of them count as `AskedFor.wanted`."""


def _named(doc: Doc) -> list[bool]:
    """Return, for each token, whether it is part of a name."""
    named = [_MARKS.search(token.text) is not None for token in doc]
    for entity in doc.ents:
        if entity.label_ not in _VALUES:
            for token in entity:
                named[token.i] = True
    for token in doc:
        if token.i and token.text[:1].isupper() and token.pos_ != "PRON":
            named[token.i] = True
        if token.pos_ == "PROPN" and token.i:
            named[token.i] = True
    for shape in shapes_of_question(doc.text):
        span = doc.char_span(shape.start, shape.end, alignment_mode="expand")
        for token in span or ():
            named[token.i] = True
    for token in doc[1:]:
        before = doc[token.i - 1]
        if DESIGNATOR.fullmatch(token.text) and before.text.isalpha() and before.lower_ not in FUNCTION_WORDS:
            named[token.i] = named[token.i - 1] = True
    for token in doc:
        if _YEAR.fullmatch(token.text):
            named[token.i] = False
        if named[token.i] and (token.is_punct or token.lower_ in FUNCTION_WORDS) and token.text[:1].islower():
            named[token.i] = False
    return named


def _names(doc: Doc, named: list[bool]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(doc):
        if not named[at]:
            at += 1
            continue
        end = at
        while end + 1 < len(doc) and (
            named[end + 1] or (doc[end + 1].lower_ in _WITHIN and end + 2 < len(doc) and named[end + 2])
        ):
            end += 1
        name = _POSSESSIVE.sub("", _ARTICLE.sub("", doc[at : end + 1].text.strip(_AROUND))).strip(_AROUND)
        if not _CLASS.fullmatch(name) and entity_key(name):
            found.append(name)
        at = end + 1
    return found


def _is_content_word(token: Token) -> bool:
    return (
        token.pos_ in _CONTENT
        and token.lower_ not in FUNCTION_WORDS
        and token.lemma_.lower() not in _GENERIC
        and any(map(str.isalpha, token.text))
    )


def _is_verb(token: Token) -> bool:
    return token.pos_ == "VERB" or token.tag_ == "VBN"


def _asking(doc: Doc) -> Token | None:
    return next((t for t in doc if t.tag_ in {"WDT", "WP", "WP$", "WRB"} and t.lower_ != "that"), None)


def _kind_asked_for(doc: Doc) -> int:
    """Return the index of the word that states the kind of answer, or −1 if there is none.

    The word is "team" in "which team" and "long" in "how long".
    """
    asking = _asking(doc)
    if asking is None:
        return -1
    if asking.lower_ == "how" and asking.i + 1 < len(doc) and doc[asking.i + 1].pos_ in {"ADJ", "ADV"}:
        return int(asking.i) + 1
    which = asking.lower_ in {"which", "what"} and asking.dep_ == "det"
    return int(asking.head.i) if which else -1


def _wanted(doc: Doc, named: list[bool]) -> list[Token]:
    asking = _asking(doc)
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    found: set[int] = set()
    if asking is not None and asking.dep_ in {"det", "advmod", "poss"} and asking.head.pos_ in {"NOUN", "ADJ", "ADV"}:
        found.add(asking.head.i)
    if root is not None:
        found.add(root.i)
        for child in root.children:
            if child.dep_ in _ASKED_OF_ROOT and (asking is None or child.i != asking.i):
                found.add(child.i)
    for i in list(found):
        found.update(child.i for child in doc[i].children if child.dep_ in {"compound", "amod"})
    return [doc[i] for i in sorted(found) if not named[i] and _is_content_word(doc[i])]


def _has_clauses(doc: Doc, named: list[bool]) -> bool:
    if any(_is_clause(token, named) for token in doc):
        return True
    # A participle counts only if a name depends on it: "the film directed by Murnau", not "the opening held".
    return any(token.dep_ == "acl" and any(named[each.i] for each in token.subtree) for token in doc)


def _is_clause(token: Token, named: list[bool]) -> bool:
    """Return True if a token is the head of a subordinate clause.

    In "Where was it held?", the parser may find such a clause although there is none.
    """
    if token.dep_ not in _CLAUSES or named[token.i]:
        return False
    parts = (token, token.head)
    main = any(each.pos_ == "AUX" or each.lemma_ == "do" or named[each.i] for each in parts)
    return token.dep_ != "ccomp" or not main


def _is_between(token: Token, named: list[bool]) -> bool:
    """Return True for a noun that links the names to the answer, but not for "film" in "the film Nosferatu"."""
    if token.pos_ != "NOUN" or named[token.i] or not _is_somebody(token) or _is_what_is_asked(token):
        return False
    after, before = token.i + 1, token.i - 1
    named_after = after < len(token.doc) and named[after]
    named_before = before >= 0 and named[before] and token.doc[before].text not in {"'s", "’s", "'", "’"}
    return not (named_after or named_before)


def _is_somebody(noun: Token) -> bool:
    """Return True for a noun for a person, group, place or work: "father", "director", "team"."""
    word = noun.lemma_.lower()
    return word in _BODIES or is_person(word)


def is_person(word: str) -> bool:
    """Return True for a noun for a person: "father", "director", "physicist". It must be singular and in lower case."""
    if word in _PEOPLE or word.startswith(_FARTHER_KIN):
        return True
    return word.endswith(_AGENTS) and word not in _THINGS


def _is_what_is_asked(noun: Token) -> bool:
    """Return True if a noun for a person is what the question asks for: "Who is the mayor of Ulm?".

    The result is False for distant relatives such as "grandmother", because they follow from two facts.
    """
    if noun.lemma_.lower().startswith(_FARTHER_KIN):
        return False
    if any(child.lower_ in {"what", "which", "many", "much"} for child in noun.children):
        return True
    head = noun.head
    return (
        head.dep_ == "ROOT" and head.lemma_ == "be" and any(child.lower_ in {"who", "what"} for child in head.children)
    )


def united(parts: list[tuple[int, AskedFor]]) -> AskedFor:
    """Merge the results for the parts of a very long question, given as (offset of the part, result)."""
    return AskedFor(
        names=tuple(dict.fromkeys(name for _, part in parts for name in part.names)),
        wanted=tuple(dict.fromkeys(word for _, part in parts for word in part.wanted)),
        others=tuple(dict.fromkeys(word for _, part in parts for word in part.others)),
        subject=any(part.subject for _, part in parts),
        direct=len(parts) == 1 and parts[0][1].direct,
        through=parts[0][1].through if len(parts) == 1 else (),
        verbs=tuple(dict.fromkeys(word for _, part in parts for word in part.verbs)),
        adjectives=tuple(dict.fromkeys(word for _, part in parts for word in part.adjectives)),
        pairs=tuple(dict.fromkeys(pair for _, part in parts for pair in part.pairs)),
    )


def decoded(fields: list[Any]) -> AskedFor:
    """Restore a result from JSON lists."""
    names, wanted, others, subject, direct, through, verbs, adjectives, pairs = fields
    return AskedFor(
        *(tuple(names), tuple(wanted), tuple(others), subject, direct, tuple(through), tuple(verbs), tuple(adjectives)),
        pairs=tuple((word, noun) for word, noun in pairs),
    )


ASKED_FOR = Reading("overstory.text.questions.asked_for:ASKED_FOR", asked_for, united, decoded)
"""The `Reading` that analyses a parsed question."""
