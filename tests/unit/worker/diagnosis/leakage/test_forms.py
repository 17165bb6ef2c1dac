"""The labelled pairs of queries, by the figures that were measured for them, and their matches."""

import pytest

from reteval.contract.leaks import LeakKind
from worker.diagnosis.leakage.exchange import exchanges_words
from worker.diagnosis.leakage.forms import MAX_ORDERS, Forms, Match, match_across, match_within
from worker.diagnosis.leakage.join import join_self
from worker.diagnosis.leakage.wording import find_numbers, normalise

RESET = "How do I reset my password?"
PAIRS = [
    ("case only", RESET, "how do I RESET my password", 1.00, LeakKind.EXACT),
    ("word order", RESET, "How do my password I reset", 0.86, LeakKind.REORDERED),
    ("another code", "error code E1042", "error code E1043", 0.78, None),
    ("typo", RESET, "how do i reset my passwrod", 0.73, LeakKind.NEAR),
    ("how to", RESET, "How to reset my password?", 0.67, LeakKind.NEAR),
    ("plan", "cancel annual plan and refund", "cancel monthly plan and refund", 0.56, None),
    ("router", RESET, "how do I reset my router", 0.52, None),
    ("paraphrase", RESET, "recover access, forgotten word", 0.08, None),
]


@pytest.mark.parametrize(("name", "left", "right", "figure", "kind"), PAIRS)
def test_labelled_pairs_are_told_as_they_are(
    name: str, left: str, right: str, figure: float, kind: LeakKind | None
) -> None:
    """Each pair has the similarity that was measured for it, and its class."""
    found = match_within(Forms.gather([left, right])).found
    assert [match.kind for match in found] == ([] if kind is None else [kind]), name
    normals = [normalise(left), normalise(right)]
    if find_numbers(normals[0]) == find_numbers(normals[1]) and normals[0] != normals[1]:
        alike = join_self(normals, 0.01)
        assert alike.similarity.tolist() == pytest.approx([figure], abs=0.011)


def test_another_number_is_another_need() -> None:
    """The veto holds at any similarity: 0.78 for codes, more in longer texts."""
    long = "please tell me what the error code of the machine {} in hall seven means for me"
    for left, right in (("error code E1042", "error code E1043"), (long.format(3), long.format(4))):
        assert not match_within(Forms.gather([left, right])).found


def test_duplicates_are_nearer_than_near() -> None:
    """0.85 parts them."""
    texts = ["how do i reset my password for the shop", "how do i reset my passwords for the shop"]
    (match,) = match_within(Forms.gather(texts)).found
    assert (match.kind, match.similarity >= 0.85) == (LeakKind.DUPLICATE, True)


@pytest.mark.parametrize(
    ("left", "right", "exchanged"),
    [
        ("known solutions of the direct problem", "known solutions of the indirect problem", True),
        ("best way to reset", "easiest way to reset", True),
        ("how do i reset it", "how to reset it", False),
        ("reset my password", "reset my pasword", False),
        ("reset my password", "reset my passwrod", False),
        ("reset my password", "reset my pastword", False),
        ("reset the stresses", "reset the stress", False),
        ("reset my password", "reset my password today", False),
        ("resetting log in", "resetting login", False),
        ("restart pass word", "restart password", False),
        ("名前 変更 方法", "住所 変更 方法", False),
    ],
)
def test_an_exchanged_word_is_told_from_a_slip(left: str, right: str, *, exchanged: bool) -> None:
    """Both sides have a word of their own, which no slip and no ending explains."""
    assert exchanges_words(left, right) is exchanged
    assert exchanges_words(right, left) is exchanged


def test_near_with_an_exchanged_word_may_be_another_need() -> None:
    """Such a pair is shown as a possible paraphrase."""
    text = "what is the {} way to reset a password"
    (match,) = match_within(Forms.gather([text.format("best"), text.format("easiest")])).found
    assert match.kind is LeakKind.POSSIBLE_PARAPHRASE


def test_copies_are_one_wording() -> None:
    """Repeated texts match themselves once, however many there are."""
    forms = Forms.gather(["A b", "a, b", "b a", "c", "a b!"])
    assert forms.members == [[0, 1, 4], [2], [3]]
    assert match_within(forms).found[:2] == [
        Match(LeakKind.EXACT, 0, 0, 1.0),
        Match(LeakKind.REORDERED, 0, 1, 1.0),
    ]


def test_lists_match_a_set() -> None:
    """A pair has one kind, the gravest; left is the set, right the list."""
    ours = Forms.gather([RESET, "delete account", "weather in Lisbon"])
    theirs = Forms.gather(
        ["account, delete", "how to reset my password", "HOW DO I RESET MY PASSWORD"]
    )
    found = match_across(ours, theirs).found
    assert [(match.kind, match.left, match.right) for match in found] == [
        (LeakKind.EXACT, 0, 2),
        (LeakKind.REORDERED, 1, 0),
        (LeakKind.NEAR, 0, 1),
    ]


def test_orders_of_the_same_words_are_bounded() -> None:
    """A hundred orders of the same words are paired, not thousands."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    texts = [" ".join(words[at:] + words[:at]) for at in range(6)] * 50
    forms = Forms.gather(texts)
    assert len([m for m in match_within(forms).found if m.kind is LeakKind.REORDERED]) == 15
    many = Forms(
        normals=[f"{'b ' * at}a {'b ' * (149 - at)}".strip() for at in range(150)],
        members=[[at] for at in range(150)],
    )
    reordered = [m for m in match_within(many).found if m.kind is LeakKind.REORDERED]
    assert len(reordered) == MAX_ORDERS * (MAX_ORDERS - 1) // 2
