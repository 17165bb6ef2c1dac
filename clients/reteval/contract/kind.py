"""A kind of adversarial variant: what it is called, what it aims at, how often it is made."""

from enum import StrEnum

from msgspec import Struct, field


class Labels(StrEnum):
    """What a variant does to the judgments of the query it was made from.

    `preserving`: they still hold. `reducing`: less is asked, so other documents may be right
    too. `changing`: something else is asked, so the ranking ought to move. `none`: nothing fits.
    """

    PRESERVING = "preserving"
    REDUCING = "reducing"
    CHANGING = "changing"
    NONE = "none"


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of variant. `target` names what it aims at; `replicates` is per severity.

    `thinned` holds the severities with another number of replicates. An `invariant` kind changes
    only what normalisation (NFKC, case folding, white space) removes: a search should not notice.
    """

    name: str
    family: str
    about: str
    labels: Labels = Labels.PRESERVING
    target: str = "whole_query"
    severities: tuple[int, ...] = (1,)
    replicates: int = 1
    thinned: dict[int, int] = field(default_factory=dict)
    invariant: bool = False

    def count(self, severity: int) -> int:
        """Variants made of one query at this severity."""
        return self.thinned.get(severity, self.replicates)
