"""A service on this machine, for tests."""

from __future__ import annotations

import collections
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Callable, Deque, List, Optional, Sequence, Union

from ._client import Client
from ._command import binary_path
from ._transport import Retries

StrPath = Union[str, "os.PathLike[str]"]


class ServiceStartError(RuntimeError):
    """The service ended, or was not ready in time; the message has the end of its log."""


class Service:
    """A running `layoutcache serve`. It is a context manager that stops it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Optional[str]) -> None:
        self.process = process
        self.url = ""
        """The address, such as `http://127.0.0.1:40123`."""
        self._folder = folder
        self._lines: Deque[str] = collections.deque(maxlen=1000)
        self._is_ready = threading.Event()
        assert process.stderr is not None
        # A full pipe would stop the service.
        self._reader = threading.Thread(target=self._read, args=(process.stderr,), daemon=True)
        self._reader.start()

    def _read(self, log: IO[bytes]) -> None:
        with log:
            for line in log:
                text = line.decode("utf-8", "replace").rstrip("\n")
                self._lines.append(text)
                found = re.search(r"ready at (http://[^ ]+?)/?$", text)
                if found and not self.url:
                    self.url = found[1]
                    self._is_ready.set()
        self._is_ready.set()

    @property
    def log(self) -> str:
        """The last 1,000 lines of the service's log."""
        return "\n".join(list(self._lines))

    def wait_until_ready(self, timeout: float) -> None:
        """Waits until the service accepts requests."""
        is_in_time = self._is_ready.wait(timeout)
        if self.url:
            return
        reason = "ended" if is_in_time else f"was not ready after {timeout:g} s"
        raise ServiceStartError(f"the service {reason}: {self.log[-2000:]}")

    def client(
        self, token: Union[None, str, Callable[[], Optional[str]]] = None, *,
        timeout: float = 30.0, retries: Retries = Retries(),
    ) -> Client:
        """Returns a client of this service."""
        return Client(self.url, token, timeout=timeout, retries=retries)

    def stop(self, timeout: float = 30.0) -> int:
        """Ends the service as an operator would; returns its exit code.

        Requests in progress may complete. After `timeout` seconds it is killed.
        """
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self._ended(timeout)
        except subprocess.TimeoutExpired:
            return self.kill()

    def kill(self) -> int:
        """Ends the service immediately; returns its exit code. No acknowledged change is lost."""
        if self.process.poll() is None:
            self.process.kill()
        return self._ended(None)

    def _ended(self, timeout: Optional[float]) -> int:
        code = self.process.wait(timeout)
        self._reader.join(2)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        return code

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def serve(
    database: Optional[StrPath] = None, *, port: int = 0, tokens: Optional[StrPath] = None,
    settings: Sequence[str] = (), arguments: Sequence[StrPath] = (),
    binary: Optional[StrPath] = None, timeout: float = 30.0,
) -> Service:
    """Starts the service on this machine, and returns when it accepts requests.

    Use it as a context manager, which stops it: `with layoutcache.serve("feeds.sqlite") as
    service: service.client()`. Without a `database`, it is in a temporary folder, which is deleted
    at the end: for tests. Port 0 is a free one. `tokens` is a file of tokens; `settings` are
    settings such as `limits.rowsMax=500`; `arguments` are further arguments of `layoutcache
    serve`. Raises a `ServiceStartError` if it does not start within `timeout` seconds.
    """
    folder: Optional[str] = None
    if database is None:
        folder = tempfile.mkdtemp(prefix="layoutcache-")
        database = os.path.join(folder, "feeds.sqlite")
    command: List[Any] = [
        binary or binary_path(), "serve", "--database", database, "--port", str(port)]
    if tokens is not None:
        command += ["--tokens", tokens]
    for setting in settings:
        command += ["--set", setting]
    try:
        process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
    except OSError:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    service = Service(process, folder)
    try:
        service.wait_until_ready(timeout)
    except BaseException:  # an interrupt too must not leave a process
        service.kill()
        raise
    return service
