"""Files that crash their reader, or need too much: each is broken, and the next one is read."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.sources import write, zip_of

from overstory.cancellation import Cancellation, WorkCancelled, cancellable
from overstory.errors import BrokenSource
from overstory.model import Document, Loaded
from overstory.protocols import Loader, OnBroken
from overstory.sources.encodings import DecodedFile
from overstory.sources.loader_runner import LoaderRunner
from overstory.sources.reading_process import _SENT_EVENTS, ReadingLimits, ReadingProcess
from overstory_loaders import ArchiveLoader, TextLoader

LIMITS = ReadingLimits(memory_gigabytes=0.25, seconds=1, seconds_a_megabyte=0)
PATIENCE_SECONDS = 60.0


Running = Callable[[], list[psutil.Process]]
"""The workers of a test that still run."""


@pytest.fixture
def running() -> Running:
    def workers() -> list[psutil.Process]:
        return [each for each in psutil.Process().children() if "reading_process" in " ".join(each.cmdline())]

    others = workers()  # the one that other tests share
    return lambda: [each for each in workers() if each not in others]


class Obedient:
    """Does in the worker what a file says."""

    name = "obedient"
    isolated = True

    def recognises(self, source: str) -> bool:
        return source.endswith(".obey")

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document]:
        order, _, argument = Path(source).read_text().partition(" ")
        yield Document(source, "", f"pid {os.getpid()}")
        if order == "kill":
            os.kill(os.getpid(), int(argument))
        elif order == "exit":
            os._exit(int(argument))
        elif order == "hoard":
            with suppress(BrokenSource):  # as loaders that report each broken page
                _hoard(source, on_broken)
        elif order == "overflow":
            ctypes.string_at(0)
        elif order == "compute":
            while True:
                pass
        elif order == "wait":
            write(Path(argument), str(os.getpid()))
            time.sleep(PATIENCE_SECONDS)
        elif order == "print":
            sys.stdout.write("printed\n")
            os.write(1, b"printed, too\n")
        elif order == "keep":
            write(Path(tempfile.mkdtemp()) / "kept", "x")
            os.kill(os.getpid(), signal.SIGKILL)
        elif order == "modules":
            yield Document(source, "", " ".join(sorted(sys.modules)))
        elif order == "many":
            for number in range(int(argument)):
                if number % 3:
                    yield Document(source, str(number), "text")
                else:
                    on_broken(BrokenSource(f"number {number}", source=source, line=number, remedy="r", hides=False))


def _hoard(source: str, on_broken: OnBroken) -> None:
    kept: list[bytes] = []
    try:
        while True:
            kept.append(bytes(2**24))
    except Exception as error:  # noqa: BLE001 # as loaders do
        kept.clear()
        on_broken(BrokenSource(f"page 3 cannot be read: {error}", source=source))


class Heard:
    """The reports of a run, in order."""

    def __init__(self, process: ReadingProcess | None) -> None:
        self.all: list[Loaded | BrokenSource | DecodedFile | str] = []
        self.loading = LoaderRunner(
            self.all.append, self.all.append, self.all.append, encoding="latin-1", process=process
        )

    def read(self, path: Path, loader: Loader) -> list[Loaded | BrokenSource | DecodedFile | str]:
        self.all.clear()
        for item in self.loading.items(str(path), loader):
            self.all.append(item)
        return self.all


def ordered(folder: Path, order: str) -> Path:
    return write(folder / f"{order.split()[0]}.obey", order)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("kill 9", "its reader process was killed, probably because this machine ran out of memory"),
        pytest.param(
            "kill 6",
            "its reader process crashed (SIGABRT); it may need more than 0.25 GB of memory",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "overflow",
            "its reader process crashed (SIGSEGV); it may need more than 0.25 GB of memory",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "exit 3",
            "its reader process crashed (exit status 3); it may need more than 0.25 GB of memory",
            marks=pytest.mark.slow,
        ),
        ("hoard", "needs more than 0.25 GB of memory to be read"),
        pytest.param("compute", "takes longer than 1 s of processor time to read", marks=pytest.mark.slow),
    ],
)
def test_a_file_that_its_reader_does_not_survive_is_broken_and_the_next_is_read(
    order: str, reason: str, tmp_path: Path, running: Running
) -> None:
    with ReadingProcess(LIMITS) as process:
        heard = Heard(process)
        path = ordered(tmp_path, order)
        *_, error = heard.read(path, Obedient())
        assert isinstance(error, BrokenSource)
        assert (error.reason, error.source) == (reason, str(path))
        assert error.remedy
        (item,) = heard.read(ordered(tmp_path, "nothing"), Obedient())
        assert isinstance(item, Document)
    assert running() == []


def test_items_and_reports_come_in_order_whatever_the_number(tmp_path: Path) -> None:
    number = 2 * _SENT_EVENTS + 50
    with ReadingProcess() as process:
        _, *found = Heard(process).read(ordered(tmp_path, f"many {number}"), Obedient())
    keys = [each.line if isinstance(each, BrokenSource) else int(getattr(each, "source_key", -1)) for each in found]
    assert keys == list(range(number))
    first = found[0]
    assert isinstance(first, BrokenSource)
    assert (first.reason, first.line, first.remedy, first.hides) == ("number 0", 0, "r", False)


def test_many_files_have_one_worker_and_what_is_printed_in_it_disturbs_nobody(tmp_path: Path, running: Running) -> None:
    with ReadingProcess() as process:
        heard = Heard(process)
        orders = [ordered(tmp_path, "print") for _ in range(3)]
        found = [tuple(str(item) for item in heard.read(path, Obedient())) for path in orders]
        assert len(set(found)) == 1
        (worker,) = running()
        assert worker.pid != os.getpid()
    assert running() == []


@pytest.mark.slow
def test_the_file_after_is_begun_early(tmp_path: Path) -> None:
    first, mark = ordered(tmp_path, "nothing"), tmp_path / "mark"
    second = write(tmp_path / "second.obey", f"wait {mark}")
    with ReadingProcess() as process:
        assert len(list(items_of(process, first, second))) == 1
        wait_for(mark.exists)
        third = Heard(process).read(ordered(tmp_path, "nothing"), Obedient())  # another one than was expected
        assert len(third) == 1


def test_what_a_run_does_not_read_to_its_end_leaves_no_process(tmp_path: Path, running: Running) -> None:
    with ReadingProcess() as process:
        items = items_of(process, ordered(tmp_path, "many 100000"))
        next(items)
        assert len(running()) == 1
        items.close()  # type: ignore[attr-defined] # a generator
        assert running() == []


def test_a_job_that_is_cancelled_ends_the_reading_of_its_file(tmp_path: Path, running: Running) -> None:
    mark = tmp_path / "mark"
    cancellation = Cancellation()

    def cancel() -> None:
        wait_for(mark.exists)
        cancellation.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with ReadingProcess() as process, cancellable(cancellation), pytest.raises(WorkCancelled):
        Heard(process).read(ordered(tmp_path, f"wait {mark}"), Obedient())
    canceller.join()
    assert running() == []


@pytest.mark.parametrize("faulty", [True, False])
def test_a_job_that_is_cancelled_ends_loaders_that_run_in_its_process(faulty: bool, tmp_path: Path) -> None:
    cancellation = Cancellation()
    heard = 0

    class Endless(TextLoader):
        def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document]:
            while True:
                if faulty:
                    on_broken(BrokenSource("bad", source=source))
                else:
                    yield Document(source, "", "text")

    def hear(_: object) -> None:
        nonlocal heard
        heard += 1
        if heard == 3:
            cancellation.cancel()

    items = LoaderRunner(hear, hear, hear, encoding="").items(str(write(tmp_path / "a.txt", "x")), Endless())
    with cancellable(cancellation), pytest.raises(WorkCancelled):
        deque(map(hear, items))
    assert heard == 3


@pytest.mark.slow
def test_when_the_parent_is_killed_the_worker_ends_even_while_it_reads(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    path = ordered(tmp_path, f"wait {mark}")
    code = f"from {__name__} import Heard, Obedient, Path, ReadingProcess; "
    code += f"Heard(ReadingProcess()).read(Path({str(path)!r}), Obedient())"
    with subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[3], env=environment()) as parent:
        wait_for(lambda: mark.exists() and bool(mark.read_text()))
        parent.kill()
    wait_for(lambda: not psutil.pid_exists(int(mark.read_text())))


def test_temporary_files_of_a_worker_that_is_killed_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with ReadingProcess() as process:
        Heard(process).read(ordered(tmp_path, "keep"), Obedient())
    assert list(folder.iterdir()) == []


def test_a_worker_loads_no_model_and_no_driver(tmp_path: Path) -> None:
    with ReadingProcess() as process:
        _, item = Heard(process).read(ordered(tmp_path, "modules"), Obedient())
    assert isinstance(item, Document)
    assert {"spacy", "torch", "onnxruntime", "neo4j"} & set(item.text.split()) == set()


def test_loaders_of_plain_text_start_no_worker(tmp_path: Path, running: Running) -> None:
    with ReadingProcess() as process:
        (item,) = Heard(process).read(write(tmp_path / "a.txt", "text"), TextLoader())
        assert isinstance(item, Document)
        assert running() == []


def test_files_of_an_archive_are_reported_by_their_addresses(tmp_path: Path) -> None:
    files = {"a.txt": b"First.", "b.html": b"<p>\xe9", "in.zip": b"PK\3\4\0", "c.xyz": b"\0", "d.md": b"D"}
    path = write(tmp_path / "a.zip", zip_of(files))
    with ReadingProcess() as process:
        found = Heard(process).read(path, ArchiveLoader())
    texts = [item.text for item in found if isinstance(item, Document)]
    assert texts == ["First.", "é", "D"]
    assert [item.path for item in found if isinstance(item, DecodedFile)] == [f"{path}/b.html"]
    assert [item.split(" ")[0] for item in found if isinstance(item, str)] == [f"{path}/c.xyz", f"{path}/in.zip"]


def items_of(process: ReadingProcess, path: Path, following: Path | None = None) -> Iterator[Loaded]:
    """The items of a file, without its reports."""
    then = None if following is None else (str(following), Obedient())
    return process.items(
        str(path),
        Obedient(),
        within=(),
        encoding="",
        on_broken=print,
        on_skipped=print,
        on_decoded=print,
        following=then,
    )


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)
