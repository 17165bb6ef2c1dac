"""Entity tags of what has versions: one spelling for the service and its clients."""


def tag_version(record_id: str, version: int) -> str:
    """Return the strong entity tag of a version, quotes included."""
    return f'"{record_id}-{version}"'
