"""Links from a page to a file of the repository that is no page: the site brings the file along."""

import re
from pathlib import Path

LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>(?:\.\./)+[^)#\s]+)(?:#[^)\s]*)?\)")


def bring_files(text: str, page: Path, docs: Path) -> str:
    """Turn each link that leads out of `docs` to a file that exists into one to a copy of it."""

    def bring(match: re.Match[str]) -> str:
        file = (page.parent / match["target"]).resolve()
        if file.is_relative_to(docs) or not file.is_file():
            return match[0]
        return f"{{download}}`{match['text'].replace('`', '')} <{match['target']}>`"

    return LINK.sub(bring, text)
