"""Random operations on a dataset, and the dataset as lists."""


class Model:
    """Sections of items: each section is a list of its key and its items, each item is a tuple of
    its key, width and height."""

    def __init__(self, sections=()):
        self.sections, self.count = list(sections), 0

    def new_number(self):
        self.count += 1
        return self.count

    def new_items(self, choose):
        return [(f"i{self.new_number()}", choose.randint(1, 9), choose.randint(1, 9))
                for _ in range(choose.randint(1, 4))]

    def find(self, choose):
        """Returns a section's items and the index of one of them, if there are any."""
        filled = [items for _, items in self.sections if items]
        if not filled:
            return None, None
        items = choose.choice(filled)
        return items, choose.randrange(len(items))

    def change(self, choose):
        """Applies a random operation, and returns it."""
        kind = choose.choice(
            ["insert", "insert", "before", "delete", "move", "resize", "section", "drop", "shift"])
        items, index = self.find(choose)
        if kind == "section" or not self.sections:
            key, at = f"s{self.new_number()}", choose.randint(0, len(self.sections))
            self.sections.insert(at, [key, []])
            return {"op": "insertSection", "key": key, "index": at}
        if kind in ("drop", "shift"):
            at = choose.randrange(len(self.sections))
            section = self.sections.pop(at)
            if kind == "drop" and self.sections:
                return {"op": "deleteSection", "key": section[0]}
            to = choose.randint(0, len(self.sections))
            self.sections.insert(to, section)
            return {"op": "moveSection", "key": section[0], "index": to}
        if kind in ("insert", "before") or items is None:
            new = self.new_items(choose)
            if kind == "before" and items:
                place = {"before": items[index][0]}
            else:
                key, items = choose.choice(self.sections)
                index = choose.randint(0, len(items))
                place = {"section": key, "index": index}
            items[index:index] = new
            return {"op": "insert", **place, "items": [
                {"key": key, "width": width, "height": height} for key, width, height in new]}
        key, width, height = items.pop(index)
        if kind == "delete":
            return {"op": "delete", "keys": [key]}
        if kind == "resize":
            items.insert(index, (key, width + 1, height))
            return {"op": "resize", "key": key, "width": width + 1, "height": height}
        section, into = choose.choice(self.sections)
        at = choose.randint(0, len(into))
        into.insert(at, (key, width, height))
        return {"op": "move", "key": key, "section": section, "index": at}

    def listed(self):
        return [(key, [item[0] for item in items]) for key, items in self.sections]
