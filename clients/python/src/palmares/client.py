"""The operations of the API, each a method of its name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union, cast

from . import contract as c
from .errors import NotFoundError
from .pages import Changes, Pages
from .response import Download, Response
from .store import Store
from .transport import Transport, api_error, path_of

Texts = Union[str, Sequence[str]]
"""One value, or several, which are joined by commas."""

MOST_SINGLE = 3  # documents that are asked for one by one; the download of all costs one request too


@dataclass(frozen=True)
class EmbeddingsUpdate:
    """What to do with the vectors of a tool: make them of `document`, or delete them where that is None."""

    slug: str
    document: Optional[c.EmbeddingsDocument]

    @property
    def hash(self) -> Optional[str]:
        """What to keep, for the next call; None where the tool is to be forgotten."""
        return self.document["hash"] if self.document else None


class Client:
    """Calls one installation of the service.

    `base_url` is its address. `api_key` raises the quota, and embeddings need it. With a `store` whatever has not changed is
    free. A request is sent again after a 429, a 503 and when the network fails, at most `retries` times, as long as it waits no
    longer than `budget` seconds in all; a wait of more than a minute is an error that says until when. `timeout` is how many
    seconds the service may be silent.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Optional[str] = None,
        store: Optional[Store] = None,
        timeout: float = 30,
        retries: int = 4,
        budget: float = 120,
    ) -> None:
        self._transport = Transport(base_url, api_key or "", store, timeout, retries, budget)

    def __repr__(self) -> str:
        return f"Client({self._transport.base_url!r})"

    def get(self, path: str, **params: Any) -> Response[Any]:
        """Asks for any path of the API: for what is newer than this client."""
        return self._get(path, params)

    def _get(self, path: str, params: Mapping[str, object] = {}, keep: bool = True) -> Response[Any]:
        body, headers, held = self._transport.get(path, params, keep=keep)
        try:
            value = json.loads(body)
        except ValueError:
            value = None
        if not isinstance(value, dict):  # a gateway answered, or the network of a hotel
            raise api_error(200, headers, body, "")
        return Response(value, headers, held)

    def _pages(self, path: str, params: Dict[str, object]) -> Pages[Any]:
        return Pages(lambda more: self._get(path, more), params)

    def _download(self, path: str) -> Download:
        body, headers, held = self._transport.get(path, {})
        if "x-changes-cursor" not in headers:
            raise api_error(200, headers, body, "")
        return Download(body, headers, held)

    def list_tools(
        self, *, q: Optional[str] = None, category: Optional[Texts] = None, slugs: Optional[Texts] = None,
        price_max: Optional[float] = None, updated_since: Optional[str] = None, pricing: Optional[str] = None,
        icp: Optional[str] = None, score_min: Optional[float] = None, obsolescence_max: Optional[float] = None,
        sort: Optional[str] = None, page: Optional[int] = None, limit: Optional[int] = None,
    ) -> Pages[c.ToolItem]:
        """The active tools, searched, filtered and sorted."""
        return self._pages("/api/v1/tools", _given(locals()))

    def get_tool(self, slug: str) -> Response[c.ToolItem]:
        """One active tool."""
        return self._get(path_of("/api/v1/tools/{}", slug))

    def list_comparisons(
        self, *, q: Optional[str] = None, category: Optional[str] = None, page: Optional[int] = None, limit: Optional[int] = None,
    ) -> Pages[c.ComparisonItem]:
        """The comparisons of two tools."""
        return self._pages("/api/v1/comparatifs", _given(locals()))

    def get_comparison(self, slug: str) -> Response[c.Comparison]:
        """One comparison, with its winner."""
        return self._get(path_of("/api/v1/comparatifs/{}", slug))

    def list_prices(
        self, *, category: Optional[str] = None, page: Optional[int] = None, limit: Optional[int] = None,
    ) -> Pages[c.PriceItem]:
        """The current prices."""
        return self._pages("/api/v1/pricing", _given(locals()))

    def get_price(self, slug: str) -> Response[c.Price]:
        """The price of a tool, with its history."""
        return self._get(path_of("/api/v1/pricing/{}", slug))

    def list_retired_tools(
        self, *, q: Optional[str] = None, reason: Optional[str] = None, category: Optional[str] = None,
        page: Optional[int] = None, limit: Optional[int] = None,
    ) -> Pages[c.RetiredTool]:
        """The cemetery: the tools that are no more."""
        return self._pages("/api/v1/cimetiere", _given(locals()))

    def get_retired_tool(self, slug: str) -> Response[c.RetiredDetail]:
        """One retired tool, with what it was at its end."""
        return self._get(path_of("/api/v1/cimetiere/{}", slug))

    def list_tools_of_day(
        self, *, on: str, slugs: Optional[Texts] = None, category: Optional[str] = None,
        page: Optional[int] = None, limit: Optional[int] = None,
    ) -> Pages[c.ToolOfDay]:
        """The tools as they were on a day, YYYY-MM-DD."""
        return self._pages("/api/v1/history", _given(locals()))

    def get_history(self, slug: str, *, field: Optional[str] = None) -> Response[c.History]:
        """What was true of a tool, and when."""
        return self._get(path_of("/api/v1/history/{}", slug), {"field": field})

    def get_fact_stats(self) -> Response[c.FactStatsList]:
        """How well the catalogue is sourced."""
        return self._get("/api/v1/facts")

    def get_facts(self, slug: str) -> Response[c.Facts]:
        """The sources of what is said of a tool."""
        return self._get(path_of("/api/v1/facts/{}", slug))

    def list_endings(self, *, page: Optional[int] = None, limit: Optional[int] = None) -> Pages[c.EndingItem]:
        """The announced ends."""
        return self._pages("/api/v1/endings", _given(locals()))

    def list_findings(
        self, *, slugs: Optional[Texts] = None, items: Optional[Texts] = None, score_min: Optional[float] = None,
    ) -> Response[c.FindingList]:
        """What speaks against the tools that you use."""
        return self._get("/api/v1/findings", _given(locals()))

    def get_bill(self, *, items: Texts, from_: str, to: str) -> Response[c.Bill]:
        """What tools cost together, month by month; the months are YYYY-MM."""
        return self._get("/api/v1/bill", _given(locals()))

    def compare_tools(self, *, items: Texts) -> Response[c.SideBySide]:
        """Two to five tools side by side."""
        return self._get("/api/v1/compare", _given(locals()))

    def list_categories(self) -> Response[c.CategoryList]:
        """All categories."""
        return self._get("/api/v1/categories")

    def list_changes(
        self, *, since: Optional[str] = None, type: Optional[Texts] = None, category: Optional[Texts] = None,
        slugs: Optional[Texts] = None, limit: Optional[int] = None,
    ) -> Changes:
        """What changed after a cursor. It is free while nothing does, and never stored."""
        return Changes(lambda more: self._get("/api/v1/changes", more, keep=False), _given(locals()))

    def get_stats(self) -> Response[c.Stats]:
        """The catalogue in numbers."""
        return self._get("/api/v1/stats")

    def list_embeddings(self) -> Response[c.EmbeddingsList]:
        """The tools whose chunks are served. Needs a key."""
        return self._get("/api/embeddings")

    def get_embeddings(self, slug: str) -> Response[c.EmbeddingsDocument]:
        """The review of a tool in chunks. Needs a key."""
        return self._get(path_of("/api/embeddings/{}", slug))

    def sync_embeddings(self, known: Mapping[str, str]) -> Iterator[EmbeddingsUpdate]:
        """Yields the tools whose vectors are to be made or deleted. Needs a key.

        `known` has the hash that you keep for each slug. Only what has another hash is asked for: one request for the list,
        then one for each of up to three tools, or one for all.
        """
        listed = {item["slug"]: item["hash"] for item in self.list_embeddings().value["data"]}
        for slug in sorted(known.keys() - listed.keys()):
            yield EmbeddingsUpdate(slug, None)
        changed = [slug for slug, digest in listed.items() if known.get(slug) != digest]
        rows = self.download_embeddings().rows() if len(changed) > MOST_SINGLE else []
        documents = {row["slug"]: cast(c.EmbeddingsDocument, row) for row in rows}
        for slug in changed:
            document = documents.get(slug)
            if document and document["hash"] == listed[slug]:  # the file may be of the edition before
                yield EmbeddingsUpdate(slug, document)
                continue
            try:
                yield EmbeddingsUpdate(slug, self.get_embeddings(slug).value)
            except NotFoundError:  # it left the set in between
                if slug in known:
                    yield EmbeddingsUpdate(slug, None)

    def download_file(self, file: str) -> Download:
        """A table of the catalogue, whole: `tools.jsonl`, `pricing.csv` and so on."""
        return self._download(path_of("/api/v1/export/{}", file))

    def get_data_package(self) -> Response[c.DataPackage]:
        """The downloads and their columns."""
        return self._get("/api/v1/export/datapackage.json")

    def download_embeddings(self) -> Download:
        """The chunks of all tools, in JSON Lines. Needs a key."""
        return self._download("/api/embeddings/export.jsonl")

    def get_usage(self) -> Response[c.Usage]:
        """The requests of your account. Needs a key."""
        return self._get("/api/v1/usage")

    def get_index(self) -> Response[c.Index]:
        """The operations, with their addresses."""
        return self._get("/api/v1")

    def get_description(self) -> Response[c.Description]:
        """The contract, in OpenAPI."""
        return self._get("/api/v1/openapi.json")


def _given(arguments: Dict[str, Any]) -> Dict[str, object]:
    return {name: value for name, value in arguments.items() if name != "self" and value is not None}
