"""A spaCy pipeline on disk that counts how often it is loaded and which texts it parses. In this process alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from overstory.text.parsing.pipelines import find_pipeline


@dataclass(slots=True)
class Counts:
    """Counts of the calls of a pipeline since it was saved."""

    loads: int = 0
    texts: list[str] = field(default_factory=list[str])


_COUNTS: dict[str, Counts] = {}


@Language.factory(  # pyright: ignore[reportUntypedFunctionDecorator] # spaCy's
    "overstory_counter", default_config={"folder": ""}
)
def _counter(nlp: Language, name: str, folder: str) -> Callable[[Doc], Doc]:
    counts = _COUNTS[folder]
    counts.loads += 1

    def count(doc: Doc) -> Doc:
        counts.texts.append(doc.text)
        return doc

    return count


def counting_pipeline(folder: Path, base: str = "") -> tuple[str, Counts]:
    """The path of a pipeline in `folder`, and what it counts.

    Args:
        base: an installed pipeline; without one, a small one that knows the name Anna.
    """
    if base:
        language = spacy.load(find_pipeline(base).folder)
    else:
        language = spacy.blank("en")
        ruler = language.add_pipe("entity_ruler")
        ruler.add_patterns([{"label": "PERSON", "pattern": "Anna"}])  # type: ignore[attr-defined] # an EntityRuler
    language.meta["name"] = "counting"
    path = str(folder / "pipeline")
    _COUNTS[path] = Counts()
    language.add_pipe("overstory_counter", config={"folder": path})
    language.to_disk(path)
    _COUNTS[path] = counts = Counts()
    return path, counts
