"""The client of the service."""

from __future__ import annotations

import http.client
import json
import math
import ssl
import time
import uuid
from typing import (
    IO, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar,
    Union)

from . import operations as _operations
from ._errors import (
    ConnectionFailedError, InvalidAnswerError, NotFoundError, ProblemError, RevisionMismatchError,
    problem)
from ._events import EventStream
from ._transport import (
    PASSING_STATUSES, Answer, Body, Pieces, Query, Retries, SendingError, Transport, failed,
    is_certainly_rejected)
from ._types import (
    JSON, Changes, Commit, Dataset, Element, Elements, ImportOutcome, Item, Layout,
    LayoutDefinition, LogEntry, Mark, NamedView, OrderLike, Preparation, Section, StoredItem, Template,
    number, numbers)
from .operations import Operation, SomeItem

RectLike = Sequence[float]
PointLike = Sequence[float]

NDJSON = "application/x-ndjson"
CONTENT_TYPES = {"ndjson": NDJSON, "csv": "text/csv", "tsv": "text/tab-separated-values"}
IMPORT_PIECE_BYTES = 1 << 16
# The longest wait of the service for a commit.
WAIT_SECONDS_MAX = 60


def _member(name: str) -> Dict[str, Any]:
    """Returns the JSON of a member to sort by, whose order is descending after a `-`."""
    return {"by": name[name.startswith("-"):], "descending": name.startswith("-")}


def _derived(text: str) -> Dict[str, Any]:
    """Returns the JSON of the derivation of sections, such as `-taken_at:month`."""
    name, colon, part = text.rpartition(":")
    return {**_member(name), "part": part} if colon else _member(text)


class Client:
    """A client of a LayoutCache service. Threads may share one.

    `url` is the address of the service, such as `http://127.0.0.1:8080`, with a path if its routes
    are below one. `token` is sent with each request; a function is called for each. `timeout` is
    the longest time without any progress of one attempt, in seconds.

    With `reads_own_writes`, nodes of a cluster answer after the changes that this client has made,
    whichever node applied them. A single service always does.

    Every method raises a `ProblemError` if the service rejects the request, and a
    `ConnectionFailedError` if there is no answer after the retries. Names and keys are passed as
    they are; the client encodes them.
    """

    def __init__(
        self, url: str, token: Union[None, str, Callable[[], Optional[str]]] = None, *,
        timeout: float = 30.0, retries: Retries = Retries(),
        ssl_context: Optional[ssl.SSLContext] = None, reads_own_writes: bool = False,
    ) -> None:
        self._transport = Transport(
            url, token, timeout, retries, ssl_context, reads_own_writes)

    @property
    def url(self) -> str:
        """The address of the service."""
        return self._transport.url

    def close(self) -> None:
        """Closes idle connections. The client stays usable."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # The service

    def is_ready(self) -> bool:
        """Returns whether the service accepts requests, from one attempt."""
        transport = self._transport
        try:
            transport.once("GET", transport.target(("readyz",)), None, {}, transport.timeout)
        except Exception as error:
            if isinstance(error, SendingError) or getattr(error, "status", 0) >= 500:
                return False
            raise
        return True

    def wait_until_ready(self, timeout: float = 30.0) -> None:
        """Waits until the service accepts requests.

        Raises a `TimeoutError` after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        while not self.is_ready():
            if time.monotonic() >= end:
                raise TimeoutError(f"{self.url} is not ready after {timeout:g} s")
            time.sleep(0.05)

    # Datasets

    def datasets(self) -> Iterator[Dataset]:
        """Yields the datasets that the token may read, by name."""
        for json in self._list(("v1", "datasets"), "datasets"):
            yield understood(Dataset.from_json, json)

    def dataset(self, dataset: str) -> Dataset:
        """Returns a dataset. Raises a `NotFoundError` if it does not exist."""
        return understood(Dataset.from_json, self._get(path(dataset)))

    def create_dataset(
        self, dataset: str, order: Optional[Sequence[str]] = None, *, sections: Optional[str] = None,
        expect: Optional[int] = None,
    ) -> Dataset:
        """Creates an empty dataset, if it does not exist.

        With an `order`, such as `["-taken_at", "name"]`, its items are sorted by these members of
        their data; with an empty one they are no longer. `sections`, such as `"-taken_at:month"`, derives
        the sections from a member. An existing dataset is sorted, if it is at the revision `expect`,
        if given.
        """
        body = None
        if order is not None or sections is not None:
            body = text({
                "order": None if sections is None and not order else [
                    _member(name) for name in order or ()],
                "sections": None if sections is None else _derived(sections)})
        answer = self._transport.request(
            "PUT", path(dataset), expecting(expect), body=body,
            headers={} if body is None else {"Content-Type": "application/json"})
        return understood(Dataset.from_json, answer.json())

    def delete_dataset(self, dataset: str, *, expect: Optional[int] = None) -> None:
        """Removes a dataset with all its layouts, if it is at the revision `expect`, if given. This
        cannot be undone."""
        self._transport.request("DELETE", path(dataset), expecting(expect))

    def rename_dataset(self, dataset: str, to: str, *, expect: Optional[int] = None) -> Dataset:
        """Renames a dataset, if it is at the revision `expect`, if given."""
        query = [("to", to), *expecting(expect)]
        return understood(
            Dataset.from_json,
            self._transport.request("POST", path(dataset, "rename"), query).json())

    def marks(self, dataset: str) -> Dict[str, Mark]:
        """Returns the last applied position of each source of changes, by source."""
        return {mark.source: mark for mark in self.dataset(dataset).marks}

    def log(self, dataset: str) -> Iterator[LogEntry]:
        """Yields the commits in the log, newest first."""
        for json in self._list(path(dataset, "log"), "entries"):
            yield understood(LogEntry.from_json, json)

    # Layouts

    def layouts(self, dataset: str) -> Iterator[Layout]:
        """Yields the layouts of a dataset, by name."""
        for json in self._list(path(dataset, "layouts"), "layouts"):
            yield understood(Layout.from_json, json)

    def layout(self, dataset: str, layout: str) -> Layout:
        """Returns a layout and its configuration."""
        return described_layout(
            self._transport.request("GET", path(dataset, "layouts", layout)))

    def set_layout(
        self, dataset: str, layout: str, configuration: Mapping[str, Any], *,
        expect: Optional[str] = None,
    ) -> Layout:
        """Attaches a layout, or changes its configuration.

        `docs/LAYOUTS.md` lists the members of the configuration. Nothing is laid out before the
        first query, or `prepare`. With `expect`, the `etag` of a layout, only that configuration is
        replaced. If the configuration is another, or another client has set it after an attempt
        whose answer was lost, a `RevisionMismatchError` is raised.
        """
        route, body = path(dataset, "layouts", layout), text(configuration)
        tag = self._layout_tag(route) if expect is None else expect
        condition = {"If-None-Match": "*"} if tag is None else {"If-Match": tag}
        unknown = False
        attempt = 1
        while True:
            try:
                return described_layout(self._transport.request(
                    "PUT", route, body=body,
                    headers={"Content-Type": "application/json", **condition}))
            except RevisionMismatchError as error:
                was_unknown, unknown = unknown, unknown or error.outcome_unknown
                error.outcome_unknown = unknown
                is_new = "If-None-Match" in condition
                if expect is not None or was_unknown or (unknown and not is_new) or (
                        attempt >= self._transport.retries.attempts):
                    raise
                if unknown:
                    # The service accepts what is set already, whatever is expected.
                    condition = {"If-Match": '"none"'}
                elif error.etag is None:
                    condition = {"If-None-Match": "*"}
                else:
                    condition = {"If-Match": error.etag}
                attempt += 1

    def _layout_tag(self, route: Sequence[str]) -> Optional[str]:
        """Returns the validator of a layout's configuration; `None` for a missing layout."""
        try:
            return self._transport.request("GET", route).headers.get("etag")
        except NotFoundError:
            return None

    def layout_history(self, dataset: str, layout: str) -> List[LayoutDefinition]:
        """Returns the last 16 configurations of a layout, the present one first."""
        return understood(
            lambda json: list(map(LayoutDefinition.from_json, json["history"])),
            self._get(path(dataset, "layouts", layout, "history")))

    def restore_previous_configuration(
        self, dataset: str, layout: str, *, expect: Optional[str] = None,
    ) -> Layout:
        """Sets a layout to the configuration before its present one; a second call restores that.

        `expect` is the required `etag` of the layout; else a `RevisionMismatchError` is raised.
        """
        return described_layout(self._transport.request(
            "POST", path(dataset, "layouts", layout, "previous"),
            headers={} if expect is None else {"If-Match": expect}))

    def delete_layout(self, dataset: str, layout: str) -> None:
        """Removes a layout."""
        self._transport.request("DELETE", path(dataset, "layouts", layout))

    def templates(self) -> Iterator[Template]:
        """Yields the templates by name, page by page."""
        for json in self._list(("v1", "templates"), "templates"):
            yield understood(Template.from_json, json)

    def template(self, template: str) -> Template:
        """Returns a template."""
        return understood(Template.from_json, self._get(template_path(template)))

    def set_template(
        self, template: str, datasets: str, configuration: Mapping[str, Any], *,
        layout: Optional[str] = None,
    ) -> Template:
        """Sets a layout of all datasets that match a pattern: a name, or its beginning and `*`.

        A layout that a dataset has itself goes before it, and of several templates the longest
        pattern. By default the layout has the template's name.
        """
        body = {"datasets": datasets, "layout": configuration}
        if layout is not None:
            body["name"] = layout
        return understood(Template.from_json, self._transport.request(
            "PUT", template_path(template), body=text(body),
            headers={"Content-Type": "application/json"}).json())

    def delete_template(self, template: str) -> None:
        """Removes a template and the layouts that come from it."""
        self._transport.request("DELETE", template_path(template))

    def views(self, dataset: str) -> Iterator[NamedView]:
        """Yields the named views of a dataset, by name."""
        for json in self._list(path(dataset, "views"), "views"):
            yield understood(NamedView.from_json, json)

    def view(self, dataset: str, view: str) -> NamedView:
        """Returns a named view."""
        return understood(NamedView.from_json, self._get(path(dataset, "views", view)))

    def set_view(
        self, dataset: str, view: str, *, where: Optional[str] = None,
        order: Optional[OrderLike] = None, keys: Optional[Iterable[str]] = None,
    ) -> NamedView:
        """Gives a name to the items that match a filter, in an order, both as in `elements`; or to the
        items with the listed keys, in their order."""
        names = order.split(",") if isinstance(order, str) else order or ()
        body: JSON = {} if where is None else {"where": where}
        if keys is not None:
            body["keys"] = list(keys)
        if names:
            body["order"] = list(map(_member, names))
        return understood(NamedView.from_json, self._transport.request(
            "PUT", path(dataset, "views", view), body=text(body),
            headers={"Content-Type": "application/json"}).json())

    def delete_view(self, dataset: str, view: str) -> None:
        """Removes a named view; its items stay."""
        self._transport.request("DELETE", path(dataset, "views", view))

    def prepare(
        self, dataset: str, layout: str, *, timeout: Optional[float] = None,
    ) -> Preparation:
        """Brings a layout up to date ahead of the first query.

        Laying out ten million items takes several seconds: pass a `timeout`.
        """
        return understood(Preparation.from_json, self._transport.request(
            "POST", path(dataset, "layouts", layout, "prepare"), timeout=timeout,
            is_repeatable=True).json())

    def measure(
        self, dataset: str, layout: str,
        lengths: Mapping[str, Union[None, float, Sequence[Optional[float]]]],
    ) -> int:
        """Sets measured lengths of items, as `operations.prefer_lengths`; returns how many were taken.

        Those of missing items are ignored, and others by the rules of a token that may only measure.
        """
        entries = _operations.prefer_lengths(layout, lengths)["lengths"]
        return understood(lambda json: int(json["taken"]), self._transport.request(
            "POST", path(dataset, "layouts", layout, "lengths"), body=text({"lengths": entries}),
            headers={"Content-Type": "application/json"}, is_repeatable=True).json())

    def rebalance(
        self, dataset: str, layout: str, *, section: Optional[str] = None,
        start: Optional[str] = None, timeout: Optional[float] = None,
    ) -> Commit:
        """Places items again, each in the column that is shortest at its position.

        `start` is the key of the first item to place again.
        """
        return understood(Commit.from_json, self._transport.request(
            "POST", path(dataset, "layouts", layout, "rebalance"),
            [("section", section), ("from", start)], timeout=timeout).json())

    # Queries

    def sections(
        self, dataset: str, layout: Optional[str] = None, *, after: Optional[str] = None,
        at: Optional[str] = None, page_size: Optional[int] = None,
        offsets: Optional[Mapping[str, float]] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Iterator[Section]:
        """Yields the sections in order; with a layout, with their starts and lengths.

        `after` is the key of the section after which the list begins. With `at`, the `etag` of an
        answer, all sections are of that state. `offsets` are the scroll positions of carousels, by
        section key. `where`, `order` and `view` are those of `elements`, and need a
        layout.
        """
        query = [
            ("layout", layout), ("at", at), *scroll_positions(offsets), *shown(where, order, view)]
        for json in self._list(path(dataset, "sections"), "sections", query, after, page_size):
            yield understood(Section.from_json, json)

    def item(self, dataset: str, key: str) -> StoredItem:
        """Returns an item. Raises a `NotFoundError` if it does not exist."""
        return understood(StoredItem.from_json, self._get(path(dataset, "items"), [("key", key)]))

    def cell(
        self, dataset: str, layout: str, key: str, *, anchor: Optional[float] = None,
        at: Optional[str] = None, offsets: Optional[Mapping[str, float]] = None,
        direction: Optional[str] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Element:
        """Returns the cell of an item in a layout, with the item's data.

        With `anchor`, a distance of the cell from the visible start, it has the content offset
        that puts the cell there. `offsets` are the scroll positions of carousels, by section key;
        `direction` is "leftToRight" or "rightToLeft", if it is not that of the layout. `where`,
        `order` and `view` are those of `elements`.
        """
        return understood(Element.from_json, self._get(path(dataset, "items"), [
            ("key", key), ("layout", layout), ("at", at), ("direction", direction),
            ("anchor", None if anchor is None else number(anchor, "anchor")),
            *scroll_positions(offsets), *shown(where, order, view)]))

    def elements(
        self, dataset: str, layout: str, rect: RectLike, *, visible: Optional[RectLike] = None,
        data: bool = False, as_laid_out: bool = False, limit: Optional[int] = None,
        at: Optional[str] = None, offsets: Optional[Mapping[str, float]] = None,
        direction: Optional[str] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Elements:
        """Returns the elements in a rectangle: x, y, width, height.

        `visible` is the visible rectangle, for pinned headers and effects, if it is not `rect`.
        With `data`, cells have their items' data. With `as_laid_out`, headers are not pinned and
        effects are not applied. `at`, the `etag` of an answer, pins its state. `offsets` are the
        scroll positions of carousels, by section key; `direction` is "leftToRight" or
        "rightToLeft", if it is not that of the layout. If `next` is present, `pages` yields the
        rest.

        With `where`, a filter such as "price < 100", the layout has only the items that match.
        With `order`, such as "-price,name" or `["-price", "name"]`, they are in one section, sorted
        by these members of their data. `view` is the name of a filter and an order. Indices then
        count those items.
        """
        return self.elements_in_rects(
            dataset, layout, [rect], visible=visible, data=data, as_laid_out=as_laid_out,
            limit=limit, at=at, offsets=offsets, direction=direction, where=where, order=order, view=view)[0]

    def elements_in_rects(
        self, dataset: str, layout: str, rects: Sequence[RectLike], *,
        visible: Optional[RectLike] = None, data: bool = False, as_laid_out: bool = False,
        limit: Optional[int] = None, at: Optional[str] = None,
        offsets: Optional[Mapping[str, float]] = None, direction: Optional[str] = None,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> List[Elements]:
        """Returns the elements in each of several rectangles, all of one state."""
        if not rects:
            raise ValueError("there is no rectangle")
        query: Query = [
            *(("rect", numbers(rect, 4, "rect")) for rect in rects),
            ("visible", None if visible is None else numbers(visible, 4, "visible")),
            ("data", data or None), ("asLaidOut", as_laid_out or None), ("limit", limit),
            ("at", at), ("direction", direction), *scroll_positions(offsets)]
        return self._pages(dataset, layout, query, where=where, order=order, view=view)

    def elements_from(
        self, dataset: str, layout: str, start: Union[str, Tuple[int, int]], count: int, *,
        backward: bool = False, data: bool = False, at: Optional[str] = None,
        direction: Optional[str] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Elements:
        """Returns the cells of `count` consecutive items.

        `start` is the key of the first item, or the indices of its section and of the item in it.
        With `backward`, that item is followed by those before it, the nearest first. `where`,
        `order` and `view` are those of `elements`.
        """
        return self._pages(dataset, layout, [
            ("from", start if isinstance(start, str) else f"{start[0]}.{start[1]}"),
            ("count", count), ("backward", backward or None), ("data", data or None),
            ("at", at), ("direction", direction)], where=where, order=order, view=view)[0]

    def elements_after(
        self, dataset: str, layout: str, after: str, *, data: bool = False,
        limit: Optional[int] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Elements:
        """Returns the page after a continuation, the `next` of an earlier page.

        Another client may have received it, days ago: each item that stays in the dataset is
        returned once, whatever has changed since. `limit` is that of the earlier page by default;
        `where`, `order` and `view` must be those of the earlier page.
        """
        return self._pages(
            dataset, layout, [("after", after), ("data", data or None), ("limit", limit)],
            where=where, order=order, view=view)[0]

    def preview(
        self, dataset: str, layout: str, rect: Optional[RectLike] = None, *,
        operations: Union[Operation, Iterable[Operation]] = (), undo_to: Optional[int] = None,
        configuration: Optional[Mapping[str, Any]] = None, visible: Optional[RectLike] = None,
        anchor: Optional[str] = None, data: bool = False, as_laid_out: bool = False,
        limit: Optional[int] = None, start: Union[str, Tuple[int, int], None] = None,
        count: Optional[int] = None, backward: bool = False, after: Optional[str] = None,
        offsets: Optional[Mapping[str, float]] = None, direction: Optional[str] = None,
    ) -> Elements:
        """Returns the elements as they would be after a batch, or with another configuration of
        the layout; with `undo_to`, as they were at that revision. Nothing is changed.

        The queries are those of `elements`, `elements_from` and `elements_after`; `after` resumes
        only a preview of the same changes. `commit` of the page is the commit's answer, with
        the distance to scroll for `visible` and `anchor`.
        """
        listed = [operations] if isinstance(operations, Mapping) else list(operations)
        body: JSON = {} if undo_to is not None and not listed else {"operations": listed}
        if undo_to is not None:
            body["undoTo"] = undo_to
        if configuration is not None:
            body["configuration"] = configuration
        first = start if start is None or isinstance(start, str) else f"{start[0]}.{start[1]}"
        return self._pages(dataset, layout, [
            ("rect", None if rect is None else numbers(rect, 4, "rect")),
            ("visible", None if visible is None else numbers(visible, 4, "visible")),
            ("anchor", anchor), ("data", data or None), ("asLaidOut", as_laid_out or None),
            ("limit", limit),
            ("from", first), ("count", count), ("backward", backward or None),
            ("after", after), ("direction", direction), *scroll_positions(offsets)], text(body))[0]

    def pages(self, first: Elements) -> Iterator[Elements]:
        """Yields a page and all pages that follow it."""
        page = first
        yield page
        while page.next is not None:
            page = self.elements_after(
                page.dataset, page.layout, page.next, data=page.has_data, where=page.where,
                order=page.order, view=page.view)
            yield page

    def hit_test(
        self, dataset: str, layout: str, point: PointLike, *,
        visible: Optional[RectLike] = None, at: Optional[str] = None,
        offsets: Optional[Mapping[str, float]] = None, direction: Optional[str] = None,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Optional[Element]:
        """Returns the topmost element at a point: x, y. Returns `None` if there is none.

        The other arguments are those of `elements`.
        """
        json = self._get(path(dataset, "layouts", layout, "hit-test"), [
            ("point", numbers(point, 2, "point")),
            ("visible", None if visible is None else numbers(visible, 4, "visible")),
            ("at", at), ("direction", direction), *scroll_positions(offsets),
            *shown(where, order, view)])
        return None if json is None else understood(Element.from_json, json)

    # Changes

    def apply(
        self, dataset: str, operations: Union[Operation, Iterable[Operation]], *,
        expect: Optional[int] = None, idempotency_key: Optional[str] = None,
        layout: Optional[str] = None, visible: Optional[RectLike] = None,
        anchor: Optional[str] = None, direction: Optional[str] = None,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Commit:
        """Applies a batch of operations: all of them, or none.

        `layoutcache.operations` has functions for the operations. With `expect`, the batch is
        applied at that revision of the dataset only, and otherwise raises a
        `RevisionMismatchError`. With `layout` and `visible`, the commit has the distance to scroll
        so that the reader's position does not change. With the `anchor` "end", the content's end
        stays in sight if it is, as in a chat. `direction` is that of `visible`, if it is not the
        layout's. With `where`, `order` or `view`, those of `elements`, the answer is about that
        view: everything.

        The batch is sent with an idempotency key, and again after a lost connection: it is applied
        once. If all attempts fail, the `ConnectionFailedError` has the key; pass it, within 24
        hours, to send the same batch again.
        """
        listed = [operations] if isinstance(operations, Mapping) else list(operations)
        body = b"".join(text(operation) + b"\n" for operation in listed)
        return self._commit(
            path(dataset, "batches"), body, expect, idempotency_key, layout, visible, anchor,
            direction, shown(where, order, view))

    def undo(
        self, dataset: str, *, to: Optional[int] = None, expect: Optional[int] = None,
        idempotency_key: Optional[str] = None, layout: Optional[str] = None,
        visible: Optional[RectLike] = None, anchor: Optional[str] = None,
        direction: Optional[str] = None, where: Optional[str] = None,
        order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> Commit:
        """Undoes the latest commit by a new one, or with `to` all commits after that revision; a
        second call without `to` is a redo.

        With `expect`, a commit of another client in the meantime is not undone. The other
        arguments are those of `apply`.
        """
        return self._commit(
            path(dataset, "undo"), None, expect, idempotency_key, layout, visible, anchor,
            direction, [("to", to), *shown(where, order, view)])

    def _commit(
        self, route: Sequence[str], body: Optional[bytes], expect: Optional[int],
        key: Optional[str], layout: Optional[str], visible: Optional[RectLike],
        anchor: Optional[str], direction: Optional[str], more: Query,
    ) -> Commit:
        key = uuid.uuid4().hex if key is None else key
        headers = {"Idempotency-Key": key}
        if body is not None:
            headers["Content-Type"] = NDJSON
        if expect is not None:
            headers["If-Match"] = f'"{int(expect)}"'
        answer = self._transport.request(
            "POST", route,
            [("layout", layout), ("anchor", anchor), ("direction", direction), *more,
             ("visible", None if visible is None else numbers(visible, 4, "visible"))],
            body=body, headers=headers, is_repeatable=True, idempotency_key=key)
        is_replayed = answer.headers.get("idempotency-replayed") == "true"
        return understood(lambda json: Commit.from_json(json, is_replayed), answer.json())

    def changes(
        self, dataset: str, since: int, *, layout: Optional[str] = None, wait: int = 0,
    ) -> Changes:
        """Returns everything that changed after a revision, as one change.

        With `wait`, it waits up to that many seconds, at most 60, until there is a change.
        """
        return understood(Changes.from_json, self._transport.request(
            "GET", path(dataset, "events"),
            [("since", since), ("wait", min(math.ceil(wait), WAIT_SECONDS_MAX)),
             ("layout", layout)],
            timeout=self._transport.timeout + wait).json())

    def events(
        self, dataset: str, *, layout: Optional[str] = None, since: Optional[int] = None,
        incarnation: Optional[str] = None, reconnect_timeout: Optional[float] = None,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> EventStream:
        """Returns the stream of the dataset's commits, from now on or after a revision.

        After an interruption the stream resumes by itself, without gaps or repetitions. It raises
        the failure after `reconnect_timeout` seconds without a connection (default: never).
        `layout` adds the commits' effects on that layout; `where` and `order`, or `view`, as in
        `elements`, leave only those on a view. Pass the `incarnation` that a stored
        `since` belongs to: if the dataset was created again since, the first event is a `reset`.
        """
        exists = since is None
        if since is None:
            current = self.dataset(dataset)
            since, incarnation = current.revision, current.incarnation
        return EventStream(
            self._transport, dataset, [("layout", layout), *shown(where, order, view)], since,
            incarnation or "", reconnect_timeout, exists)

    # Imports and exports

    def import_items(
        self, dataset: str, items: Iterable[SomeItem], *, mode: str = "create",
        on_duplicate: Optional[str] = None, on_invalid: Optional[str] = None,
        missing: Optional[str] = None, allow_empty: bool = False, id: Optional[str] = None,
        outcome_timeout: float = 3600.0,
    ) -> ImportOutcome:
        """Imports items, in one commit, from an iterable of any length.

        `mode` is `create`, `append`, `replace` or `match`, as in the HTTP reference. The items are
        sent as they are produced. If the iterable raises an exception, nothing is imported. An
        import that the service has rejected with 503 is sent again, unless more than 4 MiB of it
        were. If the answer is lost, the import is not repeated: its outcome is requested by its
        id, for up to `outcome_timeout` seconds.
        """
        lines = (text(_operations.item_json(item)) + b"\n" for item in items)
        return self._import(
            dataset, in_pieces(lines), "ndjson", mode, on_duplicate, on_invalid, missing,
            allow_empty, {}, None, id, outcome_timeout)

    def import_file(
        self, dataset: str, file: Union[bytes, IO[bytes]], *, format: str = "ndjson",
        mode: str = "create", columns: Mapping[str, str] = {},
        data: Optional[Sequence[str]] = None, order: Optional[Sequence[str]] = None,
        sections: Optional[str] = None, size: Optional[str] = None,
        scale: Optional[float] = None, orientation: Optional[str] = None,
        section_order: Optional[str] = None, decimal: Optional[str] = None,
        skip_lines: Optional[int] = None, header: bool = True, items: Optional[str] = None,
        on_duplicate: Optional[str] = None, on_invalid: Optional[str] = None,
        missing: Optional[str] = None, allow_empty: bool = False, id: Optional[str] = None,
        outcome_timeout: float = 3600.0,
    ) -> ImportOutcome:
        """Imports a file that is open for reading bytes, or bytes: `ndjson`, `csv` or `tsv`.

        `columns` has the names of the file's columns, such as `{"key": "sku", "width": "w"}`;
        `data` names the columns that become the items' data, such as `"title"` or
        `"price:number"`; `order` and `sections` are those of `create_dataset`. The other options
        are those of the text, as in the HTTP reference:
        `size` for rows without one (`"320x400"`), `scale`, `orientation`, `section_order`,
        `decimal`, `skip_lines`, `header`, and `items` for the list in a JSON object.
        """
        body: Body = file if isinstance(file, bytes) else file_pieces(file)
        options: Mapping[str, Union[str, None]] = {
            **columns, "size": size, "scale": None if scale is None else number(scale, "scale"),
            "orientation": orientation, "sectionOrder": section_order, "decimal": decimal,
            "skipLines": None if skip_lines is None else str(skip_lines),
            "header": None if header else "false", "items": items,
            "order": None if order is None else ",".join(order) or "none", "sections": sections}
        return self._import(
            dataset, body, format, mode, on_duplicate, on_invalid, missing, allow_empty, options,
            data, id, outcome_timeout)

    def _import(
        self, dataset: str, body: Body, format: str, mode: str, on_duplicate: Optional[str],
        on_invalid: Optional[str], missing: Optional[str], allow_empty: bool,
        options: Mapping[str, Union[str, None]], data: Optional[Sequence[str]],
        id: Optional[str], outcome_timeout: float,
    ) -> ImportOutcome:
        if format not in CONTENT_TYPES:
            raise ValueError(f"unknown format '{format}'; use one of {', '.join(CONTENT_TYPES)}")
        query: Query = [
            ("mode", mode), ("onDuplicate", on_duplicate), ("onInvalid", on_invalid),
            ("missing", missing), ("allowEmpty", allow_empty or None), *options.items(),
            ("data", None if data is None else ",".join(data))]
        transport = self._transport
        route = path(dataset, "import")
        end = time.monotonic() + outcome_timeout
        pieces = Pieces([body] if isinstance(body, bytes) else body or ())
        attempt = 1
        while True:
            own_id = uuid.uuid4().hex if id is None else id
            try:
                answer = transport.once(
                    "POST", transport.target(route, [*query, ("id", own_id)]),
                    body if isinstance(body, bytes) else pieces,
                    {"Content-Type": CONTENT_TYPES[format]}, transport.timeout, is_new=True)
                transport.record_position(route, answer)
                return understood(ImportOutcome.from_json, answer.json())
            except SendingError as failure:
                if failure.is_sent:
                    return self._outcome(dataset, own_id, failure.cause, end)
                if attempt >= transport.retries.attempts:
                    raise failed(failure, self.url, transport.timeout, attempt, False, None) from (
                        failure.cause)
                retry_after = 0.0
            except ProblemError as rejection:
                if rejection.status in PASSING_STATUSES and not is_certainly_rejected(rejection):
                    return self._outcome(dataset, own_id, rejection, end)
                if rejection.status not in PASSING_STATUSES or not pieces.can_repeat or (
                        attempt >= transport.retries.attempts):
                    raise
                retry_after = rejection.retry_after
            time.sleep(transport.retries.seconds(attempt, retry_after))
            attempt += 1

    def _outcome(
        self, dataset: str, id: str, cause: BaseException, end: float,
    ) -> ImportOutcome:
        """Returns the outcome of an import whose answer was lost."""
        while True:
            try:
                json = self._get(path(dataset, "imports", id))
            except NotFoundError:
                raise ConnectionFailedError(
                    f"the answer of {self.url} to import '{id}' was lost, which the service does "
                    "not know; the outcome is unknown if the service has restarted",
                    outcome_unknown=True) from cause
            state = understood(lambda json: json["state"], json)
            if state == "done":
                return understood(ImportOutcome.from_json, json)
            if state == "failed":
                if "problem" in json:
                    raise problem(json["problem"]) from cause
                raise ConnectionFailedError(
                    f"the answer of {self.url} to import '{id}' was lost; nothing was imported"
                ) from cause
            if time.monotonic() >= end:
                raise ConnectionFailedError(
                    f"import '{id}' has not ended; the outcome is unknown",
                    outcome_unknown=True) from cause
            time.sleep(0.25)

    def export_items(self, dataset: str) -> Iterator[Item]:
        """Yields all items of one revision, in order, as the service sends them.

        Raises a `ConnectionFailedError` if the export is incomplete.
        """
        for line in in_lines(self.export(dataset)):
            yield understood(item_of_line, line)

    def export(
        self, dataset: str, *, format: str = "ndjson", data: bool = False,
        preferred_lengths: bool = False,
    ) -> Iterator[bytes]:
        """Yields an export, as `ndjson` or `csv`, in pieces of bytes.

        `data` adds the items' data to CSV. With `preferred_lengths` it is the batch that sets the
        measured lengths, instead of the items.
        """
        query: Query = [
            ("format", format), ("data", data or None),
            ("preferredLengths", preferred_lengths or None)]
        transport = self._transport
        failures = 0
        while True:
            error: Exception
            retry_after = 0.0
            try:
                with transport.stream(path(dataset, "export"), query) as (_, response):
                    yield from received(transport, response)
                    return
            except SendingError as failure:
                error = failed(
                    failure, self.url, transport.timeout, failures + 1, False, None)
                error.__cause__ = failure.cause
            except ProblemError as rejection:
                if rejection.status not in PASSING_STATUSES:
                    raise
                error, retry_after = rejection, rejection.retry_after
            failures += 1
            if failures >= transport.retries.attempts:
                raise error
            time.sleep(transport.retries.seconds(failures, retry_after))

    # Other routes

    def request(
        self, method: str, path: Sequence[str], query: Query = (), *,
        body: Optional[bytes] = None, headers: Mapping[str, str] = {},
    ) -> Answer:
        """Sends a request to any route, such as `("v1", "datasets", "art", "layouts", "phone",
        "picture")`, with this client's token, timeout, retries and errors."""
        return self._transport.request(method, path, query, body=body, headers=headers)

    def _get(self, route: Sequence[str], query: Query = ()) -> Any:
        return self._transport.request("GET", route, query).json()

    def _list(
        self, route: Sequence[str], member: str, query: Query = (),
        after: Optional[str] = None, limit: Optional[int] = None,
    ) -> Iterator[JSON]:
        """Yields the rows of a list, page by page."""
        while True:
            json = self._get(route, [*query, ("after", after), ("limit", limit)])
            yield from understood(lambda json: list(json[member]), json)
            following: Optional[str] = json.get("next")
            if following is None:
                return
            if following == after:
                raise InvalidAnswerError(f"the page after '{after}' leads to itself")
            after = following

    def _pages(
        self, dataset: str, layout: str, query: Query, body: Optional[bytes] = None, *,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> List[Elements]:
        answer = self._transport.request(
            "GET" if body is None else "POST", path(dataset, "layouts", layout, "elements"),
            [*query, *shown(where, order, view)],
            body=body, headers={} if body is None else {"Content-Type": "application/json"},
            is_repeatable=True)
        etag, has_data = answer.headers.get("etag"), ("data", True) in query
        pages = understood(
            lambda json: Elements.pages_from_json(json, etag, has_data, where, order, view),
            answer.json())
        count = max(1, sum(name == "rect" for name, _ in query))
        if len(pages) != count:
            raise InvalidAnswerError(f"the answer has {len(pages)} pages, not {count}")
        return pages


Result = TypeVar("Result")


def understood(convert: Callable[[Any], Result], json: Any) -> Result:
    """Returns the value of an answer, or raises an `InvalidAnswerError` for another one."""
    try:
        return convert(json)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidAnswerError(f"the answer is not a LayoutCache service's: {error!r}") from error


def described_layout(answer: Answer) -> Layout:
    """Returns the layout that an answer describes."""
    etag = answer.headers.get("etag")
    return understood(lambda json: Layout.from_json(json, etag), answer.json())


def item_of_line(line: bytes) -> Item:
    """Returns the item of a line of an export."""
    return Item.from_json(json.loads(line))


def scroll_positions(offsets: Optional[Mapping[str, float]]) -> List[Tuple[str, str]]:
    return [
        ("offset", f"{section}={number(offset, 'offset')}")
        for section, offset in (offsets or {}).items()]


def shown(
    where: Optional[str], order: Optional[OrderLike], view: Optional[str],
) -> List[Tuple[str, Optional[str]]]:
    """Returns the parameters for the items to read, and their order."""
    names = order if order is None or isinstance(order, str) else ",".join(order) or None
    return [("where", where), ("order", names), ("view", view)]


def expecting(revision: Optional[int]) -> List[Tuple[str, str]]:
    """Returns the parameter for the expected revision of a dataset, if any."""
    return [] if revision is None else [("expect", str(int(revision)))]


def path(dataset: str, *below: str) -> Tuple[str, ...]:
    """Returns the path of a dataset, or of a resource below it."""
    return ("v1", "datasets", *map(name_or_key, (dataset, *below)))


def template_path(template: str) -> Tuple[str, ...]:
    return ("v1", "templates", name_or_key(template))


def name_or_key(part: str) -> str:
    if not isinstance(part, str):
        raise TypeError(f"a name or a key is a string, not {part!r}")
    if not part:
        raise ValueError("a name or a key is empty")
    return part


# One encoder for all lines: `json.dumps` would create one for each.
_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def text(json_value: object) -> bytes:
    """Returns JSON in one line. NaN and infinities, which JSON lacks, raise a `ValueError`."""
    return _encode(json_value).encode()


def received(transport: Transport, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields the pieces of an answer. There is no retry, because some were yielded already."""
    while True:
        try:
            piece = response.read1(1 << 16)
        except (OSError, http.client.HTTPException) as error:
            failure = SendingError(error, is_sent=True)
            raise failed(failure, transport.url, transport.timeout, 1, False, None) from error
        if not piece:
            return
        yield piece


def in_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines of a text that arrives in pieces."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest


def in_pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Joins lines into pieces that are worth a packet."""
    piece: List[bytes] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size >= IMPORT_PIECE_BYTES:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)


def file_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yields the contents of a file."""
    while True:
        piece = file.read(IMPORT_PIECE_BYTES)
        if not isinstance(piece, bytes):
            raise TypeError("the file is open for reading text; open it with mode 'rb'")
        if not piece:
            return
        yield piece
