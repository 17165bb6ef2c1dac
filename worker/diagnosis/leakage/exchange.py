"""Whether two wordings, alike as they are, each say a word that the other does not.

`monthly plan` beside `annual plan`: another need, in nearly the same letters. Letters alone cannot
tell it from a synonym, so such a pair is shown, but counts as no repetition.
"""

from collections import Counter
from typing import Final

_SHORT: Final = 3
"""Letters up to which a word is no content: `how do i` stands beside `how to`."""
_STEM: Final = 4
_COMMON: Final = 0.7


def exchanges_words(left: str, right: str) -> bool:
    """Whether both normal forms have a word of their own, slips and endings apart.

    Only words of scripts with case are looked at: others do not always part words by spaces.
    """
    ours, theirs = Counter(left.split()), Counter(right.split())
    only_ours = [word for word in (ours - theirs) if _tells(word)]
    only_theirs = [word for word in (theirs - ours) if _tells(word)]
    for word in list(only_ours):
        partner = next((other for other in only_theirs if _is_like(word, other)), None)
        if partner is not None:
            only_ours.remove(word)
            only_theirs.remove(partner)
    return bool(only_ours and only_theirs) and not _is_respaced(only_ours, only_theirs)


def _tells(word: str) -> bool:
    return len(word) > _SHORT and word.upper() != word


def _is_like(one: str, other: str) -> bool:
    """Whether two words have one stem, or are one slip of a key apart."""
    shorter = min(len(one), len(other))
    common = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), shorter
    )
    return common >= max(_STEM, _COMMON * shorter) or _is_slip(one, other, common)


def _is_slip(one: str, other: str, common: int) -> bool:
    """Whether a letter too many, too few, another one, or two swapped explain the difference."""
    one, other = one[common:], other[common:]
    if len(one) == len(other):
        swapped = one[1::-1] + one[2:]
        return one[1:] == other[1:] or swapped == other
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer[1:] == shorter


def _is_respaced(ours: list[str], theirs: list[str]) -> bool:
    """Whether the words are the same letters, parted elsewhere."""
    return "".join(ours) == "".join(theirs)
