"""The datasets and their changes, determined by a seed."""

import base64
import json

from processes import Failed

WIDTH = 390
# By name, the layouts whose answers a replay on one machine reproduces: those that depend
# only on their items.
LAYOUTS = {
    "stable": {"kind": "waterfall", "columns": 3, "columnSpacing": 8, "lineSpacing": 8,
               "header": 40},
    "flow": {"kind": "flow", "minimumInteritemSpacing": 4, "minimumLineSpacing": 6,
             "lineLength": 80, "crossAlignment": "top"},
    "grid": {"kind": "grid", "columns": 4, "rowLength": 90, "header": 30}}
REPLAYED = ("flow", "grid")
# Few rectangles, so that many clients request the same.
RECTS = ("0,0,390,844", "0,700,390,844", "0,2400,390,600", "100,300,150,2000")


def layout(name, spacing=0):
    return json.dumps({"container": {"width": WIDTH, "height": 844},
                       "sectionSpacing": spacing, "section": LAYOUTS[name]})


class Feed:
    """A dataset changed by batches, each of which has an effect."""

    def __init__(self, name, count):
        self.name, self.count = name, count

    @property
    def first_batches(self):
        """The first batches of each dataset. Undo reverts the newest commit, and then that undo,
        so these items are permanent."""
        upserts = [{"op": "upsert", "section": f"s{number}", "items": [
            {"key": f"k{item}", "width": 20 + item % 90, "height": 15 + item % 70}
            for item in range(number, self.count, 4)]} for number in range(4)]
        return [lines(upserts), lines([{"op": "resize", "key": "k0", "width": 1, "height": 1}])]

    def batch(self, random, name):
        """A batch that changes something in any state of the dataset.

        - `name`: the name of the write, and of its new item.
        """
        size = random.choice((1, 1, 1, 2, 3, 8, 60))
        operations = [self._upsert(random, f"w-{name}")]
        operations += [self._operation(random) for _ in range(size - 1)]
        return lines(operations)

    def _operation(self, random):
        choice = random.random()
        if choice < 0.5:
            return {"op": "resize", "key": self._key(random), **self._size(random)}
        if choice < 0.7:
            key, other = (f"k{one}" for one in random.sample(range(self.count), 2))
            return {"op": "move", "key": key, random.choice(("before", "after")): other}
        if choice < 0.8:
            return self._upsert(random, f"x{random.randrange(200)}")
        keys = [f"x{random.randrange(200)}" for _ in range(3)]
        return {"op": "delete", "keys": sorted(set(keys)), "missing": "ignore"}

    def _upsert(self, random, key):
        return {"op": "upsert", "section": f"s{random.randrange(4)}",
                "items": [{"key": key, **self._size(random)}]}

    def _key(self, random):
        return f"k{random.randrange(self.count)}"

    @staticmethod
    def _size(random):
        return {"width": random.randrange(64, 8000) / 64, "height": random.randrange(64, 8000) / 64}


class BulkyFeed(Feed):
    """A dataset with large batches: checkpoints become due by themselves."""

    def batch(self, random, name):
        # More than 64 KiB, also when compressed.
        items = [{"key": f"x{number}", **self._size(random), "data": {"text": base64.b64encode(
            random.randbytes(2900)).decode()}} for number in range(26)]
        return lines([self._upsert(random, f"w-{name}"),
                      {"op": "upsert", "section": "s0", "items": items}])


def lines(objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


def ask(asker, method, where, body=None, key=None):
    """Sends a request that must be answered with success."""
    headers = {"Idempotency-Key": key} if key else {}
    found = asker.ask(method, where, body, headers, seconds=30)
    if not found.is_done:
        raise Failed(f"{method} {where} on {asker.target}: {found}")
    return found


def make(asker, feed):
    """Creates an empty dataset with its layouts, on a machine of the cluster or on another."""
    ask(asker, "PUT", f"/v1/datasets/{feed.name}")
    for name in LAYOUTS:
        ask(asker, "PUT", f"/v1/datasets/{feed.name}/layouts/{name}", layout(name))


def questions(feeds):
    """Returns all questions about some datasets."""
    return [(feed.name, name, rect) for feed in feeds for name in LAYOUTS for rect in RECTS]


def path(dataset, layout_name, rect):
    return f"/v1/datasets/{dataset}/layouts/{layout_name}/elements?rect={rect}"
