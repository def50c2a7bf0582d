from __future__ import annotations

import pytest
from scripts import write_cli_docs


def test_the_page_of_commands_says_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    code = write_cli_docs.main(["--check"])
    assert code == 0, capsys.readouterr().out
