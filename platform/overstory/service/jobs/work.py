"""What a job does: a few calls of `Knowledge`. Each can be done again, and then does what is left to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from overstory.errors import SourceError
from overstory.index import LoadReport, metadata_of_json
from overstory.knowledge import Knowledge
from overstory.model.plain import plain
from overstory.service.jobs.store import ServiceJob
from overstory.service.jobs.uploads import Uploads
from overstory.sources import Kept, ReadOptions

MOST_PROBLEMS_REPORTED = 100
"""Broken and skipped files that the result of a job names."""
LONGEST_ENCODING_NAME = 100
"""Characters of the name of an encoding in a request."""


def work_on(job: ServiceJob, knowledge: Knowledge, uploads: Uploads) -> dict[str, Any]:
    """Does what a job is to do, and returns its result, as JSON types.

    Raises:
        what `Knowledge.ingest` and `Knowledge.index` raise.
    """
    given = job.input
    result: dict[str, Any] = {}
    metadata = metadata_of_json(given.get("metadata") or {}) or None
    if job.kind == "ingest":
        folder = uploads.folder(job.id)
        if not folder.is_dir():
            raise SourceError("The files of this job are gone.", remedy="Upload them again.")
        report = knowledge.ingest(folder, metadata=metadata, relative_to=folder, options=read_options_of(given))
        result["loaded"] = _loaded(report, folder)
    elif job.kind == "sync":
        folder = Path(given["folder"])
        report = knowledge.ingest(
            folder,
            sync=True,
            allow_empty=given.get("allow_empty", False),
            metadata=metadata,
            options=read_options_of(given),
        )
        result["loaded"] = _loaded(report, folder.parent)
    if job.kind == "index" or given.get("index", True):
        systems = given.get("systems", ())
        indexed = knowledge.index(systems=systems, model=given.get("model"), improve=given.get("improve", False))
        result["indexed"] = {"done": list(indexed.done), "notes": list(indexed.notes)}
    return result


def read_options_of(given: dict[str, Any]) -> ReadOptions:
    """What of a folder is read, and how, as the routes of `sync` and `files` take it.

    Raises:
        SettingsError: it cannot be used.
    """
    return ReadOptions(
        include=tuple(given.get("include", ())),
        exclude=tuple(given.get("exclude", ())),
        gitignore=given.get("gitignore", False),
        delete_excluded=given.get("delete_excluded", False),
        encoding=given.get("encoding", ""),
    )


def _kept(kept: Kept) -> str:
    asked = "allow_empty" if kept.empty else "delete_excluded" if kept.excluded else ""
    return f"{kept.path}: {kept.documents}; {kept.why}{f' ({asked} deletes them)' if asked else ''}"


def _loaded(report: LoadReport, folder: Path) -> dict[str, Any]:
    """What was loaded, without the place of the files on this machine."""
    counts = ("added", "changed", "moved", "unchanged", "removed", "metadata_only", "chunks", "in_corpus", "vanished")
    here = folder.as_posix()

    def told(text: str) -> str:
        return text.replace(f"{here}/", "").replace(here, "the folder")

    return {
        **{name: getattr(report, name) for name in counts},
        "broken": [
            told(f"{str(each).rstrip('.')}. {each.remedy}".strip()) for each in report.broken[:MOST_PROBLEMS_REPORTED]
        ],
        "broken_count": len(report.broken),
        "skipped": list(map(told, report.skipped[:MOST_PROBLEMS_REPORTED])),
        "skipped_count": len(report.skipped),
        "excluded": report.excluded,
        "kept": [told(_kept(each)) for each in report.kept[:MOST_PROBLEMS_REPORTED]],
        "decoded": [told(f"{each.path}: {each.encoding}") for each in report.decoded[:MOST_PROBLEMS_REPORTED]],
        "decoded_count": len(report.decoded),
        "notes": [plain(each) for each in report.notes],
    }
