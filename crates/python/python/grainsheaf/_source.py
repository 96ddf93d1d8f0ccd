"""Where answers come from: a store in this process, or a service."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode, urlsplit

from . import _grainsheaf
from ._errors import BadQuestionError, GrainsheafError, from_body, sent_error

if TYPE_CHECKING:
    from email.message import Message
    from urllib.request import Request

    from ._progress import Progress

API = "/api/v1/"
JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"


def target(path: str, parameters: dict[str, object]) -> str:
    """The target of a request; parameters that are `None` are left out."""
    given = {name: _written(value) for name, value in parameters.items() if value is not None}
    return f"{API}{path}?{urlencode(given)}" if given else API + path


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


_process: int | None = None


def refuse_forks() -> None:
    """Fails in a process that was forked after stores were used: threads that compute answers do not survive that."""
    global _process
    if _process is None:
        _process = os.getpid()
    elif _process != os.getpid():
        raise GrainsheafError(
            "forked",
            "this process was forked from one that used stores",
            "use multiprocessing with `spawn` or `forkserver`, or use stores in the children only",
        )


class Source(Protocol):
    """A store or a service: it answers `GET TARGET`."""

    # How questions show how far they are.
    progress: bool | Progress | None

    @property
    def identity(self) -> tuple[str, str | None]:
        """Identity of the store: its path, or the URL of a service and the name there."""

    def ask(self, target: str, accept: str, report: Progress | None = None) -> _grainsheaf.Reply: ...


def checked(reply: _grainsheaf.Reply) -> _grainsheaf.Reply:
    """The reply, unless it is an error."""
    if reply.status != 200:
        raise from_body(reply.body)
    return reply


def _sent(progress: bool | Progress | None) -> bool | None:
    """How questions show how far they are in a process that gets the source: a function stays where it is."""
    return progress if progress is None or isinstance(progress, bool) else False


class LocalSource:
    """A store in this process; no server is started."""

    def __init__(self, path: str) -> None:
        refuse_forks()
        self.path = os.path.abspath(path)
        self._store: _grainsheaf.Store | None = _grainsheaf.Store(self.path)
        self.progress: bool | Progress | None = None

    @property
    def identity(self) -> tuple[str, str | None]:
        return self.path, None

    def ask(self, target: str, accept: str, report: Progress | None = None) -> _grainsheaf.Reply:
        refuse_forks()
        if self._store is None:
            self._store = _grainsheaf.Store(self.path)
        try:
            return self._store.ask(target, accept, report)
        except RuntimeError as error:
            if "uri too long" not in str(error):
                raise
            message = f"the question is too long: its arguments have {len(target)} characters"
            raise BadQuestionError("bad_request", message, "at most 65,000 characters can be asked with") from None

    def __getstate__(self) -> dict[str, Any]:
        # A process that gets the source opens the store at its first question. A worker of a pool that fails while it
        # reads a task dies, and the pool waits for it forever.
        return {**self.__dict__, "_store": None, "progress": _sent(self.progress)}

    def __deepcopy__(self, memo: object) -> LocalSource:
        # A temporary folder is removed with the source that was made for it.
        return self

    def __repr__(self) -> str:
        return self.path


class HttpSource:
    """A service that runs somewhere else."""

    def __init__(self, url: str, token: str | None, store: str | None, timeout: float) -> None:
        self.url, self.token, self.store, self.timeout = url.rstrip("/"), token, store, timeout
        self.progress: bool | Progress | None = None

    @property
    def identity(self) -> tuple[str, str | None]:
        return self.url, self.store

    def ask(self, target: str, accept: str, report: Progress | None = None) -> _grainsheaf.Reply:
        # A service does not report how far it is.
        del report
        from http.client import HTTPException, IncompleteRead
        from urllib.request import Request

        if self.store is not None:
            target += ("&" if "?" in target else "?") + urlencode({"store": self.store})
        request = Request(self.url + target, headers={"Accept": accept})
        if self.token is not None:
            # It is not sent on to where a redirect leads.
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            status, headers, body = self._fetch(request)
        except IncompleteRead as error:
            raise GrainsheafError("unreachable", f"the answer of {self.url} was cut off: {error}", "ask again") from error
        except OSError as error:
            reason = getattr(error, "reason", error)
            hint = "is the service running, and is the address right?"
            raise GrainsheafError("unreachable", f"cannot reach {self.url}: {reason}", hint) from error
        except (HTTPException, ValueError) as error:
            # The URL was checked, but not one to which an answer redirects.
            raise self._not_a_service(f"{type(error).__name__}: {str(error).strip()}") from error
        kind = headers.get_content_type()
        is_other = accept in (JSON, ARROW) and kind != accept if status == 200 else sent_error(body) is None
        if is_other:
            raise self._not_a_service(f"it answered with status {status} and {kind}")
        return _grainsheaf.Reply(status, headers.get("Content-Type") or "", headers.get("grainsheaf-revision"), body)

    def _fetch(self, request: Request) -> tuple[int, Message[str, str], bytes]:
        from urllib.error import HTTPError
        from urllib.request import urlopen

        try:
            with urlopen(request, timeout=self.timeout) as response:  # noqa: S310 the scheme was checked
                return response.status, response.headers, response.read()
        except HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def _not_a_service(self, reason: str) -> GrainsheafError:
        message = f"{self.url} is not a service of grainsheaf: {reason}"
        return GrainsheafError("not_a_service", message, "is the address right, with its port?")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "progress": _sent(self.progress)}

    def __repr__(self) -> str:
        return self.url


def source_of(path: str, token: str | None, store: str | None, timeout: float) -> Source:
    """The source that an address or a path names."""
    scheme, colon, _ = path.lstrip().partition(":")
    if not colon or scheme.lower() not in ("http", "https"):
        return LocalSource(path)
    url, given = _service(path.strip())
    named, token = ("`token`", token) if token is not None else ("`path`: the token", given)
    # It is a secret: the message does not show it.
    if token is not None and not (token.isascii() and token.isprintable()):
        raise ValueError(f"{named} must be printable ASCII characters")
    return HttpSource(url, token, store, timeout)


def _service(url: str) -> tuple[str, str | None]:
    """The URL of a service without its query, and the token there: `grainsheaf serve` prints it as part of the URL."""
    from urllib.parse import parse_qs, quote, urlunsplit

    try:
        parts = urlsplit(url)
        _check_host(parts.netloc, parts.hostname)
        # Reading it checks it.
        _ = parts.port
        # Of these, the standard library removes some without a word.
        if any(each <= " " or each == "\x7f" for each in url.partition("?")[0]):
            raise ValueError("it has spaces or control characters")
    except ValueError as error:
        raise ValueError(f"`path` must be the URL of a service: {error}") from None
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~")
    given = parse_qs(parts.query, keep_blank_values=True)
    token = given.pop("token", [None])[0]
    if given:
        names = ", ".join(f"`{name}`" for name in given)
        raise ValueError(f"`path` may have a token in its query only, and has {names}: use `store=` and `with_lens()`")
    return urlunsplit((parts.scheme, parts.netloc, path, "", "")), token


def _check_host(netloc: str, host: str | None) -> None:
    if "@" in netloc:
        raise ValueError("it has a user name; give the token as `token`")
    if not host:
        raise ValueError("it has no host")
    try:
        # As it is looked up.
        host.encode("idna")
    except UnicodeError:
        raise ValueError("the name of the host is malformed") from None
