"""Files of each format from loading to answers: five questions each, whose answer stands in one of them."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import openpyxl
import pptx
import pytest
from pptx.util import Inches
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import OpenCorpus
from tests.sources import (
    epub_of,
    mail_of,
    mbox_of,
    notebook_of,
    odf_of,
    pdf_of,
    pptx_of,
    write,
    xlsx_of,
)

from overstory.knowledge import Knowledge

ITEMS = ("rope", "anchor", "buoy", "lantern", "compass", "paddle", "winch", "pulley", "chain", "fender")


def _slides() -> bytes:
    talk = pptx.Presentation(
        io.BytesIO(
            pptx_of(
                ("The crane of Brell", "The crane lifts 90 tonnes.\nIt was built by Ostrow and Sons."),
                ("Timetable of the pier", "Work on pier four begins in March 2031."),
                ("Risks at the harbour", "Storms from the north-west may flood the yard."),
            )
        )
    )
    notes = talk.slides[1].notes_slide.notes_text_frame
    assert notes
    notes.text = "Mayor Ilse Quandt opens the pier."
    table = talk.slides[2].shapes.add_table(3, 2, Inches(0), Inches(0), Inches(3), Inches(3)).table
    for row, texts in enumerate([("Insurance", "Premium"), ("Fire", "4100"), ("Flood", "7300")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    stream = io.BytesIO()
    talk.save(stream)
    return stream.getvalue()


def _sheets() -> bytes:
    rows = [[item, 11 * number + 7, f"aisle {number}"] for number, item in enumerate(ITEMS, start=1)]
    return xlsx_of(
        Stock=[["Item", "Pieces in store", "Shelf"], *rows],
        Staff=[["Name", "Job", "Hired"], ["Oda Brandt", "diver", "2019-05-02"], ["Per Holm", "cook", "2021-01-08"]],
    )


REPORT = """<office:text><text:h text:outline-level="1">Bees of the island</text:h>
<text:p>The hives stand behind the lighthouse, where heather grows.</text:p>
<text:h text:outline-level="2">Harvest</text:h>
<text:p>Forty kilograms of honey were sold to the bakery Lund.</text:p>
<text:h text:outline-level="2">Illness</text:h><text:p>Mites killed two colonies in autumn.</text:p>
<text:list><text:list-item><text:p>Oxalic acid is used against mites.</text:p></text:list-item></text:list>
<text:p>The beekeeper is called Tarek Nour.</text:p></office:text>"""


def _cells(*rows: tuple[str | int, ...]) -> str:
    def cell(value: str | int) -> str:
        if isinstance(value, int):
            return f"<table:table-cell office:value-type='float' office:value='{value}'/>"
        return f"<table:table-cell><text:p>{value}</text:p></table:table-cell>"

    return "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)


def _budget() -> bytes:
    table = _cells(
        ("Department", "Budget 2030", "Head"),
        ("Library", 52000, "Nina Falk"),
        ("Museum", 81000, "Omar Diaz"),
        ("Theatre", 97000, "Ruth Adler"),
        ("Zoo", 64000, "Kim Sato"),
        ("Swimming pool", 45000, "Lars Berg"),
    )
    return odf_of(f"<office:spreadsheet><table:table table:name='Town'>{table}</table:table></office:spreadsheet>")


def _talk() -> bytes:
    def slide(title: str, text: str) -> str:
        head, body = (f"<draw:text-box><text:p>{each}</text:p></draw:text-box>" for each in (title, text))
        head = f"<draw:frame presentation:class='title'>{head}</draw:frame>"
        return f"<draw:page>{head}<draw:frame>{body}</draw:frame></draw:page>"

    slides = {
        "Glaciers": "The Vorgen glacier lost eleven metres last year.",
        "Measuring": "Height is measured with a laser from an aeroplane.",
        "Lakes": "A new lake below the ice is named Blåvann.",
        "Danger": "The dam of the lake may break in spring.",
        "People": "The survey is led by Signe Aas.",
    }
    pages = "".join(slide(title, text) for title, text in slides.items())
    return odf_of(f"<office:presentation>{pages}</office:presentation>")


def _mail() -> bytes:
    message = mail_of("The piano", "The piano tuner comes on Friday at nine. He needs the key of the hall.", key="p1@x")
    message.add_attachment(
        pdf_of(["The tuner Bo Ek charges 140 crowns an hour."]), "application", "pdf", filename="offer.pdf"
    )
    table = xlsx_of(Keys=[["Room", "Key number", "Floor"], ["hall", 77, 1], ["attic", 78, 4]])
    message.add_attachment(table, "application", "octet-stream", filename="keys.xlsx")
    return message.as_bytes()


def _mailbox() -> bytes:
    first = mail_of("Goats", "The goats have eaten the roses of Mrs Tamm.", key="g1@x")
    second = mail_of(
        "Re: Goats",
        "The fence costs 300 crowns.\n\nAda wrote on 1.2.:\n> The goats have eaten",
        key="g2@x",
        parents=["g1@x"],
    )
    others = [
        mail_of("Choir", "The choir rehearses a requiem by Fauré.", key="c1@x"),
        mail_of("Boat", "The ferry Selma is out of service because of its rudder.", key="b1@x"),
        mail_of("School", "The pupils plant an orchard of plum trees.", key="s1@x"),
    ]
    return mbox_of(first, second, *others)


SETTINGS = """# The mail gateway restarts itself every Sunday.
services:
  gateway:
    image: postbox:4.2
    port: 2525
    # Raise this before the newsletter goes out.
    max_connections: 850
  archive:
    retention_days: 3650
    bucket: cold-letters
"""

TABLES = """# Tomatoes need more light than cucumbers.
[greenhouse]
heating_celsius = 18
owner = "Vera Molnar"

[irrigation]
litres_per_day = 420
pump = "Grunwald P7"

[alarm]
frost_below_celsius = 3
"""

EXHIBITS = """<museum>
<room name="Blue Hall">
<exhibit><label>Viking sword</label><found>Lake Ormsjön</found></exhibit>
<exhibit><label>Clay oven</label><found>farm Hagen</found></exhibit>
</room>
<room name="Tower"><exhibit><label>Sundial</label><maker>Jost Amman</maker></exhibit></room>
<hours><day>Tuesday</day><closed>at eight in the evening</closed></hours>
<director>Alma Brück</director>
</museum>"""

FILES: dict[str, str | bytes] = {
    "harbour.pptx": _slides(),
    "stock.xlsx": _sheets(),
    "bees.odt": odf_of(REPORT),
    "budget.ods": _budget(),
    "glaciers.odp": _talk(),
    "novel.epub": epub_of(
        {
            "1.xhtml": "<p>Captain Rosalind Vane sailed for the Amber Isles with a crew of nine.</p>",
            "2.xhtml": "<p>In the storm the mast broke, and the ship's cat was lost.</p><p>A whale followed them.</p>",
            "3.xhtml": "<h1>The island</h1><p>They found a chest of copper coins under a fig tree.</p>",
            "4.xhtml": "<p>Rosalind married the botanist Edmund Pell in Lisbon.</p>",
        },
        about="<dc:title>The Amber Isles</dc:title><dc:creator>Mara Lind</dc:creator>",
        contents={"1.xhtml": "Departure", "2.xhtml": "The storm", "4.xhtml": "Home"},
    ),
    "piano.eml": _mail(),
    "village.mbox": _mailbox(),
    "yeast.ipynb": notebook_of(
        ("markdown", "# Growth of yeast\n\nYeast doubles every ninety minutes at thirty degrees."),
        ("code", "def doubling_time(counts):\n    return fit_exponential(counts).half_life"),
        ("markdown", "## Results\n\nSugar above forty per cent stops growth."),
        ("markdown", "## Method\n\nCells were counted with a haemocytometer."),
        ("markdown", "## Thanks\n\nThe strain came from the brewery Kessel."),
    ),
    "volcano.en.srt": "\n\n".join(
        f"{number}\n00:0{number}:00,000 --> 00:0{number}:04,000\n{line}"
        for number, line in enumerate(
            [
                "The volcano Tarn erupted in the year 1783.",
                "Ash covered the vineyards for three winters.",
                "Shepherds fled to the monastery of Saint Orso.",
                "Today a funicular carries tourists to the crater.",
                "Sulphur is still mined on the eastern slope.",
            ],
            start=1,
        )
    ),
    "weaving.vtt": "WEBVTT\n\n"
    + "\n\n".join(
        f"0{number}:00.000 --> 0{number}:04.000\n<v {speaker}>{line}"
        for number, (speaker, line) in enumerate(
            [
                ("Ingrid", "My loom is made of birch wood."),
                ("Ingrid", "The red dye comes from madder roots."),
                ("Host", "A carpet takes eight weeks to weave."),
                ("Ingrid", "I learned weaving from my aunt Solveig."),
                ("Host", "Her carpets hang in the parliament."),
            ],
            start=1,
        )
    ),
    "deploy.yaml": SETTINGS,
    "greenhouse.toml": TABLES,
    "museum.xml": EXHIBITS,
}

QUESTIONS: dict[str, list[tuple[str, str]]] = {
    "harbour.pptx": [
        ("How many tonnes does the crane of Brell lift?", "90 tonnes"),
        ("Who built the crane?", "Ostrow and Sons"),
        ("When does work on pier four begin?", "March 2031"),
        ("Who opens the pier?", "Ilse Quandt"),
        ("What is the premium of the insurance against flood?", "Insurance: Flood | Premium: 7300"),
    ],
    "stock.xlsx": [
        ("How many lanterns are in store?", "Item: lantern | Pieces in store: 51"),
        ("On which shelf are the winches?", "Item: winch | Pieces in store: 84 | Shelf: aisle 7"),
        ("Item: fender", "Item: fender | Pieces in store: 117"),
        ("Who works as a diver?", "Name: Oda Brandt | Job: diver"),
        ("When was the cook Per Holm hired?", "Hired: 2021-01-08"),
    ],
    "bees.odt": [
        ("Where do the hives stand?", "behind the lighthouse"),
        ("Who bought the honey?", "bakery Lund"),
        ("What killed two colonies of bees?", "Mites"),
        ("What is used against mites?", "Oxalic acid"),
        ("What is the beekeeper called?", "Tarek Nour"),
    ],
    "budget.ods": [
        ("What is the budget of the library?", "Department: Library | Budget 2030: 52000"),
        ("Who is head of the theatre?", "Head: Ruth Adler"),
        ("How much money does the zoo get?", "Department: Zoo | Budget 2030: 64000"),
        ("Which department does Omar Diaz lead?", "Department: Museum"),
        ("What is the budget of the swimming pool?", "45000"),
    ],
    "glaciers.odp": [
        ("How much did the Vorgen glacier lose?", "eleven metres"),
        ("How is the height of the ice measured?", "a laser"),
        ("What is the new lake named?", "Blåvann"),
        ("What may break in spring?", "The dam"),
        ("Who leads the survey of glaciers?", "Signe Aas"),
    ],
    "novel.epub": [
        ("Who sailed for the Amber Isles?", "Rosalind Vane"),
        ("What broke in the storm?", "the mast broke"),
        ("Which animal followed the ship?", "A whale"),
        ("What lay under the fig tree?", "copper coins"),
        ("Whom did Rosalind marry?", "Edmund Pell"),
    ],
    "piano.eml": [
        ("When does the piano tuner come?", "Friday at nine"),
        ("What does the tuner need?", "the key of the hall"),
        ("How much does the tuner Bo Ek charge an hour?", "140 crowns"),
        ("What is the number of the key of the attic?", "Room: attic | Key number: 78"),
        ("Who charges by the hour for the piano?", "Bo Ek"),
    ],
    "village.mbox": [
        ("What have the goats eaten?", "the roses of Mrs Tamm"),
        ("How much does the fence against the goats cost?", "300 crowns"),
        ("What does the choir rehearse?", "a requiem by Fauré"),
        ("Why is the ferry Selma out of service?", "its rudder"),
        ("What do the pupils plant?", "plum trees"),
    ],
    "yeast.ipynb": [
        ("How fast does yeast double?", "every ninety minutes"),
        ("Which function computes the doubling_time?", "def doubling_time"),
        ("What stops the growth of yeast?", "Sugar above forty per cent"),
        ("How were the cells counted?", "haemocytometer"),
        ("Which brewery did the strain come from?", "Kessel"),
    ],
    "volcano.en.srt": [
        ("When did the volcano Tarn erupt?", "[00:01:00] The volcano Tarn erupted in the year 1783."),
        ("What covered the vineyards?", "Ash"),
        ("Where did the shepherds flee?", "monastery of Saint Orso"),
        ("How do tourists get to the crater?", "a funicular"),
        ("What is mined on the eastern slope?", "Sulphur"),
    ],
    "weaving.vtt": [
        ("What is the loom made of?", "birch wood"),
        ("Where does the red dye come from?", "madder roots"),
        ("How long does a carpet take to weave?", "eight weeks"),
        ("From whom did Ingrid learn weaving?", "aunt Solveig"),
        ("Where do the carpets hang?", "the parliament"),
    ],
    "deploy.yaml": [
        ("When does the mail gateway restart itself?", "every Sunday"),
        ("Which port has the gateway?", "port: 2525"),
        ("How many connections may the gateway have at most?", "max_connections: 850"),
        ("How many days is the archive kept?", "retention_days: 3650"),
        ("What should be raised before the newsletter?", "Raise this before the newsletter"),
    ],
    "greenhouse.toml": [
        ("What needs more light than cucumbers?", "Tomatoes"),
        ("Who owns the greenhouse?", "Vera Molnar"),
        ("How many litres of irrigation per day?", "litres_per_day = 420"),
        ("Which pump is used for irrigation?", "Grunwald P7"),
        ("At which temperature is there an alarm for frost?", "frost_below_celsius = 3"),
    ],
    "museum.xml": [
        ("Where was the Viking sword found?", "found: Lake Ormsjön"),
        ("Who is the maker of the sundial?", "maker: Jost Amman"),
        ("What was found at the farm Hagen?", "label: Clay oven"),
        ("When does the museum close on Tuesday?", "eight in the evening"),
        ("Who is director of the museum?", "Alma Brück"),
    ],
}


@pytest.fixture(scope="module")
def library(open_module_corpus: OpenCorpus, tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """A corpus of one file of each format."""
    folder = tmp_path_factory.mktemp("library")
    for name, content in FILES.items():
        write(folder / name, content)
    knowledge = open_module_corpus()
    report = knowledge.ingest(folder)
    assert report.broken == []
    knowledge.index()
    return knowledge


@pytest.mark.parametrize("name", FILES)
def test_five_questions_find_their_answers(library: Knowledge, name: str) -> None:
    lost: list[str] = []
    for question, answer in QUESTIONS[name]:
        hits = library.search(question, k=5).hits
        if not any(answer in hit.text and f"/{name}" in hit.source for hit in hits):
            lost.append(f"{question} -> {[hit.text[:80] for hit in hits[:2]]}")
    assert len(QUESTIONS[name]) == 5
    assert lost == []


def test_a_slide_is_the_page_of_a_hit_and_an_attachment_has_its_message_as_neighbour(library: Knowledge) -> None:
    [hit] = library.search("When does work on pier four begin?", k=1).hits
    assert (hit.page, hit.heading) == (2, "Timetable of the pier")
    [attached] = library.search("How much does the tuner Bo Ek charge an hour?", k=1).hits
    assert attached.source.endswith("/piano.eml/offer.pdf")
    assert attached.metadata["file_name"] == "offer.pdf"
    found = library.search("goats", k=5, where="thread = 'g1@x'").hits
    assert {each.source_key for each in found} == {"g1@x", "g2@x"}


@pytest.mark.slow
def test_after_changes_of_such_files_the_corpus_is_that_of_the_folder(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    for name, content in FILES.items():
        write(tmp_path / name, content)
    extractor = ScriptedExtractor({"Ada": "PERSON"})
    synced = open_corpus(embedder=HashingEmbedder(8), extractor=extractor)
    fresh = open_corpus("fresh", embedder=HashingEmbedder(8), extractor=extractor)
    synced.ingest(tmp_path, sync=True)
    synced.index()

    (tmp_path / "old").mkdir()
    shutil.move(tmp_path / "novel.epub", tmp_path / "old" / "novel.epub")
    (tmp_path / "stock.xlsx").unlink()
    write(tmp_path / "piano.eml", mail_of("The piano", "No attachments any more.", key="p1@x").as_bytes())
    book = openpyxl.Workbook()
    assert book.active
    book.active.append(["only", "words"])
    book.save(tmp_path / "new.xlsx")
    report = synced.ingest(tmp_path, sync=True)
    synced.index()
    fresh.ingest(tmp_path)
    fresh.index()
    assert (report.broken, report.moved) == ([], 1)
    assert synced.digest() == fresh.digest()
    assert synced.count_documents() == fresh.count_documents()

    write(tmp_path / "piano.eml", FILES["piano.eml"])
    synced.ingest(tmp_path / "piano.eml", sync=True)  # a file that is named itself has its attachments below it
    write(tmp_path / "piano.eml", mail_of("The piano", "None again.", key="p1@x").as_bytes())
    assert synced.ingest(tmp_path / "piano.eml", sync=True).removed == 2
