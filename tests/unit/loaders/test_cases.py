"""Small files of kinds that were once read wrongly, in `cases`, and what a reader of each sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.sources import load

from overstory.sources.loader_catalogue import catalogue

CASES = Path(__file__).with_name("cases")
INVOICE = "Customer: Ada Byron\nNet: 500\nVAT: 95\nTotal: 595"
TROWEL = "sku: GT-1 | name: Garden trowel | price: 12.5 | maker: Oakfield"
CAN = "sku: WC-2 | name: Watering can | price: 18 | maker: Rivet & Sons"


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("head_lost.pptx", ["Goal: cut losses by 9 % | Owner: Ida Moss | Due: March\nStatus open"]),
        ("kv_invoice.csv", [INVOICE]),
        ("kv_invoice.docx", [INVOICE]),
        ("d494_nested.docx", ["Owner: Mira Toft\nBuilt: 1998"]),
        ("dup_header_blank.xlsx", ["Product: Slab | Units (D): 4\nProduct: Total | Units (B): 13 | Units (D): 20"]),
        ("x6510_merged.xlsx", ["Region: North | Quarter: Q1 | Sales: 10\nRegion: North | Quarter: Q2 | Sales: 20"]),
        ("altchunk_part.docx", ["Lease of 2024\n\nThe tenant is Mira Toft."]),
        ("desc.jsonl", ["id: 1 | title: Kiln | description: The kiln is owned by Mira Toft. | summary: x"]),
        ("rec.ndjson", [TROWEL, CAN]),
        ("rec.json", [TROWEL, CAN]),
        ("m.docm", ["The tenant is Mira Toft."]),
        ("mail.emlx", ["Der Mieter wohnt in Köln."]),
    ],
)
def test_a_reader_gets_what_the_file_shows(name: str, texts: list[str]) -> None:
    path = CASES / name
    loader = catalogue().recognising(str(path))
    assert loader
    outcome = load(loader, path)
    assert not outcome.broken
    assert len(outcome.documents) == len(texts)
    assert all(text in document.text for text, document in zip(texts, outcome.documents, strict=True))
