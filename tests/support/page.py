"""Reads an HTML page as strictly as a test needs."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Fails if tags do not close in order; keeps titles of rectangles and addresses to fetch."""

    VOID = ("meta",)

    def __init__(self, text):
        super().__init__()
        self.open, self.titles, self.fetched = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.fetched += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, data):
        if self.open[-2:] == ["rect", "title"]:
            self.titles.append(data)
