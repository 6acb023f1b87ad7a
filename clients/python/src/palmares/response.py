"""What the service answers: the body, and what its headers say."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, Generic, Iterator, List, Mapping, Optional, TypeVar
from urllib.parse import unquote

from .errors import Quota

T = TypeVar("T")


@dataclass(frozen=True)
class Response(Generic[T]):
    """A response. Its `value` is the body as the contract describes it; fields that are newer than this client are there too."""

    value: T
    headers: Mapping[str, str] = field(repr=False)
    """All headers, by their names in lower case."""
    not_modified: bool = False
    """Whether the body is the one of the store, because the service says that nothing has changed. That is free."""

    @property
    def quota(self) -> Optional[Quota]:
        """What the plan of the key leaves; None without a key."""
        return read_quota(self.headers)

    @property
    def request_id(self) -> str:
        return self.headers.get("x-request-id", "")

    @property
    def attribution(self) -> str:
        """The credit line to show wherever the data is reused."""
        return unquote(self.headers.get("x-attribution", ""))

    @property
    def updated_at(self) -> str:
        """The day of the edition of the catalogue, as YYYY-MM-DD."""
        return self.headers.get("x-service-updated-at", "")

    @property
    def cursor(self) -> str:
        """Where to go on from with list_changes, of a page or a download."""
        return self.headers.get("x-changes-cursor", "")


@dataclass(frozen=True)
class Download(Response[bytes]):
    """A file of the catalogue, whole and of one edition. `cursor` is where to go on from with list_changes."""

    @property
    def text(self) -> str:
        return self.value.decode("utf-8-sig")

    def rows(self) -> List[Dict[str, Any]]:
        """Returns the objects of a file in JSON Lines."""
        return list(self)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return (json.loads(line) for line in self.value.splitlines() if line.strip())


def read_quota(headers: Mapping[str, str]) -> Optional[Quota]:
    tier = headers.get("x-ratelimit-tier")
    if not tier:
        return None
    remaining = headers.get("x-ratelimit-remaining", "")
    return Quota(
        tier,
        int(remaining) if remaining.isascii() and remaining.isdigit() else None,
        _moment(headers.get("x-ratelimit-reset", "")),
    )


def _moment(text: str) -> Optional[datetime]:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
