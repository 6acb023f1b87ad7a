"""Webhooks: which requests the service sent (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional, Sequence, TypedDict, Union, cast

from .errors import WebhookError


class Event(TypedDict):
    """What a webhook tells. What `data` has depends on `type`; that of a `webhook.test` has the `challenge` to answer."""

    type: str
    timestamp: str
    data: Dict[str, Any]


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> Event:
    """Returns the event of a request that the service signed. Raises WebhookError for every other request.

    `body` is the body as it arrived, before any parsing. `secrets` is the secret of the endpoint, or several while one is
    replaced by another. `tolerance` is how many seconds the clocks may differ by; `now` is the time, for tests.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        delivery, stamp, signatures = (lower["webhook-" + name] for name in ("id", "timestamp", "signature"))
    except KeyError as e:
        raise WebhookError(f"the request has no {e.args[0]}") from None
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 15):
        raise WebhookError("webhook-timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        raise WebhookError("webhook-timestamp is too far from the clock of this machine")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{delivery}.{stamp}.".encode("utf-8", "replace") + raw
    given = [s[3:].encode("utf-8", "replace") for s in signatures.split() if s.startswith("v1,")]
    expected = [_sign(s, signed) for s in ([secrets] if isinstance(secrets, str) else secrets)]
    if not any([hmac.compare_digest(g, e) for g in given for e in expected]):
        raise WebhookError("no signature of the request is of this secret")
    try:
        event: Any = json.loads(raw)
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str) or not isinstance(event.get("data"), dict):
        raise WebhookError("the body is no event")
    return cast(Event, event)


def _sign(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError("a webhook secret is whsec_ and base64")
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
