"""Encodings that are detected for text that is not UTF-8."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from overstory_loaders.encoding_detection import RECOGNISED_BYTES, around, detected_encoding

TEXTS = [line.split("\t") for line in Path(__file__).with_name("short_texts.tsv").read_text("utf-8").splitlines()]
"""Short texts, each after its language and encoding."""
WESTERN = ("da", "de", "en", "es", "fr", "it", "nb", "nl", "pt", "sv")
CENTRAL = ("cs", "hr", "hu", "pl", "ro", "sk", "sl")
CYRILLIC = ("bg", "ru", "sr", "uk")
EAST_ASIAN = ("ja", "ko", "zh")


@pytest.mark.slow  # it loads the model of languages, and classifies 150 texts
def test_nearly_all_short_texts_are_decoded() -> None:
    wrong = Counter[str]()
    for language, encoding, text in TEXTS:
        encoded = text.encode("cp874" if encoding == "windows-874" else encoding)
        wrong[language] += encoded.decode(detected_encoding(encoded), "replace") != text
    assert sum(language in WESTERN for language, *_ in TEXTS) == 100
    assert sum(wrong[each] for each in WESTERN) <= 3
    assert [sum(wrong[each] for each in script) for script in (CENTRAL, CYRILLIC, EAST_ASIAN)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Mira Toft bor i Århus.", "windows-1252"),
        ("The café “Rosé” costs £5 – naïve.", "windows-1252"),
        ("El señor Núñez vive en Logroño.", "windows-1252"),
        ("Le café ouvre à huit heures.", "windows-1252"),
        ("# Minutes of the meeting\n\nСобрание состоится в среду.", "windows-1251"),
        ("# Minutes of the meeting\n\n会議は水曜日に始まります。", "cp932"),
    ],
)
def test_a_short_text_is_decoded(text: str, encoding: str) -> None:
    encoded = text.encode(encoding)
    assert encoded.decode(detected_encoding(encoded)) == text


def test_the_sample_consists_of_whole_lines_around_the_first_other_byte() -> None:
    line = "日本語の文章です。".encode("cp932") + b"\n"
    data = line * (2 * RECOGNISED_BYTES // len(line))
    sample = around(data, len(data) // 2)
    assert sample.startswith(line)
    assert (line + sample).endswith(line[:-1])
    assert len(sample) > RECOGNISED_BYTES - 3 * len(line)
    assert around(line, 3) == line
    assert len(around(b"\xe9" * 2 * RECOGNISED_BYTES, RECOGNISED_BYTES)) == RECOGNISED_BYTES
