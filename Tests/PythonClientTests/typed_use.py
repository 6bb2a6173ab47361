"""A use of the client, which the type checker must accept."""

from __future__ import annotations

from typing import Dict, List, Optional

import layoutcache
from layoutcache import operations


def lengths(client: layoutcache.Client, dataset: str, layout: str) -> Dict[str, float]:
    found: Dict[str, float] = {}
    for page in client.pages(client.elements_from(dataset, layout, (0, 0), 100)):
        for element in page:
            if element.key is not None:
                found[element.key] = element.frame.height
    return found


def follow(client: layoutcache.Client, dataset: str) -> List[int]:
    with client.events(dataset, since=1) as events:
        return [event.commit.revision for event in events if event.commit is not None]


def resize(client: layoutcache.Client, key: str) -> Optional[int]:
    try:
        commit = client.apply("art", [operations.resize(key, 4, 3)], expect=1)
    except layoutcache.RevisionMismatchError as error:
        return error.revision
    x: float = commit.layouts[0].content_offset_adjustment.x
    return int(x)


def serve() -> str:
    with layoutcache.serve() as service, service.client("token") as client:
        return client.create_dataset("art").incarnation
