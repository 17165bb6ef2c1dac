"""Which function makes which kind; the kinds themselves are described in the wire contract."""

from collections.abc import Callable
from typing import Final

from worker.adversarial import character, control, length
from worker.adversarial.draws import Draws
from worker.adversarial.variant import NotApplicable, Variant
from worker.adversarial.vocabulary import Vocabulary

Generator = Callable[[str, int, Draws, Vocabulary], Variant | NotApplicable]
"""(query text, severity, draws, vocabulary) -> the variant; pure, raises nothing."""

GENERATORS: Final[dict[str, Generator]] = {
    "control.repeat": control.repeat,
    "typo.mixed": character.misspell,
    "short.k2": length.keep_two_rarest,
}
