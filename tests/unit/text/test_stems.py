"""Words without their endings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from overstory.text.words import light_stem, stem

ENGLISH = """
relational relat,conditional condit,valency valenc,digitizer digit,conformably conform,radically radic,
differently differ,vilely vile,analogously analog,operator oper,feudalism feudal,hopefulness hope,callousness callous,
sensitivity sensit,sensibility sensibl,triplicate triplic,formative form,formalize formal,electrical electr,
goodness good,revival reviv,allowance allow,inference infer,adjustable adjust,replacement replac,adoption adopt,
homologous homolog,effective effect,rate rate,cease ceas,controlling control,rolling roll,agreed agre,feed feed,
plastered plaster,motoring motor,sing sing,conflated conflat,troubled troubl,sized size,hopping hop,falling fall,
hissing hiss,failing fail,filing file,happy happi,sky sky,caresses caress,ponies poni,ties ti,caress caress,cats cat,
yes ye,enjoy enjoi,Debian’s debian,O'Reilly's o'reilli,analogy analogi,possibly possibli,E42 e42,contextlib contextlib,
Straße straße,yells yell,eyed ei,is is,as as,ing ing,ed ed
"""


@pytest.mark.parametrize(("word", "expected"), [pair.split() for pair in ENGLISH.replace("\n", "").split(",")])
def test_an_english_word_has_porters_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


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


def test_threads_do_not_disturb_each_other() -> None:
    words = ["Verzeichnisse", "Größen", "Dateien", "Benutzern"] * 50

    def stemmed(word: str) -> str:
        return light_stem.__wrapped__(word, "de")

    expected = [*map(stemmed, words)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stemmed, words))
    assert found == expected
