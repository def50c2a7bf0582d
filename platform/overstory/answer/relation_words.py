"""English words that say the same relation: a question with one of them is answered by a sentence with another."""

from __future__ import annotations

import functools

from overstory.text.words import stem

_RELATIONS = """
born birth birthplace birthday native
die died dies death dead killed executed assassinated murdered buried posthumous posthumously suicide
married marry marriage wife husband spouse consort widow widower wed divorced queen
father mother parent parents son daughter child children grandfather grandmother grandson granddaughter stepmother
+stepfather stepson family
sibling siblings brother sister half-brother half-sister twin family
uncle aunt nephew niece
wrote write written writer writes author authored novelist screenplay script screenwriter penned playwright book
rewrote rewrite rewrites rewritten rewriting
directed direct directs director filmmaker directorial
composed compose composer composes music score scored soundtrack
sang sing sings sung singer vocals vocalist perform performed performs performer recorded record artist musician song
produced produce produces producer production
founded found founder founders founding established establish establishment created create creation formed form
+formation started start began begin begun launched launch opened inaugurated incorporated originated origin set
closed close closure closes shut ceased cease discontinued discontinue defunct dissolved disbanded abolished retired
+retire decommissioned switched ended
led lead leads leader leaders head heads headed heading manage manages managed manager managing run runs running boss
ruled rule rules ruler king queen monarch emperor reign reigned sultan governed governor
own owns owned owner owners ownership belongs belong belonging property
maintain maintains maintained maintainer maintenance responsible care
located locate location situated lies lie stands stand based headquartered headquarters seat site place
live lives lived living residence resides reside resided home inhabitant
study studied studies studying educated education attend attended attends graduate graduated university school college
+degree alumnus alumni alma
work works worked working employed employs employ employer employee employees job career
play plays played player players star stars starred starring cast portrayed portray portrays actor actress role
+appeared appears character
release released releases premiere premiered publish published publishes publication publisher issued issue debut
population inhabitants people residents
cost costs price prices priced fee fees charge charges charged pay pays paid worth
salary salaries wage wages earn earns earned paid pay income compensation
win wins won winner award awards awarded prize champion champions victory
buy buys bought buyer acquire acquired acquires acquisition purchase purchased takeover merged
sell sells sold seller sale sales
use uses used using user usage
need needs needed require requires required requirement necessary must
fix fixes fixed repaired repair repairs resolved resolves corrected mended solved solve
cancel cancels cancelled canceled cancellation terminate terminated termination
approve approves approved approval allow allows allowed permitted permit permission authorised authorized
remove removes removed delete deletes deleted deletion erase erases drop drops discard
add adds added append appends insert inserts inserted
change changes changed modify modifies modified alter alters altered edit edits replace replaces replaced substitute
show shows shown display displays displayed print prints printed list lists
make makes made build builds built manufacture manufactures manufactured produce produces produced
sign signs signed signature signatory
large larger largest big bigger biggest size area
tall taller tallest height high higher highest
long longer longest length
heavy heavier heaviest weight weigh weighs
deep deeper deepest depth
old older oldest age aged elder eldest young younger youngest born birth
grow grows grew grown growing
speak speaks spoke spoken speech
teach teaches taught teacher teaching
bring brings brought
build builds built building
catch catches caught
choose chooses chose chosen choice
come comes came coming
draw draws drew drawn
drive drives drove driven
fall falls fell fallen
feel feels felt
fight fights fought
fly flies flew flown flight
forget forgets forgot forgotten
give gives gave given
hold holds held
keep keeps kept
know knows knew known
leave leaves left leaving
lose loses lost loss
meet meets met meeting
rise rises rose risen
send sends sent
sit sits sat
spend spends spent
stand stands stood
steal steals stole stolen
take takes took taken
tell tells told
think thinks thought
throw throws threw thrown
wear wears wore worn
arrive arrives arrived arrival
near nearest close closest next adjacent
border borders bordered bordering adjacent neighbouring neighboring
"""


def _families() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_RELATIONS.strip().replace("\n+", " ").splitlines()):
        for word in line.split():
            found.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


_OF_STEM = _families()
_NONE: frozenset[int] = frozenset()

_LEAST_SHARED_LETTERS = 5
"""Letters that two stems begin with if one is derived from the other: "director" and "directorate"."""


@functools.lru_cache(maxsize=65_536)
def same_relation(one: str, other: str) -> bool:
    """Whether two stems say the same: they are equal, derived from one word, or say the same relation."""
    if one == other:
        return True
    if _OF_STEM.get(one, _NONE) & _OF_STEM.get(other, _NONE):
        return True
    shared = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        shared += 1
    shorter, longer = sorted((len(one), len(other)))
    return (shared >= _LEAST_SHARED_LETTERS and shared >= 0.6 * longer) or (
        shared == shorter >= _LEAST_SHARED_LETTERS - 1 and longer - shared <= 2
    )
