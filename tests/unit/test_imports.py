from __future__ import annotations

import subprocess
import sys

import pytest

import overstory
from overstory.knowledge import Knowledge

PUBLIC = [
    "Annotation",
    "Answer",
    "Citation",
    "Community",
    "CommunityReports",
    "CommunityTree",
    "Conversation",
    "CorpusSize",
    "CorpusStatus",
    "Document",
    "EntityPath",
    "EntityPaths",
    "Evidence",
    "ExportReport",
    "FullReport",
    "Heading",
    "Hit",
    "HitStatement",
    "IndexReport",
    "Knowledge",
    "Link",
    "LoadReport",
    "OverstoryError",
    "Part",
    "PathStep",
    "ReadOptions",
    "Reason",
    "Settings",
    "SeveralCorpora",
    "Step",
    "StoredDocument",
]
HEAVY = [
    *("neo4j", "numpy", "rich", "spacy", "onnxruntime", "tokenizers", "numba", "pandas"),
    *("langchain_core", "llama_index", "graphdatascience", "httpx", "jgo", "openai", "pydantic", "xllamacpp"),
]


def test_importing_overstory_loads_no_driver_and_no_model() -> None:
    script = f"import sys, overstory; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_opening_a_corpus_loads_no_langchain_and_no_model() -> None:
    script = (
        "import sys, overstory; overstory.Knowledge('notes'); "
        "print({'langchain_core', 'spacy', 'onnxruntime'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_help_and_a_wrong_use_load_no_driver_and_no_model() -> None:
    commands = "from overstory_cli.main import run; run(['--help']); run(['search', '--help']); run(['search'])"
    script = f"import sys; {commands}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_help_imports_no_command() -> None:
    commands = "from overstory_cli.main import run; run(['--help'])"
    script = f"import sys; {commands}; print(sorted(m for m in sys.modules if m.startswith('overstory_cli.')))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "['overstory_cli.main']"


def test_what_stops_an_idle_server_loads_no_driver_and_no_model() -> None:
    script = f"import sys, overstory.server.watchdog; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_language_models_are_loaded_when_one_is_used() -> None:
    script = f"import sys, overstory.llm; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_these_are_the_public_names() -> None:
    assert overstory.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(overstory))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_there_when_it_is_used(name: str) -> None:
    assert getattr(overstory, name).__name__ == name


def test_a_name_is_the_thing_of_its_module() -> None:
    assert overstory.Knowledge is Knowledge


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = overstory.nonsense  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
