from __future__ import annotations

import subprocess
import sys

import pytest

LAST = "import pandas, pyarrow; print(bool(pandas.DataFrame), bool(pyarrow.table))"


def printed(script: str) -> list[str]:
    """By a process of its own: a module that is imported here stays."""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_the_driver_is_imported_without_pandas_which_can_be_imported_afterwards() -> None:
    pytest.importorskip("pandas")
    script = (
        "import sys; from overstory.graph.driver import import_driver_alone; import_driver_alone(); "
        f"print('neo4j' in sys.modules, {{'pandas', 'pyarrow'}} & set(sys.modules) or 'alone'); {LAST}"
    )
    assert printed(script) == ["True", "alone", "True", "True"]


def test_pandas_that_is_there_stays_there() -> None:
    pytest.importorskip("pandas")
    script = (
        "import pandas, sys; from overstory.graph.driver import import_driver_alone; import_driver_alone(); "
        "from neo4j._optional_deps import pd; print(pd is pandas, sys.modules['pandas'] is pandas)"
    )
    assert printed(script) == ["True", "True"]


def test_a_command_imports_the_driver_without_pandas() -> None:
    script = (
        "import sys; from overstory_cli.main import run; "
        "code = run(['search', '', '--corpus', 'x']); print(code, 'neo4j' in sys.modules, 'pandas' in sys.modules)"
    )
    assert printed(script) == ["10", "True", "False"]
