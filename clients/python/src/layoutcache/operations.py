"""The operations of a batch.

Each function returns one operation, a JSON object, for `Client.apply`. `docs/CHANGES.md` describes
their effects.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._types import Item

Operation = Dict[str, Any]
SomeItem = Union[Item, Mapping[str, Any]]

__all__ = [
    "Operation", "SomeItem", "data", "delete", "delete_section", "hide", "insert", "insert_section",
    "invalidate", "mark", "match", "move", "move_section", "prefer", "prefer_layout",
    "prefer_lengths", "reset_lengths", "resize", "style", "upsert",
]


def item_json(item: SomeItem) -> Dict[str, Any]:
    """Returns the JSON object of an item."""
    return item.to_json() if isinstance(item, Item) else dict(item)


def _operation(op: str, **members: Any) -> Operation:
    """Returns an operation with the members that are not `None`."""
    return {"op": op, **{name: value for name, value in members.items() if value is not None}}


def _without_section(item: SomeItem) -> Dict[str, Any]:
    json = item_json(item)
    json.pop("section", None)
    return json


def insert(
    items: Iterable[SomeItem], *, section: Optional[str] = None, index: Optional[int] = None,
    before: Optional[str] = None, after: Optional[str] = None,
) -> Operation:
    """Inserts items at an index of a section, at its end, before or after an item, or without a
    place where the dataset's order puts them.

    The `section` of the items is ignored: a batch names it once.
    """
    return _operation(
        "insert", items=[_without_section(item) for item in items], section=section, index=index,
        before=before, after=after)


def upsert(
    items: Iterable[SomeItem], section: Optional[str] = None, *, move: bool = False,
) -> Operation:
    """Appends new items to a section, which is created if missing, and resizes existing ones.

    With `move`, existing items move to the section's end too. Without a section the dataset derives
    it from the items' data.
    """
    return _operation(
        "upsert", items=[_without_section(item) for item in items], section=section,
        move=move or None)


def delete(keys: Iterable[str], *, missing: Optional[str] = None) -> Operation:
    """Deletes items. With `missing="ignore"`, missing keys are ignored."""
    return _operation("delete", keys=list(keys), missing=missing)


def move(
    key: str, *, section: Optional[str] = None, index: Optional[int] = None,
    before: Optional[str] = None, after: Optional[str] = None,
) -> Operation:
    """Moves an item; the index is counted without it."""
    return _operation("move", key=key, section=section, index=index, before=before, after=after)


def resize(key: str, width: float, height: float, *, span: Optional[int] = None) -> Operation:
    """Changes an item's natural size, and its span if given."""
    return _operation("resize", key=key, width=width, height=height, span=span)


def hide(keys: Iterable[str], hidden: Union[bool, str] = True) -> Operation:
    """Hides items; `"collapsed"` removes their places too, `False` shows them again."""
    return _operation("hide", keys=list(keys), hidden=hidden)


def data(key: str, data: Optional[Mapping[str, Any]]) -> Operation:
    """Sets an item's data; `None` removes it."""
    return {"op": "data", "key": key, "data": None if data is None else dict(data)}


def insert_section(
        key: str, index: Optional[int] = None, *, style: Optional[str] = None) -> Operation:
    """Inserts an empty section (default: at the end), with a style or without one."""
    return _operation("insertSection", key=key, index=index, style=style)


def style(section: str, style: Optional[str]) -> Operation:
    """Sets a section's style; `None` removes it."""
    return {"op": "style", "section": section, "style": style}


def delete_section(key: str, *, missing: Optional[str] = None) -> Operation:
    """Deletes a section with its items. With `missing="ignore"`, a missing one is ignored."""
    return _operation("deleteSection", key=key, missing=missing)


def move_section(key: str, index: int) -> Operation:
    """Moves a section; the index is counted without it."""
    return _operation("moveSection", key=key, index=index)


def match(
    sections: Iterable[Tuple[str, Iterable[SomeItem]]], *, missing: Optional[str] = None,
) -> Operation:
    """Makes the dataset equal to a list of sections, each a key and its items.

    With `missing="keep"`, items and sections that are not in the list stay.
    """
    listed: List[Dict[str, Any]] = [
        {"key": key, "items": [_without_section(item) for item in items]}
        for key, items in sections]
    return _operation("match", sections=listed, missing=missing)


def prefer(
    layout: str, *, length: Optional[float], key: Optional[str] = None,
    header: Optional[str] = None, footer: Optional[str] = None,
    cross_length: Optional[float] = None,
) -> Operation:
    """Sets the measured length of an item, or of a section's header or footer; `None` resets it."""
    return {
        **_operation(
            "prefer", layout=layout, key=key, header=header, footer=footer,
            crossLength=cross_length),
        "length": length}


def prefer_layout(layout: str, element: str, length: Optional[float]) -> Operation:
    """Sets the measured length of the layout's own header or footer; `None` resets it.

    `element` is `layoutHeader` or `layoutFooter`.
    """
    return {"op": "prefer", "layout": layout, element: length}


def prefer_lengths(
    layout: str, lengths: Mapping[str, Union[None, float, Sequence[Optional[float]]]], *,
    missing: Optional[str] = None,
) -> Operation:
    """Sets the measured lengths of many items: a length, or a length and one across.

    `None` resets an item's length. With `missing="ignore"`, missing keys are ignored.
    """
    entries: List[List[Any]] = [
        [key, *length] if isinstance(length, (list, tuple)) else [key, length]
        for key, length in lengths.items()]
    return _operation("prefer", layout=layout, lengths=entries, missing=missing)


def reset_lengths(layout: str) -> Operation:
    """Resets all measured lengths of a layout."""
    return {"op": "prefer", "layout": layout, "everything": None}


def invalidate(
    layout: str, *, items: Optional[Iterable[str]] = None,
    sections: Optional[Iterable[str]] = None, everything: Optional[bool] = None,
    kinds: Optional[Iterable[str]] = None,
) -> Operation:
    """Invalidates parts of a layout, for changes outside the dataset; names at least one part.

    With `kinds`, the elements of these kinds: those of the sections, or without sections those of
    the layout.
    """
    return _operation(
        "invalidate", layout=layout, items=None if items is None else list(items),
        sections=None if sections is None else list(sections), everything=everything,
        kinds=None if kinds is None else list(kinds))


_ANY = "\0any"


def mark(source: str, position: str, *, after: Optional[str] = _ANY) -> Operation:
    """Sets a source's position, at most once per batch.

    With `after`, the source's current mark must be that position, or be missing for `None`.
    """
    operation: Operation = {"op": "mark", "source": source, "position": position}
    if after != _ANY:
        operation["after"] = after
    return operation
