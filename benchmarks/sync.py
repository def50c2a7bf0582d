"""Change a folder of 1,000 files randomly fifty times, and run `ingest --sync` after each change.

    python benchmarks/sync.py [--files 1000] [--changes 50] [--index-every 10] [--seed 0]

The final graph must equal that of a fresh ingest of the folder. A change adds, edits, moves, renames, copies or removes
files, moves or removes whole folders, or changes records of a CSV file. The script prints one line per change, and
counts and digests at the end. It uses a separate instance in a temporary folder, and exits with 1 if the digests
differ.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from overstory import server
from overstory.embed import make_embedder
from overstory.knowledge import Knowledge
from overstory.settings import Settings
from overstory.text import make_extractor

FOLDERS = 40
PEOPLE = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether", "Kurt Gödel", "Lise Meitner")
PLACES = ("Ulm", "Bern", "Göttingen", "Vienna", "Paris", "Stockholm", "Cambridge", "Princeton")
DOES = ("was born in", "moved to", "worked in", "wrote to", "visited")


def main() -> int:
    arguments = _arguments()
    home = Path(tempfile.mkdtemp(prefix="overstory-sync-"))
    os.environ["OVERSTORY_HOME"] = str(home / "instance")
    os.environ.setdefault("OVERSTORY_CACHE", str(Settings.from_environment({}).places.cache))
    settings = Settings.from_environment()
    try:
        folder = _Folder(home / "folder", random.Random(arguments.seed))  # noqa: S311
        folder.fill(arguments.files)
        embedder, extractor = make_embedder(settings.embedding), make_extractor(settings.extraction)
        with Knowledge("synced") as synced, Knowledge("fresh") as fresh:
            for knowledge in (synced, fresh):
                knowledge.use(embedder=embedder, extractor=extractor)
            synced.ingest(folder.path)
            synced.index()
            print(f"loaded and indexed: {synced.status().counts}", flush=True)
            _follow(synced, folder, arguments.changes, arguments.index_every)
            synced.index()
            fresh.ingest(folder.path)
            fresh.index()
            for name, knowledge in (("synced", synced), ("fresh", fresh)):
                print(f"{name:<6} {knowledge.status().counts}")
            digests = {name: k.digest() for name, k in (("synced", synced), ("fresh", fresh))}
        for name, digest in digests.items():
            print(f"{name:<6} {digest}")
        return int(len(set(digests.values())) > 1)
    finally:
        server.remove(settings)
        shutil.rmtree(home, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--index-every", type=int, default=10, help="number of changes between index runs")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _follow(synced: Knowledge, folder: _Folder, changes: int, index_every: int) -> None:
    totals: Counter[str] = Counter()
    for number in range(1, changes + 1):
        what = folder.change()
        began = time.monotonic()
        report = synced.ingest(folder.path, sync=True)
        seconds = time.monotonic() - began
        counts = {
            "added": report.added,
            "changed": report.changed,
            "moved": report.moved,
            "removed": report.removed,
            "unchanged": report.unchanged,
        }
        totals.update(counts)
        print(f"{number:>3} {what:<13} {counts}, {report.in_corpus:,} in corpus; {seconds:.1f} s", flush=True)
        if report.broken or report.skipped or report.kept:
            raise SystemExit(f"not everything was read: {report}")
        if number % index_every == 0:
            synced.index()
    print(f"together: {dict(totals)}")


class _Folder:
    def __init__(self, path: Path, chance: random.Random) -> None:
        self.path = path
        self._chance = chance
        self._made = 0

    def fill(self, files: int) -> None:
        for _ in range(files - 1):
            self._add()
        self._write_records()

    def change(self) -> str:
        kinds = {
            "add": self._add,
            "edit": self._edit,
            "move": self._move,
            "rename": self._rename,
            "copy": self._copy,
            "remove": lambda: self._any_file().unlink(),
            "move folder": self._move_folder,
            "remove folder": lambda: shutil.rmtree(self._any_folder()),
            "records": self._write_records,
        }
        weights = [20, 15, 15, 10, 10, 10, 10, 5, 5]
        (what,) = self._chance.choices(list(kinds), weights)
        for _ in range(1 if "folder" in what or what == "records" else self._chance.randint(1, 8)):
            kinds[what]()
        for folder in self._folders():
            if not any(folder.iterdir()):
                folder.rmdir()  # an empty folder could be an unmounted disk, so its documents would be kept
        return what

    def _add(self) -> None:
        self._made += 1
        kind, text = self._chance.choice([("txt", "{}"), ("md", "# {}\n\n{}"), ("html", "<h1>{}</h1><p>{}</p>")])
        where = self.path / f"{self._chance.randrange(FOLDERS):02}"
        where.mkdir(parents=True, exist_ok=True)
        words = [self._sentence() for _ in range(2)]
        (where / f"{self._made}.{kind}").write_text(text.format(*words), encoding="utf-8")

    def _edit(self) -> None:
        file = self._any_file()
        file.write_text(file.read_text(encoding="utf-8") + f"\n\n{self._sentence()}\n", encoding="utf-8")

    def _move(self) -> None:
        file, folder = self._any_file(), self._any_folder()
        file.rename(folder / file.name)

    def _rename(self) -> None:
        self._made += 1
        file = self._any_file()
        file.rename(file.with_stem(str(self._made)))

    def _copy(self) -> None:
        self._made += 1
        file = self._any_file()
        shutil.copy(file, file.with_stem(str(self._made)))

    def _move_folder(self) -> None:
        self._made += 1
        self._any_folder().rename(self.path / f"moved {self._made}")

    def _write_records(self) -> None:
        rows = [f"{key},{self._sentence()}" for key in sorted(self._chance.sample(range(40), 30))]
        (self.path / "records.csv").write_text("\n".join(["id,text", *rows]) + "\n", encoding="utf-8")

    def _sentence(self) -> str:
        return f"{self._chance.choice(PEOPLE)} {self._chance.choice(DOES)} {self._chance.choice(PLACES)}."

    def _any_file(self) -> Path:
        return self._chance.choice(sorted(file for folder in self._folders() for file in folder.iterdir()))

    def _any_folder(self) -> Path:
        return self._chance.choice(self._folders())

    def _folders(self) -> list[Path]:
        return sorted(path for path in self.path.iterdir() if path.is_dir())


if __name__ == "__main__":
    sys.exit(main())
