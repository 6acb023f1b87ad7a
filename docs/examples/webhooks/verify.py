"""A minimal receiver of webhooks: the standard library and nothing else.

    WEBHOOK_SECRET=whsec_… PORT=8000 python3 verify.py
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 5 * 60  # seconds
MOST_BYTES = 20_000

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
seen = set()  # in production: a table with a unique webhook-id
seen_lock = threading.Lock()
work = queue.Queue()  # in production: a queue that survives a restart


def verify(headers, body, now):
    """Says whether one of the signatures is that of the body, made just now."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE:
        return False
    digest = hmac.digest(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(s, want) for s in signatures)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,5}", length) or int(length) > MOST_BYTES:
            return self.answer(413, b"too large")
        body = self.rfile.read(int(length))
        if not verify(self.headers, body, time.time()):
            return self.answer(401, b"not signed by the catalog")
        event = json.loads(body)
        if event["type"] == "webhook.test" and "challenge" in event["data"]:
            return self.answer(200, event["data"]["challenge"].encode())
        with seen_lock:
            known = self.headers["webhook-id"] in seen
            seen.add(self.headers["webhook-id"])
        if not known:
            work.put(event)
        self.answer(204)

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def worker():
    while True:
        event = work.get()
        print(event["type"], event["data"].get("slug", ""), event["data"].get("seq", 0), flush=True)


threading.Thread(target=worker, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
