"""Request one address and pass what it sends on to standard output, in a separate process.

A server can keep a client busy forever within every limit of the HTTP library, with interim
responses or trailers. So the client is a process that can be ended. It is started as a file, and
imports nothing of mlbench, so that it starts at once.

Standard output gets a line of JSON, the `Response`, and then the content. If an address cannot be
read, the reason goes to standard error. The exit code is then 1, or `INTERRUPTED` if a later
attempt may get the rest.
"""

import json
import os
import re
import sys
import threading
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

INTERRUPTED = 75
_CHUNK = 2**16
_REDIRECTIONS = 5


@dataclass(frozen=True)
class Response:
    """How a server answered."""

    status: int
    reason: str
    start: int
    """Where in the file the content starts: 0 if it ignores the range that was requested."""
    length: int | None
    """The number of bytes that follow."""


def transfer(url: str, have: int) -> None:
    """Write the answer of a server, and its content from an offset on, to standard output."""
    retries = urllib3.Retry(
        total=None,
        connect=0,
        read=0,
        status=0,
        other=0,
        redirect=_REDIRECTIONS,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    headers = {"User-Agent": "mlbench", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        response = _pool(url).request(
            "GET", url, headers=headers, retries=retries, preload_content=False
        )
        span = re.match(r"bytes (\d{1,18})-", response.headers.get("Content-Range", ""))
        start = int(span[1]) if response.status == 206 and span else 0
        length = response.length_remaining
        if length is None and not response.chunked and "Content-Length" in response.headers:
            raise ValueError("its Content-Length is malformed")
        answer = Response(response.status, str(response.reason), start, length)
        sys.stdout.write(json.dumps(asdict(answer)) + "\n")
        sys.stdout.flush()
        while chunk := response.read1(_CHUNK, decode_content=False):
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
    except urllib3.exceptions.HTTPError as error:
        cause = getattr(error, "reason", None) or error
        _end(cause, INTERRUPTED if isinstance(cause, urllib3.exceptions.ProtocolError) else 1)
    except (OSError, ValueError) as error:
        _end(error, 1)


def _pool(url: str) -> urllib3.PoolManager:
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if proxy is None or proxy_bypass(parts.hostname or ""):
        return urllib3.PoolManager()
    return urllib3.ProxyManager(proxy if "://" in proxy else f"http://{proxy}")


def _end(error: object, code: int) -> None:
    sys.stderr.write(str(error)[:500])
    sys.exit(code)


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended and closed its input."""
    os.read(0, 1)  # without the lock of sys.stdin, which the interpreter takes when it ends
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    transfer(sys.argv[1], int(sys.argv[2]))
