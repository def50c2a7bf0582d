"""Loads the passages of a BEIR folder from `corpus.jsonl`. Its queries and judgements are for `overstory bench`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.model import Annotation, Document
from overstory.protocols import OnBroken
from overstory_loaders.files import COMPRESSED_SUFFIXES, address, is_file, is_folder
from overstory_loaders.json_records import first_record, json_records
from overstory_loaders.records import Fields, documents

CORPUS_FILES = tuple(f"corpus.jsonl{suffix}" for suffix in ("", *COMPRESSED_SUFFIXES))
FIELDS = Fields(text=("text",), title=("title",), id=("_id",), id_required=True)


class BeirLoader:
    """Loader for a BEIR folder, which contains a `corpus.jsonl`, or for that file itself.

    Each line of the file is an object with `_id` and `text`, and optionally `title` and `metadata`.
    """

    name = "beir"

    def recognises(self, source: str) -> bool:
        return is_beir_corpus(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Annotation]:
        """Yield one document per passage, with the folder as its source and `_id` as its key."""
        corpus = _corpus_file(source)
        if corpus is None:
            raise BrokenSource(
                "is not a BEIR folder: it has no corpus.jsonl",
                source=source,
                remedy="Name the folder that contains corpus.jsonl, or omit --loader beir.",
            )
        records = json_records(str(corpus), on_broken=on_broken)
        yield from documents(records, source=address(str(corpus.parent)), fields=FIELDS, on_broken=on_broken)


def is_beir_corpus(source: str) -> bool:
    """Return True if a path is a BEIR folder or a BEIR corpus file."""
    corpus = _corpus_file(source)
    if corpus is None:
        return False
    record = first_record(str(corpus))
    return record is None or "_id" in record


def _corpus_file(source: str) -> Path | None:
    path = Path(source)
    candidates = [path / name for name in CORPUS_FILES] if is_folder(path) else [path]
    return next((file for file in candidates if file.name in CORPUS_FILES and is_file(file)), None)
