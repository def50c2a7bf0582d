"""Who does what in a parsed sentence: the predicates, how they read, and their subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from overstory.text.extraction.phrases import coordinated, is_common

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
RELATIVE = frozenset({"WDT", "WP", "WP$"})
_MOST_CONTROLLING_VERBS = 3
"""Verbs before an infinitive that become part of its predicate; nobody wants to begin to try to go on to more."""
PREPOSITION_OF = {"where": "in", "when": "in"}
"""Prepositions that replace relative adverbs: "the city where she died"."""


def is_predicate(word: Token) -> bool:
    """Whether a word is a content verb: no auxiliary, no "winning" in "the winning team"."""
    return word.pos_ in {"VERB", "AUX"} and word.dep_ not in {"aux", "auxpass", "amod", "compound", "nmod"}


def predicate(verb: Token) -> str:
    """The verb as a lemma with its particle, "not" before and "be" for a passive: "marry", "set up", "be born".

    An infinitive or participle has the verbs before it that share its subject: "want to marry", "be able to win".
    """
    words = _own_words(verb)
    for _ in range(_MOST_CONTROLLING_VERBS):
        head = verb.head
        if verb.dep_ != "xcomp" or direct_objects(head):
            break
        to = ["to"] if any(child.lower_ == "to" and child.dep_ == "aux" for child in verb.children) else []
        if head.dep_ == "acomp":
            head, to = head.head, [head.lower_, *to]
        if not is_predicate(head):
            break
        words = [*_own_words(head), *to, *words]
        verb = head
    return " ".join(words)


def _own_words(verb: Token) -> list[str]:
    no = ["not"] if any(child.dep_ == "neg" for child in verb.children) else []
    itself = ["be", verb.lower_] if is_passive(verb) else [verb.lemma_.lower()]
    return [*no, *itself, *(child.lower_ for child in verb.children if child.dep_ == "prt")]


def is_passive(verb: Token) -> bool:
    """Whether the subject is what something is done to; "born in Ulm" after a noun is passive too."""
    while True:
        kinds = {child.dep_ for child in verb.children}
        if kinds & {"auxpass", "nsubjpass"}:
            return True
        if verb.tag_ != "VBN" or "aux" in kinds:
            return False
        if verb.dep_ != "conj" or verb.head.tag_ != "VBN":
            return verb.dep_ in {"acl", "advcl", "relcl"}
        verb = verb.head


def direct_objects(verb: Token) -> list[tuple[str, Token]]:
    """The objects of a verb itself with their kinds ("dobj", "attr", "oprd", "dative"); coordinated ones one by one."""
    return [
        (child.dep_, noun)
        for child in verb.children
        if child.dep_ in {"dobj", "attr", "oprd"} or (child.dep_ == "dative" and child.pos_ != "ADP")
        for noun in coordinated(child)
    ]


def subjects(verb: Token) -> list[Token]:
    """The nouns that the verb is said of, found through relative pronouns, conjunctions and participles; may be []."""
    while True:
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:  # of two, which is the parser's mistake, the one next to the verb
            return [noun for subject in coordinated(own[-1]) for noun in resolved(subject)]
        if says_there_is(verb):
            return [noun for kind, noun in direct_objects(verb) if kind == "attr"]
        head = verb.head
        if verb.dep_ in {"acl", "relcl"}:
            return antecedent(head)
        if verb.dep_ == "xcomp" and (controlled := [o for o in head.children if o.dep_ == "dobj"]):
            return controlled
        if verb.dep_ not in {"conj", "xcomp", "advcl", "pcomp"}:
            return []
        verb = _governor(verb)
        if not is_predicate(verb):
            return []


def says_there_is(verb: Token) -> bool:
    """Whether the verb's subject comes after it: "there are two rivers in Paris"."""
    return any(child.dep_ == "expl" for child in verb.children)


def has_subject(verb: Token) -> bool:
    return any(child.dep_ in SUBJECTS for child in verb.children)


def gap(verb: Token) -> list[tuple[str, Token]]:
    """(preposition or "", noun) that a relative clause leaves out: "the film she made", "the city she died in".

    [] if the clause says itself what its verb is said of, or has a relative pronoun as subject.
    """
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if verb.dep_ != "relcl" or not own or any(child.tag_ in RELATIVE for child in own):
        return []
    adverbs = [PREPOSITION_OF[child.lower_] for child in verb.children if child.lower_ in PREPOSITION_OF]
    stranded = [child.lower_ for child in verb.children if child.dep_ == "prep" and not list(child.children)]
    preposition = next(iter(adverbs + stranded), "")
    return [(preposition, noun) for noun in antecedent(verb.head)]


def _governor(verb: Token) -> Token:
    """The verb that a verb without a subject shares one with."""
    head = verb.head
    if (verb.dep_ == "pcomp" and head.dep_ == "prep") or (head.pos_ == "ADJ" and head.dep_ == "acomp"):
        return head.head
    return head


def resolved(noun: Token) -> list[Token]:
    """The antecedent of a relative pronoun; the name in "his brother, Guy"; any other word itself."""
    if noun.tag_ in RELATIVE:
        clause = noun
        while clause.dep_ != "relcl" and clause.head.i != clause.i:
            clause = clause.head
        return antecedent(clause.head) if clause.dep_ == "relcl" else [noun]
    if is_common(noun):
        return [child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"][:1] or [noun]
    return [noun]


def antecedent(noun: Token) -> list[Token]:
    """The subject of a clause after a noun: the thing named, if the noun only says what it is.

    "Einstein was a physicist who …" and "Einstein, a physicist who …" both speak of Einstein.
    """
    while noun.dep_ == "appos" and not noun.ent_type_:
        noun = noun.head
    if noun.dep_ == "attr" and noun.head.lemma_ == "be" and not noun.ent_type_:
        return subjects(noun.head) or [noun]
    return [noun]
