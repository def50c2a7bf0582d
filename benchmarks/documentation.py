"""Make a retrieval test out of HTML documentation: the sections are the documents, their headings the questions.

    python benchmarks/documentation.py OUT FOLDER… [--sections 1200] [--questions 300]

Writes two folders in BEIR's layout, which `overstory bench` reads:
    OUT/headings   sections without their heading; a heading is asked, the section under it is to be found
    OUT/terms      the same sections and every glossary entry, with their headings; "What is TERM?" is asked for the
                   headings of pages whose title has "glossary", the entry is to be found
Single-hop, technical, with many near misses. Tried on Rust's books (MIT or Apache-2.0), which `rustup` installs with
its documentation (book, reference, cargo, rustc, nomicon, …), and on Python's library and glossary (python3.11-doc).
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from overstory.errors import OverstoryError
from overstory.model import Document
from overstory_loaders.html import HtmlLoader

SEED = 20261122
CHARACTERS = range(200, 4_001)
"""Of a section that is used. Glossary entries may be shorter."""

SHORTEST_ENTRY = 40
WORDS = range(2, 13)
"""Of a heading that is asked: a single word is no question."""

NUMBER = re.compile(r"^(?:appendix\s+)?[A-Z]?\d*(?:\.\d+)*[.:)]?\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    heading: str
    text: str
    glossary: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--sections", type=int, default=1_200)
    parser.add_argument("--questions", type=int, default=300)
    arguments = parser.parse_args()
    found = [section for folder in arguments.folders for section in sections(folder)]
    entries = [section for section in found if section.glossary and len(section.text) >= SHORTEST_ENTRY]
    usable = [section for section in found if not section.glossary and len(section.text) in CHARACTERS]
    shuffled = random.Random(SEED)  # noqa: S311 (a sample, no secret)
    chosen = shuffled.sample(usable, min(arguments.sections, len(usable)))
    often = Counter(section.heading.casefold() for section in found)
    asked = [s for s in chosen if often[s.heading.casefold()] == 1 and len(s.heading.split()) in WORDS]
    asked = shuffled.sample(asked, min(arguments.questions, len(asked)))
    write(arguments.out / "headings", [(s.id, s.text) for s in chosen], [(s.heading, [s.id]) for s in asked])
    kept = [(s.id, f"{s.heading}\n\n{s.text}") for s in (*chosen, *entries)]
    gold: dict[str, list[str]] = {}
    for section in entries:
        gold.setdefault(section.heading, []).append(section.id)
    write(arguments.out / "terms", kept, [(f"What is {in_running_text(term)}?", ids) for term, ids in gold.items()])


def in_running_text(term: str) -> str:
    """A term as people write it within a sentence: "array", but "UART" and "Cargo.toml"."""
    return term if re.search(r"[A-Z`_:].", term[1:]) or "." in term else term[:1].lower() + term[1:]


def sections(folder: Path) -> Iterator[Section]:
    """The sections of all pages of a folder, by the headings that the loader found."""
    for path in sorted(folder.rglob("*.html")):
        if path.name in ("print.html", "toc.html", "404.html", "index.html"):
            continue
        try:
            pages = [each for each in HtmlLoader().load(str(path), on_broken=print) if isinstance(each, Document)]
        except OverstoryError as error:
            print(f"{path.name}: {error}")
            continue
        for page in pages:
            name = f"{folder.name}/{path.relative_to(folder).with_suffix('')}"
            if "glossary" in page.title.casefold():
                yield from _definitions(path, name)
            yield from _sections(page, name)


def _definitions(path: Path, name: str) -> Iterator[Section]:
    """The entries of definition lists."""
    page = LexborHTMLParser(path.read_text(encoding="utf-8"))
    for number, term in enumerate(page.css("dl > dt")):
        definition = term.next
        while definition is not None and definition.tag != "dd":
            definition = definition.next
        if definition is not None:
            texts = (" ".join(node.text().replace("¶", " ").split()) for node in (term, definition))
            heading, text = texts
            yield Section(f"{name}#term{number}", heading, text, glossary=True)


def _sections(page: Document, name: str) -> Iterator[Section]:
    glossary = "glossary" in page.title.casefold()
    headings = sorted(page.headings, key=lambda heading: heading.start)
    ends = [*(heading.start for heading in headings[1:]), len(page.text)][: len(headings)]
    for number, (heading, end) in enumerate(zip(headings, ends, strict=True)):
        text = page.text[heading.start : end]
        body = text[len(heading.text) :].strip() if text.startswith(heading.text) else text.strip()
        asked = NUMBER.sub("", heading.text).strip(" ¶§") if heading.text[:1].isdigit() else heading.text.strip(" ¶§")
        if asked and heading.level > 1:
            yield Section(f"{name}#{number}", asked, body, glossary)


def write(folder: Path, documents: Sequence[tuple[str, str]], questions: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Writes a folder in BEIR's layout."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for id_, text in documents:
            file.write(json.dumps({"_id": id_, "title": "", "text": text}, ensure_ascii=False) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number, (text, _) in enumerate(questions):
            file.write(json.dumps({"_id": f"q{number}", "text": text}, ensure_ascii=False) + "\n")
    with (folder / "qrels" / "dev.tsv").open("w", encoding="utf-8") as file:
        file.write("query-id\tcorpus-id\tscore\n")
        for number, (_, gold) in enumerate(questions):
            file.writelines(f"q{number}\t{id_}\t1\n" for id_ in gold)
    print(f"{folder}: {len(documents)} documents, {len(questions)} questions")


if __name__ == "__main__":
    main()
