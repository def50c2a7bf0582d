"""Structured answers: JSON schemas of pydantic models, and lenient parsing of answers."""

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
"""Maximum characters of validation errors in a request for correction."""

_FENCE = re.compile(r"```[a-z]*+\s*+(.*?)```", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:(?P<end></think>)|\Z)", re.DOTALL | re.IGNORECASE)
"""An unclosed <think> matches to the end of the text, which keeps matching linear, and is not removed."""


class Malformed(ValueError):
    """Raised if a text does not validate. A model can act on the message."""

    text: str = ""


def schema_of(kind: type[BaseModel]) -> JsonSchema:
    """Return the JSON schema of a pydantic model in the strict form that endpoints require.

    Objects have no additional properties, and all fields are required. This includes fields with a default, because
    models would omit them.
    """
    schema: JsonSchema = _strict(kind.model_json_schema())
    return schema


def schema_message(schema: JsonSchema) -> Message:
    """Return the schema as a message, for endpoints that do not enforce schemas."""
    [message] = prompt("schema").messages(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
    return message


def parsed(kind: type[T], text: str) -> T:
    """Return the value in an answer, which may be inside a code fence or surrounded by other text."""
    import pydantic

    problem = ""
    for candidate in _candidates(text):
        try:
            return kind.model_validate_json(candidate)
        except pydantic.ValidationError as error:
            problem = problem or _error_lines(error)
    raise Malformed(problem or "it contains no complete JSON object.")


def correction(answer: str, problem: str) -> list[Message]:
    """Return the messages to append after an invalid answer to request a correction."""
    return [Message("assistant", without_control_tokens(answer) or "{}"), *prompt("correct").messages(problem=problem)]


def _candidates(text: str) -> Iterator[str]:
    """Yield possible JSON objects in a text, the longest first, because the first one's error is reported."""
    stripped = (
        _THOUGHT.sub(lambda thought: "" if thought["end"] else thought.group(), text)
        .strip()
        .removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    )
    found = [*dict.fromkeys([*balanced(stripped), *(part for f in _FENCE.findall(stripped) for part in balanced(f))])]
    yield from sorted(found, key=len, reverse=True)


def balanced(text: str) -> Iterator[str]:
    """Yield the outermost {…} of a text, in order, up to an unclosed brace. Braces in JSON strings are ignored."""
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
    """Return the validation errors, one per line, without links to pydantic's documentation."""
    lines = [
        f"{'.'.join(str(step) for step in part['loc']) or 'the object'}: {part['msg']}."
        for part in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "\n".join(lines)[:_LONGEST_ERRORS_CHARACTERS]


def _strict(schema: Any) -> Any:  # both are JSON
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
