"""The demo corpus that comes with Overstory: 994 passages of Wikipedia with questions, from HotpotQA."""

from __future__ import annotations

from pathlib import Path

from overstory.errors import SourceError

ATTRIBUTION = (
    "Demo corpus: a part of HotpotQA (Yang et al. 2018), text from Wikipedia by its contributors, "
    "under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/)."
)
"""Must be shown together with the corpus, as its licence requires."""

_PACKAGE = Path(__file__).parent


def demo_corpus() -> Path:
    """The folder of the demo corpus, in BEIR's layout: in the installed package, otherwise in the repository.

    Raises:
        SourceError: it is in neither.
    """
    for examples in (_PACKAGE / "_examples", _PACKAGE.parents[1] / "examples"):
        folder = examples / "hotpotqa"
        if (folder / "corpus.jsonl").is_file():
            return folder
    raise SourceError(
        f"the demo corpus is neither in {_PACKAGE / '_examples'} nor in the repository",
        remedy="Reinstall Overstory; the demo corpus is part of it.",
    )
