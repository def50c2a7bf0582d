"""The names of projections say whose they are."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import psutil
import pytest

from overstory.graph.gds import Projection
from overstory.graph.lease import this_host

LABEL = "Corpus_0123456789abcdef"


def test_a_name_leads_back_to_the_projection_whatever_a_host_or_a_stage_is_called() -> None:
    made = replace(Projection.of_this_process(LABEL, "find/paths 100 %"), host="ann's/1/pid:[40]")
    assert Projection.named(made.name) == made
    assert made.name.startswith(f"overstory/{LABEL}/")
    assert not set(made.name) & set(" []%") - {"%"}


def test_two_projections_of_one_process_have_two_names() -> None:
    one, two = Projection.of_this_process(LABEL, "leiden"), Projection.of_this_process(LABEL, "leiden")
    assert one.name != two.name
    assert one.is_of_the_same_process(two)
    assert (one.host, one.pid) == (this_host(), os.getpid())


@pytest.mark.parametrize("name", ["mine", "overstory-1234", "overstory/a/b/c/d/e/f", "theirs/a/b/c/1/2.0/f"])
def test_the_projections_of_others_are_not_ours(name: str) -> None:
    assert Projection.named(name) is None


def test_a_projection_is_abandoned_when_its_process_is_gone_from_this_machine() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    started = psutil.Process(process.pid).create_time()
    process.wait()
    here = Projection.of_this_process(LABEL, "leiden")
    gone = replace(here, pid=process.pid, started=started)
    assert gone.is_abandoned
    assert not here.is_abandoned
    assert not replace(gone, host="elsewhere").is_abandoned
