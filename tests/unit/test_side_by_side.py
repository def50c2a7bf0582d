"""`make test` runs its parts side by side: all output is shown, and no failure is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "side_by_side.py"


def side_by_side(*commands: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *commands], capture_output=True, text=True, check=False)


def test_commands_run_at_the_same_time_and_each_line_says_whose_it_is(tmp_path: Path) -> None:
    ran = side_by_side(
        f"one: until test -e {tmp_path}/there; do sleep 0.01; done; echo found",
        f"other: touch {tmp_path}/there; echo put >&2",
    )
    assert ran.returncode == 0
    assert {"one   | found", "other | put"} <= set(ran.stdout.splitlines())


def test_commands_run_one_after_another(tmp_path: Path) -> None:
    ran = side_by_side("--in-turn", f"one: sleep 0.3; touch {tmp_path}/there", f"other: test -e {tmp_path}/there")
    assert ran.returncode == 0


@pytest.mark.parametrize("commands", [("bad: exit 3", "good: true"), ("good: true", "bad: exit 3")])
def test_a_failure_of_either_is_one_of_all_and_the_other_goes_on_to_its_end(commands: tuple[str, str]) -> None:
    ran = side_by_side(*commands)
    assert ran.returncode == 1
    assert "bad  | FAILED with 3" in ran.stdout
    assert "good | done" in ran.stdout


def test_the_last_lines_of_a_failure_are_said_again_at_the_end() -> None:
    ran = side_by_side("bad: echo this went wrong; exit 3", "good: sleep 1; echo the other said much")
    assert ran.stdout.splitlines()[-2] == "bad  | this went wrong"
    assert ran.stdout.splitlines()[-1].startswith("bad  | FAILED with 3")


def test_programs_may_be_interrupted() -> None:
    program = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    ignoring = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a job that a shell or a CI runs in the background
    try:
        assert "it | True" in side_by_side(f'it: {sys.executable} -c "{program}"').stdout
    finally:
        signal.signal(signal.SIGINT, ignoring)
