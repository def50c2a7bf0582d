"""Measure the retrievers in languages other than English, with both embedders: the table of docs/languages.md.

    apt-get download manpages-de manpages-fr manpages-es manpages-ja manpages-zh
    python -m benchmarks.languages OUT --packages DIR [--language de]… [--json FILE]

From Debian packages of translated manual pages in DIR, the script makes a BEIR folder for each language in OUT, like
`man`: the description in the NAME section is a question, and the rest of the page (its first characters, with its name
as the first line) is the document that answers it. Each language has 120 translated pages, ordered by the hash of their
name, those with an English page on this machine first. The first hundred are used for questions, with their own and
with the English description.

Every retriever is asked all questions, first with the default embedder and then, after
`Knowledge.index(embedder="multilingual")`, with the multilingual one. The script needs `dpkg-deb` and `groff`. The
pages have various free licences; do not commit them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrievers import bounds, difference, in_order, share, show, signed

from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.layout import Layout
from overstory.bench.runner import BenchResult, compare
from overstory.errors import OverstoryError
from overstory.knowledge import Knowledge
from overstory.text.language_detection import detected_language
from overstory_cli.bench import as_objects, interval_of
from overstory_cli.progress import progress_for

PACKAGES = {"de": "de", "fr": "fr", "es": "es", "ja": "ja", "zh": "zh_CN"}
"""Folders of the languages' pages in the packages."""

PAGES_A_LANGUAGE = 120
QUESTIONS_A_LANGUAGE = 100
PAGE_CHARACTERS = 4_000  # characters of a page used as document, as in `man`; --characters sets another number

LEAST_PAGE_CHARACTERS = 400
RETRIEVERS = ("dense", "lexical", "hybrid", "canopy")
EMBEDDERS = ("minilm", "multilingual")

_NAME = re.compile(r"^ +(\S.*?)\s+[-–—−]+\s+(.+)$", re.MULTILINE)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SECTION = re.compile(r"^\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A translated page: file name, descriptions ("" if there is no English page), and document."""

    id: str
    description: str
    english: str
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """Results of one language and embedder, with questions in one language."""

    language: str
    embedder: str
    asked_in: str
    results: list[BenchResult]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument(
        "--packages", type=Path, metavar="DIR", help="folder with the .deb files, for languages missing in OUT"
    )
    parser.add_argument("--english", type=Path, default=Path("/usr/share/man"), metavar="DIR", help="English pages")
    parser.add_argument(
        "--characters", type=int, default=PAGE_CHARACTERS, metavar="N", help="characters used of each page (4,000)"
    )
    parser.add_argument("--language", action="append", choices=list(PACKAGES), help="may be repeated (default: all)")
    parser.add_argument("--embedder", action="append", choices=EMBEDDERS, help="may be repeated (default: both)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    arguments = parser.parse_args()
    languages = arguments.language or list(PACKAGES)
    try:
        for language in languages:
            if not (arguments.out / language / "corpus.jsonl").is_file():
                if arguments.packages is None:
                    parser.error(f"{arguments.out / language} does not exist: name the packages with --packages")
                pages = pages_of(language, arguments.packages, arguments.english, arguments.characters)
                write_folder(arguments.out / language, pages)
        runs: list[Run] = []
        for language in languages:
            runs += measure(arguments.out / language, arguments.embedder or EMBEDDERS)
            if arguments.json:
                found = [as_object(run) for run in runs]
                arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    for asked_in in ("own", "en"):
        show(
            "Questions in the language of the pages" if asked_in == "own" else "English questions",
            table([run for run in runs if (run.asked_in == "en") == (asked_in == "en")]),
        )
    return 0


def pages_of(language: str, packages: Path, english: Path, characters: int) -> list[Page]:
    """Return the translated pages of a language, those with an English page first."""
    (archive,) = sorted(packages.glob(f"manpages-{language}_*.deb"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", str(archive), folder], check=True)
        root = Path(folder) / "usr" / "share" / "man" / PACKAGES[language]
        found: list[Page] = []
        files = sorted(root.glob("man*/*.gz"), key=lambda file: hashlib.sha256(file.name.encode()).digest())
        known = [file for file in files if (english / file.parent.name / file.name).is_file()]
        for file in [*known, *(file for file in files if file not in known)]:
            other = english / file.parent.name / file.name
            page = None if file.is_symlink() else _page(file, other if other.is_file() else None, language, characters)
            if page is not None and all(page.description != each.description for each in found):
                found.append(page)
            if len(found) == PAGES_A_LANGUAGE:
                break
    return found


def write_folder(folder: Path, pages: Sequence[Page]) -> None:
    """Write a BEIR folder with `queries.jsonl` and `queries-en.jsonl`."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    asked = [page for page in pages if page.english][:QUESTIONS_A_LANGUAGE]
    _write_lines(folder / "queries.jsonl", ({"_id": f"q-{page.id}", "text": page.description} for page in asked))
    _write_lines(folder / "queries-en.jsonl", ({"_id": f"q-{page.id}", "text": page.english} for page in asked))
    rows = ["query-id\tcorpus-id\tscore", *(f"q-{page.id}\t{page.id}\t1" for page in asked)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    _write_lines(folder / "corpus.jsonl", ({"_id": page.id, "title": "", "text": page.text} for page in pages))


def measure(folder: Path, embedders: Sequence[str]) -> Iterator[Run]:
    language, qrels = folder.name, folder / "qrels" / "test.tsv"
    own = load_dataset(folder, qrels=qrels)
    english = load_dataset(folder, queries=folder / "queries-en.jsonl", qrels=qrels)
    with Knowledge(f"languages-{language}-{own.digest[:8]}", progress=progress_for(quiet=False)) as knowledge:
        for embedder in embedders:
            print(f"{language}, {embedder}", file=sys.stderr)
            _switch(knowledge, own, embedder)
            for asked_in, dataset in ((language, own), ("en", english)):
                results = compare(knowledge, dataset, Layout(titles="none"), in_order(RETRIEVERS))
                yield Run(language, embedder, asked_in, results)


def _switch(knowledge: Knowledge, dataset: BenchDataset, embedder: str) -> None:
    compare(knowledge, dataset, Layout(titles="none"), [])  # creates the corpus and index if necessary
    knowledge.index(embedder=embedder)


def table(runs: Sequence[Run]) -> list[list[str]]:
    """Return one row per language and embedder: R@5 of each retriever, and canopy's lead over the best other."""
    rows = [["pages", "embedder", *RETRIEVERS, "`canopy` − the best other"]]
    for run in runs:
        cells = [
            f"{share(each.row.scores.recall_5)} {bounds(interval_of(each, lambda scores: scores.recall_5))}"
            for each in run.results
        ]
        found = difference(run.results, "canopy")
        if found is not None:
            span = f"{signed(found.recall_5.mean)} {bounds(found.recall_5, signed)}"
            cells.append(f"{span} (`{found.other}`)")
        rows.append([run.language, f"`{run.embedder}`", *cells])
    return rows


def as_object(run: Run) -> dict[str, object]:
    return {
        "language": run.language,
        "embedder": run.embedder,
        "asked_in": run.asked_in,
        "retrievers": as_objects(run.results, intervals=True),
    }


def _page(file: Path, english: Path | None, language: str, characters: int) -> Page | None:
    """Return a page; None if it is not a translation, is too short, or has no description."""
    own, other = _parted(file), _parted(english) if english else ("", "", "")
    if own is None or other is None or len(own[2]) < LEAST_PAGE_CHARACTERS:
        return None
    name, description, rest = own
    translated = _WIDE.search(description) if language in ("ja", "zh") else description != other[1]
    if not translated or detected_language(rest) != language:
        return None
    text = f"{name}\n\n{rest}"[:characters].strip()
    return Page(file.name.removesuffix(".gz"), description, other[1], text)


def _parted(file: Path) -> tuple[str, str, str] | None:
    """Return the name of a page, its description, and the text after its first section; None if it has none."""
    text = _rendered(file)
    found = _NAME.search(text)
    after = _SECTION.search(text, found.end()) if found else None
    if found is None or after is None:
        return None
    lines = [line.removeprefix(" " * 7).rstrip() for line in text[after.start() :].split("\n")]
    return found.group(1), " ".join(found.group(2).split()), "\n".join(lines).strip()


def _rendered(file: Path) -> str:
    """Return a page as text without header and footer. Section headings start in the first column."""
    command = ["groff", "-t", "-mandoc", "-Tutf8", "-P-cbou", "-Kutf8", "-rLL=9000n", "-rHY=0", "-dAD=l"]
    source = gzip.decompress(file.read_bytes())
    shown = subprocess.run(command, input=source, capture_output=True, check=False).stdout.decode("utf-8", "replace")
    return "\n".join(shown.strip("\n").split("\n")[1:-1])


def _write_lines(path: Path, records: Iterator[dict[str, str]]) -> None:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
