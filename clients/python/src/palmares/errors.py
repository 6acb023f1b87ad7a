"""What goes wrong, as types: whom it is up to, and when to come back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Optional


@dataclass(frozen=True)
class Quota:
    """What the plan of the key leaves. On Pro, which has no limit, only the tier is known."""

    tier: str
    """`free` (Developer) or `pro`."""
    remaining: Optional[int]
    """The requests left today, after this one."""
    reset: Optional[datetime]
    """When the count begins again."""


class PalmaresError(Exception):
    """The base of every error of this package."""


class NetworkError(PalmaresError):
    """No whole response arrived, however often it was asked for. `__cause__` says why."""


class PagesMovedError(PalmaresError):
    """The catalogue was published each time while its pages were being read."""


class WebhookError(PalmaresError):
    """The request is not one that the service signed within the last minutes."""


class APIError(PalmaresError):
    """The service answered with an error.

    Branch on `code`. One that you do not know is to be taken for its `status`. Quote `request_id` when you report a problem.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        request_id: str = "",
        retry_after: Optional[float] = None,
        retry_at: Optional[datetime] = None,
        parameter: str = "",
        successor: str = "",
        quota: Optional[Quota] = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}" if code else f"{status}: {message}")
        self.status = status
        self.code = code
        """The reason, for programs; empty where somebody other than the service answered."""
        self.message = message
        """The reason, for people."""
        self.request_id = request_id
        self.retry_after = retry_after
        """How many seconds to wait, after a 429 and a 503. It is None where nobody said."""
        self.retry_at = retry_at
        """The time at which they are over, in UTC."""
        self.parameter = parameter
        """The parameter at fault, of a BadRequestError."""
        self.successor = successor
        """The slug to use instead: of a retired tool its successor, of a renamed item its own."""
        self.quota = quota


class BadRequestError(APIError):
    """400: a parameter is not allowed."""


class AuthenticationError(APIError):
    """401: the API key is missing, not valid or dormant."""


class NotFoundError(APIError):
    """404: nothing has this name, or no longer; `successor` is what to use instead."""


class GoneError(APIError):
    """410: the log no longer has what follows the cursor. Start again from a download."""


class QuotaExceededError(APIError):
    """429: the quota is used up until `retry_at`."""


class UnavailableError(APIError):
    """503: the service cannot answer now; it can at `retry_at`."""


BY_STATUS = {
    400: BadRequestError,
    401: AuthenticationError,
    404: NotFoundError,
    410: GoneError,
    429: QuotaExceededError,
    503: UnavailableError,
}
