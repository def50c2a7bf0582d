"""Stems are those of Lucene's `english` analyzer: the table is its output."""

from __future__ import annotations

import pytest

from overstory.text.stems import stem

LUCENE = """
relational relat,conditional condit,valency valenc,digitizer digit,conformably conform,radically radic,
differently differ,vilely vile,analogously analog,operator oper,feudalism feudal,hopefulness hope,callousness callous,
sensitivity sensit,sensibility sensibl,triplicate triplic,formative form,formalize formal,electrical electr,
goodness good,revival reviv,allowance allow,inference infer,adjustable adjust,replacement replac,adoption adopt,
homologous homolog,effective effect,rate rate,cease ceas,controlling control,rolling roll,agreed agre,feed feed,
plastered plaster,motoring motor,sing sing,conflated conflat,troubled troubl,sized size,hopping hop,falling fall,
hissing hiss,failing fail,filing file,happy happi,sky sky,caresses caress,ponies poni,ties ti,caress caress,cats cat,
yes ye,enjoy enjoi,Debian’s debian,O'Reilly's o'reilli,analogy analog,possibly possibl,E42 e42,contextlib contextlib,
Straße straße,yells yell,eyed ei,is is,as as,ing ing,ed ed
"""


@pytest.mark.parametrize(("word", "expected"), [pair.split() for pair in LUCENE.replace("\n", "").split(",")])
def test_the_stem_of_a_word_is_that_of_the_index(word: str, expected: str) -> None:
    assert stem(word) == expected
