"""Finds a language by the tag that a test set carries."""

from typing import Final

from worker.adversarial.languages.de import GERMAN
from worker.adversarial.languages.en import ENGLISH
from worker.adversarial.languages.es import SPANISH
from worker.adversarial.languages.fr import FRENCH
from worker.adversarial.languages.language import Language
from worker.adversarial.languages.ru import RUSSIAN

LANGUAGES: Final = {
    language.code: language for language in (ENGLISH, GERMAN, FRENCH, SPANISH, RUSSIAN)
}


def find_language(tag: str) -> Language:
    """Return what is known of the language of a tag such as `en`, `de-AT` or `pt_BR`.

    An empty tag stands for English. Of a language that is not in the catalogue nothing is
    known, and the kinds that need its words are not applicable.
    """
    code = tag.replace("_", "-").partition("-")[0].casefold() or ENGLISH.code
    return LANGUAGES.get(code) or Language(code=code)
