"""Descriptions of the tools; skill and page name the same tools."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from overstory.examples import agent_skill
from overstory_service.mcp.server import listed_tool
from overstory_service.mcp.tools import TOOLS, AgentTool

ROOT = Path(__file__).parents[4]
NAMES = set(TOOLS)
WRITING = {"store_text", "delete_document", "index", "job"}
LONGEST_DESCRIPTION = 300
"""Characters of what an agent reads of a tool in each of its conversations."""


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_has_schemas_that_say_what_it_takes_and_gives(tool: AgentTool) -> None:
    listed = listed_tool(tool.name)
    assert listed.output_schema is not None
    for schema in (listed.input_schema, listed.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    assert {"notice", "corpus"} < set(properties(listed.output_schema))
    assert not set(properties(listed.output_schema)) & set(tool.without)
    assert len(tool.description) <= LONGEST_DESCRIPTION
    for each in listed.input_schema["properties"].values():  # neither texts nor lists are endless
        kinds = each.get("anyOf", [each])
        assert all({"maxLength", "pattern", "enum"} & set(kind) for kind in kinds if kind.get("type") == "string")
        assert all("maxItems" in kind for kind in kinds if kind.get("type") == "array")
        assert all("maximum" in kind for kind in kinds if kind.get("type") in ("integer", "number"))


def properties(schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a result, at all depths."""
    found = dict(schema["properties"])
    for each in schema.get("$defs", {}).values():
        found |= each.get("properties", {})
    return found


def test_what_only_reads_says_so() -> None:
    assert {name for name, tool in TOOLS.items() if tool.rights == "write"} == WRITING
    reading = {name for name, tool in TOOLS.items() if tool.annotations.read_only_hint}
    assert reading == (NAMES - WRITING) | {"job"}


def test_the_skill_names_the_tools_that_there_are() -> None:
    text = agent_skill().read_text(encoding="utf-8")
    head, _, body = text.partition("\n---\n")
    described = re.search(r"\((ask, .*?)\)", head)
    assert described is not None
    assert described[1].split(", ") == [name for name in TOOLS if name not in WRITING]
    assert head.startswith("---\nname: overstory\ndescription: ")
    arguments = {name for tool in TOOLS.values() for name in tool.arguments.model_fields}
    results = {name for tool in TOOLS for name in properties(listed_tool(tool).output_schema or {})}
    named = set(re.findall(r"`([a-z_]+)`", body))
    assert named >= NAMES
    assert named <= NAMES | arguments | results


def test_the_page_has_a_row_for_each_tool_with_its_arguments() -> None:
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", page, re.MULTILINE))
    assert set(rows) == NAMES
    for tool in TOOLS.values():
        assert set(re.findall(r"`([a-z_]+)`", rows[tool.name])) == set(tool.arguments.model_fields), tool.name
