"""Structured answers: the JSON schema of a pydantic model, and lenient parsing of answers that nearly match it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from overstory.llm.prompts import prompt, without_control_tokens
from overstory.model import JsonSchema, Message

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")

_LONGEST_ERRORS_CHARACTERS = 600
"""Maximum characters of the validation errors in a correction request."""

_FENCE = re.compile(r"```[a-z]*+\s*+(.*?)```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:(?P<end></think>)|\Z)", re.DOTALL | re.IGNORECASE)
"""One that does not end goes to the end of the text, so that a run of openings is read once; it is no thought."""


class Malformed(ValueError):
    """A text that does not validate; the message says why, in words that a model can act on."""

    text: str = ""


def schema_of(kind: type[BaseModel]) -> JsonSchema:
    """The JSON schema of a pydantic model in the strict form of endpoints: objects are closed and all fields required.

    Fields with a default are required, too, because models omit optional ones.
    """
    schema: JsonSchema = _strict(kind.model_json_schema())
    return schema


def schema_message(schema: JsonSchema) -> Message:
    """The schema as a message, for an endpoint that does not enforce it."""
    [message] = prompt("schema").messages(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
    return message


def parsed(kind: type[T], text: str) -> T:
    """The value in an answer, which may be in a code fence or among other words."""
    import pydantic

    problem = ""
    for candidate in _candidates(text):
        try:
            return kind.model_validate_json(candidate)
        except pydantic.ValidationError as error:
            problem = problem or _error_lines(error)
    raise Malformed(problem or "it contains no complete JSON object.")


def correction(answer: str, problem: str) -> list[Message]:
    """The messages to append after an invalid answer."""
    return [Message("assistant", without_control_tokens(answer) or "{}"), *prompt("correct").messages(problem=problem)]


def _candidates(text: str) -> Iterator[str]:
    """Candidates for the object, the longest first, because the first one's error is reported."""
    stripped = (
        _THOUGHT.sub(lambda thought: "" if thought["end"] else thought.group(), text)
        .strip()
        .removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    )
    found = [*dict.fromkeys([*balanced(stripped), *(part for f in _FENCE.findall(stripped) for part in balanced(f))])]
    yield from sorted(found, key=len, reverse=True)


def balanced(text: str) -> Iterator[str]:
    """The outermost {…} of a text, in order; braces within JSON strings do not count. Ends at an unclosed brace."""
    start, depth, quoted, escaped = 0, 0, False, False
    for at, char in enumerate(text):
        if depth and quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == "{":
            start = start if depth else at
            depth += 1
        elif depth and char == '"':
            quoted = True
        elif depth and char == "}":
            depth -= 1
            if not depth:
                yield text[start : at + 1]


def _error_lines(error: Any) -> str:  # a pydantic.ValidationError, not imported just for its type
    """The validation errors, one per line, without links to pydantic's documentation."""
    lines = [
        f"{'.'.join(str(step) for step in part['loc']) or 'the object'}: {part['msg']}."
        for part in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "\n".join(lines)[:_LONGEST_ERRORS_CHARACTERS]


def _strict(schema: Any) -> Any:  # JSON in, JSON out
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {
        key: {name: _strict(part) for name, part in value.items()} if key in ("properties", "$defs") else _strict(value)
        for key, value in schema.items()
        if key != "default"
    }
    if "properties" in made:
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    return made
