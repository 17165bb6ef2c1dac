"""The one error of the package: a stable code and a text that is safe to show."""


class EgressError(ValueError):
    """A target that may not be called. `code` is stable; the text is safe to show."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
