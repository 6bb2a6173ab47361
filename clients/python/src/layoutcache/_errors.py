"""Exceptions of the client."""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional


class LayoutCacheError(Exception):
    """The base class of the client's exceptions."""


class ProblemError(LayoutCacheError):
    """The service rejected a request, or failed to answer it.

    `kind` is the name of the problem, such as `revision-mismatch`, as in the table of errors of
    the HTTP reference. It is empty if the answer is not from the service, but for example from a
    proxy. Compare `kind` or the class, never `detail`.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        title: str,
        detail: str,
        *,
        line: Optional[int] = None,
        operation: Optional[int] = None,
        key: Optional[str] = None,
        revision: Optional[int] = None,
        etag: Optional[str] = None,
    ) -> None:
        super().__init__(f"{detail} ({status} {kind or title})")
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail
        self.line = line
        """The invalid line of the body."""
        self.operation = operation
        """The number of the invalid operation of the batch, from 1."""
        self.key = key
        """The key that caused the problem."""
        self.revision = revision
        """The current revision, if another was expected or pinned."""
        self.etag = etag
        """The validator of the current state, if another was pinned."""
        self.retry_after = 0.0
        """The number of seconds after which the service expects a retry; 0 if it names none."""
        self.outcome_unknown = False
        """Whether the change may have been applied, by this attempt or an earlier one."""
        self.idempotency_key: Optional[str] = None
        """The key of the batch, with which it can be sent again if the outcome is unknown."""

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self.__dict__.copy())


class NotFoundError(ProblemError):
    """A dataset, layout, section, item or import does not exist (404)."""


class ConflictError(ProblemError):
    """The request conflicts with the current state (409)."""


class RevisionMismatchError(ProblemError):
    """The dataset is at another revision than expected (412); `revision` is the current one.

    Or a layout has another configuration; `etag` is the current one's.
    """


class InvalidAnswerError(LayoutCacheError):
    """An answer is not one of a LayoutCache service, but for example of a proxy."""


class ConnectionFailedError(LayoutCacheError, ConnectionError):
    """No complete answer was received, after all retries.

    If `outcome_unknown` is true, the service may have applied the request. Check the state before
    you send a change again, or send a batch again with the same `idempotency_key`.
    """

    def __init__(
        self, message: str, *, outcome_unknown: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.outcome_unknown = outcome_unknown
        self.idempotency_key = idempotency_key


class TimedOutError(ConnectionFailedError, TimeoutError):
    """The service did not answer within the timeout, after all retries."""


_CLASSES = {404: NotFoundError, 409: ConflictError, 412: RevisionMismatchError}


def _rebuilt(of: type, members: Mapping[str, Any]) -> ProblemError:
    error: ProblemError = of(
        members["status"], members["kind"], members["title"], members["detail"])
    error.__dict__.update(members)
    return error


def problem(members: Mapping[str, Any]) -> ProblemError:
    """Returns the exception for a decoded `application/problem+json`."""
    status = members.get("status", 0)
    status = status if isinstance(status, int) else 0
    kind = str(members.get("type", "")).rpartition("#")[2]
    title = str(members.get("title", ""))
    # A path that the server does not have (`route-not-found`) is a wrong address.
    of = ProblemError if kind == "route-not-found" else _CLASSES.get(status, ProblemError)
    return of(
        status, kind, title, str(members.get("detail") or title), line=members.get("line"),
        operation=members.get("operation"), key=members.get("key"),
        revision=members.get("revision"), etag=members.get("etag"))


def problem_of_answer(status: int, reason: str, content_type: str, body: bytes) -> ProblemError:
    """Returns the exception for an answer with an error status."""
    if content_type.partition(";")[0].strip() == "application/problem+json":
        try:
            members = json.loads(body)
        except ValueError:
            members = None
        if isinstance(members, dict):
            return problem({**members, "status": status})
    # A missing path of a proxy is not a missing dataset.
    return ProblemError(status, "", reason, f"the server answered with {status} {reason}")
