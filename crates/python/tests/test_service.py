"""The same interface over HTTP."""

import socket
import subprocess
import threading
from contextlib import contextmanager

import grainsheaf as gs
import pytest
from conftest import COMMAND, ENSEMBLES


@pytest.fixture(scope="module")
def url():
    line = [COMMAND, "serve", "--port", "0", "--token", "secret-of-this-test", ENSEMBLES / "threads"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(30)


def test_a_service_answers_as_a_store(url, threads):
    served = gs.open(url)
    run = threads.runs().runs[0]["run"]
    for ask in (
        lambda e: e.runs(),
        lambda e: e.by("threads").level("context").stats(),
        lambda e: e.diff("threads = 1", "threads = 8"),
        lambda e: e.grains(run),
        lambda e: e.timeline(run),
    ):
        assert ask(served).json() == ask(threads).json()
        assert ask(served).to_arrow().equals(ask(threads).to_arrow())
    assert served._ask("runs", "", "application/json") == threads._ask("runs", "", "application/json")


def test_a_service_is_asked_with_its_token(url):
    base = url.split("?")[0]
    assert len(gs.open(base, token="secret-of-this-test").runs()) == 20
    for token in (None, "wrong"):
        with pytest.raises(gs.GrainsheafError) as caught:
            gs.open(base, token=token).runs().json()
        assert caught.value.kind == "unauthorised" and caught.value.hint


def test_a_service_that_is_not_there_is_an_error():
    with pytest.raises(gs.GrainsheafError, match="cannot reach") as caught:
        gs.open("http://127.0.0.1:9").runs().json()
    assert caught.value.kind == "unreachable"


@contextmanager
def server_of(answer):
    """The URL of a server that sends these bytes to everyone."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def http(status, kind, body, length=None):
    length = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}".encode()


JSON = "application/json"
ANSWERS = {
    "page": (http("200 OK", "text/html", "<p>"), "not_a_service"),
    "no page": (http("404 Not Found", "text/html", "<p>"), "not_a_service"),
    "other api": (http("404 Not Found", JSON, '{"detail": "Not Found"}'), "not_a_service"),
    "proxy": (http("502 Bad Gateway", "text/html", "<p>"), "not_a_service"),
    "no http": (b"SSH-2.0-OpenSSH_9.2\r\n", "not_a_service"),
    "long header": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", "not_a_service"),
    "bad redirect": (b"HTTP/1.1 302 Found\r\nLocation: http://a:b/\r\nContent-Length: 0\r\n\r\n", "not_a_service"),
    "nothing": (b"", "unreachable"),
    "part of an answer": (http("200 OK", JSON, '{"runs": [', 100), "unreachable"),
    "part of an error": (http("404 Not Found", JSON, '{"code": ', 100), "unreachable"),
    "malformed": (http("200 OK", JSON, '{"runs": ['), "unreadable"),
    "list": (http("200 OK", JSON, "[]"), "unreadable"),
    "no rows": (http("200 OK", JSON, "{}"), "unreadable"),
    "no table": (http("200 OK", "application/vnd.apache.arrow.stream", "abcd"), "unreadable"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_other_servers_are_errors_with_kind_and_hint(name):
    answer, kind = ANSWERS[name]
    with server_of(answer) as url:
        question = gs.open(url, timeout=30).grains("run")
        with pytest.raises(gs.GrainsheafError) as caught:
            len(question) if name == "no table" else question.json()
    assert caught.value.kind == kind and url in caught.value.message and caught.value.hint


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:notaport/",
        "http://127.0.0.1:99999/",
        "http://local host/",
        "http://127.0.0.1/a b",
        "http://127.0.0.1\x00/",
        "http://",
        "http:///path",
        "http://[::1",
        "http://a..b/",
        f"http://{'a' * 70}/",
        "http://user:secret@127.0.0.1/",
        "http://127.0.0.1/?token=secret%0a",
    ],
)
def test_wrong_urls_are_named(url):
    with pytest.raises(ValueError, match="`path`") as caught:
        gs.open(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["secret\nb", "secret\rb", "secret\x7f", "secré€"])
def test_wrong_tokens_are_named_and_not_shown(token):
    with pytest.raises(ValueError, match="`token`") as caught:
        gs.open("http://127.0.0.1:9", token=token)
    assert "secr" not in str(caught.value)


def test_urls_of_services_are_cleaned():
    for url in (" http://127.0.0.1:9/\n", "HTTP://127.0.0.1:9", "http://127.0.0.1:9?token=a"):
        assert gs.open(url) == gs.open("http://127.0.0.1:9/")
    assert gs.open("http://127.0.0.1:9/ü/%20") == gs.open("http://127.0.0.1:9/%C3%BC/%20")
