"""Fifteen questions over some 230 real files: which retriever finds the right passage first, and which in three.

    python benchmarks/real_documents.py collect FOLDER      # downloads Debian packages with apt-get, 52 MB
    overstory ingest FOLDER --corpus real && overstory index --corpus real
    python benchmarks/real_documents.py ask --corpus real [--retriever NAME…]

The files: Python 3.11's library pages and glossary, the Debian Administrator's Handbook, Debian's Developer's
Reference, manual pages as text, READMEs, licences, a PDF and a CSV, as Debian ships them. What is right is decided
by a regular expression on the source and one on the text of a passage. One question in fifteen is .07: only large
differences show.
Needs Debian or a system derived from it, with man-db.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from overstory import Knowledge

PACKAGES = ("python3.11-doc", "debian-handbook", "developers-reference", "maint-guide")
PYTHON_PAGES = """abc array bisect calendar contextlib copy csv dataclasses difflib fractions functools gc getopt glob
    gzip hashlib heapq html itertools json math queue random sched secrets shelve shutil statistics string struct
    tempfile textwrap threading time timeit uuid venv weakref zipfile zlib""".split()  # noqa: SIM905 (40 lines otherwise)
MANUAL_PAGES = """find grep sed tar ssh ps chmod ln sort diff gzip less xargs passwd dpkg apt-get""".split()  # noqa: SIM905
READMES = ("bash", "openssl", "git", "apt", "adduser", "zlib1g", "perl", "less", "curl", "debianutils")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what its right passage's source and text match."""

    question: str
    source: str
    text: str


QUESTIONS = (
    Asked("How do I ignore a given exception in a with statement?", r"contextlib", r"suppress"),
    Asked("What is an abstract base class?", r"glossary", r"(?i)abstract base classes? (complement|)"),
    Asked("What is a generator iterator?", r"glossary", r"(?i)object created by a generator function"),
    Asked("Which function returns the n largest elements of an iterable?", r"heapq", r"nlargest"),
    Asked("How can I run code after a delay in another thread?", r"threading|sched", r"Timer|enter\("),
    Asked("Who wrote The Debian Administrator's Handbook?", r"handbook", r"Hertzog|Mas\b"),
    Asked("What is Knoppix?", r"handbook", r"Knoppix"),
    Asked("Which derivative of Debian is made for penetration testing?", r"handbook", r"Kali"),
    Asked("What does a package maintainer do when they are on holiday?", r"developers-reference", r"(?i)vacation"),
    Asked("Which ssh option forwards a local port to a remote host?", r"man/ssh", r"-L \[?bind_address|-L "),
    Asked("How do I make find delete the files that it found?", r"man/find", r"-delete"),
    Asked("Under which license is Bash distributed?", r"bash", r"(?i)GPL|General Public License"),
    Asked(
        "What must I do to convey modified source versions under the GPL?",
        r"licences/GPL",
        r"(?i)convey a work based on",
    ),
    Asked("When was bookworm released?", r"debian\.csv|handbook", r"(?i)bookworm"),
    Asked(
        "How do I create a new Debian package from upstream sources with debmake or dh_make?",
        r"maint-guide",
        r"dh_make",
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect", help="make the folder")
    collecting.add_argument("folder", type=Path)
    asking = commands.add_parser("ask", help="ask the fifteen questions")
    asking.add_argument("--corpus", default="real")
    asking.add_argument("--retriever", action="append", default=[])
    asking.add_argument("-v", "--verbose", action="store_true", help="show the first passages")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        collect(arguments.folder)
    else:
        ask(arguments.corpus, arguments.retriever or ["lexical", "dense", "hybrid", "canopy"], arguments.verbose)


def collect(folder: Path) -> None:
    """Downloads the packages, and copies the files."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        subprocess.run(["apt-get", "download", "-qq", *PACKAGES], cwd=work, check=True)
        for package in work.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, work / "root"], check=True)
        share = work / "root" / "usr" / "share"
        python = share / "doc" / "python3.11" / "html"
        _copy(
            [python / "glossary.html", *(python / "library" / f"{page}.html" for page in PYTHON_PAGES)],
            folder / "python",
        )
        handbook = share / "doc" / "debian-handbook" / "html" / "en-US"
        _copy(sorted(handbook.glob("*.html")), folder / "handbook")
        reference = share / "developers-reference"
        _copy([*sorted(reference.glob("*.html"))], folder / "developers-reference")
        _copy([share / "doc" / "maint-guide" / "maint-guide.en.pdf"], folder / "pdf")
    for name in MANUAL_PAGES:
        text = _manual_page(name)
        if text:
            (folder / "man").mkdir(parents=True, exist_ok=True)
            (folder / "man" / f"{name}.txt").write_text(text, encoding="utf-8")
    for documented in READMES:
        for readme in _readmes(Path("/usr/share/doc") / documented):
            _copy_text(readme, folder / "readme" / documented)
    for licence in sorted(Path("/usr/share/common-licenses").iterdir()):
        _copy_text(licence, folder / "licences")
    _copy([Path("/usr/share/distro-info/debian.csv")], folder / "csv")
    print(f"{folder}: {sum(path.is_file() for path in folder.rglob('*'))} files")


def ask(corpus: str, retrievers: Sequence[str], verbose: bool) -> None:
    """Prints for every retriever how many right passages come first, and how many in the first three."""
    print(f"{'retriever':12} first  in 3  in 5  ms a question (median)")
    with Knowledge(corpus) as knowledge:
        for name in retrievers:
            ranks: list[int | None] = []
            seconds: list[float] = []
            for asked in QUESTIONS:
                started = time.perf_counter()
                hits = knowledge.search(asked.question, 5, retriever=name).hits
                seconds.append(time.perf_counter() - started)
                right = [_answers(asked, h.source, h.text) for h in hits]
                ranks.append(right.index(True) + 1 if any(right) else None)
                if verbose:
                    print(f"  {ranks[-1] or '-'}  {asked.question}")
                    for each, is_right in zip(hits[:3], right, strict=False):
                        print(
                            f"     {'*' if is_right else ' '} {each.source[-40:]}: {' '.join(each.text.split())[:90]!r}"
                        )
            counts = [sum(rank is not None and rank <= most for rank in ranks) for most in (1, 3, 5)]
            print(f"{name:12} {counts[0]:5} {counts[1]:5} {counts[2]:5}  {1000 * median(seconds):.0f}")


def _answers(asked: Asked, source: str, text: str) -> bool:
    """Whether a passage answers; line breaks do not matter."""
    return bool(re.search(asked.source, source) and re.search(asked.text, " ".join(text.split())))


def _copy(paths: Sequence[Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        if path.is_file():
            shutil.copy(path, folder / path.name)


def _copy_text(path: Path, folder: Path) -> None:
    """A text, with the ending .txt, by which the text loader knows it."""
    folder.mkdir(parents=True, exist_ok=True)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    name = path.name.removesuffix(".gz")
    (folder / (name if name.endswith((".md", ".txt")) else f"{name}.txt")).write_bytes(data)


def _readmes(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("README*")) if path.is_file())


def _manual_page(name: str) -> str:
    """The page as text, "" where it is not installed."""
    page = subprocess.run(
        ["man", "-Tutf8", name], capture_output=True, check=False, env={"PATH": "/usr/bin:/bin", "MANWIDTH": "80"}
    )
    plain = subprocess.run(["col", "-bx"], input=page.stdout, capture_output=True, check=False)
    return re.sub(r"\x1b\[[0-9;]*m", "", plain.stdout.decode("utf-8", "replace"))


if __name__ == "__main__":
    main()
