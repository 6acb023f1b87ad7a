"""Responses that were read before, so that asking again is free while nothing has changed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Optional, Protocol, Union


@dataclass(frozen=True)
class Entry:
    """A response as it arrived, decompressed."""

    etag: str
    headers: Dict[str, str]
    body: bytes


class Store(Protocol):
    """Holds entries by a key that is made of the URL and a hash of the API key. It may forget any of them."""

    def get(self, key: str) -> Optional[Entry]: ...

    def put(self, key: str, entry: Entry) -> None: ...


def store_key(url: str, api_key: str) -> str:
    """Returns the name of a response: what one API key gets is never shown to another."""
    return f"{hashlib.sha256(api_key.encode()).hexdigest()} {url}"


class MemoryStore:
    """Holds the responses that were used last, as long as the program runs. `max_bytes` bounds their bodies."""

    def __init__(self, max_bytes: int = 64 << 20) -> None:
        self.max_bytes = max_bytes
        self._size = 0
        self._entries: "OrderedDict[str, Entry]" = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Optional[Entry]:
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
            return entry

    def put(self, key: str, entry: Entry) -> None:
        with self._lock:
            old = self._entries.pop(key, None)
            self._size += len(entry.body) - (len(old.body) if old else 0)
            self._entries[key] = entry
            while self._size > self.max_bytes:
                _, old = self._entries.popitem(last=False)
                self._size -= len(old.body)


class DirectoryStore:
    """Holds responses in files that only their owner can read. A file that is damaged counts as none, and is replaced."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = Path(path)
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _file(self, key: str) -> Path:
        return self.path / hashlib.sha256(key.encode()).hexdigest()

    def get(self, key: str) -> Optional[Entry]:
        try:
            head, _, body = self._file(key).read_bytes().partition(b"\n")
            about = json.loads(head)
            if about["key"] != key or about["sha256"] != hashlib.sha256(body).hexdigest():
                return None
            return Entry(str(about["etag"]), {str(k): str(v) for k, v in about["headers"].items()}, body)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, key: str, entry: Entry) -> None:
        about = {"key": key, "etag": entry.etag, "headers": entry.headers, "sha256": hashlib.sha256(entry.body).hexdigest()}
        handle, name = tempfile.mkstemp(dir=self.path)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(json.dumps(about).encode() + b"\n" + entry.body)
            os.replace(name, self._file(key))
        except BaseException:
            os.unlink(name)
            raise
