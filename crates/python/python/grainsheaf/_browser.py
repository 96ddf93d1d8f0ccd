"""Draws pictures in a browser without a window: the views of the page are written for browsers."""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ._errors import GrainsheafError
from ._source import API, Source

MODULE = Path(__file__).parent / "static" / "widget.js"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Seconds that a picture may take.
PATIENCE = 120
PAGE = '<!doctype html><meta charset="utf-8"><title>Grainsheaf</title><script type="module" src="start.js"></script>'
# The page loads the module and asks this process; nothing else.
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data: blob:"
START = """
import { draw } from './widget.js';
const json = async (path, body) => (await fetch(path, { method: 'POST', body })).json();
const { traits, size } = await json('job');
const result = await draw(traits, (address) => json('ask', address), size).catch((error) => ({ error: error.message }));
await json('result', JSON.stringify(result));
"""


def browser() -> str | None:
    """The program that draws: that of `GRAINSHEAF_BROWSER`, or one on the path of programs."""
    given = os.environ.get("GRAINSHEAF_BROWSER")
    for name in (given,) if given else NAMES:
        found = shutil.which(name)
        if found:
            return found
    return None


def missing() -> GrainsheafError:
    """The error where no browser is found."""
    hint = "install Chromium or Google Chrome, or name a browser in GRAINSHEAF_BROWSER"
    return GrainsheafError("missing_browser", "pictures are drawn by a browser, and none was found", hint)


def module() -> str:
    """The views of the page as one module."""
    try:
        return MODULE.read_text(encoding="utf-8")
    except FileNotFoundError:
        message = f"pictures are not part of this package: {MODULE} is missing"
        raise GrainsheafError("not_built", message, "install the package from a wheel") from None


class Drawing:
    """One picture: what it shows, the answers that it was drawn from, and the result."""

    def __init__(self, source: Source, traits: Mapping[str, object], size: Mapping[str, float]) -> None:
        self._source = source
        self._job = {"traits": dict(traits), "size": dict(size)}
        self._done = threading.Event()
        self.result: dict[str, str] = {}
        self.answers: dict[str, dict[str, Any]] = {}

    def draw(self) -> None:
        """Starts the browser, answers its questions, and waits for the picture."""
        program = browser()
        if program is None:
            raise missing()
        key = secrets.token_urlsafe()
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(key, module()))
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            # The browser may still write there while it ends.
            with tempfile.TemporaryDirectory(prefix="grainsheaf-", ignore_cleanup_errors=True) as folder:
                self._run(program, folder, f"http://127.0.0.1:{server.server_port}/{key}/")
        finally:
            server.shutdown()
            server.server_close()
        if "error" in self.result:
            raise GrainsheafError("no_picture", f"the picture was not drawn: {self.result['error']}")

    def _run(self, program: str, folder: str, address: str) -> None:
        line = [program, "--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars", f"--user-data-dir={folder}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # Chromium has no sandbox for the superuser.
            line.append("--no-sandbox")
        line += ["--window-size=1600,1200", "--remote-debugging-port=0", address]
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + PATIENCE
            while not self._done.wait(0.1):
                if process.poll() is not None:
                    message = f"the browser {program} ended with status {process.returncode}"
                    raise GrainsheafError("no_picture", message)
                if time.monotonic() > end:
                    raise GrainsheafError("no_picture", f"the picture was not drawn in {PATIENCE} seconds")
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _answer(self, target: str) -> dict[str, Any]:
        if not target.startswith(API):
            raise ValueError("not a question")
        reply = self._source.ask(target, "application/json")
        body = base64.b64encode(reply.body).decode()
        answer = {"status": reply.status, "type": reply.content_type, "revision": reply.revision, "base64": body}
        self.answers[target] = answer
        return answer

    def _handler(self, key: str, widget: str) -> type[BaseHTTPRequestHandler]:
        drawing = self
        files = {"": ("text/html", PAGE), "start.js": ("text/javascript", START), "widget.js": ("text/javascript", widget)}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                kind, text = files.get(self._name() or "", ("", ""))
                self._send(kind, text.encode()) if self._name() in files else self.send_error(404)

            def do_POST(self) -> None:
                name = self._name()
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if name == "job":
                    answer: object = drawing._job
                elif name == "ask":
                    try:
                        answer = drawing._answer(body)
                    except Exception as error:  # noqa: BLE001 the picture reports it
                        return self.send_error(500, type(error).__name__)
                elif name == "result":
                    drawing.result, answer = json.loads(body), None
                else:
                    return self.send_error(404)
                self._send("application/json", json.dumps(answer).encode())
                if name == "result":
                    drawing._done.set()

            def _name(self) -> str | None:
                """The name below the folder that only the browser knows."""
                folder = f"/{key}/"
                return self.path.removeprefix(folder) if self.path.startswith(folder) else None

            def _send(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Security-Policy", POLICY)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *given: object) -> None:
                """Requests are not of interest."""

        return Handler
