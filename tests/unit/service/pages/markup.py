"""Reads a page as a browser would: what it links to, loads and says, and what in it would run."""

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}"
"""Text that does something wherever it is not taken for text."""
_LOADING = {"src", "action", "data", "srcset", "formaction"}


class Page(HTMLParser):
    """A page in parts. `active` is what a strict policy would refuse."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.active: list[str] = []
        self._said: list[str] = []
        self.feed(text)
        self.text = " ".join(" ".join(self._said).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag leads to, loads or runs."""
        given = dict(attrs)
        if tag == "img" or (tag == "script" and not given.get("src")):
            self.active.append(tag)
        self.active += [name for name in given if name == "style" or name.startswith("on")]
        self.loads += [value or "" for name, value in attrs if name in _LOADING]
        if given.get("href") is not None:
            (self.links if tag == "a" else self.loads).append(given["href"] or "")

    def handle_data(self, data: str) -> None:
        """Note text."""
        self._said.append(data)

    @property
    def plain(self) -> str:
        """What is said, with hyphens in the place of minus signs and dashes."""
        return self.text.replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")


def read(text: str) -> Page:
    """Read a page that runs nothing."""
    page = Page(text)
    assert page.active == []
    return page
