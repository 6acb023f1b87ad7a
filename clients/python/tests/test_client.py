"""What the cases of ../../cases.json do not show. A server in a thread answers what a test tells it to."""

from __future__ import annotations

import inspect
import os
import re
import ssl
import stat
import tempfile
import threading
import unittest
import urllib.error
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Tuple
from unittest import mock

import palmares
from palmares import transport
from palmares.store import store_key

SPEC = os.path.join(os.path.dirname(__file__), "../../../internal/api/openapi.yaml")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
Answer = Tuple[int, Dict[str, str], bytes]


class Server:
    """Gives the answers of a function of the number of the request, and its headers."""

    def __init__(self, answer: Callable[[int, Any], Answer]) -> None:
        self.paths: List[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.paths.append(self.path)
                status, headers, body = answer(len(outer.paths), self.headers)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()


class Contract(unittest.TestCase):
    def test_methods_are_the_operations(self) -> None:
        """Each operation is a method of its name, with the parameters of the contract."""
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        with open(SPEC, encoding="utf-8") as f:
            spec = yaml.safe_load(f)
        for path, item in spec["paths"].items():
            operation = item["get"]
            name = re.sub("([A-Z])", lambda m: "_" + m[1].lower(), operation["operationId"])
            given = inspect.signature(getattr(palmares.Client, name)).parameters
            wanted = {}
            for p in operation["parameters"]:
                while "$ref" in p:
                    p = spec["components"]["parameters"][p["$ref"].rpartition("/")[2]]
                parameter = {True: "on", "from": "from_"}.get(p["name"], p["name"])  # YAML 1.1 takes on for true
                if p["in"] != "header":
                    wanted[parameter] = p.get("required", False)
            with self.subTest(name):
                self.assertEqual({n: p.default is p.empty for n, p in given.items() if n != "self"}, wanted)


class Requests(unittest.TestCase):
    def test_names_lead_nowhere_else(self) -> None:
        client = palmares.Client("http://127.0.0.1:1", retries=0)
        for name in ("", ".", ".."):
            with self.subTest(name), self.assertRaises(ValueError):
                client.get_tool(name)

    def test_arguments_are_refused(self) -> None:
        for url in ("", "catalogue.example", "ftp://catalogue.example", "http://", "http://u:p@catalogue.example", "http://a.example?b", "http://a.example#b"):
            with self.subTest(url), self.assertRaises(ValueError):
                palmares.Client(url)
        for key in ("plm_é", "plm_a\r\nHost: b", "plm_a b"):
            with self.subTest(key), self.assertRaises(ValueError) as refused:
                palmares.Client("http://catalogue.example", api_key=key)
            self.assertNotIn(key, str(refused.exception))

    def test_the_key_is_shown_nowhere(self) -> None:
        with Server(lambda n, _: (401, {}, b"{}")) as s:
            client = palmares.Client(s.url, api_key="plm_secret")
            with self.assertRaises(palmares.AuthenticationError) as refused:
                client.get_stats()
        self.assertNotIn("plm_secret", repr(client) + repr(refused.exception) + str(vars(refused.exception)))

    def test_waits_are_never_shorter_than_told_and_differ(self) -> None:
        waits: List[float] = []
        for _ in range(5):
            with Server(lambda n, _: (503, {"Retry-After": "2"}, b"{}") if n < 3 else (200, {}, b"{}")) as s:
                client = palmares.Client(s.url)
                setattr(client._transport, "sleep", waits.append)
                client.get_stats()
        self.assertEqual(len(waits), 10)
        self.assertTrue(all(2 <= w <= 3 for w in waits), waits)
        self.assertGreater(len(set(waits)), 1)

    def test_waits_grow_and_end_with_the_budget(self) -> None:
        waits: List[float] = []
        with Server(lambda n, _: (503, {}, b"")) as s:
            client = palmares.Client(s.url, retries=50, budget=60)
            setattr(client._transport, "sleep", waits.append)
            with self.assertRaises(palmares.UnavailableError) as failed:
                client.get_stats()
        self.assertLessEqual(sum(waits), 60)
        self.assertGreater(sum(waits), 30)
        self.assertGreater(waits[4], 2 * waits[0])
        self.assertIsNone(failed.exception.retry_at)

    def test_a_certificate_does_not_become_valid(self) -> None:
        bad = urllib.error.URLError(ssl.SSLCertVerificationError("self-signed"))
        client = palmares.Client("https://127.0.0.1:1")
        with mock.patch.object(client._transport, "_once", side_effect=bad) as once, self.assertRaises(palmares.NetworkError):
            client.get_stats()
        self.assertEqual(once.call_count, 1)

    def test_hostile_headers(self) -> None:
        for text in ("-1", "9" * 400, "soon", "Mon, 99 Foo", "1.5", "²", "Fri, 31 Dec 9999 23:59:59"):
            with self.subTest(text):
                error = transport.api_error(429, {"retry-after": text, "x-ratelimit-tier": "free", "x-ratelimit-remaining": "²", "x-ratelimit-reset": "x", "link": "<,>"}, b"[1]", "http://a")
                self.assertEqual((error.code, error.status, error.quota), ("", 429, palmares.Quota("free", None, None)))

    def test_a_renamed_item_names_its_slug(self) -> None:
        link = {"link": '</x>; rel="license", </api/v1/tools/tocsin>; rel="successor-version"'}
        self.assertEqual(transport.api_error(404, link, b'{"code": "renamed"}', "http://a/api/v1/tools/lima").successor, "tocsin")


class Stores(unittest.TestCase):
    def test_a_damaged_file_is_replaced(self) -> None:
        asked: List[Any] = []

        def answer(_: int, headers: Any) -> Answer:
            asked.append(headers["If-None-Match"])
            return (304, {}, b"") if headers["If-None-Match"] == '"a"' else (200, {"ETag": '"a"'}, b'{"tools_total": 3}')

        with tempfile.TemporaryDirectory() as d, Server(answer) as s:
            client = palmares.Client(s.url, store=palmares.DirectoryStore(d + "/cache"))
            damages: List[Callable[[bytes], bytes]] = [
                lambda b: b, lambda b: b[:-1], lambda b: b.replace(b"3}", b"4}"), lambda b: b"", lambda b: b"[]\n{}",
            ]
            for damage in damages:
                client.get_stats()
                (file,) = [os.path.join(d, "cache", n) for n in os.listdir(d + "/cache")]
                with open(file, "rb+") as f:
                    content = damage(f.read())
                    f.seek(0), f.truncate(), f.write(content)
                self.assertEqual(client.get_stats().value["tools_total"], 3)
                self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
            self.assertEqual(stat.S_IMODE(os.stat(d + "/cache").st_mode), 0o700)
        self.assertEqual(asked[1], '"a"')
        self.assertEqual(asked.count(None), 5, asked)

    def test_memory_is_bounded(self) -> None:
        store = palmares.MemoryStore(max_bytes=10)
        for key in "abc":
            store.put(key, palmares.Entry('"x"', {}, b"1234"))
            store.get("a")
        self.assertIsNone(store.get("b"))
        store.put("a", palmares.Entry('"x"', {}, b"12345678901"))
        self.assertIsNone(store.get("a"))
        store.put("a", palmares.Entry('"x"', {}, b"1234567890"))
        self.assertIsNotNone(store.get("a"))

    def test_keys_of_stores(self) -> None:
        self.assertNotIn("plm_secret", store_key("http://a/", "plm_secret"))
        self.assertNotEqual(store_key("http://a/", "plm_secret"), store_key("http://a/", "plm_other"))


class Cursors(unittest.TestCase):
    def test_the_cursor_moves_after_its_page(self) -> None:
        def answer(n: int, _: Any) -> Answer:
            return 200, {}, b'{"data": [{"data": {"seq": %d}}], "next": "%d-a", "more": %s}' % (n, n, b"true" if n < 2 else b"false")

        with Server(answer) as s:
            changes, seen = palmares.Client(s.url).list_changes(since="0"), []
            for event in changes:
                seen.append((event["data"]["seq"], changes.cursor))
        self.assertEqual(seen + [(0, changes.cursor)], [(1, "0"), (2, "1-a"), (0, "2-a")])

    def test_a_log_that_stands_still_is_read_once(self) -> None:
        with Server(lambda n, _: (200, {}, b'{"data": [], "next": "1-a", "more": true}')) as s:
            self.assertEqual(list(palmares.Client(s.url).list_changes(since="1-a")), [])
            self.assertEqual(len(s.paths), 1)


class Webhooks(unittest.TestCase):
    def test_the_vector_of_the_guide(self) -> None:
        body = b'{"type": "a", "data": {}}'
        headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": "1794821400", "Webhook-Signature": "v1a,AAAA v1, v1,/Rz32fN64pJv4GA3O84p6zc1D4i2baxKrqVxndsjTRc="}
        with self.assertRaisesRegex(palmares.WebhookError, "no event"):  # the signature is good, the body is none of ours
            palmares.verify_webhook(b"{}", headers, SECRET, now=1794821400)
        for wrong in ({"Webhook-Id": "msg_2"}, {"Webhook-Timestamp": "-1"}, {"Webhook-Timestamp": "²"}, {"Webhook-Signature": "v1,é"}, {"Webhook-Signature": ""}):
            with self.subTest(wrong), self.assertRaisesRegex(palmares.WebhookError, "secret|webhook-"):
                palmares.verify_webhook(b"{}", {**headers, **wrong}, [SECRET], now=1794821400)
        with self.assertRaisesRegex(palmares.WebhookError, "secret"):
            palmares.verify_webhook(body, headers, SECRET, now=1794821400)
        for secret in ("", "whsec_", "whsec_*"):
            with self.subTest(secret), self.assertRaises(ValueError):
                palmares.verify_webhook(b"{}", headers, secret, now=1794821400)


if __name__ == "__main__":
    unittest.main()
