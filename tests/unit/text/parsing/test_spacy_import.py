from __future__ import annotations

import subprocess
import sys


def printed(script: str) -> list[str]:
    """By a process of its own: spaCy is imported once in a process."""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


IMPORT = "import sys; from overstory.text.parsing.pipelines import import_spacy; import_spacy(); import spacy; "


def test_spacy_is_imported_without_its_command_line() -> None:
    assert printed(IMPORT + "print(spacy.__version__ > '3', {'typer', 'weasel'} & set(sys.modules) or 'alone')") == [
        "True",
        "alone",
    ]


def test_the_command_line_of_spacy_can_be_used_afterwards() -> None:
    script = (
        IMPORT + "print(spacy.info(silent=True)['spacy_version'] == spacy.__version__); "
        "import spacy.cli; print(spacy.cli.download.__module__, spacy.cli is sys.modules['spacy.cli'])"
    )
    assert printed(script) == ["True", "spacy.cli.download", "True"]


def test_spacy_that_is_there_stays_as_it_is() -> None:
    script = "import spacy; before = spacy.cli; " + IMPORT + "print(spacy.cli is before)"
    assert printed(script) == ["True"]
