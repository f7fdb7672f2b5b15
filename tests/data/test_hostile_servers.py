"""Servers that send what no server should: each ends in the next mirror, with a reason."""

from __future__ import annotations

import contextlib
import itertools
import socketserver
import threading
import time

import pytest

from mlbench.data import download
from mlbench.data.fetch import fetch
from mlbench.errors import DataError
from tests.data.downloads import CONTENT

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FIRST = b"400\r\n" + CONTENT[:1024] + b"\r\n"
SHORT = 3.0
"""Seconds until a server that stalls is given up: enough for a busy machine to get an answer."""
LONG = 300.0
"""Seconds that no other server is to reach."""


def moved(place):
    head = b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
    return [head + b"Location: " + place + b"\r\n\r\n"]


def sized(length):
    return [OK + b"Content-Length: " + length + b"\r\n\r\n" + CONTENT]


def slowly(text, forever=b"x"):
    for byte in itertools.chain(text, itertools.cycle(forever)):
        time.sleep(0.02)
        yield bytes([byte])


def steadily(piece):
    while True:
        yield piece
        time.sleep(0.1)


SENT = {
    "good": lambda: sized(str(len(CONTENT)).encode()),
    "status line": lambda: itertools.repeat(b"H" * 65536),
    "slow status line": lambda: slowly(b"HTTP/1.1 200 "),
    "headers": lambda: itertools.chain([OK], itertools.repeat(b"A: b\r\n" * 1000)),
    "slow headers": lambda: slowly(OK, b"A: b\r\n"),
    "one header": lambda: itertools.chain([OK, b"A: "], itertools.repeat(b"b" * 65536)),
    "continue": lambda: steadily(b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "chunk size": lambda: itertools.chain([CHUNKED], itertools.repeat(b"1" * 65536)),
    "chunk size of sorts": lambda: [CHUNKED + b"-4\r\nabc"],
    "chunk extension": lambda: itertools.chain([CHUNKED, b"4;"], itertools.repeat(b"x" * 65536)),
    "trailers": lambda: itertools.chain([CHUNKED + FIRST + b"0\r\n"], steadily(b"A: b\r\n" * 100)),
    "no http": lambda: [b"220 ftp.example.org ready\r\n"],
    "nothing": lambda: [],
    "huge length": lambda: sized(b"9" * 30),
    "absurd length": lambda: sized(b"9" * 6000),
    "negative length": lambda: sized(b"-5"),
    "two lengths": lambda: sized(b"5, 6"),
    "too long": lambda: itertools.chain([CHUNKED], itertools.repeat(FIRST)),
    "steady": lambda: itertools.chain([CHUNKED], steadily(FIRST)),
    "circle": lambda: moved(b"/circle"),
    "to ftp": lambda: moved(b"ftp://127.0.0.1/toy.txt"),
    "to a file": lambda: moved(b"file:///etc/passwd"),
    "to nowhere": lambda: moved(b"http://[::1"),
    "to a port": lambda: moved(b"http://127.0.0.1:99999999/"),
    "far": lambda: moved(b"http://127.0.0.1/" + b"a" * 70000),
}
STALLED = "in 3 s; gave up"
UNANSWERED = "no answer within 3 s; gave up"
UNFINISHED = "was not finished within 3 s; gave up"
REASONS = {
    "status line": "was interrupted before it answered",
    "slow status line": UNANSWERED,
    "headers": "was interrupted before it answered",
    "slow headers": UNANSWERED,
    "one header": "was interrupted before it answered",
    "continue": UNANSWERED,
    "chunk size": "was interrupted after 0 bytes",
    "chunk size of sorts": "was interrupted after 3 bytes",
    "chunk extension": "was interrupted after 0 bytes",
    "trailers": STALLED,
    "no http": "was interrupted before it answered",
    "nothing": "was interrupted before it answered",
    "huge length": "would send 999999999999999999999999999999 bytes, more than",
    "absurd length": "its Content-Length is malformed",
    "negative length": "its Content-Length is malformed",
    "two lengths": "Content-Length contained multiple unmatching values",
    "too long": "sends more than 1000000 bytes; gave up",
    "steady": UNFINISHED,
    "circle": "too many redirects",
    "to ftp": "ftp",
    "to a file": "file",
    "to nowhere": "Invalid IPv6 URL",
    "to a port": "Failed to parse",
    "far": "was interrupted before it answered",
}


@pytest.fixture
def server(monkeypatch):
    """Return the address of a server that sends, by its path, one of `SENT`."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            path = self.rfile.readline().split()[1].decode()
            name = path.rpartition("/")[2].replace("_", " ")
            while self.rfile.readline().strip():
                pass
            with contextlib.suppress(OSError):
                for piece in SENT[name]():
                    self.wfile.write(piece)

    monkeypatch.setattr(download, "MAX_BYTES", 1_000_000)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["continue", "trailers", "huge length", "absurd length", "to ftp", "nothing"]
)
def test_the_next_mirror_is_tried(server, card, target, name):
    card(f"{server}/{name.replace(' ', '_')}", f"{server}/good")
    (fetched,) = fetch("toy", target, stall_seconds=SHORT, deadline_seconds=LONG)
    assert fetched.url == f"{server}/good"
    assert fetched.path.read_bytes() == CONTENT


@pytest.mark.slow
@pytest.mark.parametrize("name", REASONS)
def test_the_reason_is_told(server, card, target, name):
    card(f"{server}/{name.replace(' ', '_')}")
    stall = SHORT if REASONS[name] in (UNANSWERED, STALLED) else LONG
    deadline = SHORT if REASONS[name] == UNFINISHED else LONG
    with pytest.raises(DataError) as caught:
        fetch("toy", target, stall_seconds=stall, deadline_seconds=deadline)
    assert REASONS[name] in str(caught.value)
    assert len(str(caught.value)) < 1500


def test_the_proxy_of_the_environment_is_used(server, card, target, monkeypatch):
    monkeypatch.setenv("http_proxy", server.removeprefix("http://"))
    card("http://data.invalid/good")
    assert fetch("toy", target)[0].path.read_bytes() == CONTENT


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/toy.txt", "file:///etc/passwd", "http:/toy.txt"])
def test_other_schemes_are_refused_on_the_card(card, target, url):
    card(url)
    with pytest.raises(DataError, match="urls"):
        fetch("toy", target)
