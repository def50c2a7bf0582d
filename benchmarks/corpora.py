"""Build corpora of several sizes from real text. Each corpus contains the smaller ones.

    python -m benchmarks.corpora OUT --benchmark 2wikimultihopqa --benchmark hotpotqa --benchmark musique
    python -m benchmarks.corpora OUT --benchmark DIR --documents /usr/share/man --chunks 26000,63000
    overstory ingest OUT/26000 --corpus scale26

OUT/26000, OUT/63000 and OUT/200000 are folders in BEIR's layout, which `overstory ingest` and `overstory bench` read.
They start with the passages of the benchmarks. The questions are those of the first benchmark, which all of the corpora
can answer. Documents follow: manual pages, HTML and plain text (.txt, .md, .rst, README, copyright, NEWS, also with
.gz), by default from /usr/share/man, /usr/share/doc and Rust's documentation, if `rustc` is found. Use --documents for
others.

Folders take turns, so that each contributes equally until it is exhausted. Within a folder, files are ordered by a
digest of their path, so another run on the same files gives the same corpora. A paragraph of at least 100 characters is
kept only once (licences, common command options). A document is left out if fewer than 300 characters remain or if its
letters are mostly not Latin. The script prints how much came from each source. Manual pages need `groff`. 200,000
chunks take about 10 minutes, 0.5 GB for the tokeniser and 100 bytes per paragraph.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from overstory.bench.dataset import read_passages
from overstory.embed import make_embedder
from overstory.errors import OverstoryError
from overstory.model import Document
from overstory.settings import Settings
from overstory.text import split
from overstory_loaders.html import HtmlLoader

BENCHMARK = ("corpus.jsonl", "queries.jsonl", "qrels")
"""Files and folders read from a benchmark's folder."""
SIZES = (26_000, 63_000, 200_000)
REPEATED = 100  # shortest paragraph, in characters, that is kept only once
SHORTEST = 300  # shortest document, in characters
LONGEST = 20_000  # characters of a document that are used
LATIN = 0.9  # least share of ASCII characters in a document
PLAIN = re.compile(r"(?i)(\.(txt|md|rst|text)|^(readme|news|copyright|authors|faq|licen[cs]e|copying)[^/]*)(\.gz)?$")
MANUAL = re.compile(r"\.[1-9][a-z0-9]*(\.gz)?$")
ALREADY_SEEN = frozenset({"print.html", "toc.html", "404.html", "genindex.html", "all.html"})
"""Pages that repeat other pages."""

Count = Callable[[Document], int]
"""Returns the number of chunks of a document."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document with the fields `_id`, `title` and `text` of BEIR's layout."""

    id: str
    title: str
    text: str


@dataclass(slots=True)
class Source:
    """A source of documents, and how much of it was used."""

    name: str
    texts: Iterator[Text]
    documents: int = 0
    chunks: int = 0
    characters: int = 0
    repeated: int = 0


@dataclass(slots=True)
class Seen:
    """The paragraphs seen so far, as 8-byte digests."""

    digests: set[int] = field(default_factory=set[int])

    def without_repeated(self, text: str) -> str:
        """Return the text without long paragraphs that occurred before."""
        return "\n\n".join(each for each in re.split(r"\n[^\S\n]*\n+", text) if self._is_new(each)).strip()

    def _is_new(self, paragraph: str) -> bool:
        words = " ".join(paragraph.split())
        if len(words) < REPEATED:
            return bool(words)
        digest = int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "little")
        if digest in self.digests:
            return False
        self.digests.add(digest)
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--benchmark", type=Path, action="append", required=True, metavar="DIR", help="a BEIR folder")
    parser.add_argument("--documents", type=Path, action="append", metavar="DIR", help="replaces system documentation")
    parser.add_argument(
        "--chunks", type=sizes, default=SIZES, metavar="N,N…", help="chunks in each corpus (26000,63000,200000)"
    )
    given = parser.parse_args()
    for folder in given.benchmark:
        if missing := [name for name in BENCHMARK if not (folder / name).exists()]:
            parser.error(f"--benchmark {folder} lacks {' and '.join(missing)}: name a folder in BEIR's layout")
    for folder in given.documents or []:
        if not folder.is_dir():
            parser.error(f"--documents {folder}: this folder does not exist")
    if given.out.exists() and not given.out.is_dir():
        parser.error(f"{given.out} is a file; name a folder, which is created if necessary")
    embedder = make_embedder(Settings.from_environment().embedding)
    folders: list[Path] = given.documents or documentation()
    try:
        found = build(
            given.out,
            given.benchmark,
            folders,
            given.chunks,
            lambda document: len(split(document, embedder.count_tokens, embedder.token_limit)),
        )
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    reached = sum(source.chunks for source in found)
    if reached < given.chunks[-1]:
        print(f"Only {reached:,} chunks were found: name more folders with --documents.", file=sys.stderr)
        return 1
    return 0


def sizes(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(sorted(int(each) for each in text.split(",")))
    except ValueError:
        numbers = ()
    if not numbers or numbers[0] < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers such as 26000,63000")
    return numbers


def documentation() -> list[Path]:
    folders = [Path("/usr/share/man"), Path("/usr/share/doc")]
    if rustc := shutil.which("rustc"):
        root = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=False).stdout.strip()
        folders.append(Path(root) / "share" / "doc" / "rust" / "html")
    return [folder for folder in folders if folder.is_dir()]


def build(
    out: Path, benchmarks: Sequence[Path], folders: Sequence[Path], wanted: Sequence[int], count: Count
) -> list[Source]:
    """Write the corpora and return the sources with the amount used of each.

    Args:
        wanted: Number of chunks of each corpus, ascending.
    """
    passages = [Source(folder.resolve().name, _passages(folder, place)) for place, folder in enumerate(benchmarks)]
    documents = [Source(str(folder), files(folder)) for folder in folders]
    seen = Seen()
    whole = set[bytes]()
    chunks = 0
    with ExitStack() as stack:
        files_of = {size: stack.enter_context(_corpus(out / str(size), benchmarks[0])) for size in wanted}

        def add(source: Source, text: Text) -> None:
            nonlocal chunks
            of_text = count(Document(source=source.name, source_key=text.id, text=text.text, title=text.title))
            line = json.dumps({"_id": text.id, "title": text.title, "text": text.text}, ensure_ascii=False) + "\n"
            for file in files_of.values():
                file.write(line)
            chunks += of_text
            source.documents += 1
            source.chunks += of_text
            source.characters += len(text.text)
            for size in [size for size in files_of if chunks >= size]:
                files_of.pop(size).close()
                print(f"\n{out / str(size)}: {chunks:,} chunks", *table([*passages, *documents]), sep="\n", flush=True)

        for source in passages:
            for text in source.texts:
                digest = hashlib.blake2b(" ".join(text.text.split()).encode(), digest_size=16).digest()
                if digest in whole:
                    source.repeated += 1
                else:
                    whole.add(digest)
                    add(source, text)
        left = list(documents)
        while left and files_of:
            source = min(left, key=lambda each: each.chunks)
            next_text = next(source.texts, None)
            if next_text is None:
                left.remove(source)
                continue
            kept = seen.without_repeated(next_text.text)[:LONGEST]
            if len(kept) < SHORTEST or sum(map(str.isascii, kept)) < LATIN * len(kept):
                source.repeated += 1
                continue
            add(source, Text(next_text.id, next_text.title, kept))
    return [*passages, *documents]


def table(sources: Sequence[Source]) -> list[str]:
    lines = ["| source | documents | chunks | characters | left out |", "|---|---|---|---|---|"]
    lines += (
        f"| {each.name} | {each.documents:,} | {each.chunks:,} | {each.characters:,} | {each.repeated:,} |"
        for each in sources
    )
    total = [sum(getattr(each, name) for each in sources) for name in ("documents", "chunks", "characters", "repeated")]
    return [*lines, "| all | " + " | ".join(f"{number:,}" for number in total) + " |"]


def files(folder: Path) -> Iterator[Text]:
    """Yield the documents of a folder, ordered by a digest of their relative path. Links are not followed."""
    found = [path.relative_to(folder) for path in folder.rglob("*") if _is_read(path)]
    found.sort(key=lambda path: hashlib.blake2b(path.as_posix().encode()).digest())
    for path in found:
        try:
            title, text = _read(folder / path)
        except (OSError, EOFError, zlib.error, UnicodeDecodeError, OverstoryError) as error:
            print(f"{folder / path}: {error}", file=sys.stderr)
            continue
        yield Text(f"{folder.name}/{path.as_posix()}", title, text)


def _is_read(path: Path) -> bool:
    name = path.name
    if name in ALREADY_SEEN or name.startswith("changelog") or not path.is_file() or path.is_symlink():
        return False
    return name.endswith(".html") or bool(PLAIN.search(name) or _is_manual(path))


def _is_manual(path: Path) -> bool:
    return bool(MANUAL.search(path.name)) and re.fullmatch(r"man[1-9]", path.parent.name) is not None


def _read(path: Path) -> tuple[str, str]:
    if path.suffix == ".html":
        pages = [each for each in HtmlLoader().load(str(path), on_broken=_raise) if isinstance(each, Document)]
        return (pages[0].title, "\n\n".join(page.text for page in pages)) if pages else ("", "")
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    if _is_manual(path):
        return re.sub(r"\.([1-9][a-z0-9]*)(\.gz)?$", r"(\1)", path.name), manual_page(data)
    return f"{path.parent.name}: {path.name.removesuffix('.gz')}", data.decode("utf-8")


def _raise(error: OverstoryError) -> None:
    raise error


def manual_page(source: bytes) -> str:
    """Return a manual page as text, one line per paragraph; "" if it only refers to another page."""
    if source.startswith(b".so "):
        return ""
    # Format each paragraph as one long line, without hyphenation and justification.
    command = ["groff", "-t", "-mandoc", "-Tutf8", "-P-cbou", "-Kutf8", "-rLL=9000n", "-rHY=0", "-dAD=l"]
    formatted = subprocess.run(command, input=source, capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )
    lines = formatted.strip("\n").split("\n")[1:-1]
    return "\n".join(line.removeprefix(" " * 7).rstrip() for line in lines).strip()


def _passages(folder: Path, place: int) -> Iterator[Text]:
    """Yield the passages of a benchmark. Those of the first benchmark keep their ids, which its questions refer to."""
    prefix = f"{folder.resolve().name}/" if place else ""
    return (Text(prefix + each.id, each.title, each.text) for each in read_passages(folder / "corpus.jsonl"))


def _corpus(folder: Path, benchmark: Path) -> TextIO:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(benchmark / "queries.jsonl", folder / "queries.jsonl")
    shutil.copytree(benchmark / "qrels", folder / "qrels", dirs_exist_ok=True)
    return (folder / "corpus.jsonl").open("w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
