"""The codebook of AutoPrunedRetriever as it grows, over new passages and over the same ones in other words.

    python -m benchmarks.apr_growth DIR [DIR ...] --passages 300 --picture docs/images/apr-growth.svg

Reads the first passages of corpora in BEIR's layout by rules, as `overstory index --system apr` does, without a
database. Then it reads them again: their sentences in reverse order, dates the other way round ("18 July 2012"), and
common words written otherwise ("TV", "U.S.", "3"). Prints Markdown: how many triples were read, and how many edges and
symbols the codebook then has, with merging and without. `--picture` draws the same as SVG.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from overstory.bench.dataset import read_passages
from overstory.embed.registry import make_embedder
from overstory.model.extraction import ChunkText, Extraction
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory.text.extraction.sharing import make_extractor
from overstory.text.names.keys import entity_key
from overstory.text.sentences import sentence_starts, sentence_texts
from overstory_systems.apr.codebook import Symbol, coded
from overstory_systems.apr.consolidation import SymbolName, aliases, name_form, same_name
from overstory_systems.apr.ids import edge_id
from overstory_systems.apr.index_settings import AprIndexSettings
from overstory_systems.apr.reading import resolved
from overstory_systems.apr.triples import Triple

LABEL = "Corpus_0123456789abcdef"
"""Any: no database has it."""
PASSAGES, CHARACTERS = 300, 2_000
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b({_MONTHS}) (\d{{1,2}}), (\d{{4}})\b")
_OTHERWISE = {
    "television": "TV", "United States": "U.S.", "United Kingdom": "UK", "two": "2", "three": "3", "four": "4",
    "five": "5", "first": "1st", "second": "2nd", "third": "3rd", "center": "centre", "color": "colour",
}  # fmt: skip
_WORDS = re.compile(rf"\b({'|'.join(_OTHERWISE)})\b")


@dataclass(frozen=True, slots=True)
class Growth:
    """A codebook after each passage; entry 0 is before the first.

    Attributes:
        again: how many passages were read before the first that had been read.
        triples, edges, symbols: read so far, and held with merging.
        unmerged: edges held without.
    """

    title: str
    again: int
    triples: Sequence[int]
    edges: Sequence[int]
    symbols: Sequence[int]
    unmerged: Sequence[int]

    @property
    def read_again(self) -> tuple[int, int]:
        """The triples of the passages in other words, and the edges that came with them."""
        return self.triples[-1] - self.triples[self.again], self.edges[-1] - self.edges[self.again]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="with a corpus.jsonl")
    parser.add_argument("--passages", type=int, default=PASSAGES, metavar="N", help="of each corpus (300)")
    parser.add_argument("--characters", type=int, default=CHARACTERS, metavar="N", help="of each passage (2,000)")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="also draws it")
    options = parser.parse_args()
    settings = Settings.from_environment()
    extractor, embedder = make_extractor(settings.extraction), make_embedder(settings.embedding)
    grown: list[Growth] = []
    told: list[str] = []
    print("| corpus | passages | triples | edges | without merging | symbols | edges a triple |")
    print("|---|---|---|---|---|---|---|")
    for folder in options.folders:
        growth = growth_of(folder, extractor, embedder, most=options.passages, characters=options.characters)
        grown.append(growth)
        for place in (growth.again // 2, growth.again, len(growth.triples) - 1):
            read, held = growth.triples[place], growth.edges[place]
            print(
                f"| {growth.title} | {place:,} | {read:,} | {held:,} | {growth.unmerged[place]:,} "
                f"| {growth.symbols[place]:,} | {held / max(1, read):.2f} |",
                flush=True,
            )
        again, new = growth.read_again
        told.append(f"{growth.title}, in other words: {again:,} triples, {new:,} new edges ({new / max(1, again):.1%})")
    print("", *told, sep="\n")
    if options.picture is not None:
        options.picture.write_text(picture(grown), encoding="utf-8")


def growth_of(
    folder: Path, extractor: Extractor, embedder: Embedder, *, most: int = PASSAGES, characters: int = CHARACTERS
) -> Growth:
    """The codebook over the first passages of a folder, then over the same in other words."""
    first = passages(folder, most, characters)
    return grow(folder.name, [*first, *map(reworded, first)], len(first), extractor, embedder)


def passages(folder: Path, most: int, characters: int) -> list[ChunkText]:
    """The first passages of a corpus in BEIR's layout."""
    first = itertools.islice(read_passages(folder / "corpus.jsonl"), most)
    return [ChunkText(passage.id, passage.title, "", passage.text[:characters]) for passage in first]


def reworded(passage: ChunkText) -> ChunkText:
    """The same statements in another order and spelling."""
    first, *others = sentence_texts(passage.text, sentence_starts(passage.text))
    text = _DATE.sub(
        r"\2 \1 \3", "".join(each if each[-1:].isspace() else f"{each}\n" for each in (first, *reversed(others)))
    )
    text = _WORDS.sub(lambda match: _OTHERWISE[match[1]], text)
    return ChunkText(f"{passage.id} again", passage.title, passage.heading, text)


def grow(title: str, read: Sequence[ChunkText], again: int, extractor: Extractor, embedder: Embedder) -> Growth:
    """Reads passages one after the other; merging is as it is at the end."""
    edges = [coded(LABEL, resolved(_triples(found), passage.title, passage.text, _types(found)))
             for passage, found in zip(read, extractor.extract(read), strict=True)]  # fmt: skip
    symbols = {symbol.id: symbol for some in edges for edge in some for symbol in edge.symbols}
    of = representatives([symbol for symbol in symbols.values() if symbol.kind == "entity"], embedder)
    counts: dict[str, list[int]] = {name: [0] for name in ("triples", "edges", "symbols", "unmerged")}
    held, words, as_read = set[str](), set[str](), set[str]()
    for some in edges:
        for edge in some:
            ids = [of.get(symbol.id, symbol.id) for symbol in edge.symbols]
            held.add(edge_id(LABEL, *ids))
            words.update(ids)
            as_read.add(edge.id)
        counts["triples"].append(counts["triples"][-1] + len(some))
        for name, what in (("edges", held), ("symbols", words), ("unmerged", as_read)):
            counts[name].append(len(what))
    return Growth(title, again, **counts)


def representatives(entities: Iterable[Symbol], embedder: Embedder) -> Mapping[str, str]:
    """The symbols that another one stands for, as an index with default settings has them."""
    forms: dict[str, list[SymbolName]] = defaultdict(list)
    for symbol in entities:
        forms[name_form(symbol.text)].append(SymbolName(symbol.id, symbol.text, symbol.id))
    groups = [names for form, names in sorted(forms.items()) if form and len(names) > 1]
    texts = [name.text for names in groups for name in names]
    vectors = embedder.embed(texts) if texts else np.zeros((0, embedder.dimension), np.float32)
    found: dict[str, str] = {}
    start = 0
    for names in groups:
        of_group = vectors[start : start + len(names)]
        start += len(names)
        found |= {each.id: each.representative for each in aliases(names, of_group, AprIndexSettings().same, same_name)}
    return found


def _types(found: Extraction) -> dict[str, str]:
    return {entity_key(mention.surface): mention.type for mention in found.mentions}


def _triples(found: Extraction) -> list[Triple]:
    return [Triple(fact.subject, fact.predicate, fact.object, fact.sentence) for fact in found.facts]


WIDTH, HEIGHT, LEFT, TOP, GAP = 380, 240, 56, 40, 40
LINES = (("triples", "#9AA1AC", "triples read"), ("symbols", "#F79767", "symbols"), ("edges", "#2870C2", "edges"))


def picture(grown: Sequence[Growth]) -> str:
    """SVG: a panel for each corpus; passages to the right, counts upwards."""
    width = LEFT + len(grown) * (WIDTH + LEFT + GAP)
    height = TOP + HEIGHT + 60
    panels = [_panel(growth, LEFT + place * (WIDTH + LEFT + GAP)) for place, growth in enumerate(grown)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" fill="#2A2C34">\n<rect width="{width}" height="{height}" fill="#FFFFFF"/>\n'
        f"{''.join(panels)}</svg>\n"
    )


def _panel(growth: Growth, left: int) -> str:
    most, passages_read = max(growth.triples), len(growth.triples) - 1
    bottom = TOP + HEIGHT

    def point(place: int, count: int) -> str:
        return f"{left + WIDTH * place / passages_read:.1f},{bottom - HEIGHT * count / most:.1f}"

    middle = left + WIDTH * growth.again / passages_read
    parts = [
        f'<text x="{left}" y="{TOP - 16}" font-weight="bold">{escape(growth.title)}</text>',
        f'<path d="M{left},{TOP} V{bottom} H{left + WIDTH}" fill="none" stroke="#2A2C34"/>',
        f'<path d="M{middle:.1f},{TOP} V{bottom}" stroke="#A5ABB6" stroke-dasharray="4 4"/>',
        f'<text x="{middle + 6:.1f}" y="{bottom - 8}" fill="#6B7280">the same in other words</text>',
        f'<text x="{left + WIDTH}" y="{bottom + 18}" text-anchor="end">{passages_read:,} passages</text>',
        f'<text x="{left - 6}" y="{TOP + 10}" text-anchor="end">{most:,}</text>',
        f'<text x="{left - 6}" y="{bottom}" text-anchor="end">0</text>',
    ]
    for place, (name, colour, title) in enumerate(LINES):
        counts: Sequence[int] = getattr(growth, name)
        points = " ".join(point(passage, count) for passage, count in enumerate(counts))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x = left + 8 + 120 * place
        parts.append(f'<path d="M{x},{bottom + 36} h18" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 24}" y="{bottom + 40}">{title}</text>')
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
