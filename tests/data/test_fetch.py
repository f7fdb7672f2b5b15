"""Downloads against a server on this machine that behaves as badly as the ones outside."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import re
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field

import pytest

from mlbench.data import transfer
from mlbench.data.fetch import fetch
from mlbench.errors import DataError
from tests.data.downloads import CONTENT, sha256

STALL = 3.0
"""Seconds: short for one who waits, and long for an answer of a machine that is busy."""
WRONG = b"<html>not the file</html>"


@dataclass
class Server:
    """What each path does, and what was asked: (path, Range header)."""

    port: int = 0
    asked: list = field(default_factory=list)

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def ranges(self, path):
        return [asked_range for asked, asked_range in self.asked if asked == f"/{path}"]


@pytest.fixture
def server():
    state = Server()
    stop = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            asked_range = self.headers.get("Range")
            state.asked.append((self.path, asked_range))
            behaviour = self.path.removeprefix("/").split(".")[0].split("/")[-1]
            with contextlib.suppress(ConnectionError):
                getattr(self, f"serve_{behaviour}")(asked_range)

        def send(self, body, status=200, declared=None, **headers):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if declared is None else declared))
            for key, value in headers.items():
                self.send_header(key.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(body)

        def serve_good(self, asked_range):
            if asked_range is None:
                return self.send(CONTENT)
            start = int(re.fullmatch(r"bytes=(\d+)-", asked_range)[1])
            if start >= len(CONTENT):
                return self.send(b"", 416)
            span = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
            return self.send(CONTENT[start:], 206, Content_Range=span)

        def serve_zipped(self, _):
            self.send(gzip.compress(CONTENT))

        def serve_norange(self, _):
            self.send(CONTENT)

        def serve_breaks(self, asked_range):
            if asked_range is not None:
                return self.serve_good(asked_range)
            return self.send(CONTENT[:100_000], declared=len(CONTENT))

        def serve_always_breaks(self, _):
            self.send(CONTENT[:1000], declared=len(CONTENT))

        def serve_wrong_offset(self, asked_range):
            self.send(CONTENT[:10], 206 if asked_range else 200, Content_Range="bytes 7-16/256000")

        def serve_lies(self, _):
            self.send(WRONG)

        def serve_missing(self, _):
            self.send_error(404)

        def serve_fails(self, _):
            self.send_error(500)

        def serve_silent(self, _):
            stop.wait()

        def serve_stalls(self, _):
            self.send(CONTENT[:5000], declared=len(CONTENT))
            self.wfile.flush()
            stop.wait()

        def serve_trickles(self, _):
            self.send(b"", declared=len(CONTENT))
            while not stop.wait(0.05):
                self.wfile.write(b"x")
                self.wfile.flush()

        def serve_elsewhere(self, _):
            self.send_response(302)
            self.send_header("Location", state.url("good.txt"))
            self.end_headers()

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    state.port = httpd.server_port
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    stop.set()
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def partial(target, content):
    part = target / "toy" / "toy.txt.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(content)
    return part


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("[!.]*") if path.is_file())


def test_a_file_is_downloaded_checked_and_put_in_its_place(server, card, target):
    card(server.url("good.txt"))
    (fetched,) = fetch("toy", target)
    assert fetched.path == target / "toy" / "toy.txt"
    assert fetched.url == server.url("good.txt")
    assert fetched.path.read_bytes() == CONTENT
    assert files_in(target) == ["toy/toy.txt"]


def test_the_default_place_is_the_users_data_folder(server, card, tmp_path):
    card(server.url("good.txt"))
    (fetched,) = fetch("toy")
    assert fetched.path == tmp_path / "cache" / "mlbench" / "datasets" / "toy" / "toy.txt"


def test_a_file_that_is_there_is_not_downloaded_again(server, card, target):
    card(server.url("good.txt"))
    fetch("toy", target)
    (again,) = fetch("toy", target)
    assert again.url is None
    assert len(server.asked) == 1


def test_another_file_in_its_place_is_never_overwritten(server, card, target):
    card(server.url("good.txt"))
    (target / "toy").mkdir(parents=True)
    (target / "toy" / "toy.txt").write_bytes(b"mine")
    with pytest.raises(DataError, match=r"is not the file on the card.*move it away"):
        fetch("toy", target)
    assert (target / "toy" / "toy.txt").read_bytes() == b"mine"
    assert server.asked == []


def test_a_partial_download_is_resumed_where_it_stopped(server, card, target):
    card(server.url("good.txt"))
    partial(target, CONTENT[:70_000])
    (fetched,) = fetch("toy", target)
    assert server.ranges("good.txt") == ["bytes=70000-"]
    assert fetched.path.read_bytes() == CONTENT


def test_a_server_that_ignores_the_range_makes_it_start_over(server, card, target):
    card(server.url("norange.txt"))
    partial(target, CONTENT[:70_000])
    (fetched,) = fetch("toy", target)
    assert server.ranges("norange.txt") == ["bytes=70000-"]
    assert fetched.path.read_bytes() == CONTENT


def test_a_whole_partial_file_needs_no_download(server, card, target):
    card(server.url("good.txt"))
    partial(target, CONTENT)
    fetch("toy", target)
    assert server.asked == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [7, len(CONTENT), 2 * len(CONTENT)])
def test_a_partial_file_with_wrong_content_is_thrown_away(server, card, target, size):
    card(server.url("good.txt"))
    partial(target, b"r" * size)
    (fetched,) = fetch("toy", target)
    assert server.ranges("good.txt")[-1] is None
    assert fetched.path.read_bytes() == CONTENT


@pytest.mark.slow
def test_a_transfer_that_breaks_off_goes_on_by_itself(server, card, target):
    card(server.url("breaks.txt"))
    (fetched,) = fetch("toy", target)
    assert server.ranges("breaks.txt") == [None, "bytes=100000-"]
    assert fetched.path.read_bytes() == CONTENT


@pytest.mark.slow
def test_what_came_is_kept_when_a_server_breaks_off_again_and_again(server, card, target):
    card(server.url("always_breaks.txt"))
    with pytest.raises(DataError, match="was interrupted after 1000 of 256000 bytes, 4 times"):
        fetch("toy", target)
    assert (target / "toy" / "toy.txt.part").read_bytes() == CONTENT[:1000]
    assert not (target / "toy" / "toy.txt").exists()


def test_an_answer_from_another_place_in_the_file_is_refused(server, card, target):
    card(server.url("wrong_offset.txt"))
    partial(target, CONTENT[:70_000])
    with pytest.raises(DataError, match="bytes from 7, but 70000 was requested"):
        fetch("toy", target)


def test_a_lie_is_refused_and_told_with_both_hashes(server, card, target):
    card(server.url("lies.txt"))
    with pytest.raises(DataError) as caught:
        fetch("toy", target)
    assert sha256(CONTENT) in str(caught.value)
    assert sha256(WRONG) in str(caught.value)
    assert files_in(target) == []


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["lies", "missing", "fails", "always_breaks"])
def test_the_next_mirror_is_tried(server, card, target, bad):
    card(server.url(f"{bad}.txt"), server.url("good.txt"))
    (fetched,) = fetch("toy", target)
    assert fetched.url == server.url("good.txt")
    assert fetched.path.read_bytes() == CONTENT


@pytest.mark.slow
@pytest.mark.parametrize("slow", ["silent", "stalls", "trickles"])
def test_a_server_that_stalls_is_given_up_for_the_next(server, card, target, slow):
    card(server.url(f"{slow}.txt"), server.url("good.txt"))
    (fetched,) = fetch("toy", target, stall_seconds=STALL)
    assert fetched.url == server.url("good.txt")
    assert fetched.path.read_bytes() == CONTENT


@pytest.mark.slow
def test_when_all_fail_each_address_and_the_way_by_hand_are_told(server, card, target, closed_port):
    closed = f"http://127.0.0.1:{closed_port}/good.txt"
    card(
        *(server.url(f"{name}.txt") for name in ("missing", "fails", "silent")),
        closed,
        by_hand="Write to the authors.",
    )
    with pytest.raises(DataError) as caught:
        fetch("toy", target, stall_seconds=STALL)
    message = str(caught.value)
    for expected in (
        "answered 404",
        "answered 500",
        "within 3 s",
        "cannot be reached",
        "the authors",
    ):
        assert expected in message


def test_base_addresses_serve_files_by_their_path(server, card, target):
    card(mirrors=[server.url("base/")], path="good.txt")
    (fetched,) = fetch("toy", target)
    assert fetched.url == server.url("base/good.txt")


def test_a_redirection_is_followed(server, card, target):
    card(server.url("elsewhere.txt"))
    assert fetch("toy", target)[0].path.read_bytes() == CONTENT


def test_a_plain_copy_of_a_compressed_file_is_checked_by_its_content(server, card, target):
    stored = gzip.compress(CONTENT, mtime=1)
    hashes = {"sha256": sha256(stored), "sha256_uncompressed": sha256(CONTENT)}
    card(server.url("good.txt"), path="toy/toy.txt.gz", file=hashes)
    (fetched,) = fetch("toy", target)
    assert fetched.path == target / "toy" / "toy.txt"
    assert fetch("toy", target)[0].url is None


def test_a_compressed_copy_of_a_plain_file_is_checked_by_its_content(server, card, target):
    card(server.url("zipped.txt.gz"))
    (fetched,) = fetch("toy", target)
    assert fetched.path == target / "toy" / "toy.txt.gz"
    assert gzip.decompress(fetched.path.read_bytes()) == CONTENT


def test_a_file_without_a_hash_is_left_to_people(server, card, target):
    card(server.url("good.txt"), hashed=False, by_hand="Ask the library.")
    with pytest.raises(DataError, match=r"no download with a checksum(.|\n)*Ask the library"):
        fetch("toy", target)
    assert server.asked == []


@pytest.mark.parametrize("path", ["../toy.txt", "/etc/toy.txt", "a/../../toy.txt", "..\\toy.txt"])
def test_a_path_out_of_the_folder_is_refused(server, card, target, path):
    card(server.url("good.txt"), path=path)
    with pytest.raises(DataError, match="leave the data folder"):
        fetch("toy", target)
    assert server.asked == []


def test_progress_is_told_up_to_the_last_byte(server, card, target):
    card(server.url("good.txt"))
    steps = []
    fetch("toy", target, progress=lambda *step: steps.append(step))
    assert steps[-1] == ("toy/toy.txt", len(CONTENT), len(CONTENT))
    assert [done for _, done, _ in steps] == sorted(done for _, done, _ in steps)


def test_two_downloads_into_one_folder_do_not_mix(server, card, target):
    fcntl = pytest.importorskip("fcntl")
    card(server.url("good.txt"))
    target.mkdir()
    with (target / ".fetch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DataError, match="another mlbench process is fetching"):
            fetch("toy", target)
    assert fetch("toy", target)[0].path.read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_is_named(server, card, tmp_path):
    card(server.url("good.txt"))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match=r"cannot write to the data folder .*file"):
        fetch("toy", tmp_path / "file")


def test_a_transfer_ends_when_the_process_that_started_it_has_ended():
    """The kernel closes its end of the pipe, whatever killed it."""
    with socket.create_server(("127.0.0.1", 0)) as server:  # takes connections, and never answers
        url = f"http://127.0.0.1:{server.getsockname()[1]}/f"
        command = [sys.executable, "-P", transfer.__file__, url, "0"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(60) == transfer.INTERRUPTED
