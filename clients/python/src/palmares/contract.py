"""The schemas of the contract as types, written by clients/python/generate.

Enumerated values are plain texts: new ones may come. A response may have more fields than its type.
"""

from __future__ import annotations

from typing import Any, Dict, List, NotRequired, Optional, TypedDict, Union


class ToolItem(TypedDict):
    """An active tool of the catalogue."""

    slug: str
    name: str
    domain: str
    category: str
    icp: str
    pricing: str
    price: str
    score: Optional[float]
    verifiability: Optional[float]
    tagline: str
    canonical_url: str
    avis_url: Optional[str]
    alternatives_url: str
    updated_at: str


class ToolList(TypedDict):
    """One page of tools."""

    data: List[ToolItem]
    meta: PaginationMeta


class PaginationMeta(TypedDict):
    """The page's position in the whole list."""

    total: int
    page: int
    limit: int
    pages: int
    match: NotRequired[str]
    ignored: NotRequired[List[str]]


class Error(TypedDict):
    """The body of every error."""

    error: str
    code: str
    parameter: NotRequired[str]
    successor: NotRequired[str]


class ComparisonItem(TypedDict):
    """A comparison, as the list shows it."""

    slug: str
    title: str
    winner: str
    updated_at: str
    canonical_url: str


class ComparisonList(TypedDict):
    """One page of comparisons."""

    data: List[ComparisonItem]
    meta: PaginationMeta


class Comparison(TypedDict):
    """A full comparison. Both tools are active and have a score."""

    slug: str
    tool_a: ComparedTool
    tool_b: ComparedTool
    winner: str
    winner_note: str


class ComparedTool(TypedDict):
    """One side of a comparison."""

    name: str
    score: float


class PriceItem(TypedDict):
    """The current price of a tool, as the list shows it."""

    slug: str
    name: str
    pricing: str
    price: str


class PriceList(TypedDict):
    """One page of prices."""

    data: List[PriceItem]
    meta: PaginationMeta


class Price(TypedDict):
    """The current price of a tool and its history."""

    slug: str
    current_pricing: str
    current_price: str
    price_history: List[PriceChange]


class PriceChange(TypedDict):
    """One change of the price, the pricing model, or both. An entry always changes something."""

    changed_at: str
    old_pricing: str
    old_price: str
    new_pricing: str
    new_price: str


class RetiredTool(TypedDict):
    """A tool that has left the catalogue."""

    slug: str
    name: str
    reason: str
    retired_at: str
    note: str


class RetiredList(TypedDict):
    """One page of retired tools."""

    data: List[RetiredTool]
    meta: PaginationMeta


class EndingItem(TypedDict):
    """The announced end of an active tool."""

    slug: str
    name: str
    ends_at: str
    source: Optional[str]
    successor: Optional[str]


NextPriceItem = TypedDict("NextPriceItem", {
    "slug": "str",
    "name": "str",
    "pricing": "str",
    "price": "str",
    "from": "str",
    "source": "str",
})
"""The announced price of an active tool."""


class EndingList(TypedDict):
    """One page of announced ends."""

    data: List[EndingItem]
    meta: PaginationMeta


class RetiredDetail(TypedDict):
    """A retired tool, with what it was at its end."""

    slug: str
    name: str
    category: str
    domain: Optional[str]
    reason: str
    retired_at: str
    note: str
    successor: Optional[str]
    entered: Optional[str]
    last_pricing: Optional[str]
    last_price: Optional[str]
    last_score: Optional[float]


class History(TypedDict):
    """What was true of a tool, and when."""

    slug: str
    name: str
    data: List[Interval]


Interval = TypedDict("Interval", {
    "field": "str",
    "value": "Optional[Union[str, float]]",
    "pricing": "NotRequired[str]",
    "cents": "NotRequired[int]",
    "period": "NotRequired[str]",
    "from": "Optional[str]",
    "until": "Optional[str]",
    "basis": "str",
    "corrected": "bool",
})
"""A value, and the days on which it was true."""


class ToolOfDay(TypedDict):
    """A tool as it was on a day."""

    slug: str
    name: str
    category: str
    pricing: Optional[str]
    price: Optional[str]
    cents: Optional[int]
    period: Optional[str]
    score: Optional[float]


class ToolOfDayList(TypedDict):
    """One page of the tools of a day."""

    data: List[ToolOfDay]
    meta: PaginationMeta


class Finding(TypedDict):
    """What there is to say of one tool."""

    slug: str
    findings: List[str]
    detail: Optional[str]
    instead: List[str]
    input: str
    matched_by: str


class FindingList(TypedDict):
    """What there is to say of some tools."""

    data: List[Finding]
    asked: int
    known: int
    unknown: List[str]
    near: Dict[str, List[str]]


class Bill(TypedDict):
    """What some tools cost, month by month."""

    months: List[BillMonth]
    not_monthly: List[str]
    freemium: List[str]
    asked: int
    known: int
    unknown: List[str]
    near: Dict[str, List[str]]


class BillMonth(TypedDict):
    """A month of a bill."""

    month: str
    cents: Optional[int]
    items: List[BillItem]


class BillItem(TypedDict):
    """What a tool costs in a month."""

    slug: str
    cents: Optional[int]
    announced: bool


class SideBySide(TypedDict):
    """Some tools side by side."""

    tools: List[SideBySideTool]
    differ: List[str]
    comparisons: List[ComparisonItem]


class SideBySideTool(TypedDict):
    """A tool among others, active or retired."""

    slug: str
    name: str
    domain: Optional[str]
    category: str
    icp: Optional[str]
    pricing: Optional[str]
    price: Optional[str]
    score: Optional[float]
    verifiability: Optional[float]
    tagline: Optional[str]
    canonical_url: str
    avis_url: Optional[str]
    alternatives_url: str
    updated_at: Optional[str]
    monthly_cents: Optional[int]
    ends_at: Optional[str]
    retired_at: Optional[str]
    successor: Optional[str]


class Ending(TypedDict):
    """The end of a tool, announced or past."""

    ends_at: str
    source: Optional[str]
    successor: Optional[str]


class Fact(TypedDict):
    """Where one value comes from, and when somebody last looked."""

    field: str
    value: Optional[Union[str, float]]
    checked: Optional[str]
    source: Optional[str]
    note: Optional[str]


class Facts(TypedDict):
    """What is known of the sources of a tool, active or retired."""

    slug: str
    name: str
    retired: bool
    facts: List[Fact]
    ending: Optional[Ending]


class FactStats(TypedDict):
    """How well one field is sourced."""

    field: str
    total: int
    sourced: int
    oldest: Optional[str]
    median: Optional[str]
    months: List[FactStatsMonth]


class FactStatsMonth(TypedDict):
    """"""

    month: str
    count: int


class FactStatsList(TypedDict):
    """How well the catalogue is sourced."""

    data: List[FactStats]


class Change(TypedDict):
    """One change: the body of the webhook of that event, never shortened. What `object` and `previous` are depends …"""

    type: str
    timestamp: str
    data: ChangeData


class ChangeData(TypedDict):
    """What it happened to."""

    seq: int
    edition: int
    slug: str
    changed: NotRequired[List[str]]
    correction: NotRequired[int]
    renamed_from: NotRequired[str]
    renamed_to: NotRequired[str]
    object: Optional[Dict[str, Any]]
    previous: NotRequired[Dict[str, Any]]


class ChangeList(TypedDict):
    """A page of changes."""

    data: List[Change]
    next: str
    more: bool


class Category(TypedDict):
    """A group of tools."""

    slug: str
    label: str
    tool_count: int
    avg_score: float


class CategoryList(TypedDict):
    """Every category."""

    data: List[Category]


class Stats(TypedDict):
    """The whole catalogue, in numbers."""

    tools_total: int
    tools_tested: int
    tools_avg_score: float
    tools_retired: int
    comparatifs_total: int


class Usage(TypedDict):
    """An account's usage."""

    plan: str
    limit: Optional[int]
    used: int
    remaining: Optional[int]
    reset: str
    days: List[UsageDay]
    keys: List[UsageOfKey]


class UsageDay(TypedDict):
    """"""

    date: str
    requests: int


class UsageOfKey(TypedDict):
    """One key's usage."""

    id: str
    name: Optional[str]
    days: List[UsageDay]


class DataPackage(TypedDict):
    """A Data Package of version 1. Its other members are those of the Frictionless specifications."""

    edition: int
    changes_cursor: str
    attribution: str
    resources: List[DataResource]


class DataResource(TypedDict):
    """A file of the package."""

    name: str
    path: str
    rows: int
    schema: NotRequired[Dict[str, Any]]


class EmbeddingsList(TypedDict):
    """The embeddings set, in its order."""

    data: List[EmbeddingsItem]


class EmbeddingsItem(TypedDict):
    """A tool in the embeddings set, without its chunks."""

    slug: str
    name: str
    canonical_url: str
    hash: str
    updated_at: str
    chunk_count: int


class EmbeddingsDocument(TypedDict):
    """The review of a tool in chunks."""

    slug: str
    name: str
    canonical_url: str
    hash: str
    updated_at: str
    chunk_count: int
    chunks: List[Chunk]


class Chunk(TypedDict):
    """One section of a review."""

    id: str
    text: str
    metadata: ChunkMetadata


class ChunkMetadata(TypedDict):
    """What to store with the vector of a chunk."""

    slug: str
    section: str
    position: int
    canonical_url: str
    tool: str
    category: str
    score: float
    verifiability: float
    updated_at: str


class Index(TypedDict):
    """The operations of the API, and where to read more."""

    openapi: str
    docs: str
    operations: List[IndexedOperation]


class IndexedOperation(TypedDict):
    """One operation."""

    name: str
    path: str
    url: str
    description: str
    needs_key: bool


class Description(TypedDict):
    """An OpenAPI 3.0 document; its other members are those of the OpenAPI specification."""

    openapi: str
    info: DescriptionInfo
    paths: Dict[str, Any]


class DescriptionInfo(TypedDict):
    """What the API is."""

    title: str
    version: str
