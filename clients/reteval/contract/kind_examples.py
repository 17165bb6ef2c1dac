"""An example of each kind, as the generators make it."""

from typing import Final

from msgspec import Struct


class KindExample(Struct, frozen=True):
    """A query and one variant of it, which is cut at 120 characters."""

    query: str
    variant: str


KIND_EXAMPLES: Final = {
    "control.repeat": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten password?"
    ),
    "typo.delete": KindExample(
        "How do I reset a forgotten password?", "How do I reet a forgotten password?"
    ),
    "typo.insert": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten passworfd?"
    ),
    "typo.substitute_adjacent": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten passworx?"
    ),
    "typo.substitute_random": KindExample(
        "How do I reset a forgotten password?", "How do I reiet a forgotten password?"
    ),
    "typo.transpose": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten passwrod?"
    ),
    "typo.double": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten pasword?"
    ),
    "typo.mixed": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten psassword?"
    ),
    "typo.real_word": KindExample(
        "How do I reset a forgotten password?", "How do I resect a forgotten password?"
    ),
    "misspelling.attested": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten pasword?"
    ),
    "misspelling.phonetic": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgoten password?"
    ),
    "ocr": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forg0tten password?"
    ),
    "homoglyph": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten p\u0430ssword?"
    ),
    "invisible": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forg\u200cotten password?"
    ),
    "unicode.nfd": KindExample(
        "caf\xe9 menu with vegetarian dishes", "cafe\u0301 menu with vegetarian dishes"
    ),
    "unicode.fullwidth": KindExample(
        "How do I reset a forgotten password?",
        "\uff28\uff4f\uff57 \uff44\uff4f \uff29 \uff52\uff45\uff53\uff45\uff54 \uff41 "
        "\uff46\uff4f\uff52\uff47\uff4f\uff54\uff54\uff45\uff4e \uff50\uff41\uff53\uff53"
        "\uff57\uff4f\uff52\uff44?",
    ),
    "unicode.typographic": KindExample(
        "ticket to Paris on 2024-03-21", "ticket to Paris on 2024\u201003\u201021"
    ),
    "diacritics.strip": KindExample(
        "caf\xe9 menu with vegetarian dishes", "cafe menu with vegetarian dishes"
    ),
    "diacritics.add": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten p\xe4ssword?"
    ),
    "case.upper": KindExample(
        "How do I reset a forgotten password?", "HOW DO I RESET A FORGOTTEN PASSWORD?"
    ),
    "case.lower": KindExample(
        "How do I reset a forgotten password?", "how do i reset a forgotten password?"
    ),
    "case.title": KindExample(
        "How do I reset a forgotten password?", "How Do I Reset A Forgotten Password?"
    ),
    "case.alternate": KindExample(
        "How do I reset a forgotten password?", "hOw Do I rEsEt A fOrGoTtEn PaSsWoRd?"
    ),
    "case.turkish": KindExample(
        "invoice for colour printing in Berlin",
        "\u0130NVO\u0130CE FOR COLOUR PR\u0130NT\u0130NG \u0130N BERL\u0130N",
    ),
    "whitespace_punct": KindExample(
        "How do I reset a forgotten password?", "How do I reset\na forgotten password?"
    ),
    "keyboard_layout": KindExample(
        "How do I reset a forgotten password?",
        "\u0420\u0449\u0446 \u0432\u0449 \u0428 \u043a\u0443\u044b\u0443\u0435 \u0444 "
        "\u0430\u0449\u043a\u043f\u0449\u0435\u0435\u0443\u0442 \u0437\u0444\u044b\u044b"
        "\u0446\u0449\u043a\u0432?",
    ),
    "segment.split": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgotten pass word?"
    ),
    "segment.merge": KindExample(
        "How do I reset a forgotten password?", "How do I reset a forgottenpassword?"
    ),
    "naturality.stopwords": KindExample(
        "How do I reset a forgotten password?", "reset forgotten password?"
    ),
    "naturality.question": KindExample(
        "How do I reset a forgotten password?", "reset forgotten password"
    ),
    "order.swap": KindExample(
        "How do I reset a forgotten password?", "How I do reset a forgotten password?"
    ),
    "order.shuffle": KindExample(
        "How do I reset a forgotten password?", "reset How do a forgotten I password?"
    ),
    "inflection": KindExample(
        "How do I reset a forgotten password?", "How do I resets a forgotten password?"
    ),
    "variant_spelling": KindExample(
        "invoice for colour printing in Berlin", "invoice for color printing in Berlin"
    ),
    "number_format": KindExample(
        "ticket to Paris on 2024-03-21", "ticket to Paris on 21 March 2024"
    ),
    "short.k1": KindExample("How do I reset a forgotten password?", "forgotten"),
    "short.k2": KindExample("How do I reset a forgotten password?", "forgotten password"),
    "short.k3": KindExample("invoice for colour printing in Berlin", "invoice colour printing"),
    "short.prefix": KindExample("How do I reset a forgotten password?", "How do I reset a for"),
    "drop.content": KindExample(
        "How do I reset a forgotten password?", "How do I reset a password?"
    ),
    "verbose.polite": KindExample(
        "How do I reset a forgotten password?",
        "Hello, could you please help me with this: How do I reset a forgotten password? "
        "Thank you very much in advance!",
    ),
    "verbose.context": KindExample(
        "How do I reset a forgotten password?",
        "Our old dog sleeps under the kitchen table most of the day. Next month we would "
        "like to see the mountains again. How do\u2026",
    ),
    "noise.append": KindExample(
        "How do I reset a forgotten password?",
        "How do I reset a forgotten password? fiddle dusk sand picnic rain swan grandfath"
        "er cottage meadow lily",
    ),
    "length.preamble": KindExample(
        "How do I reset a forgotten password?",
        "My sister visits me every other Sunday and brings cake. The children next door a"
        "re learning to play the violin. I usual\u2026",
    ),
    "length.repeat": KindExample(
        "How do I reset a forgotten password?",
        "How do I reset a forgotten password? How do I reset a forgotten password? How do"
        " I reset a forgotten password? How do I\u2026",
    ),
    "negation": KindExample(
        "How do I reset a forgotten password?",
        "How do I reset a forgotten password but not about forgotten?",
    ),
    "entity_swap": KindExample(
        "invoice for colour printing in Berlin", "invoice for colour printing in Paris"
    ),
    "number_change": KindExample(
        "what's new in release 7 of the notebook", "what's new in release 16 of the notebook"
    ),
    "paraphrase.model": KindExample(
        "How do I reset a forgotten password?",
        "I no longer know my password; how can I choose another one?",
    ),
}
