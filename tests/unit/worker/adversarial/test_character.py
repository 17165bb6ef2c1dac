import unicodedata
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.worker.adversarial.subjects import ENGLISH, NO_WORDS, reason_of, texts_of, vary
from worker.adversarial.character import FIRST_LETTER_CHANCE, OPERATOR_SHARES
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary
from worker.adversarial.words import content_words, fold

SLIPS = (
    "typo.delete",
    "typo.insert",
    "typo.substitute_adjacent",
    "typo.substitute_random",
    "typo.transpose",
    "typo.double",
    "typo.mixed",
)
INSERTED = {"insert", "double"}


def alignment_distance(one: str, two: str) -> int:
    """Optimal string alignment: insert, delete, substitute, swap neighbours, each place once."""
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, letter in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, other in enumerate(two, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


def make(
    query: str,
    severity: int = 1,
    seed: int = 0,
    known: Vocabulary = NO_WORDS,
    *,
    kind: str = "typo.mixed",
) -> Variant:
    """Misspell a query that offers what the severity needs."""
    made = vary(kind, query, severity, seed, known)
    assert isinstance(made, Variant)
    return made


def changes(query: str, variant: str) -> list[int]:
    """Edits of each word, words being split at spaces."""
    pairs = zip(query.split(" "), variant.split(" "), strict=True)
    return [distance for one, two in pairs if (distance := alignment_distance(one, two))]


def read(op: str) -> tuple[int, str, str]:
    """Return an op's offset, what stood there and what stands there now."""
    name, at, change = op.replace(":", "").split(" ", 2)
    before, _, after = change.partition(" -> ")
    return (int(at), "", before) if name in INSERTED else (int(at), before, after)


def replay(text: str, edits: Sequence[tuple[int, str, str]]) -> str:
    """Make the edits, whose offsets are those of the original text."""
    for at, before, after in sorted(edits, reverse=True):
        assert text[at : at + len(before)] == before
        text = text[:at] + after + text[at + len(before) :]
    return text


@pytest.mark.parametrize(
    ("one", "two", "distance"),
    [("ab", "ba", 1), ("ca", "abc", 3), ("kitten", "sitting", 3), ("", "ab", 2), ("x", "x", 0)],
)
def test_the_oracle_counts_as_the_literature_does(one: str, two: str, distance: int) -> None:
    """Optimal string alignment gives 3 for ca and abc, where unrestricted Damerau gives 2."""
    assert alignment_distance(one, two) == distance


@pytest.mark.parametrize("kind", SLIPS)
@pytest.mark.parametrize(("severity", "words"), [(1, 1), (2, 2), (3, 3)])
def test_severity_says_how_many_words_are_hit_once(kind: str, severity: int, words: int) -> None:
    """One, two, all content words: each with one edit, and an op for each."""
    query = "Reset a  forgotten Password, please"
    for seed in range(100):
        made = make(query, severity, seed, kind=kind)
        assert changes(query, made.text) == [1] * words
        assert len(made.ops) == words


@given(
    kind=st.sampled_from(SLIPS),
    query=st.text(max_size=60) | st.from_regex(r"([a-zA-Zéß]{3,9}[ ,-]){1,5}", fullmatch=True),
    severity=st.sampled_from([1, 2, 3]),
    seed=st.integers(0, 2**64),
)
def test_any_text_is_misspelled_as_declared_or_refused(
    kind: str, query: str, severity: int, seed: int
) -> None:
    """Each word hit is one edit away, others stay, nothing becomes invalid or equal."""
    made = vary(kind, query, severity, seed, ENGLISH)
    if isinstance(made, NotApplicable):
        assert made.reason in {"no_content_word", "too_few_content_words", "real_word"}
        return
    made.text.encode()
    assert fold(made.text) != fold(query)
    edits = [read(op) for op in made.ops]
    words = content_words(query)
    for word in words:
        inside = [edit for edit in edits if word.start <= edit[0] <= word.end]
        slipped = replay(
            word.text, [(at - word.start, before, after) for at, before, after in inside]
        )
        assert alignment_distance(word.text, slipped) == len(inside) <= 1
    assert len(edits) == {1: 1, 2: 2}.get(severity, len(edits)) <= len(words)
    assert replay(query, edits) == made.text


def test_ops_are_readable() -> None:
    """Each names the slip, its place in the original text, and what became what."""
    ops = {make("password", seed=seed).ops[0] for seed in range(400)}
    assert {"delete 4: w", "transpose 5: or -> ro", "substitute 6: r -> t", "insert 1: s"} <= ops


def test_slips_follow_the_attested_shares() -> None:
    """Operators and the first letter are hit as often as people hit them."""
    runs = 6_000
    made = [make("subscription", seed=seed) for seed in range(runs)]
    names = Counter(variant.ops[0].split()[0] for variant in made)
    shares = {name: 100 * count / runs for name, count in names.items()}
    assert shares == pytest.approx(OPERATOR_SHARES, abs=3)
    first = sum(variant.text[0] != "s" for variant in made) / runs
    assert first == pytest.approx(FIRST_LETTER_CHANCE, abs=0.01)


def test_no_slip_makes_an_english_word() -> None:
    """A slip that lands on a listed word is drawn again: form never becomes from."""
    variants = {make("form", seed=seed, known=ENGLISH).text for seed in range(500)}
    assert not {"from", "for", "fork", "farm"} & variants
    assert not any(map(ENGLISH.is_word, variants))


def test_a_word_that_only_slips_into_words_is_not_applicable() -> None:
    """When every attempt gives a known word there is no variant, and the reason says so."""

    class Everything(frozenset[str]):
        def __contains__(self, word: object) -> bool:
            return True

    known = Vocabulary(frequency={}, listed=Everything())
    assert reason_of("typo.mixed", "form", known=known) == "real_word"


def test_severity_two_needs_two_words() -> None:
    """With one content word there is no second to hit."""
    assert reason_of("typo.mixed", "the password", 2) == "too_few_content_words"


def test_script_is_kept() -> None:
    """Cyrillic stays Cyrillic, and Greek, which has no layout here, stays Greek."""
    for query, script in (("погода Москве", "CYRILLIC"), ("καιρος αθηνα", "GREEK")):
        for seed in range(200):
            letters = make(query, 3, seed).text.replace(" ", "")
            assert all(unicodedata.name(letter).startswith(script) for letter in letters)


def test_spacing_case_and_punctuation_survive() -> None:
    """Everything that is not the word stays where it is."""
    made = make("  RESET,\tnow?! ", seed=3)
    assert made.text.startswith("  ")
    assert made.text.endswith(",\tnow?! ")
    assert made.text.isupper() is False
    assert made.text.strip().split(",")[0].isupper()


def test_each_slip_is_what_its_name_says() -> None:
    """All slips of one word that the seeds give, beside what the operator can do."""
    assert texts_of("typo.delete", "word", known=NO_WORDS) == {"wrd", "wod"}
    assert texts_of("typo.transpose", "word", known=NO_WORDS) == {"wrod"}
    assert texts_of("typo.transpose", "wooden", known=NO_WORDS) == {"wodoen", "wooedn"}
    assert texts_of("typo.double", "wool", known=NO_WORDS) == {"wol", "wooll"}
    assert texts_of("typo.insert", "mmmm", known=NO_WORDS) == {
        "mmmm"[:at] + near + "mmmm"[at:] for at in range(1, 5) for near in "njk"
    }
    assert texts_of("typo.substitute_adjacent", "mmmm", known=NO_WORDS) == {
        "mmmm"[:at] + near + "mmmm"[at + 1 :] for at in range(1, 4) for near in "njk"
    }
    assert len(texts_of("typo.substitute_random", "word", known=NO_WORDS)) > 50


@pytest.mark.parametrize("kind", [kind for kind in SLIPS if kind != "typo.mixed"])
def test_a_single_slip_leaves_the_first_letter(kind: str) -> None:
    """Only the mixed kind hits it, as rarely as people do."""
    assert {text[0] for text in texts_of(kind, "password", known=NO_WORDS)} == {"p"}


def test_any_letter_comes_from_the_words_alphabet() -> None:
    """In its case; a script whose letters are not listed has none to offer."""
    for text in texts_of("typo.substitute_random", "ПОГОДА"):
        assert all(unicodedata.name(letter).startswith("CYRILLIC CAPITAL") for letter in text)
    assert reason_of("typo.substitute_random", "ԱԲԳԴԵ") == "real_word"


def test_a_word_without_neighbours_cannot_be_mistyped() -> None:
    """Greek has no layout here."""
    assert reason_of("typo.insert", "αθηνα") == "real_word"
