"""The same documents in one corpus and split over several that are asked as one: how far the results differ.

    python -m benchmarks.several DATASET… [--parts 3] [--retriever NAME]…

DATASET is a folder in BEIR's layout. Its passages are loaded into the corpus several-NAME, and, by a hash of their ids,
into several-NAME-1, -2, …; corpora that exist are kept. Prints a Markdown row for each retriever: the share of the
first ten documents that both ways find, R@5 of one corpus and of several, the difference with its 95 % interval, and
the median time of a question both ways, asked in turns.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.retrievers import bounds

from overstory import Knowledge, SeveralCorpora
from overstory.bench.bootstrap import difference_interval
from overstory.bench.dataset import BenchDataset, load_dataset
from overstory.bench.metrics import recall
from overstory.bench.ranking import rank_documents
from overstory.errors import OverstoryError

DEPTH = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", type=Path, metavar="DATASET", help="a folder in BEIR's layout")
    parser.add_argument("--parts", type=int, default=3, metavar="N", help="corpora that it is split over (3)")
    parser.add_argument("--retriever", action="append", metavar="NAME", help="dense, lexical, hybrid and canopy")
    parser.add_argument("--most", type=int, default=500, metavar="N", help="of the questions (500)")
    options = parser.parse_args()
    retrievers = options.retriever or ["dense", "lexical", "hybrid", "canopy"]
    print("| dataset | retriever | the same of ten | R@5 of one, of several | difference | p50 ms of one, of several |")
    print("|---|---|---|---|---|---|")
    try:
        for folder in options.datasets:
            for row in rows(folder, options.parts, retrievers, options.most):
                print(row, flush=True)
    except OverstoryError as error:
        print(f"Error: {error}\n  {error.remedy}".rstrip(), file=sys.stderr)
        return error.exit_code
    return 0


def rows(folder: Path, parts: int, retrievers: Sequence[str], most: int) -> Iterator[str]:
    """A row of the table for each retriever."""
    dataset = load_dataset(folder)
    with ExitStack() as opened, tempfile.TemporaryDirectory() as split:
        names = [f"several-{folder.name}", *(f"several-{folder.name}-{part}" for part in range(1, parts + 1))]
        whole, *some = (opened.enter_context(Knowledge(name)) for name in names)
        load(whole, folder)
        for part, knowledge in enumerate(some):
            load(knowledge, own_part(folder / "corpus.jsonl", Path(split), part, parts))
        together = opened.enter_context(Knowledge.over(some))
        for name in retrievers:
            yield row(dataset, folder.name, name, (whole, together), most)


def own_part(corpus: Path, folder: Path, part: int, parts: int) -> Path:
    """A folder with the passages that fall on a part."""
    own = folder / str(part)
    own.mkdir()
    with corpus.open(encoding="utf-8") as lines, (own / corpus.name).open("w", encoding="utf-8") as out:
        out.writelines(line for line in lines if hashlib.sha256(line.encode()).digest()[0] % parts == part)
    return own


def load(knowledge: Knowledge, folder: Path) -> None:
    """Loads and indexes passages, unless that was done before."""
    if knowledge.corpus_name not in {size.corpus.name for size in knowledge.corpora()}:
        knowledge.ingest(folder)
    knowledge.index()


def row(dataset: BenchDataset, shown: str, retriever: str, asked: tuple[Knowledge, SeveralCorpora], most: int) -> str:
    """Asks all questions both ways, in turns."""
    both = [each.retriever(retriever) for each in asked]
    found: list[list[list[str]]] = [[], []]
    seconds: list[list[float]] = [[], []]
    questions = dataset.questions[:most]
    for question in questions:
        for way, made in enumerate(both):
            begun = time.perf_counter()
            hits = made.retrieve(question.text, 2 * DEPTH).hits
            seconds[way].append(time.perf_counter() - begun)
            found[way].append([document.key for document in rank_documents(hits)][:DEPTH])
    same = statistics.fmean(
        len(set(one) & set(several)) / max(1, len(one)) for one, several in zip(*found, strict=True)
    )
    recalls = [
        [recall(ranking, dataset.qrels[question.id], 5) for question, ranking in zip(questions, way, strict=True)]
        for way in found
    ]
    one, several = map(statistics.fmean, recalls)
    difference = difference_interval(recalls[1], recalls[0])
    p50 = [1000 * statistics.median(way) for way in seconds]
    return (
        f"| {shown} ({len(questions)}) | `{retriever}` | {same:.3f} | {one:.3f}, {several:.3f} "
        f"| {difference.mean:+.3f} {bounds(difference)} | {p50[0]:.0f}, {p50[1]:.0f} |"
    )


if __name__ == "__main__":
    sys.exit(main())
