"""Lists that are read page by page, and the log of changes."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, Optional, Set, TypeVar

from .contract import Change, ChangeList
from .errors import PagesMovedError
from .response import Response

T = TypeVar("T")
Fetch = Callable[[Dict[str, object]], Response[Any]]

TURNS = 5  # how often a list is begun again before its reader is told


class Pages(Generic[T]):
    """The items of a list, to the end: iterate over it, or over pages().

    If the catalogue is published in between, reading begins again with the first page, and items that were already given are
    left out: an item of the new edition that moved to an earlier page is not missed, and none comes twice.
    """

    def __init__(self, fetch: Fetch, params: Dict[str, object]) -> None:
        self._fetch = fetch
        self._params = params
        self.last: Optional[Response[Any]] = None
        """The response that was read last: its quota, its credit line, its `value["meta"]`."""

    def pages(self) -> Iterator[Response[Any]]:
        """Yields whole pages. One with a smaller number than the one before says that reading began again."""
        first = int(str(self._params.get("page") or 1))
        number, params, state, turns = first, self._params, "", 1
        while True:
            page = self._fetch(params)
            if state and page.cursor and page.cursor != state:
                if turns == TURNS:
                    raise PagesMovedError(f"the catalogue was published {turns} times while it was being read")
                number, state, turns = first, "", turns + 1
                params = {**self._params, "page": first}
                if turns > 2:  # shared caches hold pages of different ages: a parameter that the service ignores gets past them
                    params["reading"] = page.cursor
                continue
            state = page.cursor
            self.last = page
            yield page
            if number >= page.value["meta"]["pages"]:
                return
            number += 1
            params = {**params, "page": number}

    def __iter__(self) -> Iterator[T]:
        given: Set[str] = set()
        for page in self.pages():
            for item in page.value["data"]:
                if item["slug"] not in given:
                    given.add(item["slug"])
                    yield item


class Changes:
    """The events after a cursor, oldest first, until there are no more for now.

    `cursor` is where to go on from. It moves once all events of a page were taken, so that none is lost if yours stops before:
    store it together with what you did. Events may come twice, which changes nothing if they are applied in order.
    """

    def __init__(self, fetch: Fetch, params: Dict[str, object]) -> None:
        self._fetch = fetch
        self._params = params
        self.cursor: str = str(params.get("since") or "")
        self.last: Optional[Response[ChangeList]] = None

    def pages(self) -> Iterator[Response[ChangeList]]:
        """Yields whole pages; `value["next"]` of each is the cursor after it."""
        more = True
        while more:
            page: Response[ChangeList] = self._fetch({**self._params, "since": self.cursor or None})
            self.last = page
            yield page
            more = page.value["more"] and page.value["next"] != self.cursor
            self.cursor = page.value["next"]

    def __iter__(self) -> Iterator[Change]:
        for page in self.pages():
            yield from page.value["data"]
