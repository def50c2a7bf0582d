"""Example data: 994 Wikipedia passages with questions from HotpotQA, a graph of films, and instructions for agents."""

from __future__ import annotations

from pathlib import Path

from overstory.errors import SourceError

ATTRIBUTION = (
    "Demo corpus: a part of HotpotQA (Yang et al. 2018), text from Wikipedia by its contributors, "
    "under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/)."
)
"""Attribution that the licence requires wherever the demo corpus is shown."""

_PACKAGE = Path(__file__).parent


def demo_corpus() -> Path:
    """Return the folder of the demo corpus in the layout of BEIR, from the installed package or the repository."""
    return _folder("hotpotqa", "corpus.jsonl")


def movie_graph() -> Path:
    """Return the folder with the files nodes.csv and edges.csv of the example graph of films and people."""
    return _folder("movies", "nodes.csv")


def agent_skill() -> Path:
    """Return the path of the file with instructions for agents that use the tools of `overstory mcp`."""
    return _folder("skills/overstory", "SKILL.md") / "SKILL.md"


def _folder(name: str, file: str) -> Path:
    for examples in (_PACKAGE / "_examples", _PACKAGE.parents[1] / "examples"):
        folder = examples / name
        if (folder / file).is_file():
            return folder
    raise SourceError(
        f"{name}/{file} is neither in {_PACKAGE / '_examples'} nor in the repository.",
        remedy="Reinstall Overstory; the examples are part of it.",
    )
