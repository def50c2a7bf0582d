"""Pure functions that extract subject–predicate–object facts from the dependency parse of an English text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from overstory.model import FactStatement
from overstory.model.time_spans import TimeSpan
from overstory.text.time_spans import time_spans

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

CLAUSES = frozenset(
    {"relcl", "acl", "advcl", "xcomp", "ccomp", "appos", "parataxis", "dep", "csubj", "mark", "preconj"}
)
"""Dependents of a noun that are not part of its noun phrase. Most of them state other facts."""

ARTICLES = frozenset({"the", "a", "an"})


def phrase(head: Token, *, with_prepositions: bool = True) -> str:
    """Return the noun phrase with this head, without a leading article, clauses and coordinated nouns.

    For "the second son of Adalbert II, who died in 938", it is "second son of Adalbert II".
    """
    kept = _with_entity(head, set(_modifiers(head, with_prepositions=with_prepositions)))
    indices = sorted(kept | set(_inner_punctuation(head, kept)))
    words = [head.doc[i] for i in indices]
    while len(words) > 1 and (words[0].lower_ in ARTICLES or words[0].is_punct):
        del words[0]
    parts: list[str] = []
    for word, following in zip(words, [*words[1:], None], strict=True):
        adjacent = following is not None and following.i == word.i + 1
        parts.append(word.text + (word.whitespace_ if adjacent else " "))
    return " ".join("".join(parts).split())


def coordinated(head: Token) -> list[Token]:
    """Return a noun and the nouns that are joined to it by "and", "or" or commas, except parts of the same name."""
    found = [head]
    for noun in found:  # the list grows during the loop
        found.extend(c for c in noun.children if c.dep_ == "conj" and not _same_entity(c, noun) and _is_nominal(c))
    return found


def is_common(head: Token) -> bool:
    """Return True for a common noun that is not part of a named entity."""
    return head.pos_ == "NOUN" and not head.ent_type_


def prepositions(head: Token) -> Iterator[tuple[str, Token]]:
    """Yield (preposition, object) for each prepositional phrase that depends on a word, in text order."""
    for child in head.children:
        if child.dep_ in {"prep", "agent"} or (child.dep_ == "dative" and child.pos_ == "ADP"):
            yield from _phrases_objects(child, "")


def _phrases_objects(preposition: Token, before: str) -> Iterator[tuple[str, Token]]:
    words = f"{before} {preposition.lower_}".strip()
    for child in preposition.children:
        if child.dep_ == "pobj":
            for noun in coordinated(child):
                yield words, noun
        elif child.dep_ == "prep" or (child.dep_ == "pcomp" and child.pos_ == "ADP"):  # as in "because of"
            yield from _phrases_objects(child, words)
        elif child.dep_ == "conj" and child.pos_ == "ADP":  # as in "in and around"
            yield from _phrases_objects(child, before)


def _modifiers(head: Token, *, with_prepositions: bool) -> Iterator[int]:
    """Yield the indices of the words in a noun phrase, without punctuation."""
    waiting = [head]
    while waiting:
        word = waiting.pop()
        yield word.i
        for child in word.children:
            top = word is head
            if child.dep_ in CLAUSES or child.is_punct or child.is_space:
                continue
            if top and child.dep_ in {"conj", "cc"}:
                continue
            if top and child.dep_ == "prep" and not (with_prepositions and _belongs(child, head)):
                continue
            if child.dep_ in {"conj", "cc"} and child.pos_ in {"VERB", "AUX"}:
                continue
            waiting.append(child)


def _belongs(preposition: Token, head: Token) -> bool:
    return not head.ent_type_ or preposition.lower_ == "of"


def _with_entity(head: Token, indices: set[int]) -> set[int]:
    """Add the other tokens of the named entity that contains `head`, because the parser may have separated them."""
    if not head.ent_type_:
        return indices
    first = last = head.i
    while head.doc[first].ent_iob_ == "I" and first > 0:
        first -= 1
    while last + 1 < len(head.doc) and head.doc[last + 1].ent_iob_ == "I":
        last += 1
    return indices | set(range(first, last + 1))


def _inner_punctuation(head: Token, kept: set[int]) -> Iterator[int]:
    between = (head.doc[i + 1] for i in kept if i + 2 in kept and i + 1 not in kept)
    return (mark.i for mark in between if mark.is_punct and not mark.is_quote)


def _same_entity(noun: Token, other: Token) -> bool:
    first, last = sorted((noun.i, other.i))
    return bool(noun.ent_type_) and all(noun.doc[i].ent_iob_ == "I" for i in range(first + 1, last + 1))


def _is_nominal(word: Token) -> bool:
    return word.pos_ in {"NOUN", "PROPN", "PRON", "NUM", "ADJ", "X", "SYM"}


SUBJECTS = frozenset({"nsubj", "nsubjpass"})
RELATIVE = frozenset({"WDT", "WP", "WP$"})
_MOST_CONTROLLING_VERBS = 3
"""Maximum number of governing verbs in a predicate, such as "want" in "want to marry"."""
PREPOSITION_OF = {"where": "in", "when": "in"}
"""Prepositions that stand for relative adverbs: "the city where she died" means that she died "in" the city."""


def is_predicate(word: Token) -> bool:
    """Return True for a main verb: not an auxiliary, and not a modifier such as "winning" in "the winning team"."""
    return word.pos_ in {"VERB", "AUX"} and word.dep_ not in {"aux", "auxpass", "amod", "compound", "nmod"}


def predicate(verb: Token) -> str:
    """Return the predicate of a verb: "marry", "set up" (with a particle), "be born" (passive), "not win" (negated).

    The predicate of an infinitive or participle begins with the governing verbs that have the same subject: "want to
    marry", "be able to win".
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
    """Return True for a passive verb, including one in a shortened clause: "a man born in Ulm"."""
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
    """Return (dependency, noun) for each object of a verb without a preposition.

    The dependency is "dobj", "attr", "oprd" or "dative".
    """
    return [
        (child.dep_, noun)
        for child in verb.children
        if child.dep_ in {"dobj", "attr", "oprd"} or (child.dep_ == "dative" and child.pos_ != "ADP")
        for noun in coordinated(child)
    ]


def subjects(verb: Token) -> list[Token]:
    """Return the subjects of a verb, even if it shares them with another verb or a relative pronoun stands for them."""
    while True:
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:  # of several subjects, the one next to the verb is correct
            return [noun for subject in coordinated(own[-1]) for noun in resolved(subject)]
        if is_existential(verb):
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


def is_existential(verb: Token) -> bool:
    """Return True for the verb of a "there is" clause, whose subject follows: "there are two rivers in Paris"."""
    return any(child.dep_ == "expl" for child in verb.children)


def has_subject(verb: Token) -> bool:
    return any(child.dep_ in SUBJECTS for child in verb.children)


def gap(verb: Token) -> list[tuple[str, Token]]:
    """Return (preposition, noun) for the object that a relative clause omits.

    It is ("", "film") for "the film she made", and ("in", "city") for "the city she died in". The result is [] if the
    clause has no subject or if its subject is a relative pronoun.
    """
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    if verb.dep_ != "relcl" or not own or any(child.tag_ in RELATIVE for child in own):
        return []
    adverbs = [PREPOSITION_OF[child.lower_] for child in verb.children if child.lower_ in PREPOSITION_OF]
    stranded = [child.lower_ for child in verb.children if child.dep_ == "prep" and not list(child.children)]
    preposition = next(iter(adverbs + stranded), "")
    return [(preposition, noun) for noun in antecedent(verb.head)]


def _governor(verb: Token) -> Token:
    """Return the verb whose subject is also the subject of this verb."""
    head = verb.head
    if (verb.dep_ == "pcomp" and head.dep_ == "prep") or (head.pos_ == "ADJ" and head.dep_ == "acomp"):
        return head.head
    return head


def resolved(noun: Token) -> list[Token]:
    """Return the nouns for which a noun stands.

    For a relative pronoun, they are its antecedents. For "brother" in "his brother, Guy", it is the name "Guy". Any
    other noun stands for itself.
    """
    if noun.tag_ in RELATIVE:
        clause = noun
        while clause.dep_ != "relcl" and clause.head.i != clause.i:
            clause = clause.head
        return antecedent(clause.head) if clause.dep_ == "relcl" else [noun]
    if is_common(noun):
        return [child for child in noun.children if child.dep_ == "appos" and child.pos_ == "PROPN"][:1] or [noun]
    return [noun]


def antecedent(noun: Token) -> list[Token]:
    """Return the nouns to which a relative clause after a noun refers.

    If the noun only describes another noun, the clause refers to the other noun: to Einstein in "Einstein was a
    physicist who …" and in "Einstein, a physicist who …".
    """
    while noun.dep_ == "appos" and not noun.ent_type_:
        noun = noun.head
    if noun.dep_ == "attr" and noun.head.lemma_ == "be" and not noun.ent_type_:
        return subjects(noun.head) or [noun]
    return [noun]


FACT_RULES_VERSION = 4
"""Increase this number whenever the facts extracted from the same parse may change."""

_MOST_FACTS_OF_A_WORD = 100
"""Maximum number of facts that one word states. A verb with lists as subject and object states all combinations."""


class _Predication(NamedTuple):
    """A fact that the word `at` states.

    Attributes:
        words: text of the object; "" if it is the complete noun phrase of `object`.
    """

    at: Token
    subject: Token
    predicate: str
    object: Token
    words: str = ""


_NO_TIME = ("", "", False, "")


def facts(doc: Doc, mentions: Mapping[int, int]) -> tuple[FactStatement, ...]:
    """Return the facts in a parsed text, in order and without duplicates within a sentence.

    Subjects and objects are noun phrases without articles. A predicate consists of lemmas with negation and
    preposition, and contains no names: "be born in", "be capital of", "not win prize for".

    Args:
        mentions: map from the index of a token to the index of the mention that contains the token.
    """
    if not doc.has_annotation("DEP"):
        return ()
    found: list[FactStatement] = []
    stating = _stating(doc)
    for number, sentence in enumerate(doc.sents):
        words = stating[bisect_left(stating, sentence.start) : bisect_left(stating, sentence.end)]
        try:
            statements = [s for at in words for s in islice(_stated_at(doc[at]), _MOST_FACTS_OF_A_WORD)]
        except RecursionError:  # the sentence is a chain of hundreds of relative clauses
            continue
        seen: set[tuple[str, str, str]] = set()
        times = _times(sentence, {s.at.i for s in statements})
        for s in sorted(statements, key=lambda s: (s.at.i, s.object.i)):
            triple = (_text(s.subject, whole=not is_existential(s.at)), s.predicate, s.words or _text(s.object))
            is_reflexive = triple[0].casefold() == triple[2].casefold()
            if all(map(_is_phrase, triple)) and not is_reflexive and triple not in seen:
                seen.add(triple)
                of = mentions.get(s.subject.i), mentions.get(s.object.i)
                first, last, ended, words_of_time = times.get(s.at.i, _NO_TIME)
                found.append(FactStatement(*triple, number, len(found), *of, first, last, ended, words_of_time))
    return tuple(found)


def _times(sentence: Span, stating: Set[int]) -> dict[int, tuple[str, str, bool, str]]:
    """Return the last four fields of the facts that a word states, for each word that a time span belongs to.

    A time span belongs to the nearest stating word above it in the parse: in "joined in 2019 and left in 2022", each
    verb has its own. "former" ends what a noun says that somebody is, not what somebody does.
    """
    if not stating:
        return {}
    text = sentence.text
    times: dict[int, tuple[str, str, bool, str]] = {}
    for span in sorted(time_spans(text), key=_is_vague):
        words = sentence.char_span(span.start, span.end, alignment_mode="expand")
        at = _stated_above(words.root, stating, only_being=_is_vague(span))
        if at is None:
            continue
        known = times.get(at)
        first, last = str(span.holds_from or ""), str(span.holds_to or "")
        if known is None:
            times[at] = (first, last, span.ended, span.words)
        elif known[0] and not known[1] and not first and last >= known[0]:  # "opened in 1998 and closed in 2005"
            times[at] = (known[0], last, span.ended, f"{known[3]} … {span.words}")
    return times


def _is_vague(span: TimeSpan) -> bool:
    return span.holds_from is None and span.holds_to is None


def _stated_above(word: Token, stating: Set[int], *, only_being: bool) -> int | None:
    """Return the index of the nearest word at or above a word that states facts; None if there is none."""
    below = word
    while word.i not in stating:
        if word.head.i == word.i:  # spaCy makes another Token on each access
            return None
        below, word = word, word.head
        if word.dep_ in {"ccomp", "relcl", "advcl"} and word.i not in stating:
            return None  # a clause of its own that states no fact
    if only_being and below.dep_ not in {"attr", "neg", "advmod"} and word.dep_ != "appos":
        return None
    return word.i


def _stating(doc: Doc) -> list[int]:
    """Return the indices of the words that may state facts, which are verbs and appositions."""
    verb, auxiliary, apposition = (doc.vocab.strings[name] for name in ("VERB", "AUX", "appos"))
    parts, dependencies = doc.to_array(["POS", "DEP"]).T
    stating: list[int] = np.flatnonzero((parts == verb) | (parts == auxiliary) | (dependencies == apposition)).tolist()
    return stating


def _stated_at(word: Token) -> Iterator[_Predication]:
    if is_predicate(word):
        stated = list(_objects(word))
        for subject in subjects(word) if stated else ():
            for what, noun, words in stated:
                if noun.i != subject.i:
                    yield _Predication(word, subject, what, noun, words)
    elif word.dep_ == "appos" and _describes(word):
        for noun in coordinated(word):
            for what, named, words in _being("be", noun):
                yield _Predication(noun, word.head, what, named, words)


def _describes(apposition: Token) -> bool:
    """Return True if an apposition states what the noun before it is.

    Parsers also return false appositions: "sshd, scp", "Los Angeles, California", or a heading and the line below it.
    Therefore further evidence is needed. If the apposition is a common noun, it needs an article, a possessive or a
    preposition: "Ulm, a city". If it is a name, the noun before it must be a common noun, or the name must be in
    brackets or consist of the initials of the noun.
    """
    noun = apposition.head
    if apposition.pos_ not in {"NOUN", "PROPN"} or apposition.ent_type_ in _NOT_BEING:
        return False
    between = noun.doc[min(noun.i, apposition.i) : max(noun.i, apposition.i) + 1]
    if noun.pos_ not in {"NOUN", "PROPN", "PRON"} or "\n" in between.text:
        return False
    if apposition.pos_ == "NOUN":
        return any(child.dep_ in _BELONGING for child in apposition.children)
    return is_common(noun) or _are_initials(apposition.text, noun) or _is_in_brackets(apposition, noun)


_BELONGING = frozenset({"det", "poss", "prep"})
"""Dependents that show that a noun describes another one and is not an item of a list: "a physicist", "son of Ada"."""


def _is_in_brackets(word: Token, noun: Token) -> bool:
    """Return True if a word is in brackets after a noun, as in "Prue (Shannen Doherty)"."""
    between = [token.text for token in word.doc[noun.i + 1 : word.i]]
    return "(" in between and "," not in between and ")" not in between


def _are_initials(text: str, name: Token) -> bool:
    """Return True if a text consists of the initials of a name, as "NFL" does for "National Football League"."""
    return text == "".join(word[0] for word in phrase(name).split() if word[0].isupper()) and len(text) > 1


_NOT_BEING = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"})
"""Entity types that never state what the noun before them is, such as the date in "Einstein (14 March 1879)"."""

_Object = tuple[str, "Token", str]
"""Predicate, head noun of the object, and text of the object ("" if it is the complete noun phrase)."""


def _objects(verb: Token) -> list[_Object]:
    if is_existential(verb):
        return list(_whereabouts(verb))
    what, things = predicate(verb), direct_objects(verb)
    found = [each for kind, thing in things for noun in resolved(thing) for each in _direct(what, kind, noun)]
    for child in verb.children:
        if child.dep_ == "acomp":
            goes_on = any(c.dep_ == "xcomp" for c in child.children)  # "was able to win" is stated by "win"
            found += [] if goes_on else _being(what, child)
        elif child.dep_ == "npadvmod" and child.ent_type_ == "DATE":  # as in "died 11 November 875"
            found.append((what, child, ""))
    common = [thing.lemma_.lower() for kind, thing in things if kind == "dobj" and is_common(thing)][:1]
    for by, thing in prepositions(verb):
        for noun in resolved(thing):
            combined = " ".join([what, *common, by])
            found += [(combined, noun, ""), *_through(combined, noun)]
    return found or _shared(verb) or [(f"{what} {by}".strip(), noun, "") for by, noun in gap(verb)]


def _whereabouts(verb: Token) -> Iterator[_Object]:
    """Yield the places in a "there is" clause: "be in" and "Paris" for "there are two rivers in Paris"."""
    for word in [verb, *(noun for _, noun in direct_objects(verb))]:
        for by, noun in prepositions(word):
            yield f"{predicate(verb)} {by}", noun, ""


def _direct(what: str, kind: str, noun: Token) -> Iterator[_Object]:
    if kind == "attr":
        yield from _being(what, noun)
    elif kind == "dative":
        yield f"{what} to", noun, ""
    else:
        yield what, noun, ""
        yield from _through(what, noun)


def _being(what: str, noun: Token) -> Iterator[_Object]:
    """Yield what the subject is: "be capital of" and "France" for "is the capital of France"."""
    further = [] if noun.ent_type_ or noun.pos_ not in {"NOUN", "PROPN", "ADJ"} else list(prepositions(noun))
    kind = phrase(noun, with_prepositions=not further)
    if not further or kind.lower() != noun.lower_:
        yield what, noun, kind
    for by, thing in further:
        yield f"{what} {noun.lemma_.lower()} {by}", thing, ""


def _through(what: str, noun: Token) -> Iterator[_Object]:
    """Yield the names in prepositional phrases after a common noun.

    For example, "directed the sequel to Alien" also states a fact about Alien.
    """
    if is_common(noun):
        for by, thing in prepositions(noun):
            if thing.ent_type_:
                yield f"{what} {noun.lemma_.lower()} {by}", thing, ""


def _shared(verb: Token) -> list[_Object]:
    """Return the objects that a verb shares with the next verb: "film" in "wrote and directed the film"."""
    following = [c for c in verb.children if c.dep_ == "conj" and is_predicate(c) and not has_subject(c)][:1]
    what = predicate(verb)
    things = [(what, noun, "") for other in following for kind, noun in direct_objects(other) if kind == "dobj"]
    doers = [(f"{what} {by}", noun, "") for other in following for by, noun in prepositions(other) if by == "by"]
    return doers if is_passive(verb) else things


def _is_phrase(text: str) -> bool:
    """Return True if a text contains a letter or digit and no vertical bar, which would separate cells of a table."""
    return _TABLE_BARS.isdisjoint(text) and any(map(str.isalnum, text))


_TABLE_BARS = frozenset("|│┃║─━═")


def _text(noun: Token, *, whole: bool = True) -> str:
    """Return the noun phrase of a noun. In a relative clause, "whose father" becomes "Einstein's father"."""
    text = phrase(noun, with_prepositions=whole)
    if not text.lower().startswith("whose "):
        return text
    whose = next((word for word in noun.subtree if word.tag_ == "WP$"), None)
    owners = resolved(whose) if whose else []
    return f"{phrase(owners[0])}'s {text[6:]}" if owners and owners[0] is not whose else text
