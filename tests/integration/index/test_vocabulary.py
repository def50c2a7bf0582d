"""A vocabulary: whenever it is loaded, the same file and the same documents give the same corpus."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.commands import Run
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.integration.index.test_name_edits import NAMES, add, asked_for, mentioned, random_edits, said
from tests.lending import empty
from tests.passages import PASSAGES, OpenCorpus, passage
from tests.sources import write

from overstory.errors import BrokenSource

SMASH = passage("smash", "", "In 1988 a worm used Zorbling. Some call that Frobnication of the stack, others Zorbling.")
LATER = passage("later", "", "People met in Ulm, where Frobnication was new to all, and Quux Day was not.")
HEADER = "name,type,aliases\n"


def test_a_vocabulary_loaded_late_equals_one_loaded_first_and_leaves_nothing_when_it_goes(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    terms = tmp_path / "terms.csv"
    terms.write_text(f"{HEADER}Zorbling,TERM,Frobnication\nUlm,PRODUCT,\nQuux Day,,\nNowhere Said,,Never Said\n")
    late, fresh, restored = open_corpus("late"), open_corpus("fresh"), open_corpus("restored")
    late.ingest_documents([*PASSAGES, SMASH])
    late.index()
    plain = late.digest()
    assert late.load_vocabulary(terms, dry_run=True).added == ("Nowhere Said", "Quux Day", "Ulm", "Zorbling")
    assert late.digest() == plain
    late.load_vocabulary(terms)
    late.index()
    (counts,) = [stage.counts for stage in late.status().stages if stage.name == "mentions"]
    assert counts["chunks"] < len(PASSAGES) + 1
    assert mentioned(late)["zorbling"] == {"smash"}
    assert not mentioned(late).keys() & {"frobnication", "nowhere said"}
    assert asked_for(late, "What is Frobnication?") == ["Zorbling"]
    assert late.search("What is Frobnication?", 1, retriever="canopy").hits[0].source_key == "smash"
    types = {name.name: name.type for name in late.entities()}
    assert (types["Ulm"], types["Zorbling"]) == ("PRODUCT", "TERM")
    assert not late.index().done
    assert late.load_vocabulary(terms).added == ()
    listed, text = late.digest(), terms.read_text()
    terms.write_text(HEADER)
    assert len(late.load_vocabulary(terms).removed) == 4
    late.index()
    assert late.digest() == plain
    terms.write_text(text)
    late.load_vocabulary(terms)
    late.index()
    assert late.digest() == listed

    late.ingest_documents([LATER])
    late.index()
    (counts,) = [stage.counts for stage in late.status().stages if stage.name == "mentions"]
    assert counts["chunks"] < len(PASSAGES)
    assert mentioned(late)["zorbling"] == {"smash", "later"}
    lines: list[str] = []
    digest = late.export(lines.append).digest
    fresh.ingest_documents([LATER])
    fresh.load_vocabulary(terms)
    fresh.ingest_documents([*PASSAGES, SMASH])
    fresh.index()
    assert fresh.digest() == digest == late.digest()
    (tmp_path / "all.jsonl").write_text("".join(lines))
    restored.ingest(tmp_path / "all.jsonl")
    restored.index()
    assert restored.vocabularies() == late.vocabularies()
    assert restored.digest() == digest

    terms.write_text(f"{HEADER}Ulm,,\n")
    change = restored.load_vocabulary(terms)
    assert (change.changed, change.removed) == (("Ulm",), ("Nowhere Said", "Quux Day", "Zorbling"))
    restored.index()
    assert {name.name: name.type for name in restored.entities()}["Ulm"] == "GPE"


def random_vocabulary(chance: random.Random) -> str:
    """Some of the names of `said`, and words that only a vocabulary makes names of them, each at most once."""
    words = chance.sample([*NAMES, "Knows", "Gina", "Anna Knows", "Hugo"], 6)
    rows = [f"{words[0]},ORG,", f"{words[1]},,{words[2]}", f"{words[3]},PERSON,{words[4]};{words[5]}"]
    return HEADER + "\n".join(chance.sample(rows, chance.randrange(4)))


@pytest.mark.slow
def test_random_vocabularies_among_edits_and_documents_give_what_the_same_give_at_once(
    open_corpus: OpenCorpus, tmp_path: Path
) -> None:
    chance = random.Random(5)  # noqa: S311
    extractor = ScriptedExtractor(NAMES)
    grown = open_corpus(embedder=HashingEmbedder(8), extractor=extractor)
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=extractor)
    folder, terms = tmp_path / "docs", [tmp_path / "a.csv", tmp_path / "b.csv"]
    for number in range(4):
        write(folder / f"{number}.md", f"# {chance.choice(list(NAMES))}\n\n{said(chance)} Gina Knows Hugo.\n")
    grown.ingest(folder)
    for step in range(12):
        write(chance.choice(terms), random_vocabulary(chance))
        for each in terms:
            if each.exists():
                grown.load_vocabulary(each)
        if step % 3 == 1:
            random_edits(grown, chance)
        if step % 3 == 2:
            write(folder / f"new{step}.md", f"# {chance.choice(list(NAMES))}\n\n{said(chance)} Anna Knows Gina.\n")
            (folder / f"new{step - 3}.md").unlink(missing_ok=True)
            grown.ingest(folder, sync=True)
        if chance.random() < 0.6:
            grown.index()
        if step % 4 == 3:
            grown.index()
            edits = [each.edit for each in grown.entity_edits()]
            fresh.ingest(folder)
            fresh.index()
            add(fresh, edits)
            for each in terms:
                if each.exists():
                    fresh.load_vocabulary(each)
            fresh.index()
            assert grown.digest() == fresh.digest(), (step, edits, [each.read_text() for each in terms])
            empty(fresh.graph, [fresh.corpus_name])


def test_the_command_shows_what_changes(overstory: Run, open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([SMASH])
    terms = tmp_path / "terms.jsonl"
    terms.write_text('{"name": "Zorbling", "aliases": ["Frobnication"]}\n')

    def names(*arguments: str) -> str:
        ran = overstory("entities", *arguments, "--corpus", knowledge.corpus_name)
        assert ran.code == 0, ran.err
        return ran.out

    assert names("vocabulary", str(terms), "--dry-run") == "add     Zorbling\n"
    assert knowledge.vocabularies() == []
    assert "1 added; 1 name in total" in names("vocabulary", str(terms))
    assert "no changes" in names("vocabulary", str(terms))
    assert f"vocabulary {terms}: 1 name, 1 alias" in names("edits")
    terms.write_text("name,kind\n")
    wrong = overstory("entities", "vocabulary", str(terms), "--corpus", knowledge.corpus_name)
    assert wrong.code == BrokenSource.exit_code
    assert "line 1" in wrong.err
