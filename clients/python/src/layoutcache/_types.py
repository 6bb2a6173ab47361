"""The values that the service returns.

Members have the names of the HTTP reference, in Python's spelling: `sectionKey` is
`section_key`. Members that a newer service adds are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import (
    Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union)

JSON = Dict[str, Any]
# Members of items' data to sort by, descending after a `-`: "-price,name", or one by one.
OrderLike = Union[str, Sequence[str]]


class Point(NamedTuple):
    """A position in points."""

    x: float
    y: float


class Size(NamedTuple):
    """A size in points."""

    width: float
    height: float


class Rect(NamedTuple):
    """A rectangle in points of a layout's content; y grows downwards."""

    x: float
    y: float
    width: float
    height: float


def _point(json: Mapping[str, float]) -> Point:
    return Point(json["x"], json["y"])


def _size(json: Mapping[str, float]) -> Size:
    return Size(json["width"], json["height"])


@dataclass(frozen=True)
class Mark:
    """The position up to which a source of changes was applied."""

    source: str
    position: str
    revision: int
    """The dataset's revision after that batch."""

    @classmethod
    def from_json(cls, json: JSON) -> Mark:
        return cls(json["source"], json["position"], json["revision"])


@dataclass(frozen=True)
class Dataset:
    """A dataset. A node of a cluster may list only the name."""

    dataset: str
    """The name."""
    revision: int
    """The number of committed changes; 0 if it is not known."""
    incarnation: str = ""
    """An opaque name of the history that the revision counts."""
    sections: int = 0
    items: int = 0
    layouts: Tuple[str, ...] = ()
    marks: Tuple[Mark, ...] = ()
    order: Tuple[str, ...] = ()
    """The members of data by which the items are sorted, in descending order after a `-`."""
    sections_by: Optional[str] = None
    """The member that the sections are derived from, such as `-taken_at:month`."""

    @classmethod
    def from_json(cls, json: JSON) -> Dataset:
        derived = json.get("sectionsBy")
        return cls(
            json["dataset"], json.get("revision", 0), json.get("incarnation", ""),
            json.get("sections", 0), json.get("items", 0), tuple(json.get("layouts", ())),
            tuple(Mark.from_json(mark) for mark in json.get("marks", ())),
            tuple(_signed(member) for member in json.get("order", ())),
            derived and _signed(derived) + (f":{derived['part']}" if "part" in derived else ""))


def _signed(member: JSON) -> str:
    """Returns the name of a member, after a `-` if its order is descending."""
    return ("-" if member.get("descending") else "") + str(member["by"])


@dataclass(frozen=True)
class Carousel:
    """How far a section scrolls across the scrolling axis, in points from its leading edge."""

    content_length: float
    """The length of its items, with gaps and insets."""
    offset: float
    """The distance by which it is scrolled."""
    maximum_offset: float
    """The greatest offset."""

    @classmethod
    def from_json(cls, json: JSON) -> Carousel:
        return cls(json["contentLength"], json["offset"], json["maximumOffset"])


def _carousel(json: JSON) -> Optional[Carousel]:
    carousel = json.get("carousel")
    return None if carousel is None else Carousel.from_json(carousel)


@dataclass(frozen=True)
class Section:
    """A section of a dataset."""

    section: int
    """The index in the dataset."""
    section_key: str
    first_item: int
    """The number of items before the section."""
    items: int
    start: Optional[float] = None
    """With a layout: the start along the scrolling axis, in points."""
    length: Optional[float] = None
    """With a layout: the length along the scrolling axis, in points."""
    carousel: Optional[Carousel] = None
    """With a layout: the range and the position of a section that scrolls independently."""
    style: Optional[str] = None

    @classmethod
    def from_json(cls, json: JSON) -> Section:
        return cls(
            json["section"], json["sectionKey"], json["firstItem"], json["items"],
            json.get("start"), json.get("length"), _carousel(json), json.get("style"))


@dataclass(frozen=True)
class StoredItem:
    """An item of a dataset, without a layout."""

    key: str
    section: int
    """The index of the section."""
    section_key: str
    item: int
    """The index in the section."""
    width: float
    height: float
    span: int
    """The number of columns; 0 for all."""
    revision: int
    data: Optional[JSON] = None
    hidden: Union[bool, str] = False
    """Whether layouts hide the item: `True`, `"collapsed"` or `False`."""

    @classmethod
    def from_json(cls, json: JSON) -> StoredItem:
        return cls(
            json["key"], json["section"], json["sectionKey"], json["item"], json["width"],
            json["height"], json["span"], json["revision"], json.get("data"),
            json.get("hidden", False))


@dataclass(frozen=True)
class Item:
    """An item to insert or to import, or of an export."""

    key: str
    width: float
    """The natural width, in points."""
    height: float
    """The natural height, in points."""
    section: Optional[str] = None
    """In imports and exports: the key of the section."""
    span: Optional[int] = None
    """The number of columns; 0 for all (default: 1)."""
    data: Optional[JSON] = None
    """A JSON object of at most 4 KiB, which layouts ignore."""
    hidden: Optional[Union[bool, str]] = None
    """Whether layouts hide the item: `True`, `"collapsed"` or `False` (default)."""

    @classmethod
    def from_json(cls, json: JSON) -> Item:
        return cls(
            json["key"], json["width"], json["height"], json.get("section"), json.get("span"),
            json.get("data"), json.get("hidden"))

    def to_json(self) -> JSON:
        json: JSON = {"key": self.key, "width": self.width, "height": self.height}
        for name in ("section", "span", "data", "hidden"):
            value = getattr(self, name)
            if value is not None:
                json[name] = value
        return json


@dataclass(frozen=True)
class Element:
    """A cell, a header or footer, a background, or an element of a custom kind."""

    category: str
    """`cell`, `supplementary` or `decoration`."""
    section: Optional[int]
    """The index of the section; `None` for an element of the whole layout."""
    section_key: Optional[str]
    frame: Rect
    key: Optional[str] = None
    """For a cell, the item's key."""
    kind: Optional[str] = None
    """`header`, `footer`, `layoutHeader` or `layoutFooter`, or the name of a decoration."""
    item: Optional[int] = None
    """For a cell, the item's index in its section."""
    z_index: int = 0
    """Elements with higher values are on top."""
    alpha: float = 1
    """The opacity."""
    hidden: bool = False
    transform: Optional[Tuple[float, ...]] = None
    """a, b, c, d, tx, ty, about the frame's centre."""
    transform3d: Optional[Tuple[float, ...]] = None
    """m11 to m44 by rows; present instead of `transform` for spatial transforms."""
    values: Optional[JSON] = None
    """Further values of a cell of a custom kind, if it has any."""
    data: Optional[JSON] = None
    """The item's data, if requested."""
    column: Optional[int] = None
    """Of a single element: the item's first column, if the layout has columns."""
    content_offset: Optional[Point] = None
    """Of a cell requested with an anchor: the offset that puts it at the wanted distance."""
    exact: bool = True
    """Whether the content is long enough for that offset."""
    carousel: Optional[Carousel] = None
    """Of a cell requested by key: the range and the position of its section, if it is a carousel."""

    @classmethod
    def from_json(cls, json: JSON) -> Element:
        frame = json["frame"]
        element = cls.__new__(cls)
        # The initializer of a frozen class sets each member by a call: thrice the time, and there
        # are thousands of elements in an answer.
        members = element.__dict__
        members["category"] = json["category"]
        members["section"] = json.get("section")
        members["section_key"] = json.get("sectionKey")
        members["frame"] = Rect(frame["x"], frame["y"], frame["width"], frame["height"])
        for name in ("key", "kind", "item", "values", "data", "column"):
            members[name] = json.get(name)
        members["z_index"] = json.get("zIndex", 0)
        members["alpha"] = json.get("alpha", 1)
        members["hidden"] = json.get("hidden", False)
        members["exact"] = json.get("exact", True)
        transform, spatial = json.get("transform"), json.get("transform3D")
        members["transform"] = None if transform is None else tuple(transform)
        members["transform3d"] = None if spatial is None else tuple(spatial)
        offset = json.get("contentOffset")
        members["content_offset"] = None if offset is None else _point(offset)
        members["carousel"] = _carousel(json)
        return element


@dataclass(frozen=True)
class Elements:
    """Elements of one state of a layout. Iterating over it yields the elements."""

    dataset: str
    layout: str
    revision: int
    incarnation: str
    """With the revision, it identifies the state."""
    content_size: Size
    elements: Tuple[Element, ...]
    """By section; in each the background, header, cells by index, footer."""
    next: Optional[str] = None
    """The continuation, present exactly if more elements follow."""
    etag: Optional[str] = None
    """Pins later queries to this state, as `at`."""
    has_data: bool = field(default=False, repr=False, compare=False)
    """Whether data was requested; later pages then have it too."""
    commit: Optional[Commit] = None
    """Of a preview: the answer that the commit would have."""
    where: Optional[str] = field(default=None, repr=False, compare=False)
    """The requested filter, which later pages need too."""
    order: Optional[OrderLike] = field(default=None, repr=False, compare=False)
    """The requested order, which later pages need too."""
    view: Optional[str] = field(default=None, repr=False, compare=False)
    """The requested view, which later pages need too."""
    hints: Tuple[str, ...] = field(default=(), compare=False)
    """Sentences about a filter that compares texts with numbers."""

    def __iter__(self) -> Iterator[Element]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    @classmethod
    def pages_from_json(
        cls, json: JSON, etag: Optional[str] = None, has_data: bool = False,
        where: Optional[str] = None, order: Optional[OrderLike] = None, view: Optional[str] = None,
    ) -> List[Elements]:
        """Returns the pages of an answer: one, or one per rectangle."""
        size = _size(json["contentSize"])
        commit = Commit.from_json(json["commit"]) if "commit" in json else None
        return [
            cls(json["dataset"], json["layout"], json["revision"], json["incarnation"], size,
                tuple(map(Element.from_json, page["elements"])), page.get("next"), etag,
                has_data, commit, where, order, view, tuple(json.get("hints", ())))
            for page in json.get("pages", [json])]


@dataclass(frozen=True)
class NamedView:
    """A filter and an order of a dataset's items, or their keys, by a name."""

    view: str
    """The name."""
    where: Optional[str] = None
    order: Tuple[str, ...] = ()
    """The members of data by which the items are sorted, each after a `-` if descending."""
    keys: Optional[Tuple[str, ...]] = None
    """The listed keys; in lists `key_count`."""
    key_count: Optional[int] = None

    @classmethod
    def from_json(cls, json: JSON) -> NamedView:
        return cls(json["view"], json.get("where"), tuple(
            ("-" if one.get("descending") else "") + one["by"] for one in json.get("order", ())),
            tuple(json["keys"]) if "keys" in json else None, json.get("keyCount"))


@dataclass(frozen=True)
class Layout:
    """A layout and its configuration."""

    layout: str
    """The name."""
    configuration: JSON
    prepared_revision: Optional[int] = None
    """The revision of the last update, if the layout was ever computed."""
    variants: Optional[List[JSON]] = None
    """The variants of a layout that fits any width; `None` for others."""
    warnings: Optional[List[str]] = None
    """After a configuration was set: its accepted parts that have no effect."""
    etag: Optional[str] = None
    """The validator of the configuration; missing in a list of layouts."""
    template: Optional[str] = None
    """The template that the configuration comes from; `None` for the dataset's own."""

    @classmethod
    def from_json(cls, json: JSON, etag: Optional[str] = None) -> Layout:
        return cls(
            json["layout"], json["configuration"], json.get("preparedRevision"),
            json.get("variants"), json.get("warnings"), etag, json.get("template"))


@dataclass(frozen=True)
class Template:
    """A layout of all datasets that match a pattern."""

    template: str
    """The name."""
    datasets: str
    """The name of a dataset, or the beginning of names and `*`."""
    layout: str
    """The layout's name in the datasets."""
    configuration: JSON

    @classmethod
    def from_json(cls, json: JSON) -> Template:
        return cls(json["template"], json["datasets"], json["name"], json["layout"])


@dataclass(frozen=True)
class LayoutDefinition:
    """A configuration that a layout has, or had before."""

    at: str
    """When it was set, by RFC 3339."""
    configuration: JSON
    who: Optional[str] = None
    """The name of the caller's token, if it had one."""

    @classmethod
    def from_json(cls, json: JSON) -> LayoutDefinition:
        return cls(json["at"], json["configuration"], json.get("who"))


@dataclass(frozen=True)
class SectionUpdate:
    """An inserted, deleted or moved section."""

    op: str
    key: str
    before: Optional[int] = None
    """The index before the change; missing for an inserted section."""
    after: Optional[int] = None
    """The index after the change; missing for a deleted section."""

    @classmethod
    def from_json(cls, json: JSON) -> SectionUpdate:
        return cls(json["op"], json["key"], json.get("before"), json.get("after"))


@dataclass(frozen=True)
class ItemUpdate:
    """An inserted, deleted, moved or reloaded item. Positions are a section and an item."""

    op: str
    key: str
    before: Optional[Tuple[int, int]] = None
    after: Optional[Tuple[int, int]] = None

    @classmethod
    def from_json(cls, json: JSON) -> ItemUpdate:
        before, after = json.get("before"), json.get("after")
        return cls(
            json["op"], json["key"], (before[0], before[1]) if before else None,
            (after[0], after[1]) if after else None)


@dataclass(frozen=True)
class Updates:
    """The changes of the items, for lists."""

    everything: bool
    """Whether the lists must be read again; then the other members are empty."""
    sections: Tuple[SectionUpdate, ...] = ()
    items: Tuple[ItemUpdate, ...] = ()
    reason: Optional[str] = None
    """Why: `log-cut`, `too-large`, `import` or `temporary`."""

    @classmethod
    def from_json(cls, json: JSON) -> Updates:
        return cls(
            json.get("everything", False),
            tuple(map(SectionUpdate.from_json, json.get("sections", ()))),
            tuple(map(ItemUpdate.from_json, json.get("items", ()))), json.get("reason"))


@dataclass(frozen=True)
class SectionInvalidation:
    """The part of a section that a commit changed."""

    section: int
    items: Tuple[Tuple[int, int], ...]
    """Ranges of items, each with its last item."""
    columns: Tuple[int, ...]
    interval: Optional[Tuple[float, float]] = None
    """The moved range on the scrolling axis, in points."""
    supplementary_elements: Tuple[str, ...] = ()
    """The kinds of headers, footers and custom elements that changed."""
    decoration_elements: Tuple[str, ...] = ()
    """The kinds of decorations that changed."""

    @classmethod
    def from_json(cls, json: JSON) -> SectionInvalidation:
        interval = json.get("interval")
        return cls(
            json["section"], tuple((first, last) for first, last in json["items"]),
            tuple(json["columns"]), (interval[0], interval[1]) if interval else None,
            tuple(json.get("supplementaryElements", ())),
            tuple(json.get("decorationElements", ())))


def _context(json: JSON) -> Tuple[
    bool, int, int, int, Size, Point, Tuple[SectionInvalidation, ...], Optional[str],
    Tuple[str, ...], Tuple[str, ...],
]:
    return (
        json["everything"], json["recomputedItems"], json["recomputedColumns"],
        json["changedNodes"], _size(json["contentSizeAdjustment"]),
        _point(json["contentOffsetAdjustment"]),
        tuple(map(SectionInvalidation.from_json, json["sections"])), json.get("reason"),
        tuple(json.get("supplementaryElements", ())), tuple(json.get("decorationElements", ())))


@dataclass(frozen=True)
class LayoutChange:
    """The effect of a commit on a layout."""

    layout: str
    incarnation: str
    everything: bool
    """Whether the whole layout must be queried again."""
    recomputed_items: int
    recomputed_columns: int
    changed_nodes: int
    content_size_adjustment: Size
    content_offset_adjustment: Point
    """The distance to scroll so that the reader's position does not change."""
    sections: Tuple[SectionInvalidation, ...]
    reason: Optional[str] = None
    """Of `everything`: `log-cut`, `relaid`, `too-large`, `import`, `not-followed` or
    `temporary`."""
    supplementary_elements: Tuple[str, ...] = ()
    """`layoutHeader` and `layoutFooter`, if they moved or changed."""
    decoration_elements: Tuple[str, ...] = ()
    """The kind of the layout's background, if that changed."""
    coarse: bool = False
    """Whether `sections` has one range of items for each section, with unchanged ones too."""

    @classmethod
    def from_json(cls, json: JSON) -> LayoutChange:
        return cls(
            json["layout"], json["incarnation"], *_context(json), json.get("coarse", False))


@dataclass(frozen=True)
class Preparation:
    """The work of bringing a layout up to date, and what has changed in it."""

    dataset: str
    layout: str
    revision: int
    laid_out: bool
    """Whether the layout was computed from scratch."""
    caught_up: bool
    """Whether the layout was brought up to date from the log, or only the sections were laid out
    again whose options have changed."""
    microseconds: int
    everything: bool
    """Whether the whole layout must be queried again."""
    recomputed_items: int
    recomputed_columns: int
    changed_nodes: int
    content_size_adjustment: Size
    content_offset_adjustment: Point
    sections: Tuple[SectionInvalidation, ...]
    reason: Optional[str] = None
    supplementary_elements: Tuple[str, ...] = ()
    decoration_elements: Tuple[str, ...] = ()

    @classmethod
    def from_json(cls, json: JSON) -> Preparation:
        return cls(
            json["dataset"], json["layout"], json["revision"], json["laidOut"],
            json["caughtUp"], json["microseconds"], *_context(json))


@dataclass(frozen=True)
class LaggingLayout:
    """A layout that a commit could not update."""

    layout: str
    code: str
    reason: str

    @classmethod
    def from_json(cls, json: JSON) -> LaggingLayout:
        return cls(json["layout"], json["code"], json["reason"])


@dataclass(frozen=True)
class Undone:
    """The commits that an undo has reverted."""

    first: int
    last: int
    summary: str
    """In words: "undid revision 4: resize of 1 item"."""

    @classmethod
    def from_json(cls, json: JSON) -> Undone:
        return cls(json["first"], json["last"], json["summary"])


@dataclass(frozen=True)
class Commit:
    """A committed change."""

    dataset: str
    revision: int
    incarnation: Optional[str] = None
    updates: Optional[Updates] = None
    """The changes of the items; missing if `repeated`."""
    layouts: Tuple[LayoutChange, ...] = ()
    """The active layouts, which were brought up to date."""
    behind: Tuple[LaggingLayout, ...] = ()
    """Layouts that the commit could not update."""
    repeated: bool = False
    """Whether the batch was applied before, and its answer is no longer stored: nothing was
    changed, and `revision` is that of the earlier commit."""
    undone: Optional[Undone] = None
    """The commits that an undo has reverted."""
    columns: Optional[str] = None
    """`placed` if an undo has placed items of a stable waterfall like inserted ones, because their
    previous columns are not known."""
    replayed: bool = field(default=False, compare=False)
    """Whether this is the answer to an earlier request with the same idempotency key."""

    @classmethod
    def from_json(cls, json: JSON, replayed: bool = False) -> Commit:
        return cls(
            json["dataset"], json["revision"], json.get("incarnation"),
            Updates.from_json(json["updates"]) if "updates" in json else None,
            tuple(map(LayoutChange.from_json, json.get("layouts", ()))),
            tuple(map(LaggingLayout.from_json, json.get("behind", ()))),
            json.get("repeated", False),
            Undone.from_json(json["undone"]) if "undone" in json else None, json.get("columns"),
            replayed)


@dataclass(frozen=True)
class Changes:
    """All changes after a revision, combined."""

    dataset: str
    revision: int
    since: int
    incarnation: str
    updates: Updates
    layouts: Tuple[LayoutChange, ...] = ()

    @classmethod
    def from_json(cls, json: JSON) -> Changes:
        return cls(
            json["dataset"], json["revision"], json["since"], json["incarnation"],
            Updates.from_json(json["updates"]),
            tuple(map(LayoutChange.from_json, json.get("layouts", ()))))


@dataclass(frozen=True)
class Event:
    """An event of a stream of commits."""

    kind: str
    """`commit`; `reset`: query everything again, later commits follow; `layout`: a layout was given
    another configuration; `gone`: the dataset was removed, and the stream ends."""
    revision: Optional[int] = None
    """The revision of a commit or a reset."""
    incarnation: Optional[str] = None
    """The dataset's; for `layout` that of the layout's result, empty until it is laid out."""
    commit: Optional[Commit] = None
    layout: Optional[str] = None
    """The name, for `layout`."""


@dataclass(frozen=True)
class LogEntry:
    """A commit in a dataset's log."""

    revision: int
    time: str
    """The time of the commit, by RFC 3339."""
    kind: str
    """`batch`, `import` or `undo`."""
    operations: int
    bytes: int
    mark: Optional[Mark] = None
    who: Optional[str] = None
    """The name of the caller's token, if it had one."""

    @classmethod
    def from_json(cls, json: JSON) -> LogEntry:
        return cls(
            json["revision"], json["time"], json["kind"], json["operations"], json["bytes"],
            Mark.from_json(json["mark"]) if "mark" in json else None, json.get("who"))


@dataclass(frozen=True)
class SkippedRow:
    """A row that an import skipped."""

    line: int
    reason: str
    field: Optional[str] = None
    """The column or member."""

    @classmethod
    def from_json(cls, json: JSON) -> SkippedRow:
        return cls(json["line"], json["reason"], json.get("field"))


@dataclass(frozen=True)
class ImportOutcome:
    """The outcome of an import."""

    id: str
    dataset: str
    revision: int
    imported: int
    """The number of inserted items."""
    updated: int
    """The number of rows that updated existing items."""
    skipped: int
    """The number of skipped rows."""
    sections: int
    """The number of sections in the dataset."""
    items: int
    """The number of items in the dataset."""
    problems: Tuple[SkippedRow, ...] = ()
    """The first 20 skipped rows."""
    deleted: Optional[int] = None
    """Of a match: the number of deleted items."""
    moved: Optional[int] = None
    """Of a match: the number of moved items."""
    changed: Optional[int] = None
    """Of a match: the number of items whose size, span or data changed."""
    duplicates: int = 0
    """The number of rows skipped because an item with their key existed."""
    without_section: int = 0
    """The number of rows without a section, in a file with sections; they are in "main"."""
    without_size: int = 0
    """The number of rows without a size; their items have that of `size`."""
    off_shape: int = 0
    """The number of items whose shape rounding to 1/64 point changes by more than 0.5 %."""
    scale: Optional[int] = None
    """The least whole `scale` that keeps all shapes, if some change and there is one."""
    ignores_sections: bool = False
    """Whether the sections of items were ignored, because the dataset derives its own."""

    @classmethod
    def from_json(cls, json: JSON) -> ImportOutcome:
        return cls(
            json["id"], json["dataset"], json["revision"], json["imported"], json["updated"],
            json["skipped"], json["sections"], json["items"],
            tuple(map(SkippedRow.from_json, json["problems"])), json.get("deleted"),
            json.get("moved"), json.get("changed"), json["duplicates"], json["withoutSection"],
            json.get("withoutSize", 0), json.get("offShape", 0), json.get("scale"),
            json.get("ignoresSections", False))


def numbers(values: Sequence[float], count: int, name: str) -> str:
    """Returns the parameter for `count` numbers."""
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} numbers; pass {count}")
    return ",".join(number(value, name) for value in values)


def number(value: float, name: str) -> str:
    """Returns a number without an exponent, which the service does not read."""
    if not -1e12 < value < 1e12:  # false for NaN
        raise ValueError(f"{name} has the number {value}; the limit is 10^12")
    return f"{value:.9f}".rstrip("0").rstrip(".")
