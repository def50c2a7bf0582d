"""The corpora that benchmarks/corpora.py builds."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from benchmarks.corpora import Seen, build, files, manual_page

from overstory.bench.dataset import load_dataset
from overstory.model import Document

LINE = "This paragraph has more than a hundred characters, so that it is long enough to be known again when it repeats."
MANUAL = ".TH SAY 1 2026-11-22 demo\n.SH NAME\nsay \\- say a word\n.SH DESCRIPTION\nSays the word\nthat it is given.\n"


def benchmark(folder: Path, name: str, *texts: str) -> Path:
    """A folder in BEIR's layout, with one question about the first passage."""
    here = folder / name
    (here / "qrels").mkdir(parents=True)
    rows = [{"_id": f"p{number}", "title": "", "text": text} for number, text in enumerate(texts)]
    (here / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (here / "queries.jsonl").write_text('{"_id": "q", "text": "Who?"}\n', encoding="utf-8")
    (here / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq\tp0\t1\n", encoding="utf-8")
    return here


def words(document: Document) -> int:
    return len(document.text.split())


def written(folder: Path) -> list[str]:
    return (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def documentation(tmp_path: Path) -> Path:
    """Ten texts of a hundred words."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}.txt").write_text(" ".join(f"word{number}x{place}" for place in range(100)), "utf-8")
    return folder


def test_a_corpus_contains_the_smaller_ones_and_answers_the_questions_of_the_first_benchmark(
    tmp_path: Path, documentation: Path
) -> None:
    first, second = benchmark(tmp_path, "one", "Ada wrote it."), benchmark(tmp_path, "two", "Ada wrote it.", "Bob did.")
    sources = build(tmp_path / "out", [first, second], [documentation], (200, 500), words)
    small, large = (written(tmp_path / "out" / size) for size in ("200", "500"))
    assert large[: len(small)] == small
    assert len(large) > len(small)
    assert [json.loads(line)["_id"] for line in small[:2]] == ["p0", "two/p1"], "the same passage is there once"
    assert load_dataset(tmp_path / "out" / "500").questions[0].text == "Who?"
    assert sum(source.chunks for source in sources) == sum(len(json.loads(line)["text"].split()) for line in large)
    assert sources[1].repeated == 1


def test_the_same_files_elsewhere_give_the_same_corpus(tmp_path: Path, documentation: Path) -> None:
    first = benchmark(tmp_path, "one", "Ada wrote it.")
    moved = tmp_path / "elsewhere" / "texts"
    shutil.copytree(documentation, moved)
    for out, folder in (("here", documentation), ("there", moved)):
        build(tmp_path / out, [first], [folder], (500,), words)
    assert written(tmp_path / "here" / "500") == written(tmp_path / "there" / "500")


def test_folders_take_turns(tmp_path: Path, documentation: Path) -> None:
    other = tmp_path / "others"
    other.mkdir()
    for path in documentation.iterdir():
        (other / path.name).write_text(path.read_text("utf-8").replace("word", "other"), "utf-8")
    sources = build(tmp_path / "out", [benchmark(tmp_path, "one", "Ada.")], [documentation, other], (401,), words)
    assert [source.documents for source in sources] == [1, 2, 2]


def test_a_long_paragraph_is_kept_once_and_a_short_one_always() -> None:
    seen = Seen()
    assert seen.without_repeated(f"Name\n\n{LINE}") == f"Name\n\n{LINE}"
    assert seen.without_repeated(f"Name\n \n{LINE.replace(' ', '  ')}\n\nMore.") == "Name\n\nMore."


def test_what_is_read_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "man1").mkdir()
    (tmp_path / "README.gz").write_bytes(gzip.compress(b"Read this."))
    (tmp_path / "page.html").write_text("<title>A page</title><p>It says so.</p>", encoding="utf-8")
    (tmp_path / "broken.txt").write_bytes(b"\xff\xff")
    (tmp_path / "changelog.md").write_text("2026: more", encoding="utf-8")
    (tmp_path / "program.c").write_text("int main;", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to(tmp_path / "README.gz")
    found = {text.id.removeprefix(f"{tmp_path.name}/"): (text.title, text.text) for text in files(tmp_path)}
    assert found == {
        "README.gz": (f"{tmp_path.name}: README", "Read this."),
        "page.html": ("A page", "It says so."),
    }


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff formats manual pages")
def test_a_manual_page_has_a_line_for_each_paragraph_and_no_running_heads() -> None:
    text = manual_page(MANUAL.encode())
    assert "Says the word that it is given." in text.splitlines()
    assert text.startswith("NAME")
    assert "2026" not in text
    assert manual_page(b".so man1/say.1\n") == ""
