"""What a badge says, in the form that badge services read from an address."""

from msgspec import Struct, field


class Badge(Struct, frozen=True, kw_only=True):
    """A label and a message; the names and values are those of a shields endpoint.

    `is_error` tells that there is no number to show, or none that counts.
    """

    schema_version: int = field(default=1, name="schemaVersion")
    label: str
    message: str
    color: str
    is_error: bool = field(default=False, name="isError")
