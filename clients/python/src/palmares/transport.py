"""One request, with what makes it bearable: retries, the store, and errors that have a type."""

from __future__ import annotations

import gzip
import http.client
import json
import random
import ssl
import time
import urllib.request
import zlib
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

from .errors import BY_STATUS, APIError, NetworkError
from .response import read_quota
from .store import Entry, Store, store_key

VERSION = "0.1.0"
LONGEST_WAIT = 60.0  # what asks for more is told to the caller

Reply = Tuple[int, Dict[str, str], bytes]


class Transport:
    """Sends requests to one service with one key."""

    def __init__(self, base_url: str, api_key: str, store: Optional[Store], timeout: float, retries: int, budget: float) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.username is not None or url.query or url.fragment:
            raise ValueError("base_url is the address of the service, such as https://catalogue.example")
        if not (api_key.isascii() and api_key.isprintable()) or " " in api_key:
            raise ValueError("api_key has characters that no key has")
        self.base_url = base_url.rstrip("/")
        self.store = store
        self.timeout = timeout
        self.retries = retries
        self.budget = budget
        self.sleep = time.sleep
        self._api_key = api_key
        self._opener = urllib.request.OpenerDirector()  # follows no redirect: the key is for one service
        for handler in (urllib.request.ProxyHandler, urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
            self._opener.add_handler(handler())

    def get(self, path: str, params: Mapping[str, object], *, keep: bool = True) -> Tuple[bytes, Dict[str, str], bool]:
        """Returns the body and the headers, and whether the body is that of the store. With keep, the store is used."""
        url = self.base_url + path + _query(params)
        key = store_key(url, self._api_key)
        held = self.store.get(key) if self.store and keep else None
        status, headers, body = self._persist(url, held)
        if status == 304 and held:
            return held.body, {**held.headers, **headers}, True
        if status != 200:
            raise api_error(status, headers, body, url)
        if self.store and keep and "etag" in headers:
            try:
                self.store.put(key, Entry(headers["etag"], headers, body))
            except OSError:
                pass  # the response is right all the same
        return body, headers, False

    def _persist(self, url: str, held: Optional[Entry]) -> Reply:
        """Asks until there is an answer, or nothing is left of the retries or the budget."""
        left = self.budget
        for attempt in range(self.retries + 1):
            failure: Optional[Exception] = None
            reply: Reply = (0, {}, b"")
            try:
                reply = self._once(url, held)
            except (OSError, http.client.HTTPException, EOFError, zlib.error) as e:
                failure = e
            status, headers, _ = reply
            told = wait_told(headers) if status in (429, 503) else None
            if failure is None and status not in (429, 503):
                return reply
            # Those who were refused together must not come back together: hence the chance in it, never less than told.
            least = told if told is not None else min(15, 0.25 * 2 ** min(attempt, 6))
            wait = least + random.random() * min(1 if told is not None else 15, least)
            final = attempt == self.retries or (told or 0) > LONGEST_WAIT or wait > left or _pointless(failure)
            if failure is not None and final:
                raise NetworkError(f"no answer from {self.base_url}: {failure}") from failure
            if final:
                return reply
            left -= wait
            self.sleep(wait)
        raise AssertionError("unreachable")

    def _once(self, url: str, held: Optional[Entry]) -> Reply:
        request = urllib.request.Request(url, headers={
            "Accept": "application/json, */*;q=0.5", "Accept-Encoding": "gzip", "User-Agent": f"palmares-python/{VERSION}",
        })
        if self._api_key:
            request.add_unredirected_header("Authorization", "Bearer " + self._api_key)
        if held:
            request.add_header("If-None-Match", held.etag)
        with self._opener.open(request, timeout=self.timeout) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body: bytes = response.read()
            if headers.get("content-encoding") == "gzip" and body:
                body = gzip.decompress(body)
            return response.status, headers, body


def path_of(template: str, name: str) -> str:
    """Returns a path with a name in it, which can lead nowhere else."""
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name")
    return template.format(quote(name, safe=""))


def _query(params: Mapping[str, object]) -> str:
    given = {name.rstrip("_"): value for name, value in params.items() if value is not None}
    text = {n: v if isinstance(v, str) or not hasattr(v, "__iter__") else ",".join(map(str, v)) for n, v in given.items()}
    return "?" + urlencode(text) if text else ""


def _pointless(failure: Optional[Exception]) -> bool:
    """Reports whether the same would happen again: a certificate does not become valid by asking."""
    return isinstance(getattr(failure, "reason", failure), ssl.SSLCertVerificationError)


def wait_told(headers: Mapping[str, str]) -> Optional[float]:
    """Returns the seconds of Retry-After, which may be a date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(min(int(text[:12]), 366 * 86400))
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(timezone.utc)).total_seconds())
    except (ValueError, TypeError):
        return None


def api_error(status: int, headers: Mapping[str, str], body: bytes, url: str) -> APIError:
    try:
        told: Any = json.loads(body)
    except ValueError:
        told = None
    about: Dict[str, Any] = told if isinstance(told, dict) else {}

    def text(name: str) -> str:
        value = about.get(name)
        return value if isinstance(value, str) else ""

    wait = wait_told(headers)
    return BY_STATUS.get(status, APIError)(
        status,
        text("code"),
        text("error") or f"this is no answer of the service ({http.client.responses.get(status, 'unknown status')})",
        request_id=headers.get("x-request-id", ""),
        retry_after=wait,
        retry_at=None if wait is None else datetime.now(timezone.utc) + timedelta(seconds=wait),
        parameter=text("parameter"),
        successor=text("successor") or _successor(headers.get("link", ""), url),
        quota=read_quota(headers),
    )


def _successor(link: str, url: str) -> str:
    """Returns the last part of the address that Link names as the successor of this one."""
    for part in link.split(","):
        target, _, rest = part.strip().partition(">")
        if 'rel="successor-version"' in rest and target.startswith("<"):
            return urlsplit(urljoin(url, target[1:])).path.rpartition("/")[2]
    return ""
