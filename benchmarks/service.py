"""The service measured: many users at once, and what HTTP costs over the library.

    python -m benchmarks.service DIR [--users 10] [--seconds 300] [--url http://127.0.0.1:8484] [--token TOKEN]

DIR is a BEIR folder, whose first 2,000 passages are loaded into a corpus of their own. `overstory serve` is started for
it unless `--url` names one that runs on this machine. Each user asks questions one after the other; of 20 requests, 12
search, 4 ask, 2 list documents, one uploads a file, and one asks after jobs. Prints requests a second, p50 and p95 in
milliseconds, statuses, and the memory of the process every tenth of the time; then p50 of a search over HTTP and by
the library, in turn, and of the first piece of an answer.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import random
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import httpx
import psutil

from overstory.bench.dataset import load_dataset
from overstory.knowledge import Knowledge
from overstory.model import Document
from overstory_cli.progress import progress_for

CORPUS = "benchmarks.service"
PASSAGES = 2_000
COMPARED = 200
MIX = ("search",) * 12 + ("ask",) * 4 + ("documents",) * 2 + ("upload",) + ("jobs",)
MEGABYTE = 1 << 20


@dataclass(slots=True)
class Seen:
    """What users saw, by kind of request: milliseconds of those answered, and statuses of all."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    milliseconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])

    def add(self, kind: str, status: int, milliseconds: float) -> None:
        with self.lock:
            self.statuses[kind, status] += 1
            if status < HTTPStatus.BAD_REQUEST:
                self.milliseconds.setdefault(kind, []).append(milliseconds)


@contextmanager
def served(url: str) -> Generator[str]:
    """The address of the service, started if none is given."""
    if url:
        yield url
        return
    with subprocess.Popen(
        [sys.executable, "-m", "overstory", "serve", "--port", "8499"], stderr=subprocess.DEVNULL
    ) as process:
        address = "http://127.0.0.1:8499"
        try:
            while True:
                try:
                    if httpx.get(f"{address}/readyz", trust_env=False).is_success:
                        break
                except httpx.TransportError:
                    pass
                time.sleep(0.2)
            yield address
        finally:
            process.terminate()


def use(client: httpx.Client, questions: list[str], seen: Seen, end: float, number: int) -> None:
    """One user, until the time is over."""
    chance, place = random.Random(number), f"/v1/corpora/{CORPUS}"  # noqa: S311
    for turn in itertools.count():
        if time.monotonic() > end:
            return
        kind, question = chance.choice(MIX), chance.choice(questions)
        began = time.perf_counter()
        if kind == "search":
            answer = client.post(f"{place}/search", json={"question": question})
        elif kind == "ask":
            answer = client.post(f"{place}/ask", json={"question": question})
        elif kind == "documents":
            answer = client.get(f"{place}/documents", params={"limit": 20})
        elif kind == "upload":
            text = f"User {number} asks in turn {turn}: {question}".encode()
            files = [("files", (f"user{number}.txt", text))]
            answer = client.post(f"/v1/corpora/{CORPUS}.uploads/files", files=files, data={"index": "false"})
        else:
            answer = client.get("/v1/jobs", params={"limit": 5})
        seen.add(kind, answer.status_code, 1_000 * (time.perf_counter() - began))
        if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            time.sleep(float(answer.headers.get("retry-after", 1)) * chance.random())


def process_of(url: str) -> psutil.Process | None:
    """The process that listens there."""
    port = httpx.URL(url).port
    for each in psutil.net_connections("tcp"):
        if each.laddr and each.laddr.port == port and each.status == psutil.CONN_LISTEN and each.pid:
            return psutil.Process(each.pid)
    return None


def load(url: str, headers: dict[str, str], questions: list[str], users: int, seconds: float) -> None:
    """Many users at once."""
    seen, end = Seen(), time.monotonic() + seconds
    limits = httpx.Limits(max_connections=None)
    process, memory = process_of(url), list[float]()
    with httpx.Client(base_url=url, headers=headers, timeout=180, trust_env=False, limits=limits) as client:
        threads = [threading.Thread(target=use, args=(client, questions, seen, end, each)) for each in range(users)]
        for thread in threads:
            thread.start()
        while time.monotonic() < end:
            memory.append(process.memory_info().rss / MEGABYTE if process else 0.0)
            time.sleep(seconds / 10)
        for thread in threads:
            thread.join()
    answered = sum(map(len, seen.milliseconds.values()))
    print(f"\n{users} users, {seconds:g} s: {answered / seconds:.1f} requests answered a second")
    print("\n| request | answered | p50 ms | p95 ms |\n|---|---|---|---|")
    for kind, taken in sorted(seen.milliseconds.items()):
        cuts = statistics.quantiles(taken, n=20) if len(taken) > 1 else taken * 19
        print(f"| {kind} | {len(taken)} | {statistics.median(taken):.0f} | {cuts[18]:.0f} |")
    print("statuses:", dict(Counter(status for _, status in seen.statuses.elements())))
    print("memory, MB:", " ".join(f"{each:.0f}" for each in memory))


def compare(url: str, headers: dict[str, str], knowledge: Knowledge, questions: list[str]) -> None:
    """What HTTP costs, one question at a time."""
    by_http, by_library, first_http, first_library = (list[float]() for _ in range(4))
    with httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        for question in itertools.islice(itertools.cycle(questions), COMPARED):
            asked = {"question": question}
            by_http.append(timed(functools.partial(client.post, f"/v1/corpora/{CORPUS}/search", json=asked)))
            by_library.append(timed(functools.partial(knowledge.search, question)))
        for question in questions[:20]:
            streamed: dict[str, object] = {"question": question, "stream": True}
            first_http.append(timed(functools.partial(first_piece, client, streamed)))
            first_library.append(timed(functools.partial(knowledge.ask, question)))
    print(f"\nsearch p50: HTTP {statistics.median(by_http):.1f} ms, library {statistics.median(by_library):.1f} ms")
    first = statistics.median(first_http), statistics.median(first_library)
    print(f"first piece p50: HTTP {first[0]:.1f} ms, library {first[1]:.1f} ms")


def first_piece(client: httpx.Client, asked: dict[str, object]) -> None:
    with client.stream("POST", f"/v1/corpora/{CORPUS}/ask", json=asked) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                return


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return 1_000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--users", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--url", default="")
    parser.add_argument("--token", default="")
    given = parser.parse_args()
    headers = {"Authorization": f"Bearer {given.token}"} if given.token else {}
    data = load_dataset(given.folder)
    with Knowledge(CORPUS, progress=progress_for(quiet=False)) as knowledge:
        passages = itertools.islice(data.read_passages(), PASSAGES)
        knowledge.ingest_documents(
            Document(str(given.folder), each.id, each.text or each.title, each.title) for each in passages
        )
        knowledge.index()
        questions = [each.text for each in data.questions]
        knowledge.search(questions[0])
        with served(given.url) as url:
            compare(url, headers, knowledge, questions)
            for users in given.users:
                load(url, headers, questions, users, given.seconds)


if __name__ == "__main__":
    main()
