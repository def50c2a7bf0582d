"""Words of other languages without their endings."""

from __future__ import annotations

import pytest

from overstory.text.words import light_stem


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ("Verzeichnis", "Verzeichnisse", "Verzeichnissen", "Verzeichnisses")),
        ("de", ("Größe", "Größen", "größer")),
        ("fr", ("utilisateur", "utilisateurs", "l'utilisateur", "d’utilisateurs")),
        ("fr", ("journal", "journaux")),
        ("es", ("archivo", "archivos")),
        ("it", ("dell'utente", "utente", "utenti")),
        ("pt", ("opção", "opções")),
        ("nl", ("bestand", "bestanden")),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, words: tuple[str, ...]) -> None:
    assert len({light_stem(word, language) for word in words}) == 1


def test_different_words_keep_different_stems() -> None:
    assert light_stem("Datei", "de") != light_stem("Daten", "de")
    assert light_stem("fichier", "fr") != light_stem("fiche", "fr")


def test_a_language_without_rules_keeps_its_words() -> None:
    assert light_stem("Каталоги", "ru") == "каталоги"
    assert light_stem("目录", "zh") == "目录"


@pytest.mark.parametrize("language", ["de", "fr", "es", "it", "pt", "nl", "ru", "zh"])
@pytest.mark.parametrize("word", ["a", "es", "ee", "s", "ß", "été", "aux", "1", "_", "x" * 300])
def test_a_stem_is_never_empty(word: str, language: str) -> None:
    assert light_stem(word, language)
