"""Main loop of a parser process: JSON lists of texts in, JSON lists of values out, one per line."""

from __future__ import annotations

import json
import sys
from typing import Any

from overstory.errors import ModelError
from overstory.processes import answering
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import encoded, find_reading
from overstory.text.parsing.spacy_parser import SpacyParser


def main(pipeline: str, reading: str) -> None:
    """Parse batches of texts until the parent process closes the pipe or ends."""
    with answering() as give:
        parser: SpacyParser[Any] = SpacyParser(find_pipeline(pipeline), find_reading(reading))
        for line in sys.stdin.buffer:
            try:
                answer: object = parser.parse(json.loads(line))
            except ModelError as error:
                answer = {"error": str(error), "remedy": error.remedy}
            give(encoded(answer).encode())
