"""spaCy, imported without its command line.

`import spacy` imports the functions of its command line for one of them, `spacy.info`; with what downloads, prints and
checks projects there they are 40 % of the import.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

COMMAND_LINE = "spacy.cli"


def import_spacy() -> None:
    """Imports spaCy. `spacy.info` and `spacy.cli` are imported when somebody uses them."""
    if "spacy" in sys.modules or COMMAND_LINE in sys.modules:
        return
    package, info = ModuleType(COMMAND_LINE), ModuleType(f"{COMMAND_LINE}.info")
    package.__path__ = []
    info.info = _info  # type: ignore[attr-defined]
    stand_ins = {module.__name__: module for module in (package, info)}
    sys.modules.update(stand_ins)
    try:
        spacy = importlib.import_module("spacy")
    finally:
        for name in stand_ins:
            sys.modules.pop(name, None)
    if spacy.__dict__.get("cli") is package:
        delattr(spacy, "cli")  # or it would hide the real one


def _info(*arguments: Any, **options: Any) -> Any:  # spaCy's own
    return importlib.import_module(f"{COMMAND_LINE}.info").info(*arguments, **options)
