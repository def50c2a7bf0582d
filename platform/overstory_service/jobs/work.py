"""What a job does: a few calls of `Knowledge`. Each can be done again, and then does what is left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from overstory.errors import SourceError
from overstory.index import LOADED_COUNTS, LoadReport, metadata_of_json
from overstory.knowledge import Knowledge
from overstory.model.plain import plain
from overstory.sources import Kept, ReadOptions
from overstory_service.jobs.store import ServiceJob
from overstory_service.jobs.uploads import Uploads

_MOST_PROBLEMS_REPORTED = 100
"""Broken and skipped files that the result of a job names."""
LONGEST_ENCODING_NAME = 100
"""Characters of the name of an encoding in a request."""


def report_of(job: ServiceJob) -> LoadReport:
    """A report that starts with what processes before this one have loaded for a job."""
    report = LoadReport(noted_by=job.id)
    for name in LOADED_COUNTS:
        setattr(report, name, job.loaded.get(name, 0))
    return report


def loaded_counts(report: LoadReport) -> dict[str, int]:
    """What a job has loaded, also before this process took it: counts by their names in `LoadReport`."""
    return {name: getattr(report, name) for name in LOADED_COUNTS}


def work_on(
    job: ServiceJob,
    knowledge: Knowledge,
    uploads: Uploads,
    report: LoadReport,
    on_reading: Callable[[str], None],
    *,
    folders: Sequence[str],
) -> dict[str, Any]:
    """Does what a job is to do, and returns its result, as JSON types.

    Args:
        report: that of `report_of`, which says what is loaded while it is done.
        on_reading: called with each file before it is read.
        folders: of the server, which a job may load; links out of them are skipped.

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
        options = read_options_of(given)
        knowledge.ingest(
            folder, metadata=metadata, relative_to=folder, options=options, report=report, on_reading=on_reading
        )
        result["loaded"] = _loaded(job, report, folder)
    elif job.kind == "sync":
        folder = Path(given["folder"])
        within = tuple(str(Path(each).resolve()) for each in folders)
        knowledge.ingest(
            folder,
            sync=True,
            allow_empty=given.get("allow_empty", False),
            metadata=metadata,
            options=replace(read_options_of(given), within=within),
            report=report,
            on_reading=on_reading,
        )
        result["loaded"] = _loaded(job, report, folder.parent)
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


def _loaded(job: ServiceJob, report: LoadReport, folder: Path) -> dict[str, Any]:
    """What the whole job loaded, without the place of the files on this machine: what it had loaded before it was
    interrupted is unchanged for who goes on with it."""
    before = sum(job.loaded.get(name, 0) for name in ("added", "changed", "moved"))
    here = folder.as_posix()

    def told(text: str) -> str:
        return text.replace(f"{here}/", "").replace(here, "the folder")

    mended = [f"{each.path}: {each.said}" for each in report.decoded if each.replaced][:_MOST_PROBLEMS_REPORTED]
    return {
        **loaded_counts(report),
        "unchanged": max(0, report.unchanged - before),
        "in_corpus": report.in_corpus,
        "vanished": report.vanished,
        "broken": [
            told(f"{str(each).rstrip('.')}. {each.remedy}".strip()) for each in report.broken[:_MOST_PROBLEMS_REPORTED]
        ],
        "broken_count": len(report.broken),
        "skipped": list(map(told, report.skipped[:_MOST_PROBLEMS_REPORTED])),
        "skipped_count": len(report.skipped),
        "excluded": report.excluded,
        "kept": [told(_kept(each)) for each in report.kept[:_MOST_PROBLEMS_REPORTED]],
        "decoded": [told(f"{each.path}: {each.said}") for each in report.decoded[:_MOST_PROBLEMS_REPORTED]],
        "decoded_count": len(report.decoded),
        "notes": [*(plain(each) for each in report.notes), *map(told, mended)],
    }
