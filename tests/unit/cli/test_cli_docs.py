from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_page_of_commands_says_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(ROOT / "scripts" / "write_cli_docs.py"))["main"]
    code = main(["--check"])
    assert code == 0, capsys.readouterr().out
