"""Names and sentences in other languages than English, by rules."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from overstory.model import ChunkText
from overstory.text.extraction.spacy_extractor import extracted_by_rules

GERMAN = (
    "Angela Merkel wurde in Hamburg geboren. Die Kanzlerin traf Emmanuel Macron in Paris. Das Debian-Projekt gibt die "
    "Datei mit Hilfe von Paketen frei, und Debian-Entwickler prüfen die Installation auf jedem SSH-Server. Herr Müller "
    "arbeitet bei Siemens, z. B. mit LaTeX. Ludwig van Beethoven schrieb die Oper „Missa Solemnis“."
)
FRENCH = (
    "Victor Hugo a écrit « Les Misérables » à Guernesey, d'après M. Dupont. L'Université de Lyon et la Banque de "
    "France collaborent. Les paquets sont installés avec APT, voir la Section 4. La bibliothèque se trouve à Paris."
)
SPANISH = (
    "El escritor Miguel de Cervantes nació en Alcalá de Henares. Los paquetes de Debian se instalan con APT (véase la "
    "Sección 6.6). ¿Dónde está el Banco de España? El Sr. Pérez vive en Madrid."
)


def names(text: str, language: str) -> list[str]:
    found = extracted_by_rules(ChunkText("c", "", "", text, language))
    assert all(text[each.start : each.end] == each.surface for each in found.mentions)
    assert all(found.sentences[each.sentence] <= each.start for each in found.mentions)
    return [each.surface for each in found.mentions]


def test_german_nouns_are_no_names() -> None:
    found = names(GERMAN, "de")
    people = ["Angela Merkel", "Emmanuel Macron", "Müller", "Ludwig van Beethoven"]
    assert set(found) >= {*people, "Hamburg", "Paris", "Siemens", "LaTeX", "SSH", "Missa Solemnis"}
    for noun in ("Kanzlerin", "Datei", "Hilfe", "Paketen", "Installation", "Oper", "Herr"):
        assert not any(noun in each for each in found)


def test_the_first_half_of_several_compounds_is_a_name_and_a_noun_is_none() -> None:
    assert names("Man nennt es Debian, und das Debian-Paket ist frei. Ein Paket heißt Paket.", "de") == ["Debian"]


@pytest.mark.parametrize(
    "text",
    [
        "Umgekehrte Zonen haben eine besondere Bezeichnung. Verschiedene Lokalisierungssätze gibt es auch.",
        "Der Dienst kümmert sich um die Signatur von Nachrichten und prüft in Echtzeit neue Versionen von Paketen.",
        "Falls der Server fehlt, siehe Seitenleiste ZURÜCK ZU DEN GRUNDLAGEN in der Mitte.",
    ],
)
def test_german_adjectives_and_conjunctions_begin_no_names(text: str) -> None:
    assert names(text, "de") == []


def test_a_german_article_alone_joins_no_names() -> None:
    assert names("Dann half Walter der NASA bei Siemens.", "de") == ["NASA", "Siemens"]


def test_french_names_have_no_elided_article() -> None:
    found = names(FRENCH, "fr")
    assert found == [
        *("Victor Hugo", "Les Misérables", "Guernesey", "Dupont", "Université de Lyon", "Banque de France", "APT"),
        "Paris",
    ]


def test_spanish_names_are_capitals_inside_sentences() -> None:
    found = names(SPANISH, "es")
    expected = ["Miguel de Cervantes", "Alcalá de Henares", "Debian", "APT", "Banco de España", "Pérez", "Madrid"]
    assert found == expected


def test_another_language_with_capitals_is_read_alike() -> None:
    assert "Лев Толстой" in names("Роман написал Лев Толстой в Ясной Поляне.", "ru")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Verwenden Sie --size=GRÖSSE oder [OPTION] mit DATEI, falls die Datei fehlt.", "de"),
        ("Utilisez FICHIER si le fichier manque, ou <OPTION>.", "fr"),
        ("", "de"),
        ("...", "fr"),
        ("DIE NACHRICHTEN VON HEUTE UND AUCH DIE VON GESTERN", "de"),
    ],
)
def test_placeholders_and_shouting_name_nothing(text: str, language: str) -> None:
    assert [each for each in names(text, language) if not each.startswith("--")] == []


def test_technical_names_are_found_in_every_language() -> None:
    for language in ("de", "es", "ja"):
        assert "os.path.join()" in names("os.path.join() — /etc/fstab", language)


def test_packages_that_are_installed_end_where_the_sentence_goes_on() -> None:
    found = names("Ejecute apt install apparmor apparmor-utils con privilegios de superusuario, y reinicie.", "es")
    assert {"apparmor", "apparmor-utils"} <= set(found)
    assert not set(found) & {"con", "privilegios", "de", "superusuario"}


def test_sentences_end_as_the_language_ends_them() -> None:
    assert (
        len(extracted_by_rules(ChunkText("c", "", "", "今日は晴れ。明日は雨。「本当?」と聞いた。", "ja")).sentences)
        == 3
    )
    text = "Vea la pág. 4 del libro. El Sr. Pérez vive aquí."
    assert len(extracted_by_rules(ChunkText("c", "", "", text, "es")).sentences) == 2


def test_what_the_script_marks_is_a_name_without_a_segmenter() -> None:
    assert names("彼は『雪国』を読み、ライブラリ・オブ・コングレスでDebianを使う。", "ja")[0] == "雪国"
    assert set(names("他喜欢《红楼梦》，用Linux和Debian。", "zh")) >= {"红楼梦", "Linux", "Debian"}


@pytest.mark.skipif(find_spec("rjieba") is None, reason="the extra multilingual is not installed")
def test_chinese_names_are_words_of_the_segmenter() -> None:
    text = "李明在北京大学学习，伊恩·默多克创建了这个项目，诸如此类的关联很多。"
    assert names(text, "zh") == ["李明", "北京大学", "伊恩·默多克"]


@pytest.mark.skipif(find_spec("rjieba") is None, reason="the extra multilingual is not installed")
def test_chinese_words_that_a_dictionary_has_among_names_are_none() -> None:
    assert names("客户端把命令中断记录在日志里，加密的程序开发在法国。", "zh") == ["法国"]


def test_latin_names_in_chinese_keep_their_accents() -> None:
    assert names("作者是 Nat Makarévitch 和 Raphaël，用 Élan 写成。", "zh") == ["Nat Makarévitch", "Raphaël", "Élan"]


@pytest.mark.skipif(find_spec("janome") is None, reason="the extra multilingual is not installed")
def test_japanese_names_are_joined_and_no_part_of_a_loan_word() -> None:
    found = names("田中太郎は東京都に住み、ファイアウォールと富士通のサーバを使う。", "ja")
    assert found == ["田中太郎", "東京都", "富士通"]
