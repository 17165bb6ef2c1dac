"""Kinds that a search should not notice: other code points, capitals or white space.

They are invariance tests in the sense of CheckList (Ribeiro et al., ACL 2020): any change of the
ranking is a finding.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from worker.adversarial.edits import Edit, apply_edits
from worker.adversarial.keyboard import retype
from worker.adversarial.variant import Made, NotApplicable, Subject, Variant
from worker.adversarial.words import tokens

_WIDE: Final = {code: code + 0xFEE0 for code in range(0x21, 0x7F) if chr(code).isalnum()}
_TYPOGRAPHIC: Final = (
    (re.compile(r"(?<=\w)'"), "\u2019"),
    (re.compile("'(?=\\w)"), "\u2018"),
    (re.compile(r'"(?=\w)'), "\u201c"),
    (re.compile(r'(?<=\w)"'), "\u201d"),
    (re.compile("(?<=\\w)-(?=\\w)"), "\u2010"),
    (re.compile("(?<= )-(?= )"), "\u2013"),
    (re.compile("fi"), "\ufb01"),
    (re.compile("fl"), "\ufb02"),
)
_MARKS: Final = ("?", "!", ".", ",")
_SPACES: Final = (("double_space", "  "), ("tab", "\t"), ("newline", "\n"), ("underscore", "_"))
_HYPHEN: Final = re.compile(r"(?<=\w)-(?=\w)")
_POSSESSIVE: Final = re.compile(r"(?<=\w)['\u2019](?=s\b)")


def decompose(subject: Subject) -> Made:
    """`unicode.nfd`: letters and their marks as code points of their own."""
    return _whole(subject, "nfd", unicodedata.normalize("NFD", subject.text), "no_composed_letter")


def widen(subject: Subject) -> Made:
    """`unicode.fullwidth`: the wide forms of Latin letters and digits."""
    return _whole(subject, "fullwidth", subject.text.translate(_WIDE), "no_latin_letter")


def set_type(subject: Subject) -> Made:
    """`unicode.typographic`: curly quotes, real hyphens and dashes, joined fi and fl."""
    edits: dict[int, Edit] = {}
    for pattern, sign in _TYPOGRAPHIC:
        for match in pattern.finditer(subject.text):
            edits.setdefault(match.start(), Edit("typographic", match.start(), match.group(), sign))
    return apply_edits(subject.text, edits.values()) if edits else NotApplicable("no_quote_or_dash")


def raise_case(subject: Subject) -> Made:
    """`case.upper`: all capitals."""
    return _whole(subject, "upper", subject.text.upper(), "no_small_letter")


def lower_case(subject: Subject) -> Made:
    """`case.lower`: no capitals."""
    return _whole(subject, "lower", subject.text.lower(), "no_capital")


def title_case(subject: Subject) -> Made:
    """`case.title`: a capital at the start of each word, the rest as it was."""
    edits = [
        Edit("title", token.start, token.text[0], token.text[0].upper())
        for token in tokens(subject.text)
        if token.text[0].islower()
    ]
    return apply_edits(subject.text, edits) if edits else NotApplicable("no_small_initial")


def alternate_case(subject: Subject) -> Made:
    """`case.alternate`: small letters and capitals in turn, from a small one."""
    letters = 0
    out = []
    for character in subject.text:
        out.append(character.upper() if letters % 2 else character.lower())
        letters += character.isalpha()
    return _whole(subject, "alternate", "".join(out), "no_letter_with_case")


def turkish_case(subject: Subject) -> Made:
    """`case.turkish`: capitals with a dotted \u0130, as software in Turkish makes them."""
    if "i" not in subject.text:
        return NotApplicable("no_letter_i")
    return _whole(subject, "turkish", subject.text.replace("i", "\u0130").upper(), "no_letter_i")


def change_space(subject: Subject) -> Made:
    """`whitespace_punct`: one change of a final mark, a space, a hyphen or a possessive."""
    if not subject.text.strip():
        return NotApplicable("no_word")
    return apply_edits(subject.text, [subject.draws.pick(list(_list_spacings(subject.text)))])


def _list_spacings(text: str) -> Iterator[Edit]:
    body = text.rstrip()
    if body[-1].isalnum():
        yield from (Edit("final_mark", len(body), "", mark) for mark in _MARKS)
    elif body[-1] in _MARKS:
        yield Edit("final_mark", len(body) - 1, body[-1], "")
    yield Edit("leading_space", 0, "", " ")
    yield Edit("trailing_space", len(text), "", " ")
    for at, character in enumerate(text):
        if character == " ":
            yield from (Edit(name, at, " ", sign) for name, sign in _SPACES)
    yield from (Edit("hyphen", match.start(), "-", " ") for match in _HYPHEN.finditer(text))
    yield from (
        Edit("possessive", match.start(), match.group(), " ")
        for match in _POSSESSIVE.finditer(text)
    )


def type_on_wrong_layout(subject: Subject) -> Made:
    """`keyboard_layout`: the keys of the query pressed while another keyboard was set."""
    language = subject.vocabulary.language
    if not language.wrong_layout:
        return NotApplicable("language")
    typed = retype(subject.text, language.layout, language.wrong_layout)
    return _whole(subject, "retype", typed, "same_on_both_layouts")


def _whole(subject: Subject, name: str, text: str, refused: str) -> Made:
    if text == subject.text:
        return NotApplicable(refused)
    return Variant(text=text, ops=(f"{name} 0",))
