"""Conversion of results to JSON types, for the option --json and for the HTTP service."""

from __future__ import annotations

import dataclasses
import datetime
import math
from typing import Any

from overstory.model.evidence import Evidence, Hit
from overstory.model.metadata import as_json, json_value
from overstory.model.parts import BridgePath, Part


def plain(value: Any) -> Any:  # takes and returns values of many types
    """Convert a value to JSON types. A dataclass becomes a dictionary of its fields; NaN and infinity become None."""
    if isinstance(value, Part):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, Exception):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def hit_metadata(hit: Hit, evidence: Evidence) -> dict[str, object]:
    """Return the metadata of the document, the fields of the hit and its `enrich` columns in one flat dictionary.

    If a field of the hit and a metadata key have the same name, the field is used. Dates become text, because many
    vector stores and tracing tools accept only texts and numbers.
    """
    return as_json(hit.metadata) | own_metadata(hit, evidence) | {k: json_value(v) for k, v in hit.extra.items()}


def own_metadata(hit: Hit, evidence: Evidence) -> dict[str, object]:
    paths = evidence.paths_to(hit)[:1]
    others = [part for part in evidence.parts_on(hit) if not isinstance(part, BridgePath)]
    optional: dict[str, object] = {
        "start_index": hit.start,
        "end_index": hit.end,
        "page": hit.page,
        "notes": "\n".join(evidence.notes) or None,
    }
    return {
        "source": hit.source,
        "source_key": hit.source_key,
        "title": hit.title,
        "heading": hit.heading,
        "document_id": hit.document_id,
        "retriever": evidence.retriever,
        "score": hit.score,
        "why": hit.why,
        "figures": hit.figures,
        "repeated": hit.repeated,
        "also": hit.also,
        "sentence": hit.text[slice(*hit.sentence)] if hit.sentence else "",
        "path": "\n".join(line for path in paths for line in (str(path), *path.quotations())),
        "parts": "\n\n".join(part.text for part in others),
        **{key: value for key, value in optional.items() if value is not None},
    }


def part_metadata(part: Part, evidence: Evidence) -> dict[str, object]:
    passages = evidence.passages_of(part)
    return {
        "kind": part.kind,
        "source": passages[0].source if passages else "",
        "title": part.text.partition("\n")[0],
        "retriever": evidence.retriever,
        "score": part.score,
        "chunk_ids": "\n".join(part.chunks),
        "document_ids": "\n".join(part.documents),
    }
