"""A client of the Palmarès API. Start with Client; the contract describes what it returns."""

from .client import Client, EmbeddingsUpdate
from .errors import (
    APIError,
    AuthenticationError,
    BadRequestError,
    GoneError,
    NetworkError,
    NotFoundError,
    PagesMovedError,
    PalmaresError,
    Quota,
    QuotaExceededError,
    UnavailableError,
    WebhookError,
)
from .pages import Changes, Pages
from .response import Download, Response
from .store import DirectoryStore, Entry, MemoryStore, Store
from .transport import VERSION as __version__
from .webhooks import Event, verify_webhook

__all__ = [
    "APIError", "AuthenticationError", "BadRequestError", "Changes", "Client", "DirectoryStore", "Download", "EmbeddingsUpdate",
    "Entry", "Event", "GoneError", "MemoryStore", "NetworkError", "NotFoundError", "Pages", "PagesMovedError", "PalmaresError",
    "Quota", "QuotaExceededError", "Response", "Store", "UnavailableError", "WebhookError", "__version__", "verify_webhook",
]
