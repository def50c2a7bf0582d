"""The words of six languages that date a fact: months, prepositions, and verbs that begin or end something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeWords:
    """The words of one language, as parts of regular expressions that ignore case.

    Attributes:
        months: names and abbreviations of the twelve months, those of one month separated by spaces.
        before_date: words that may stand between a preposition and its date, such as "the spring of".
        before_month: words between day and month, or month and year, such as "de" in Spanish.
        day: what may follow the number of a day, such as "th".
        since, until, before, after, within: prepositions of a date.
        effective: prepositions of the date from which something begins or, with a verb that ends it, no longer holds.
        range_from: prepositions that begin a time span only if `range_to` and another date follow.
        between: words for "between" and "and".
        today: words that stand in place of the end of a range that goes on.
        bare_year: text before a year that dates the fact without a preposition, with case; "" if the language has none.
        decade: a decade; the group `decade` is its first year.
        no_longer: words that say that a fact ended.
        former: words that say the same of a role, which they stand before.
        begins, ends: verbs and nouns for the beginning and the end of a state.
        closed: those of `ends` that also name a state: "closed from 3 May 2021" is when the state begins.
        documents: what has a date of its own: "the report from 2012".
    """

    months: str
    before_date: str
    before_month: str
    day: str
    since: str
    effective: str
    range_from: str
    range_to: str
    until: str
    before: str
    after: str
    within: str
    between: tuple[str, str]
    today: str
    bare_year: str
    decade: str
    no_longer: str
    former: str
    begins: str
    ends: str
    closed: str
    documents: str


_ENGLISH = TimeWords(
    months="january,jan february,feb march,mar april,apr may june,jun july,jul august,aug september,sept,sep "
    "october,oct november,nov december,dec",
    before_date=r"(?:the\s+)?(?:very\s+)?(?:(?:calendar |fiscal |school )?years?|seasons?|early|late|mid-?"
    r"|start of|beginning of|middle of|end of|(?:the )?(?:spring|summer|autumn|fall|winter)(?:\s+of)?|about"
    r"|around|approximately|circa|c\.|ca\.)|the(?=\s+\d{1,2}(?:st|nd|rd|th))|(?:mon|tues|wednes|thurs|fri|satur"
    "|sun)day,?",
    before_month="of",
    day="st|nd|rd|th",
    since="(?:ever )?since",
    effective="(?:with effect|effective)(?: as)?(?: from| of| on)?|as from|from|starting(?: on| in| from)?"
    "|beginning(?: on| in)?|as of",
    range_from="from|since",
    range_to="up to|to|until|till|til|through",
    until="up until|until|till|til|up to|through",
    before="before|prior to",
    after="after",
    within="in|on|during|throughout|within",
    between=("between", "and"),
    today="the present(?: day)?|present|today|now|date",
    bare_year="",
    decade=r"(?:the )?(?:early |late |mid-?)?(?P<decade>\d{3}0)['’]?s",
    no_longer=r"no longer|not? (?:\w+ ){1,4}any ?more|any longer|defunct|discontinued|no more",
    former=r"former(?:ly)?|ex-|previously|erstwhile|used to|late(?= (?:chair|director|president|head|mayor)\w*)"
    r"|then(?=[- ](?:chair|director|president|head|mayor|manager)\w*)|one-time",
    begins=r"appoint\w*|elect(?:ed|s)|named|became|become[s]?|join(?:ed|s)|took (?:over|office|up|effect|charge)"
    "|takes? (?:over|office|up|effect|charge)|found(?:ed|s)(?= )|establish(?:ed|es)|introduc(?:ed|es)|open(?:ed"
    "|s)|launch(?:ed|es)|start(?:ed|s)|beg[au]n|begins|commenc(?:ed|es)|c[ao]mes? into (?:force|effect"
    "|operation)|enter(?:ed|s) into force|hired|succeed(?:ed|s)|assum(?:ed|es)|installed|promoted|moved to"
    "|set up|created|applies|apply|effective|valid|in force",
    ends="resign(?:ed|s|ation)|left|leaves|retir(?:ed|es)|step(?:ped|s) down|clos(?:ed|es|ure)|end(?:ed|s)"
    "|abolish(?:ed|es)|ceas(?:ed|es)|dissolv(?:ed|es)|discontinu(?:ed|es)|expir(?:ed|es|y)|repeal(?:ed|s)"
    "|withdr[ae]wn?|dismissed|quits?|demolished|shut(?: down)?|gave up|was replaced|were replaced|is replaced"
    "|are replaced|terminat(?:ed|es)|stop(?:ped|s)|lapse[sd]?|vacated|scrapped|cancelled|revoked|disbanded"
    "|departed",
    closed="closed|shut(?: down)?",
    documents="reports?|minutes|letters?|e-?mails?|mails?|notes?|memos?|photos?|photographs?|pictures?|data"
    "|figures|versions?|editions?|maps?|stud(?:y|ies)|surveys?|census|articles?|drafts?|plans?|laws?|acts?"
    "|budgets?|agendas?|meetings?|sessions?",
)

_GERMAN = TimeWords(
    months="januar,jan,jänner februar,feb,feber märz,mrz,maerz april,apr mai juni,jun juli,jul august,aug "
    "september,sept,sep oktober,okt november,nov dezember,dez",
    before_date=r"(?:dem|den|der|das|des|zum|zur)?\s*(?:jahre?s?|anfang|beginn|mitte|ende|frühjahr|frühling"
    r"|sommer|herbst|winter|spätsommer|spätherbst|schuljahr|saison|etwa|circa|ca\.|rund)(?:\s+(?:des|der))?"
    r"|einschließlich|(?:dem|den|der|das|zum|am)(?=\s+\d)|(?:mon|diens|mitt|donners|frei|sams|sonn)(?:tag"
    r"|woch),?(?:\s+(?:dem|den),?)?",
    before_month="",
    day=r"\.",
    since="seit",
    effective=r"ab|mit wirkung (?:vom|zum)|beginnend (?:mit|am)|vo[nm](?=[^.;,]{3,24} an\b)",
    range_from="von|vom|seit|ab",
    range_to="bis (?:zum|zur|einschließlich|in das|ins)|bis",
    until="bis (?:zum|zur|einschließlich|in das|ins)|bis",
    before="vor(?: dem)?",
    after="nach(?: dem)?",
    within="im|am|in|während|zum",
    between=("zwischen", "und"),
    today="heute|dato",
    bare_year=r"(?:(?<=[\s(])(?!(?:von|aus|der|die|das|den|dem|des|für|gegen|über|um|nummer|rund|etwa|mit|auf"
    r"|unter|ist|sind|hat|je|pro)\s)[a-zäöüß]+\s+)",
    decade=r"(?:den |die |der )?(?:frühen |späten )?(?P<decade>\d{3}0)er(?:[- ]?jahren?)?",
    no_longer=r"nicht (?:\w+ ){0,3}mehr|kein\w* (?:[\w-]+ ){0,4}mehr",
    former=r"ehemalig\w*|ehemals|frühere[rsnm]?|vormalig\w*|vormals|einstig\w*|damalig\w*|ex-|alt(?=bürgermeister"
    "|präsident)",
    begins=r"wurde\w* (?:[\w-]+\.? ){0,4}(?:1\d|20)\d\d (?-i:[A-ZÄÖÜ][\w-]+)\s*(?:[.,]|de[rs]\b|von\b|an\b)"
    r"|ernannt|gewählt|wurde\w* (?:[\w-]+ ){0,6}(?:leiter|direktor|chef|vorsitzend)\w*|wählte|berufen|bestellt"
    r"|übernahm\w*|übernimmt|übernommen|gegründet|eingeführt|führte[n]? ein|eröffnet\w*|gestartet|startet\w*"
    r"|begann\w*|beginnt|begonnen|trat\w* (?:[\w-]+ ){0,4}(?:an|ein|bei|in kraft)|tritt (?:[\w-]+\.? ){0,6}(?:an"
    "|ein|bei|in kraft)|in kraft|eingestellt als|gilt|gelten|bezog|bezogen|eingesetzt|wechselte zu|gültig",
    ends=r"zurückgetreten|rücktritt|trat\w* (?:[\w-]+\.? ){0,6}zurück|tritt (?:[\w-]+\.? ){0,6}zurück|verließ\w*"
    r"|verlässt|verlassen|ausgeschieden|schied\w* (?:[\w-]+\.? ){0,6}aus|scheidet|pensioniert|ruhestand"
    r"|geschlossen|schloss\w*|endet\w*|beendet\w*|abgeschafft|aufgehoben|aufgelöst|eingestellt(?! als)|erlosch\w*"
    "|außer kraft|abgelöst|ersetzt|entlassen|abgerissen|stillgelegt|gekündigt|(?:läuft"
    r"|lief\w*) (?:[\w-]+\.? ){0,6}aus|(?:hört|gab|gibt|löst|schafft|hob|hebt"
    r"|stellt)\w* (?:[\w-]+\.? ){0,6}(?:auf|ab|ein)|ausgelaufen",
    closed="geschlossen|stillgelegt|eingestellt|aufgehoben",
    documents=r"\w*(?:bericht|protokoll|schreiben|brief|mail|notiz|foto|bild|daten|zahlen|version|ausgabe|auflage"
    "|karte|studie|umfrage|artikel|entwurf|plan|gesetz|haushalt|beschluss|fassung|stand|sitzung"
    r"|versammlung)\w{0,2}",
)

_FRENCH = TimeWords(
    months="janvier,janv février,févr,fevrier mars avril,avr mai juin juillet,juil août,aout septembre,sept "
    "octobre,oct novembre,nov décembre,déc,decembre",
    before_date="(?:l['’]|la |le |les |l['’]été |de |du |d['’])?(?:années? (?:scolaire )?|an |début (?:de |du "
    "|d['’])?|fin (?:de |du |d['’])?|mi-|milieu (?:de |du |d['’])?|printemps |été |automne |hiver |saison "
    "|environ |vers )(?:de |du |d['’]|l['’]année |l['’]an )?|(?:le |mois de |mois d['’]|la fin (?:de |d['’]|du )"
    "|l['’])|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) ",
    before_month="",
    day="er",
    since="depuis",
    effective="(?:à|a) partir (?:du|de|d['’])|dès|(?:à|a) compter (?:du|de|d['’])",
    range_from="depuis|de|du|d['’]|dès",
    range_to="jusqu['’](?:en|à|au|a)(?: la)?|à|au|a",
    until="jusqu['’](?:en|à|au|a)(?: la)?",
    before="avant(?: le)?",
    after="après",
    within="en|le|au|durant|pendant|dans|courant",
    between=("entre", "et"),
    today="aujourd['’]hui|nos jours|ce jour|présent",
    bare_year="",
    decade=r"(?:les |des |la fin des |le début des )?années (?P<decade>\d{3}0)",
    no_longer=r"\b(?:ne |n['’])(?:\w+ ){1,3}plus(?! (?:de|d['’]|que|tard|grand|petit|important)\b)|plus aucun\w*"
    r"|disparu\w*",
    former="ancien(?:ne)?s?(?= (?:[a-zé]))|ex-|autrefois|précédemment|jadis",
    begins="nommée?s?|élue?s?|devenue?s?|devient|devint|rejoint|rejoignit|prend (?:la|ses|son)|prit (?:la|ses"
    "|son)|pris (?:la|ses|son)|fondée?s?|créée?s?|introduite?s?|ouvre|ouvrit|ouverte?s?|lancée?s?|commence"
    "|commença|commencé|débute|débuté|entre en vigueur|entra en vigueur|entrée?s? en (?:vigueur|fonction)"
    "|embauchée?s?|succède|succéda|succédé|installée?s?|instaurée?s?|promue?s?|établie?s?|en vigueur|applicable"
    r"|applique\w*",
    ends=r"démission\w*|quitte|quitta|quitté|partie? à la retraite|retraite|fermée?s?|ferme|ferma|termine"
    "|terminée?s?|termina|prend fin|prit fin|pris fin|cesse|cessa|cessé|abolie?s?|abrogée?s?|supprimée?s?"
    "|dissoute?s?|dissous|expire|expira|expiré|remplacée?s?|licenciée?s?|démolie?s?|abandonnée?s?|retirée?s?"
    "|résiliée?s?|achève|acheva|s['’]arrête",
    closed="fermée?s?|abandonnée?s?",
    documents=r"rapports?|procès-verba\w+|lettres?|courri\w+|notes?|photos?|images?|données|chiffres|versions?"
    "|éditions?|cartes?|études?|enquêtes?|articles?|projets?|plans?|lois?|budgets?|recensement|réunions?|séances?",
)

_SPANISH = TimeWords(
    months="enero,ene febrero,feb marzo,mar abril,abr mayo,may junio,jun julio,jul agosto,ago "
    "septiembre,setiembre,sept,sep octubre,oct noviembre,nov diciembre,dic",
    before_date="(?:el |la |los |las |del |de la )?(?:años? |principios (?:de |del )|comienzos (?:de |del )"
    "|finales (?:de |del )|mediados (?:de |del )|fines (?:de |del )|inicios (?:de |del )|primavera (?:de |del )"
    "|verano (?:de |del )|otoño (?:de |del )|invierno (?:de |del )|temporada |curso |mes de |fin de "
    "|final de )(?:del? )?(?:el )?(?:año )?|el (?:día )?|día |(?:lunes|martes|miércoles|jueves|viernes|sábado"
    "|domingo),? ",
    before_month="de|del",
    day="[ºo]",
    since="desde",
    effective="a partir del?|con efectos? (?:desde|del?|a partir del?)|a contar del?",
    range_from="desde|de|del",
    range_to="hasta|a|al",
    until="hasta",
    before="antes del?",
    after="después del?|tras",
    within="en|el|durante",
    between=("entre", "y|e"),
    today="la actualidad|hoy|el presente|la fecha|ahora|actualidad",
    bare_year="",
    decade=r"(?:los |la |la década de los )?(?:años |década de )(?P<decade>\d{3}0)",
    no_longer="ya no|dejó de(?! ser)|dej[óa] de ser|dejaron de|nunca más",
    former="antigu[oa]s?(?= (?:director|president|jef|alcald|secretari|responsable|presidente|gerente|entrenador"
    r"|sede|ministr)\w*)|ex(?:-| )(?=\w)|exdirector\w*|expresident\w*|exministr\w*|exalcald\w*|exjugador\w*"
    r"|exentrenador\w*|exjef\w*|exgerente\w*|exsecretari\w*|anteriormente|entonces(?= (?:director|president)\w*)",
    begins="nombrad[oa]s?|nombró|elegid[oa]s?|eligió|electa?|convirtió|pasó a|incorporó|ingresó|unió|asumió"
    "|asume|tomó posesión|fundad[oa]s?|fundó|cread[oa]s?|creó|introducid[oa]s?|introdujo|abrió|abiert[oa]s?|abre"
    "|lanzad[oa]s?|lanzó|comenzó|comienza|empezó|empieza|inició|inicia|entr[óa] en vigor|entra en vigor"
    "|entró en funcionamiento|contratad[oa]s?|sucedió|sucede|instalad[oa]s?|establecid[oa]s?|ascendid[oa]s?|rige"
    "|vigente",
    ends="dimitió|dimisión|dimite|renunció|renuncia|dejó|deja|abandonó|abandona|jubiló|jubila|jubilación|cerró"
    "|cerrad[oa]s?|cierra|cierre|terminó|termina|finalizó|finaliza|concluyó|acabó|cesó|cesad[oa]s?|abolid[oa]s?"
    "|derogad[oa]s?|suprimid[oa]s?|disuelt[oa]s?|disolvió|expiró|expira|venció|vence|sustituid[oa]s?"
    "|reemplazad[oa]s?|despedid[oa]s?|demolid[oa]s?|retirad[oa]s?|retiró|eliminad[oa]s?",
    closed="cerrad[oa]s?|jubilad[oa]s?",
    documents="informes?|actas?|cartas?|correos?|notas?|fotos?|imágenes|datos|cifras|versión|versiones|edición"
    "|mapas?|estudios?|encuestas?|artículos?|borrador|plan|planes|ley|leyes|presupuestos?|censo|reunión"
    "|reuniones|sesión|sesiones",
)

_ITALIAN = TimeWords(
    months="gennaio,gen febbraio,feb marzo,mar aprile,apr maggio,mag giugno,giu luglio,lug agosto,ago "
    "settembre,sett,set ottobre,ott novembre,nov dicembre,dic",
    before_date="(?:il |la |l['’]|nel |nell['’]|gli |del |dell['’]|dall['’])?(?:ann[oi] |inizi?o? (?:del |di "
    "|dell['’])?|fine (?:del |di |dell['’])?|metà (?:del |di |dell['’])?|primavera (?:del |di )?|estate (?:del "
    "|di )?|autunno (?:del |di |dell['’])?|inverno (?:del |di )?|stagione |mese di |principio (?:del |di )?"
    "|circa |verso )(?:il |del |di |dell['’])?(?:anno )?|il |l['’]|lo |la |(?:lunedì|martedì|mercoledì|giovedì"
    "|venerdì|sabato|domenica) ",
    before_month="del|di",
    day="[°ºo]",
    since="(?:fin |sin )?(?:dal|dall['’]|da|dalla)",
    effective="(?:a partire|a decorrere|con effetto) (?:dal|dall['’]|da|dalla)",
    range_from="dal|dall['’]|da|dalla",
    range_to="fino (?:al|all['’]|a|alla)|sino (?:al|all['’]|a|alla)|al|all['’]|a|alla|ad",
    until="fino (?:al|all['’]|a|alla|ad)|sino (?:al|all['’]|a|alla)",
    before="prima (?:del|di|dell['’])",
    after="dopo",
    within="negli|nel|nell['’]|in|il|l['’]|durante|nella|nei",
    between=("tra|fra", "e"),
    today="oggi|presente|adesso",
    bare_year="",
    decade=r"(?:gli |negli |degli )?anni (?P<decade>\d{3}0)",
    no_longer=r"\bnon (?:\w+ ){1,3}più|cessato di|smesso di",
    former=r"ex(?:-| )(?=\w)|precedentemente|un tempo|già(?= (?:direttore|presidente|sindaco|direttrice)\w*)"
    r"|allora(?= (?:direttore|presidente|sindaco)\w*)",
    begins="nominat[oaie]|elett[oaie]|divenne|diventò|diventat[oaie]|divenut[oaie]|entrò|entrat[oaie]|assunse"
    "|assunt[oaie]|assume|fondat[oaie]|fondò|creat[oaie]|introdott[oaie]|introdusse|apert[oaie]|aprì|apre"
    "|lanciat[oaie]|cominciò|cominci[ao]t?[oa]?|inizi[aò]|iniziat[oaie]|entra in vigore|in vigore|succedette"
    "|subentrò|subentrat[oaie]|istituit[oaie]|promoss[oaie]|insediat[oaie]|insediò|vale|si applica",
    ends=r"dimise|dimess[oaie]|dimissioni|dimette|lasciò|lasciat[oaie]|lascia|pension\w*|ritir[oòa]|ritirat[oaie]"
    "|chius[oaie]|chiuse|chiude|termin[aò]|terminat[oaie]|finì|finisce|finit[oaie]|cessò|cessat[oaie]|cessa"
    "|abolit[oaie]|abrogat[oaie]|soppress[oaie]|sciolt[oaie]|scaduto|scade|scadde|sostituit[oaie]"
    r"|licenziat[oaie]|demolit[oaie]|abbandon\w+|conclus[oaie]|concluse|eliminat[oaie]",
    closed="chius[oaie]|sciolt[oaie]",
    documents="rapport[oi]|verbal[ei]|letter[ae]|mail|not[ae]|foto|immagin[ei]|dati|cifre|version[ei]"
    r"|edizion[ei]|mapp[ae]|studi[oi]?|sondaggi\w*|articol[oi]|bozz[ae]|pian[oi]|legg[ei]|bilanci\w*|censimento"
    "|riunion[ei]|sedut[ae]",
)

_DUTCH = TimeWords(
    months="januari,jan februari,feb maart,mrt april,apr mei juni,jun juli,jul augustus,aug september,sept,sep "
    "oktober,okt november,nov december,dec",
    before_date="(?:het |de )?(?:jaar|jaren|begin|eind|einde|medio|midden|halverwege|voorjaar|lente|zomer|herfst"
    r"|najaar|winter|seizoen|schooljaar|omstreeks|rond|ongeveer|circa|ca\.)(?:\s+van)?|(?:maan|dins|woens|donder"
    "|vrij|zater|zon)dag",
    before_month="",
    day="e|ste|de",
    since="sinds|sedert",
    effective="vanaf|met ingang van|per",
    range_from="van|vanaf|sinds",
    range_to="tot en met|t/m|tot",
    until="tot en met|t/m|tot aan|tot",
    before="vóór|voor",
    after="na",
    within="in|op|tijdens|gedurende",
    between=("tussen", "en"),
    today="heden|nu|vandaag",
    bare_year="",
    decade=r"(?:de )?jaren (?P<decade>\d{3}0)",
    no_longer=r"niet (?:\w+ ){0,3}meer|niet langer|geen (?:[\w-]+ ){0,4}meer",
    former=r"voormalige?|vroegere?(?= \w)|ex-|oud-|toenmalige?|eertijds",
    begins=r"werd\w* (?:[\w-]+ ){1,4}(?:1\d|20)\d\d (?!(?:ge|be|ver|ont|her|door|aan|op|in|over"
    r"|af)\w+)[\w-]{4,}(?=\s*(?:[.,]|van|bij))|benoemd|gekozen|verkozen|werd (?:[\w-]+ ){0,6}(?:directeur"
    r"|voorzitter|hoofd)|trad (?:[\w-]+ ){0,6}(?:aan|toe|in dienst|in werking)|treedt (?:[\w-]+ ){0,6}(?:aan|toe"
    r"|in dienst|in werking)|nam (?:[\w-]+ ){0,6}over|overgenomen|opgericht|ingevoerd|geopend|opende|opent"
    "|gestart|startte|start|begon|begint|begonnen|in werking|ingesteld|aangesteld|geïntroduceerd"
    r"|volgde (?:[\w-]+ ){0,6}op|gesticht|geldt|gelden|van kracht|aangenomen",
    ends=r"ontslag|afgetreden|trad (?:[\w-]+ ){0,6}(?:af|terug)|treedt (?:[\w-]+ ){0,6}(?:af|terug)|verliet"
    "|verlaat|verlaten|vertrok|vertrekt|vertrokken|pensioen|gesloten|sloot|sluit|eindigde|eindigt|beëindigd"
    "|afgeschaft|opgeheven|ontbonden|verlopen|verloopt|vervalt|verviel|vervallen|vervangen|ontslagen|gesloopt"
    "|gestopt|stopte|stopt|ingetrokken",
    closed="gesloten|gestopt",
    documents="rapport(?:en)?|notulen|brief|brieven|mail|notities?|foto['’]?s?|beelden|gegevens|cijfers|versies?"
    "|edities?|kaart|studies?|enquêtes?|artikel(?:en)?|ontwerp|plan(?:nen)?|wet(?:ten)?|begroting(?:en)?"
    "|verslag(?:en)?|vergadering(?:en)?",
)

TIME_WORDS: Mapping[str, TimeWords] = {
    "": _ENGLISH,
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "nl": _DUTCH,
}
"""The words of each language that time spans are read in, by ISO code; "" is English."""
