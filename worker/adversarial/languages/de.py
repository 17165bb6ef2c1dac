"""German."""

from typing import Final

from worker.adversarial.languages.language import Language

_GRAMMAR: Final = """
ab aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dabei
dafür damit danach dann daran darauf das dass davon dazu dein deine dem den denn der des deshalb
dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen
einer eines er es etwas euch euer eure für gegen hab habe haben hast hat hatte hier hin hinter ich
ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt
kann kannst kein keine keinem keinen keiner können man mehr mein meine meinem meinen meiner mich
mir mit muss musst müssen nach nein nicht nichts noch nur ob oder ohne schon sehr sein seine
seinem seinen seiner seit sich sie sind so soll sollen sollte sondern sonst über um und uns unser
unsere unter vom von vor war waren warum was wegen weil welche welchem welchen welcher welches
wenn wer werden wie wieder will wir wird wo wohin worden wurde wurden zu zum zur zwar zwischen
"""
_NEUTRAL: Final = """
Abend Amsel Anker Apfel Balkon Bach Bank Birke Blume Boot Brot Brücke Brunnen Butter Dach Dorf
Drachen Eiche Eimer Enkel Esel Feder Fenster Fluss Fuchs Garten Gans Gras Großvater Hafen Hase
Himmel Holz Honig Hut Hügel Igel Insel Jacke Kamin Kastanie Katze Kerze Kessel Kirsche Kissen
Kiste Kleid Knopf Korb Küche Küste Laterne Laub Leiter Lampe Linde Löffel Mantel Markt Mauer Meer
Melone Mond Moos Morgen Möwe Mühle Nachbar Nebel Nuss Ofen Onkel Pfad Pfeffer Pfütze Regen Reh
Ring Rose Sand Schatten Schaukel Schnee Schwan Schwester See Segel Sofa Sommer Sonne Spiegel Stein
Strand Suppe Tal Tasse Teich Teller Treppe Tulpe Turm Ufer Veilchen Vogel Wald Weide Wiese Wind
Winter Wolke Zaun Ziege Zitrone Zucker Zwiebel
"""
_KEPT: Final = """
ab aus bis gegen hinter kein keine keinem keinen keiner nach nein nicht nichts ohne seit über
unter von vom vor zu zum zur zwischen
"""
_OPENERS: Final = """
bin darf gibt hat ist kann können muss sind soll wann war warum was welche welchem welchen welcher
welches wer weshalb wie wieso wo woher wohin wozu
"""

GERMAN: Final = Language(
    code="de",
    script="latin",
    stemmer="german",
    layout="qwertz",
    wrong_layout="qwerty",
    function_words=frozenset(_GRAMMAR.split()),
    kept=frozenset(_KEPT.split()),
    openers=frozenset(_OPENERS.split()),
    questions=("Was ist {query}?", "Was weiß man über {query}?", "Wo finde ich {query}?"),
    polite="Guten Tag, können Sie mir bitte hierbei helfen: {query} Vielen Dank im Voraus!",
    negations=("{query}, aber nicht über {word}", "{query} ohne {word}"),
    asides=(
        "Im letzten Frühling bin ich in eine kleine Wohnung am Fluss gezogen.",
        "Meine Schwester besucht mich jeden zweiten Sonntag und bringt Kuchen mit.",
        "Hier regnet es seit drei Tagen ohne Pause.",
        "Gestern hat mein Nachbar seinen Zaun hellgrün gestrichen.",
        "Vor dem Frühstück lese ich meist ein wenig, wenn das Haus noch still ist.",
        "Unser alter Hund schläft fast den ganzen Tag unter dem Küchentisch.",
        "Nächsten Monat möchten wir wieder einmal die Berge sehen.",
        "Mein Großvater erzählte gern lange Geschichten vom Meer.",
        "Die Kinder nebenan lernen gerade Geige spielen.",
        "Geburtstage konnte ich mir noch nie gut merken.",
    ),
    neutral=tuple(_NEUTRAL.split()),
    sounds=(
        ("ie", "i"),
        ("(?<=[a-zäöü])v", "f"),
        ("ph", "f"),
        ("th", "t"),
        ("tz", "z"),
        ("ck", "k"),
        ("ai", "ei"),
        ("ei", "ai"),
        ("äu", "eu"),
        ("eu", "oi"),
        ("ä", "e"),
        ("chs", "x"),
        ("qu", "kw"),
        ("d$", "t"),
        ("g$", "k"),
        ("(?<=[aeiouäöü])h(?=[lmnrt])", ""),
        (r"([bdfglmnprst])\1", r"\1"),
        (r"(?<=[aeiou])([bdglmnprt])(?=[aeiou])", r"\1\1"),
        ("ss", "s"),
    ),
    inflections=(
        ("(ung|heit|keit|schaft|ion)en$", r"\1"),
        ("(ung|heit|keit|schaft|ion)$", r"\1en"),
        ("innen$", "in"),
        ("in$", "innen"),
        ("en$", "e"),
        ("e$", "en"),
        ("s$", ""),
        ("$", "e"),
        ("$", "en"),
        ("$", "s"),
    ),
    spellings=(
        ("daß", "dass"),
        ("photo", "foto"),
        ("e-mail", "email"),
        ("selbstständig", "selbständig"),
        ("telephon", "telefon"),
        ("&", "und"),
    ),
    respellings=(("ß", "ss"), ("ä", "ae"), ("ö", "oe"), ("ü", "ue")),
    months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    long_date="{day}. {month} {year}",
    thousands=".",
    units=(
        ("km", "Kilometer"),
        ("kg", "Kilogramm"),
        ("cm", "Zentimeter"),
        ("mm", "Millimeter"),
        ("ml", "Milliliter"),
        ("min", "Minuten"),
        ("Std", "Stunden"),
        ("MB", "Megabyte"),
        ("GB", "Gigabyte"),
    ),
    nouns_capitalised=True,
)
