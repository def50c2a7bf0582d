"""Merges entity names that mean the same.

Merging only adds `ALIAS_OF` relationships. The nodes stay unchanged, and merging can be undone.

Layer 1 compares new symbols with names of the same form (`same_name`). It merges those with sufficiently similar
vectors; vectors alone cannot distinguish names. If few symbols are new, candidates come from the vector index.
Otherwise, all names are grouped by form, which takes linear time and finds at least as many.

Layer 2 shrinks a codebook that exceeds its budget. k-means divides it into clusters of about fifty names. Within a
cluster, names that differ only in a describing word are merged.

Source: AutoPrunedRetriever paper, Section 2.7, Lemmas 9 and 11. As in the paper, only entities are merged.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from overstory.display import counted
from overstory.errors import ExtraMissing
from overstory.graph import Transaction, batches, schema
from overstory.protocols import Vectors
from overstory.systems.base import SystemRun
from overstory.text.function_words import FUNCTION_WORDS
from overstory.text.names.keys import unaccented
from overstory.vectors.k_means import pieces, require_clustering
from overstory_systems.apr.codebook import edge_id
from overstory_systems.apr.settings import AprIndexSettings

# Comparison of names: which names in a codebook mean the same?
#
# Cosines cannot decide this: "Sydney, Australia" and "Melbourne, Australia", "first single" and "second single", and
# any two dates in a month have cosines above 0.93. Therefore, two names are the same only if their words are the same.
# These differences are ignored: articles, possessive 's, hyphens, date order, "X of Y" for "Y X", British spelling,
# some abbreviations, number words, and plurals of common nouns. Every other difference separates names: a digit, a
# sign, an initial, a Roman numeral, "not", "north", "female", or an additional word.

_ABBREVIATIONS = {
    "US": "united states", "USA": "united states of america", "UK": "united kingdom", "UN": "united nations",
    "EU": "european union", "USSR": "soviet union", "WWI": "world war i", "WWII": "world war ii",
    "TV": "television", "tv": "television", "vs": "versus",
}  # fmt: skip
_BEFORE_A_NAME = {"St": "saint", "Mt": "mount", "Ft": "fort"}
"""Abbreviations that are expanded only before a capitalized word. In "Main St", "St" is a street."""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_TWENTIES = "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
_DIGITS = (
    {word: str(number) for number, word in enumerate(_NUMBERS.split())}
    | dict(zip(_ORDINALS.split(), ("1st", "2nd", "3rd", *(f"{n}th" for n in range(4, 13))), strict=True))
    | {word: f"{number}th" for number, word in enumerate(_TWENTIES.split(), start=13)}
)
_MONTHS = "january february march april may june july august september october november december"
_ARTICLES = frozenset(("the", "a", "an"))
_THIS = (
    "the this that these those both each every my our your his her its their same other previous next following last"
)
_PARTICULAR = frozenset(_THIS.split())
"""Words after which singular and plural differ in meaning: "his brother" is not "his brothers"."""
_MANY = (
    "arms customs forces glasses goods grounds headquarters letters lyrics means minutes news papers physics politics "
    "remains series species spirits works"
)
_OWN_PLURALS = frozenset(_MANY.split())
"""Plurals that are not equivalent to their singular: "arms" is not "arm"."""
_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})(?<!d)(?<=[bdlmnopvu])our(?=$|s$|ed$|ing$|ite$|able$)"), "or"),
    (re.compile(r"^(cent|theat|met|lit|fib|kilomet|centimet|millimet)re(?=s?$)"), r"\1er"),
    (re.compile(r"^(defen|offen|licen)ce(?=s?$)"), r"\1se"),
    (re.compile(r"^programme(?=s?$)"), "program"),
    (re.compile(r"^grey$"), "gray"),
    (re.compile(r"isation(?=s?$)"), "ization"),
)

_EDGES = "\"'“”‘’„«»`.,;:!?…()[]{}"
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?:['’]s?)?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SHORT_FORM = re.compile(r"\s\(([A-Z][A-Z&]+)\)")
_DAY = re.compile(r"(?:[12]?\d|3[01])(?:st|nd|rd|th)?")


class _Word(NamedTuple):
    form: str  # form that is compared
    full: str  # same form, but with the plural s
    lower: bool  # lower-case, or the first word of an otherwise lower-case text


class _ComparedName(NamedTuple):
    words: tuple[_Word, ...]
    particular: bool
    """True if the name refers to particular things, so that singular and plural differ in meaning."""


def name_form(text: str) -> str:
    """Return a normal form that is equal for all names that mean the same; "" for a text without words."""
    return " ".join(word.form for word in _read(text).words)


def same_name(one: str, other: str) -> bool:
    """Return True if two names mean the same, judged by their words."""
    a, b = _read(one), _read(other)
    if not a.words or [word.form for word in a.words] != [word.form for word in b.words]:
        return False
    plurals = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x.full != y.full]
    return not plurals or (not (a.particular or b.particular) and all(x.lower and y.lower for x, y in plurals))


@functools.lru_cache(maxsize=65_536)
def _read(text: str) -> _ComparedName:
    tokens, owned = _tokens(_without_short_form(" ".join(unaccented(text).split())))
    if len(tokens) > 1 and tokens[0].istitle() and _are_common(tokens[1:]):
        tokens[0] = tokens[0].lower()  # Ignore the capital that starts a sentence.
    particular = owned or any(token in _PARTICULAR for token in tokens)
    # A final article is kept, because it shows that the name is cut off: "Ivan the".
    kept = [token for token in tokens[:-1] if token not in _ARTICLES] + tokens[-1:]
    spelt, turned = _heads_last(_written_out(kept))
    return _ComparedName(tuple(map(_word, _days_first(spelt))), particular or turned)


def _are_common(tokens: Iterable[str]) -> bool:
    return all(token.islower() for token in tokens if token.isalpha())


def _tokens(text: str) -> tuple[list[str], bool]:
    """Split a text into words and keep other tokens unchanged. The bool is True if a word is possessive."""
    tokens: list[str] = []
    owned = False
    for piece in text.split(" "):
        bare = piece.strip(_EDGES)
        if _LETTERS.fullmatch(bare):
            owned |= bare.endswith(("'s", "’s"))
            owned |= bare.endswith("s") and piece.rstrip(",;:.)").endswith(("s'", "s’"))
            plain = re.sub("['’]s?$", "", bare)
            tokens += [part.replace("'", "").replace("’", "") for part in plain.split("-")]
        elif _INITIALS.fullmatch(piece.strip(_EDGES.replace(".", ""))):
            tokens.append(bare.replace(".", ""))
        elif any(character.isdigit() for character in bare):
            tokens.append(_number(piece))
        elif piece == "&":
            tokens.append("and")
        elif any(map(str.isalnum, piece)):
            tokens.append(piece)
    return tokens, owned


def _number(piece: str) -> str:
    """Return a number with its sign and unit, but without thousands separators."""
    bare = piece.strip(_EDGES + "–—")
    return _THOUSANDS.sub("", bare).replace("−", "-").replace("–", "-")


def _without_short_form(text: str) -> str:
    """Remove initials in brackets that repeat the preceding words, as in "United Nations (UN)"."""
    match = _SHORT_FORM.search(text)
    if not match:
        return text
    capitals = "".join(word[0] for word in text[: match.start()].split() if word[0].isupper())
    return text[: match.start()] + text[match.end() :] if capitals.endswith(match[1].replace("&", "")) else text


def _written_out(tokens: list[str]) -> list[str]:
    words: list[str] = []
    for token, after in zip(tokens, [*tokens[1:], ""], strict=False):
        if token in _ABBREVIATIONS:
            words += _ABBREVIATIONS[token].title().split() if token.isupper() else [_ABBREVIATIONS[token]]
        elif token in _BEFORE_A_NAME and after[:1].isupper():
            words.append(_BEFORE_A_NAME[token].title())
        else:
            words.append(token)
    return words


def _heads_last(tokens: list[str]) -> tuple[list[str], bool]:
    """Turn "parish of Warton" into "Warton parish". The bool is True if the order changed.

    Names of places and institutions keep their order: the University of Miami is not Miami University.
    """
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == "of":  # noqa: S105 # a word
            parts.append([])
        else:
            parts[-1].append(token)
    plain = all(part and all(token.islower() for token in part) for part in parts[:-1])
    if len(parts) == 1 or not (plain and parts[-1]):
        return tokens, False
    return [token for part in reversed(parts) for token in part], True


def _days_first(tokens: list[str]) -> list[str]:
    """Turn "July 18, 2012" into "18 July 2012"."""
    words = list(tokens)
    for place, (month, day) in enumerate(itertools.pairwise(tokens)):
        numbered = place > 0 and tokens[place - 1].isdigit()
        if month.lower() in _MONTHS.split() and _DAY.fullmatch(day) and not numbered:
            words[place : place + 2] = [day.rstrip(string.ascii_lowercase), month]
    return words


def _word(token: str) -> _Word:
    lower = token.islower()
    if not token.isalpha():
        return _Word(token, token, lower)  # Case matters in names such as "-v" and "x86_64".
    full = token.casefold()
    full = _DIGITS.get(full, full)
    if lower:
        for spelling, american in _BRITISH:
            full = spelling.sub(american, full)
    return _Word(_singular(full) if lower else full, full, lower)


def _singular(word: str) -> str:
    if len(word) < 4 or word in _OWN_PLURALS or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


_OTHER = (
    "acting and anti assistant associate big bottom central co counter current deputy double east eastern early elder "
    "ex fake female fictional final first foster front girls boys grand great half hyper inner junior large late left "
    "little lower major male men mid middle minor multi new non north northeast northern northwest old older out outer "
    "part post pre pro pseudo quarter quasi rear right second semi senior short single small south southeast southern "
    "southwest step sub super third top triple twin un upper vice virtual west western women younger youngest"
)
_CHANGING = FUNCTION_WORDS | frozenset(_OTHER.split())
"""Words that change what the following word refers to."""


def near_name(one: str, other: str) -> bool:
    """Return True if two names differ only in one describing word: "annual film festival", "film festival".

    Merging such names loses the word; therefore, only codebooks above their budget do so. The word must be lower-case,
    must contain no digit, must not be the last word, and must not change the meaning ("former", "vice", "northern").
    """
    shorter, longer = sorted((one, other), key=lambda text: len(_read(text).words))
    short, long = _read(shorter), _read(longer)
    if len(long.words) != len(short.words) + 1 or len(short.words) < 2 or short.particular != long.particular:
        return False
    place = next((i for i, (x, y) in enumerate(zip(short.words, long.words, strict=False)) if x != y), -1)
    if place < 0 or (place == 0 and longer[:1].isupper()) or short.words[place:] != long.words[place + 1 :]:
        return False
    more = long.words[place]
    return more.lower and len(more.form) > 2 and more.form.isalpha() and more.form not in _CHANGING


class SymbolName(NamedTuple):
    """An entity's symbol. `group` is the id of its representative, or its own id if it has none."""

    id: str
    text: str
    group: str


class Alias(NamedTuple):
    id: str
    representative: str
    cosine: float


def aliases(
    names: Sequence[SymbolName], vectors: Vectors, least: float, same: Callable[[str, str], bool]
) -> list[Alias]:
    """Divide names into groups and return the alias of each name that is not its group's representative.

    The representative is a medoid: the name with the highest sum of cosines to all names that it can represent; on a
    tie, the shortest. Every name in a group was compared with the medoid itself. Therefore, names are never merged
    through a chain of small differences. Computes O(n²) cosines.

    Args:
        names: Names with their current representatives. A name may always stay with its representative.
        vectors: float32[n, d], unit vectors.
        least: Minimum cosine of names that may be merged.
        same: Returns True if two texts may be merged.

    Source: AutoPrunedRetriever paper, Section 2.7 and Lemma 11.
    """
    cosines = np.triu(vectors @ vectors.T, 1)
    near = np.zeros_like(cosines)
    for one, other in np.argwhere(cosines >= least).tolist():
        a, b = names[one], names[other]
        if b.id == a.group or a.id == b.group or same(a.text, b.text):
            near[one, other] = near[other, one] = min(1.0, cosines[one, other])
    found: list[Alias] = []
    while near.any():
        sums = near.sum(axis=1).round(4).tolist()
        medoid = min(range(len(names)), key=lambda place: (-sums[place], len(names[place].text), names[place].id))
        others = np.flatnonzero(near[medoid]).tolist()
        found += [Alias(names[each].id, names[medoid].id, float(near[medoid, each])) for each in others]
        taken = [medoid, *others]
        near[taken] = near[:, taken] = 0.0
    return found


MERGED_FROM = "merged_from"
"""Key in the state's details for the cosine used for merging; None if names are not merged."""
CLUSTERED = "clustered"
"""Key in the state's details for the number of unmerged symbols after the last k-means run."""
_CONSOLIDATION_GROWTH = 1.1
"""Factor by which this number must grow before k-means runs again."""
_SYMBOL_SEARCH_DEPTH = 50
"""Number of symbols requested from the vector index."""
_COMPARISONS_A_SEARCH = 200
"""Number of names that can be compared by form in the time of one index search."""
_NAMES_A_PAGE = 400
_CONSOLIDATED_EDGES_A_STATEMENT = 2_000
_NAMES_A_PIECE = 100
"""Maximum number of names per k-means cluster. The mean is half of this (k = n / 50)."""
_MOST_NAMES_OF_A_FORM = 200
"""Maximum number of names with the same form that are compared, selected by id."""

Run = SystemRun[AprIndexSettings]
Same = Callable[[str, str], bool]


def consolidate(run: Run) -> Mapping[str, object]:
    """Merge new symbols or, if merging is turned off, undo earlier merges.

    Call this at the end of a build, when the vector index exists.

    Returns:
        `MERGED_FROM` and `CLUSTERED` for the details of the index state. If the build ends before they are published,
        the next build compares all names again.
    """
    label, settings = run.corpus.label, run.settings
    before = run.before.details if run.before is not None else {}
    if not settings.merge:
        run.graph.run_in_batches("systems/apr/merging/unmerge", label)
        return {MERGED_FROM: None}
    if before.get(MERGED_FROM) != settings.same:
        run.graph.run_in_batches("systems/apr/merging/unmerge", label)
        run.graph.run_in_batches("systems/apr/merging/compare_all", label)
        before = {}
    run.graph.run_in_batches("systems/apr/merging/remove_unused", label)
    merging = _Merging(run)
    merging.compare_new()
    clustered = merging.fit_budget(before.get(CLUSTERED, 0))
    merging.write_edges()
    return {MERGED_FROM: settings.same, CLUSTERED: clustered}


class _Merging:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._graph = run.graph
        self._label = run.corpus.label

    def compare_new(self) -> None:
        """Merge new symbols with symbols whose names mean the same (layer 1)."""
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        if not size["unmerged"]:
            return
        index = schema.derived_index(self._label, "AprEntity")
        indexed = bool(self._graph.run("schema/index_state", read=True, name=index))
        few = indexed and size["unmerged"] * _COMPARISONS_A_SEARCH < size["entities"]
        for names in self._near(index) if few else self._of_one_form():
            self._regroup(names, same_name)
        self._graph.run_in_batches("systems/apr/merging/compared", self._label)

    def fit_budget(self, clustered: int) -> int:
        """Run layer 2 if the codebook exceeds its budget and has grown since layer 2 last ran.

        Args:
            clustered: Number of symbols after the last run of layer 2, 0 if it never ran.

        Returns:
            The new value of `clustered`.
        """
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        own, budget = size["symbols"] - size["aliases"], self._run.settings.budget
        if own <= budget or own < clustered * _CONSOLIDATION_GROWTH:
            return clustered
        try:
            require_clustering()
        except ExtraMissing as error:
            self._run.notes.append(f"{own:,} symbols exceed the budget of {budget:,}: {error} {error.remedy}")
            return clustered
        for page in _paged(self._alike()):
            self._regroup(page, near_name)
        (size,) = self._graph.run("systems/apr/merging/size", self._label, read=True)
        own = int(size["symbols"] - size["aliases"])
        if own > budget:
            self._run.notes.append(f"{counted(own, 'symbol')} left after merging, above the budget of {budget:,}")
        return own

    def write_edges(self) -> None:
        """Write the canonical id to all edges that lack it."""
        rows = self._graph.stream("systems/apr/merging/edges", self._label)
        found = [
            {"id": row["id"], "canonical": edge_id(self._label, row["head"], row["relation"], row["tail"])}
            for row in rows
        ]
        for some in batches(found, _CONSOLIDATED_EDGES_A_STATEMENT):
            self._commit(("write_canonical", {"rows": some}))

    def _near(self, index: str) -> Iterator[list[str]]:
        ids = [row["id"] for row in self._graph.run("systems/apr/merging/unmerged", self._label, read=True)]
        for some in batches(ids, _NAMES_A_PAGE // 4):
            rows = self._graph.run(
                "systems/apr/merging/near",
                self._label,
                read=True,
                index=index,
                ids=some,
                depth=_SYMBOL_SEARCH_DEPTH,
                least=self._run.settings.same,
            )
            found: dict[str, None] = {}
            for row in rows:
                others = [id_ for id_, text in row["near"] if same_name(row["text"], text)]
                found |= dict.fromkeys([row["id"], *others] if others else [])
            yield list(found)

    def _of_one_form(self) -> Iterator[list[str]]:
        seen, twice = set[int](), set[int]()
        for row in self._graph.stream("systems/apr/merging/texts", self._label):
            code = hash(name_form(row["text"]))
            (twice if code in seen else seen).add(code)
        forms: dict[str, list[str]] = defaultdict(list)
        new = set[str]()
        for row in self._graph.stream("systems/apr/merging/texts", self._label):
            form = name_form(row["text"])
            if form and hash(form) in twice:
                forms[form].append(row["id"])
                if row["unmerged"]:
                    new.add(form)
        cut = sum(max(0, len(forms[form]) - _MOST_NAMES_OF_A_FORM) for form in new)
        if cut:
            self._run.notes.append(
                f"{counted(cut, 'symbol was', 'symbols were')} not compared: "
                f"more than {_MOST_NAMES_OF_A_FORM} have the same form"
            )
        yield from _paged(sorted(forms[form])[:_MOST_NAMES_OF_A_FORM] for form in sorted(new) if len(forms[form]) > 1)

    def _alike(self) -> Iterator[list[str]]:
        names: list[SymbolName] = []
        flat = array("f")
        for row in self._graph.stream("systems/apr/merging/vectors", self._label):
            names.append(SymbolName(row["id"], row["text"], row["id"]))
            flat.extend(row["vector"])
        vectors = np.frombuffer(flat, dtype=np.float32).reshape(len(names), -1)
        for piece in pieces(vectors, _NAMES_A_PIECE):
            joined = aliases([names[place] for place in piece], vectors[piece], self._run.settings.same, near_name)
            yield sorted({id_ for alias in joined for id_ in (alias.id, alias.representative)})

    def _regroup(self, ids: Sequence[str], same: Same) -> None:
        if not ids:
            return
        rows = self._graph.run("systems/apr/merging/groups", self._label, read=True, ids=list(ids))
        names = [SymbolName(row["id"], row["text"], row["group"]) for row in rows]
        vectors = np.array([row["vector"] for row in rows], np.float32)
        now = {alias.id: alias for alias in aliases(names, vectors, self._run.settings.same, same)}
        before = {name.id: name.group for name in names}
        changed = [id_ for id_, group in before.items() if (now[id_].representative if id_ in now else id_) != group]
        joined = [now[id_]._asdict() for id_ in changed if id_ in now]
        if not changed:
            return
        self._commit(("part", {"ids": changed}), ("join", {"rows": joined}))
        self._run.ledger.count("merged", len(joined))

    def _commit(self, *statements: tuple[str, Mapping[str, object]]) -> None:
        def write(tx: Transaction) -> None:
            for name, parameters in statements:
                tx.run(f"systems/apr/merging/{name}", self._label, **parameters)

        self._run.commit(write)


def _paged(groups: Iterable[list[str]]) -> Iterator[list[str]]:
    """Combine groups into pages. Groups on one page cannot merge, because their names have different forms."""
    page: list[str] = []
    for group in groups:
        page += group
        if len(page) >= _NAMES_A_PAGE:
            yield page
            page = []
    yield page
