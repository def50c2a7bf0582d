from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load, write

from overstory_loaders import SettingsLoader

LONG = "".join(f"    key{number}: {'word ' * 20}\n" for number in range(30))

YAML = f"""# Why this is here
name: "Salt works"  # a comment
version: 2
services: &all
  sea:
{LONG}  "rock salt": # below
    price: 3
  after: 1
steps:
  - name: short
  - run: {"x" * 300}
text: |
  like: this
last: 1
"""

TOML = """title = "Salt works"
[project]
name = "salt"
[project.urls]  # a table
home = "x"
[[package]]
name = "a"
[[package]]
name = "b"
[[other]]
"""


@pytest.mark.parametrize(
    ("name", "content", "headings"),
    [
        (
            "a.yaml",
            YAML,
            [
                (1, "name"),
                (1, "services"),
                (2, "sea"),
                (3, "key0"),
                (2, "rock salt"),
                (2, "after"),
                (1, "steps"),
                (1, "text"),
                (1, "last"),
            ],
        ),
        ("a.toml", TOML, [(1, "project"), (1, "project.urls"), (1, "package"), (1, "other")]),
    ],
)
def test_files_stay_as_written_and_their_keys_are_headings(
    tmp_path: Path, name: str, content: str, headings: list[tuple[int, str]]
) -> None:
    document = load(SettingsLoader(), write(tmp_path / name, content)).document
    assert document.text == content.strip()
    assert document.title == "Salt works"
    assert [(heading.level, heading.text) for heading in document.headings] == headings
    starts = [heading.start for heading in document.headings]
    assert starts == sorted(starts)
    for heading in document.headings:
        assert document.text[heading.start :].lstrip("[\"'").startswith(heading.text)


def test_long_items_of_long_lists_are_headings_with_what_they_are(tmp_path: Path) -> None:
    items = "".join(f"- name: part {number}\n  does: {'x ' * 200}\n" for number in range(3))
    document = load(SettingsLoader(), write(tmp_path / "a.yml", f"{items}- name: short\n")).document
    assert [heading.text for heading in document.headings] == [f"name: part {number}" for number in range(3)]
    assert document.title == "a"
