"""Main loop of an extraction process: JSON lines of texts in, of findings out, until the input ends."""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from overstory.errors import ModelError
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.readings import encoded, find_reading
from overstory.text.parsing.spacy_parser import SpacyParser


def main(pipeline: str, reading: str) -> None:
    """Answers until its parent closes the pipe, or is gone."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a pipeline prints must not get between the answers
        try:
            _serve(SpacyParser(find_pipeline(pipeline), find_reading(reading)), answers)
        except BrokenPipeError:
            os._exit(0)  # the parent is gone; an orderly exit would try to write once more


def _serve(parser: SpacyParser[Any], answers: IO[str]) -> None:
    for line in sys.stdin.buffer:
        try:
            answer: object = parser.parse(json.loads(line))
        except ModelError as error:
            answer = {"error": str(error), "remedy": error.remedy}
        answers.write(encoded(answer) + "\n")
        answers.flush()
