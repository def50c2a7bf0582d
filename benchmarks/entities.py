"""Compare extracted entities with the gold mentions of Re-DocRED: names, types, and names of the same entity.

    python -m benchmarks.entities redocred/dev.json [--json FILE]

The documents are ingested into the corpus `redocred`, which is kept. A mention is a name in a document, normalised as
entities are (`entity_key`), so a name that a document repeats counts once. Gold mentions of times and numbers are left
out.

| figure | is the share |
|---|---|
| recall | of the gold mentions that were extracted |
| precision | of the extracted mentions that are gold mentions |
| types right | of the extracted gold mentions whose entity has the gold type |
| merged, recall | of the pairs of different names of one gold entity in a document that are one extracted entity |
| merged, precision | of the pairs of gold names in a document that are one extracted entity which are one gold entity |

Re-DocRED leaves out some names, so the precision of mentions is too low by a constant: compare it between versions.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path

from overstory import Document, Knowledge, OverstoryError
from overstory.graph import read_corpus
from overstory.graph.statements import add_statements
from overstory.text import entity_key
from overstory_cli.progress import progress_for

add_statements(Path(__file__).parent / "cypher")

CORPUS = "redocred"
GOLD_TYPES = {"PER", "ORG", "LOC", "MISC"}
"""Types of entities that are names. The others are times and numbers."""
AS_GOLD = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC", "NORP": "LOC", "": ""}
"""Gold types of the types of entities, in which a nationality is a place. All others are MISC."""

Pair = tuple[str, str]


@dataclass(slots=True)
class Names:
    """Map from each name in a document to the entities that it is a name of, and to their types."""

    of: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set[str]))
    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set[str]))

    def add(self, name: str, entity: str, type_: str) -> None:
        if key := entity_key(name):
            self.of[key].add(entity)
            self.types[key].add(type_)

    def same(self, among: Iterable[str]) -> set[Pair]:
        """Return the pairs of these names that are names of one entity."""
        return {pair for pair in combinations(sorted(among), 2) if self.of[pair[0]] & self.of[pair[1]]}


@dataclass(frozen=True, slots=True)
class Share:
    """A share, with the numbers that it comes from."""

    name: str
    right: int
    of: int

    def __str__(self) -> str:
        return f"{self.right / self.of:.3f}" if self.of else "–"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the shares and the wrong pairs")
    arguments = parser.parse_args()
    articles = json.loads(arguments.file.read_text(encoding="utf-8"))
    gold = {str(number): gold_names(article) for number, article in enumerate(articles)}
    documents = [
        Document(CORPUS, number, text_of(article["tokens"]), title=article["title"])
        for number, article in zip(gold, articles, strict=True)
    ]
    try:
        with Knowledge(CORPUS, progress=progress_for(quiet=False)) as knowledge:
            knowledge.ingest_documents(documents)
            knowledge.index(systems=[])
            found = extracted_names(knowledge)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    shares, wrong = compared(gold, found)
    print(f"| {CORPUS}, {len(gold)} documents | share | right | of |\n|---|---|---|---|")
    for share in shares:
        print(f"| {share.name} | {share} | {share.right:,} | {share.of:,} |")
    if arguments.json:
        figures = {"shares": [asdict(share) for share in shares], "wrong pairs": wrong}
        arguments.json.write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")
    return 0


def text_of(sentences: list[list[str]]) -> str:
    """Return the text of tokens, with spaces as they are usually written."""
    text = " ".join(" ".join(tokens) for tokens in sentences)
    text = re.sub(r" (?=[,.;:!?)\]%]|'s\b|n't\b)", "", text)
    text = re.sub(r"(?<=[(\[]) ", "", text)
    text = re.sub(r'" ([^"]*?) "', r'"\1"', text)
    return re.sub(r"(?<=\w) ([-–/]) (?=\w)", r"\1", text)


def gold_names(article: dict[str, list[list[dict[str, str]]]]) -> Names:
    names = Names()
    for number, mentions in enumerate(article["entities"]):
        for mention in mentions:
            if mention["type"] in GOLD_TYPES:
                names.add(text_of([mention["name"].split()]), str(number), mention["type"])
    return names


def extracted_names(knowledge: Knowledge) -> dict[str, Names]:
    found: dict[str, Names] = defaultdict(Names)
    corpus = read_corpus(knowledge.graph, knowledge.corpus_name)
    for row in knowledge.graph.stream("benchmarks/mentions", corpus.label):
        for surface in row["surfaces"]:
            found[row["document"]].add(surface, row["entity"], AS_GOLD.get(row["type"], "MISC"))
    return found


def compared(gold: dict[str, Names], found: dict[str, Names]) -> tuple[list[Share], list[tuple[str, str, str]]]:
    """Return the shares, and the pairs that were merged wrongly, each with its document."""
    known = extracted = both = typed = merged = alike = right = 0
    wrong: list[tuple[str, str, str]] = []
    for document, names in gold.items():
        of_document = found.get(document, Names())
        common = names.of.keys() & of_document.of.keys()
        known, extracted, both = known + len(names.of), extracted + len(of_document.of), both + len(common)
        typed += sum(bool(names.types[key] & of_document.types[key]) for key in common)
        wanted, made = names.same(names.of), of_document.same(common)
        merged, alike, right = merged + len(made), alike + len(wanted), right + len(made & wanted)
        wrong += ((document, *pair) for pair in sorted(made - wanted))
    shares = [
        Share("recall", both, known),
        Share("precision", both, extracted),
        Share("types right", typed, both),
        Share("merged, recall", right, alike),
        Share("merged, precision", right, merged),
    ]
    return shares, wrong


if __name__ == "__main__":
    sys.exit(main())
