"""Jobs: uploads and indexing that outlive the request, the client and the process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from tests.commands import environment
from tests.hostile import SELF_DRAWING
from tests.kills import open_killable
from tests.passages import OpenCorpus
from tests.serving import Running, serving

from overstory.graph import create_corpus, writing
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory.progress import Step
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory_service.jobs.runner import report_of, work_on
from overstory_service.jobs.store import JobStore, ServiceJob
from overstory_service.jobs.uploads import Uploads

PATIENCE_SECONDS = 90.0
METADATA = {"year": 1880, "read": "2024-02-01", "days": ["2024-02-01"], "author": None}
"""As JSON has it."""
TEXT = b"# Dracula\n\nBram Stoker was an Irish author, born in Dublin. He wrote the novel Dracula.\n"


def ignored(_file: str) -> None:
    """Called with each file before it is read."""


def upload(client: httpx.Client, corpus: str, files: dict[str, bytes], **fields: str) -> httpx.Response:
    sent = [("files", (name, content)) for name, content in files.items()]
    return client.post(f"/v1/corpora/{corpus}/files", files=sent, data=fields)


def ended(client: httpx.Client, job: str) -> dict[str, object]:
    """The job when it has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    found: dict[str, object] = {}
    while time.monotonic() < end:
        found = client.get(f"/v1/jobs/{job}").json()
        if found["state"] in ("done", "failed", "cancelled"):
            return found
        time.sleep(0.1)
    raise AssertionError(f"the job does not end: {found}")


@pytest.mark.slow
def test_uploaded_files_are_found_and_lie_nowhere_afterwards(
    service: Running, client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    corpus = open_corpus().corpus_name
    queued = upload(client, corpus, {"dracula.md": TEXT, "films/nosferatu.txt": b"Nosferatu is a silent film."})
    assert queued.status_code == HTTPStatus.ACCEPTED
    job = ended(client, queued.json()["id"])
    assert (job["state"], job["token"]) == ("done", "")
    assert job["result"]["loaded"]["added"] == 2  # type: ignore[index] # JSON
    documents = client.get(f"/v1/corpora/{corpus}/documents").json()["documents"]
    assert [each["source"] for each in documents] == ["dracula.md", "films/nosferatu.txt"]
    assert {each["metadata"]["folder"] for each in documents} == {".", "films"}
    found = client.post(f"/v1/corpora/{corpus}/search", json={"question": "Who wrote Dracula?", "k": 1}).json()
    assert found["hits"][0]["source"] == "dracula.md"
    uploads = service.application.state.host.uploads
    assert uploads.jobs() == []
    again = ended(client, upload(client, corpus, {"dracula.md": TEXT + b"\nMore.\n"}).json()["id"])
    assert (again["result"]["loaded"]["changed"], again["result"]["loaded"]["added"]) == (1, 0)  # type: ignore[index]


def test_events_tell_how_far_a_job_is(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    job = upload(client, open_corpus().corpus_name, {"dracula.md": TEXT}).json()["id"]
    kinds, states = [], []
    with client.stream("GET", f"/v1/jobs/{job}/events") as events:
        for line in events.iter_lines():
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
            if line.startswith("data: ") and kinds[-1] == "job":
                states.append(json.loads(line.removeprefix("data: "))["state"])
    assert kinds[-1] == "end"
    assert states[-1] == "done"


@pytest.mark.parametrize(
    ("files", "fields", "status"),
    [
        ({"../x.md": TEXT}, {}, 400),
        ({"/etc/x.md": TEXT}, {}, 400),
        ({".env": TEXT}, {}, 400),
        ({"x.md": TEXT}, {"metadata": "["}, 400),
        ({"x.md": TEXT}, {"metadata": '{"page": {"a": 1}}'}, 400),
        ({"x.md": TEXT}, {"index": "perhaps"}, 400),
        ({"x.md": TEXT}, {"metadata": '{"a": NaN}'}, 400),
        ({"x.md": TEXT}, {"metadta": "{}"}, 422),
        ({"x": TEXT, "x/y.md": TEXT}, {}, 400),
        ({"x/y.md": TEXT, "x": TEXT}, {}, 400),
        ({}, {"index": "true"}, 400),
        ({"x.md": b"x" * 1_100_000}, {}, 413),
    ],
)
def test_uploads_that_are_refused_leave_nothing(
    service: Running, client: httpx.Client, files: dict[str, bytes], fields: dict[str, str], status: int
) -> None:
    assert upload(client, "no such corpus", files, **fields).status_code == status
    assert service.application.state.host.uploads.jobs() == []
    assert client.get("/v1/corpora/no such corpus/entities").status_code == HTTPStatus.NOT_FOUND


def test_files_that_cannot_be_read_are_named_without_the_place_on_the_server(
    client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    files = {"good.md": TEXT, "broken.pdf": b"%PDF-1.4 no", "photo.xyz": b"\x00\x01"}
    job = ended(client, upload(client, open_corpus().corpus_name, files).json()["id"])
    loaded = job["result"]["loaded"]  # type: ignore[index] # JSON
    assert (loaded["added"], loaded["broken_count"], loaded["skipped_count"]) == (1, 1, 1)
    assert loaded["broken"][0].startswith("broken.pdf")
    nothing = ended(client, upload(client, open_corpus().corpus_name, {"photo.xyz": b"\x00\x01"}).json()["id"])
    assert "the folder: contains nothing" in json.dumps(nothing)
    assert "uploads" not in json.dumps(nothing)
    assert "uploads" not in json.dumps(job)


@pytest.mark.slow
def test_a_file_that_would_take_all_memory_is_an_ordinary_broken_file(
    client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    files = {"bomb.pdf": SELF_DRAWING, "good.md": TEXT}
    job = ended(client, upload(client, open_corpus().corpus_name, files, index="false").json()["id"])
    loaded = job["result"]["loaded"]  # type: ignore[index] # JSON
    assert (loaded["added"], loaded["broken_count"]) == (1, 1)
    assert loaded["broken"][0].startswith("bomb.pdf: its reader process crashed")


def test_uploads_are_read_in_the_encoding_of_the_request(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    corpus = open_corpus().corpus_name
    files = {"good.md": TEXT, "koeln.txt": "Köln liegt am Rhein.".encode("windows-1252")}
    refused = ended(client, upload(client, corpus, files, index="false").json()["id"])
    assert "is not UTF-8" in refused["result"]["loaded"]["broken"][0]  # type: ignore[index] # JSON
    asked = upload(client, corpus, files, index="false", encoding="windows-1252")
    loaded = ended(client, asked.json()["id"])["result"]["loaded"]  # type: ignore[index] # JSON
    assert (loaded["added"], loaded["decoded"]) == (1, ["koeln.txt: windows-1252"])
    unknown = upload(client, corpus, files, encoding="klingon")
    assert unknown.status_code == HTTPStatus.BAD_REQUEST
    assert "klingon" in unknown.text


def test_uploads_have_metadata_as_json_has_them(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    queued = upload(client, knowledge.corpus_name, {"a.md": TEXT}, metadata=json.dumps(METADATA), index="false")
    assert ended(client, queued.json()["id"])["state"] == "done"
    (found,) = knowledge.documents(where="year = 1880 and read > 2024-01-01")
    assert found.metadata["days"] == [datetime(2024, 2, 1, tzinfo=UTC)]
    assert "author" not in found.metadata
    assert client.post(f"/v1/corpora/{knowledge.corpus_name}/index").status_code == HTTPStatus.ACCEPTED


def test_a_folder_of_the_server_is_synced_if_it_is_allowed(
    service: Running, client: httpx.Client, open_corpus: OpenCorpus
) -> None:
    corpus = open_corpus().corpus_name
    folder = Path(service.application.state.host.settings.folders[0])
    (folder / "a.md").write_bytes(TEXT)
    (folder / "b.md").write_text("Nosferatu is a silent film.")
    place = f"/v1/corpora/{corpus}/sync"
    job = ended(client, client.post(place, json={"folder": str(folder), "index": False}).json()["id"])
    assert job["result"]["loaded"]["added"] == 2  # type: ignore[index] # JSON
    (folder / "b.md").unlink()
    job = ended(client, client.post(place, json={"folder": str(folder), "index": False}).json()["id"])
    assert job["result"]["loaded"]["removed"] == 1  # type: ignore[index] # JSON
    (folder / "c.txt").write_bytes("Köln".encode("cp1252"))
    options = {"exclude": ["a.*"], "encoding": "windows-1252", "index": False}
    job = ended(client, client.post(place, json={"folder": str(folder), **options}).json()["id"])
    loaded = job["result"]["loaded"]  # type: ignore[index] # JSON
    assert (loaded["added"], loaded["removed"], loaded["excluded"]) == (1, 0, 1)
    assert loaded["decoded"] == [f"{folder.name}/c.txt: windows-1252"]
    (folder / "c.txt").write_bytes("Köln.".encode("cp1252"))
    ended(client, client.post(place, json={"folder": str(folder), "index": False}).json()["id"])
    failed = client.get(f"/v1/corpora/{corpus}/failed").json()
    assert (failed["count"], failed["failed"][0]["source"]) == (1, f"{folder}/c.txt")
    refused = client.post(place, json={"folder": str(folder), "include": ["# no"]})
    assert refused.status_code == HTTPStatus.BAD_REQUEST
    (folder / "out").symlink_to("/etc")
    (folder / "out.txt").symlink_to("/etc/passwd")
    job = ended(client, client.post(place, json={"folder": str(folder), "index": False}).json()["id"])
    assert job["result"]["loaded"]["skipped"] == [  # type: ignore[index] # JSON
        f"{folder.name}/out (points outside the folders that may be read)",
        f"{folder.name}/out.txt (points outside the folders that may be read)",
    ]
    for other in ("/etc", str(folder / ".."), str(folder / "out"), "relative", str(folder / "missing"), "\0"):
        assert client.post(place, json={"folder": other}).status_code == HTTPStatus.FORBIDDEN, other


def test_a_job_waits_for_whoever_writes(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    corpus = create_corpus(knowledge.graph, knowledge.corpus_name)
    with writing(knowledge.graph, corpus, "something else"):
        job = upload(client, knowledge.corpus_name, {"dracula.md": TEXT}, index="false").json()["id"]
        end = time.monotonic() + PATIENCE_SECONDS
        while not (found := client.get(f"/v1/jobs/{job}").json())["waits"]:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert "something else" in found["waits"]
    assert ended(client, job)["state"] == "done"


@pytest.mark.slow
def test_a_cancelled_job_ends_and_another_of_the_corpus_goes_on(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    corpus = open_corpus().corpus_name
    many = {f"{number}.md": f"Text {number} of Bram Stoker in Dublin.".encode() for number in range(400)}
    first = upload(client, corpus, many).json()["id"]
    second = upload(client, corpus, {"dracula.md": TEXT}).json()["id"]
    assert client.delete(f"/v1/jobs/{first}").status_code == HTTPStatus.OK
    assert ended(client, first)["state"] == "cancelled"
    assert ended(client, second)["state"] == "done"
    assert client.delete(f"/v1/jobs/{second}").json()["state"] == "done"
    listed = client.get("/v1/jobs", params={"corpus": corpus}).json()["jobs"]
    assert [each["id"] for each in listed[:2]] == [second, first]
    assert client.get(f"/v1/jobs/{'0' * 32}").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.slow
def test_a_service_that_stops_gives_its_job_to_the_next(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path: Path, open_corpus: OpenCorpus
) -> None:
    corpus = open_corpus().corpus_name
    many = {f"{number}.md": f"Text {number} of Bram Stoker in Dublin.".encode() for number in range(300)}
    with serving(settings, models, tmp_path) as running, running.client() as client:
        job = upload(client, corpus, many).json()["id"]
        end = time.monotonic() + PATIENCE_SECONDS
        while not client.get(f"/v1/jobs/{job}").json()["loaded"].get("added"):
            assert time.monotonic() < end
            time.sleep(0.05)
    with serving(settings, models, tmp_path) as running, running.client() as client:
        found = ended(client, job)
        assert found["state"] == "done"
        assert isinstance(found["result"], dict)
        loaded = found["result"]["loaded"]  # by both
        assert (loaded["added"], loaded["unchanged"], loaded["chunks"]) == (300, 0, 300)
        assert client.get(f"/v1/corpora/{corpus}", params={"sizes": True}).json()["counts"]["documents"] == 300


def test_a_job_whose_process_is_gone_is_taken_by_another_and_given_up_in_the_end(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    place = f"test {knowledge.corpus_name}"  # nobody else takes it
    store = JobStore(knowledge.graph, place)
    job = store.add(knowledge.corpus_name, "index", {}, by="somebody", files=True)
    for attempt in range(1, 6):
        taken = store.claim()
        assert taken is not None
        assert (taken.id, taken.attempts) == (job.id, attempt)
        assert taken.loaded == ({} if attempt == 1 else {"added": 7})  # by the processes before
        assert store.claim() is None
        lose(knowledge, job)
        assert store.renew(taken, Step("x", 0, None, ""), {}) is False
        lose(knowledge, job)
    assert store.claim() is None
    found = store.get(job.id)
    assert found is not None
    assert found.state == "failed"
    assert found.problem is not None
    assert "processes" in found.problem.detail


@pytest.mark.parametrize("dies_at", ["corpus/write_stage load done", "corpus/write_stage embed done"])
def test_what_a_killed_process_has_loaded_counts_as_loaded_by_its_job(
    open_corpus: OpenCorpus, tmp_path: Path, dies_at: str
) -> None:
    knowledge = open_killable(open_corpus)
    knowledge.ingest_documents([Document("old.md", "", "It was there before.")])
    uploads = Uploads(tmp_path)
    store = JobStore(knowledge.graph, f"killed {knowledge.corpus_name}")
    job = store.add(knowledge.corpus_name, "ingest", {}, by="somebody", files=True)
    for name in ("a.md", "b.md", "c.md"):
        uploads.file(job.id, name).write_bytes(TEXT)
    uploads.file(job.id, "old.md").write_bytes(b"It is another one now.")
    taken = store.claim()
    assert taken is not None
    with knowledge.graph.killed_at(last=dies_at):
        work_on(taken, knowledge, uploads, report_of(taken), ignored, folders=())
    lose(knowledge, job, loaded="{}")  # within the first second
    assert next(each.state for each in store.list([job.corpus])) == "queued"
    assert next(each.progress for each in store.list([job.corpus])) is None
    (stage,) = [each for each in knowledge.status().stages if each.name == dies_at.split()[1]]
    assert stage.status == "interrupted"
    resumed = store.claim()
    assert resumed is not None
    assert (resumed.loaded["added"], resumed.loaded["changed"], resumed.loaded["chunks"]) == (3, 1, 4)
    assert resumed.progress is None
    loaded = work_on(resumed, knowledge, uploads, report_of(resumed), ignored, folders=())["loaded"]
    assert (loaded["added"], loaded["changed"], loaded["chunks"], loaded["unchanged"]) == (3, 1, 4, 0)
    store.end(resumed, "done", result={}, problem=None)


def lose(knowledge: Knowledge, job: ServiceJob, *, loaded: str = '{"added": 7}') -> None:
    """As if the process of a job had said nothing for long."""
    knowledge.graph.run(
        "service/renew_job",
        id=job.id,
        token=_token(knowledge, job),
        seconds=-1,
        task="x",
        done=0,
        total=None,
        unit="",
        seconds_left=None,
        loaded=loaded,
        file="",
    )


def _token(knowledge: Knowledge, job: ServiceJob) -> str:
    found = JobStore(knowledge.graph, "").get(job.id)
    assert found is not None
    return found.token


WORK = """
import os, signal, sys, time
from pathlib import Path
from overstory_service.jobs.runner import JobRunner
from overstory_service.jobs.store import JobStore
from overstory_service.jobs.uploads import Uploads
from overstory_service.metrics import ServiceMetrics
from overstory_service.open_corpora import OpenCorpora
from overstory.settings import Settings
from overstory_loaders import TextLoader

read = TextLoader.load

def load(self, source, *, on_broken):
    if source.endswith("deadly.txt"):
        time.sleep(3)
        os.kill(os.getpid(), signal.SIGKILL)
    return read(self, source, on_broken=on_broken)

TextLoader.load = load
corpora, uploads = OpenCorpora(Settings.from_environment()), Uploads(Path(sys.argv[1]))
runner = JobRunner(corpora, JobStore(corpora.base.graph, uploads.place), uploads, ServiceMetrics(), folders=())
runner.start(2)
sys.stdin.read()
runner.stop()
"""


@pytest.mark.slow
def test_a_job_that_kills_its_process_twice_is_given_up_and_the_jobs_with_it_are_done(
    settings: Settings, tmp_path: Path, open_corpus: OpenCorpus
) -> None:
    knowledge, other = open_corpus(), open_corpus("second")
    uploads = Uploads(tmp_path)
    store = JobStore(knowledge.graph, uploads.place)
    jobs: list[str] = []
    for each, names in ((knowledge, ["a.txt", "deadly.txt"]), (other, ["b.txt"])):
        job = uuid.uuid4().hex
        for name in names:
            uploads.file(job, name).write_text("Ulm is on the Danube.")
        jobs.append(store.add(each.corpus_name, "ingest", {"index": False}, by="x", job=job, files=True).id)
    deadly, good = jobs
    for deaths in (1, 2):
        with working(settings, tmp_path) as process:
            assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
        found = store.get(deadly)
        assert found is not None
        assert (found.state, found.attempts) == ("queued", deaths)  # nobody works on it
    with working(settings, tmp_path):
        states = [ended_in(store, job) for job in jobs]
    assert [each.state for each in states] == ["failed", "done"]
    assert states[0].problem is not None
    said = "2 processes died while they ran this job. The last file that was read is deadly.txt."
    assert states[0].problem.detail == said
    assert good not in uploads.jobs()


@contextmanager
def working(settings: Settings, folder: Path) -> Generator[subprocess.Popen[bytes]]:
    """A process that works on jobs until the block ends, or it is killed."""
    command = [sys.executable, "-c", WORK, str(folder)]
    with subprocess.Popen(command, env=environment(settings), stdin=subprocess.PIPE) as process:
        yield process


def ended_in(store: JobStore, job: str) -> ServiceJob:
    """A job when it has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if (found := store.get(job)) is not None and found.has_ended:
            return found
        time.sleep(0.1)
    raise AssertionError("the job does not end")


def test_a_job_that_a_process_died_over_waits_for_the_others_and_runs_alone(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    store = JobStore(knowledge.graph, f"alone {knowledge.corpus_name}")
    first, second, third = (
        store.add(f"{knowledge.corpus_name} {number}", "index", {}, by="x", files=True) for number in range(3)
    )
    with subprocess.Popen([sys.executable, "-c", "pass"]) as dead:
        pass
    taken = store.claim()
    assert taken is not None
    assert taken.id == first.id
    driver = knowledge.graph.native_driver()
    driver.execute_query("MATCH (job:Job {id: $id}) SET job.pid = $pid", {"id": first.id, "pid": dead.pid})
    other = store.claim()
    assert other is not None
    assert other.id == second.id
    last = store.claim()
    assert last is not None
    assert last.id == third.id
    assert store.claim() is None  # while others run in this process
    store.end(other, "done", result=None, problem=None)
    assert store.claim() is None
    store.end(last, "done", result=None, problem=None)
    again = store.claim()
    assert again is not None
    assert again.id == first.id
    store.add(f"{knowledge.corpus_name} 3", "index", {}, by="x", files=True)
    assert store.claim() is None  # while it runs
    store.end(again, "done", result=None, problem=None)
    following = store.claim()
    assert following is not None
    store.end(following, "done", result=None, problem=None)


def test_two_processes_never_have_the_same_job(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    store = JobStore(knowledge.graph, f"both {knowledge.corpus_name}")
    jobs = {store.add(f"{knowledge.corpus_name} {each}", "index", {}, by="x", files=True).id for each in range(6)}
    taken: list[str] = []

    def take() -> None:
        while (job := store.claim()) is not None:
            taken.append(job.id)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(jobs)
    for each in jobs:
        store.cancel(each)


def test_texts_are_stored_at_once(client: httpx.Client, open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    given = {"documents": [{"text": "Ulm is on the Danube.", "source": "s", "key": "1", "metadata": METADATA}]}
    stored = client.post(f"/v1/corpora/{knowledge.corpus_name}/documents", json=given)
    assert stored.json() == {"added": 1, "changed": 0, "unchanged": 0, "broken": []}
    (found,) = knowledge.documents(where="year = 1880 and read > 2024-01-01")
    assert found.metadata["days"] == [datetime(2024, 2, 1, tzinfo=UTC)]
    assert "author" not in found.metadata
    place = f"/v1/corpora/{knowledge.corpus_name}/documents/{found.id}"
    assert client.post(f"{place}/disable").json()["disabled"] is True
    assert knowledge.count_disabled() == 1
    assert client.post(f"{place}/enable").json()["disabled"] is False
    assert client.delete(place).json() == {"documents": 1}
    gone = client.delete(f"/v1/corpora/{knowledge.corpus_name}/documents/{found.id}")
    assert gone.status_code == HTTPStatus.NOT_FOUND
