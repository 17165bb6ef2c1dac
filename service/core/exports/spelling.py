"""How ids and texts are spelt in files whose columns end at white space."""

from reteval.contract.trec import encode_id


def is_breaking(text: str) -> bool:
    """Tell whether an id is written otherwise than it is."""
    return encode_id(text) != text


def flatten(text: str) -> str:
    """Bring a text on one line: each stretch of white space becomes one blank."""
    return " ".join(text.split())
