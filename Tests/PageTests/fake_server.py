"""A stand-in for the service: a feed of two million items that needs no database.

The page tests run against it where no server is named: it starts in seconds, and can be
told to answer slowly or not at all, which the real one can't. Standard library only.

    python3 fake_server.py [--port P] [--sections N] [--items N] [--token T]

Lengths are whole 64ths of a point, as in the service. Only waterfalls, whose columns are
kept once chosen. `/fake` tells what it was asked for, and sets `delay` and `fail`.
"""

import argparse
import bisect
import json
import pathlib
import threading
import time
import urllib.parse
from array import array
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

UNIT = 64
PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "ServicePage"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
         ".ts": "text/plain", ".svg": "image/svg+xml"}
PINNED = 2147483647
RATIOS = [(100, 62 + (i * 37) % 128) for i in range(64)]
ADJECTIVES = ["Quiet", "Blue", "Northern", "Fallen", "Bright", "Distant", "Golden", "Seated",
              "Winter", "Broken", "Late", "Green", "Early", "Silent", "Open", "Red"]
NOUNS = ["Harbour", "Figure", "Garden", "Interior", "River", "Study", "Landscape", "Window",
         "Portrait", "Orchard", "Bridge", "Field", "Shore", "Still Life", "Mountain", "Stair"]
PLACES = ["at Dusk", "near Rye", "with Two Birds", "in Rain", "after Turner", "by the Sea",
          "No. 4", "in the Afternoon", "with a Red Chair", "above the Town", "in Blue", "II"]
ARTISTS = ["Ada Marlow", "J. Penrose", "Ines Calder", "R. Whitcombe", "Mary Aldous",
           "Tomas Hale", "E. Lindqvist", "Ruth Okafor", "P. Saunders", "Clara Voss"]


def page_file(path):
    """The page's file that is served at a path; None where there is none."""
    name = {"/": "index.html", "/client.js": "client.js", "/client.d.ts": "client.d.ts"}.get(
        path, path.removeprefix("/page/"))
    if "/" in name or not path.startswith(("/page/", "/client")) and path != "/":
        return None
    return next((file for folder in ("Client", "Inspector")
                 if (file := PAGE / folder / name).is_file()), None)


def mixed(number):
    return (number * 2654435761 >> 7) & 0xFFFFFF


class Dataset:
    """Sections of item numbers; a key is the number with an "i" before it, or as inserted."""

    def __init__(self, name, section_count, items_a_section, first_year):
        self.name, self.revision, self.incarnation = name, 1, "fa4e" + name
        self.section_keys = [str(first_year + i) for i in range(section_count)]
        self.sections = [array("q", range(s * items_a_section, (s + 1) * items_a_section))
                         for s in range(section_count)]
        self.size = items_a_section
        self.next = section_count * items_a_section
        self.numbers, self.keys = {}, {}  # of inserted items, both ways
        self.natural, self.texts, self.homes, self.gone = {}, {}, {}, set()
        self.layouts, self.commits, self.last = {}, [], None
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)

    @property
    def count(self):
        return sum(map(len, self.sections))

    def remembered(self, sections):
        return ({s: self.sections[s][:] for s in sections}, dict(self.natural),
                dict(self.texts), dict(self.homes), set(self.gone))

    def bring_back(self, former):
        sections, self.natural, self.texts, self.homes, self.gone = former
        for section, numbers in sections.items():
            self.sections[section] = numbers

    def key(self, number):
        return self.keys.get(number) or f"i{number:07d}"

    def number(self, key):
        if key in self.numbers:
            number = self.numbers[key]
        elif key.startswith("i") and key[1:].isdigit():
            number = int(key[1:])
        else:
            return None
        return None if number >= self.next or number in self.gone else number

    def home(self, number):
        return self.homes.get(number, number // self.size)

    def size_of(self, number):
        return self.natural.get(number) or RATIOS[mixed(number) & 63]

    def data(self, number):
        if number in self.texts:
            return self.texts[number]
        m = mixed(number)
        title = f"{ADJECTIVES[m & 15]} {NOUNS[m >> 4 & 15]}"
        if m >> 8 & 1:
            title += " " + PLACES[(m >> 9) % len(PLACES)]
        return {"title": title, "artist": ARTISTS[(m >> 13) % len(ARTISTS)],
                "year": self.section_keys[self.home(number)]}


class Layout:
    """A waterfall of a dataset, placed section by section along the main axis."""

    def __init__(self, dataset, name, configuration):
        self.dataset, self.name, self.configuration = dataset, name, configuration
        section, container = configuration["section"], configuration["container"]
        self.horizontal = configuration.get("scrollDirection") == "horizontal"
        self.mirrored = configuration.get("layoutDirection") == "rightToLeft"
        self.cross = container["height" if self.horizontal else "width"] * UNIT
        self.columns, self.inset = section["columns"], section["inset"]["top"] * UNIT
        self.spacing = section["lineSpacing"] * UNIT
        self.header, self.footer = section["header"] * UNIT, section["footer"] * UNIT
        self.pins = section["pinsHeader"], section["pinsFooter"]
        gap = section["columnSpacing"] * UNIT
        total = self.cross - 2 * self.inset - (self.columns - 1) * gap
        self.edges = [(self.inset + c * total // self.columns + c * gap,
                       self.inset + (c + 1) * total // self.columns + c * gap)
                      for c in range(self.columns)]
        self.total = total
        self.lengths = [total * h // (self.columns * w) for w, h in RATIOS]
        self.longest = max(self.lengths)
        self.placed, self.incarnation = None, "1a" + name

    def length(self, number):
        size = self.dataset.natural.get(number)
        if size is None:
            return self.lengths[mixed(number) & 63]
        width, height = size
        if self.horizontal:
            width, height = height, width
        return max(1, int(self.total * height // (self.columns * width)))

    def prepare(self):
        if self.placed is None:
            self.placed = [self.place(s, None) for s in range(len(self.dataset.sections))]
            self.add_up()
        return self

    def place(self, section, columns):
        """Starts, columns and content length of a section; known columns are kept."""
        starts, chosen, ends = array("q"), array("b"), [0] * self.columns
        spacing, length = self.spacing, self.length
        for number in self.dataset.sections[section]:
            column = columns.get(number) if columns else None
            if column is None:
                column = ends.index(min(ends))
            start = ends[column]
            starts.append(start)
            chosen.append(column)
            ends[column] = start + length(number) + spacing
        return starts, chosen, max(0, max(ends) - spacing), columns is None

    def add_up(self):
        self.starts, at = [], 0
        for _, _, content, _ in self.placed:
            self.starts.append(at)
            at += self.header + 2 * self.inset + content + self.footer
        self.end = at

    def span(self, section):
        start = self.starts[section]
        return start, (self.starts + [self.end])[section + 1]

    def frame(self, main, length, cross, breadth):
        if self.horizontal:
            x, y, width, height = main, cross, length, breadth
        else:
            x, y, width, height = cross, main, breadth, length
        if self.mirrored:
            x = (self.end if self.horizontal else self.cross) - x - width
        return {"x": x / UNIT, "y": y / UNIT, "width": width / UNIT, "height": height / UNIT}

    def cell(self, section, item, with_data):
        dataset, (starts, columns, _, _) = self.dataset, self.placed[section]
        number = dataset.sections[section][item]
        low, high = self.edges[columns[item]]
        main = self.starts[section] + self.header + self.inset + starts[item]
        cell = {"category": "cell", "key": dataset.key(number), "section": section,
                "sectionKey": dataset.section_keys[section], "item": item,
                "frame": self.frame(main, self.length(number), low, high - low)}
        if with_data:
            cell["data"] = dataset.data(number)
        return cell

    def supplementary(self, section, kind, low, high):
        start, end = self.span(section)
        if kind == "header":
            length, pins, at = self.header, self.pins[0], start
            if pins:
                at = max(start, min(max(start, low), end - self.footer - length))
        else:
            length, pins, at = self.footer, self.pins[1], end - self.footer
            if pins:
                at = min(end - length, max(min(at, high - length), start + self.header))
        if not length or at >= high or at + length <= low:
            return []
        element = {"category": "supplementary", "kind": kind, "section": section,
                   "sectionKey": self.dataset.section_keys[section],
                   "frame": self.frame(at, length, 0, self.cross)}
        return [element | ({"zIndex": PINNED} if pins else {})]

    def interval(self, rect):
        x, y, width, height = (int(float(n) * UNIT) for n in rect.split(","))
        low, length = (x, width) if self.horizontal else (y, height)
        if self.horizontal and self.mirrored:
            low = self.end - low - length
        return low, low + length

    def elements(self, rect, with_data, most=10**9):
        low, high = self.interval(rect)
        elements = []
        first = max(0, bisect.bisect_right(self.starts, low) - 1)
        for section in range(first, len(self.starts)):
            if self.starts[section] >= high or len(elements) >= most:
                break
            elements += self.supplementary(section, "header", low, high)
            offset = self.starts[section] + self.header + self.inset
            starts, _, _, ordered = self.placed[section]
            numbers = self.dataset.sections[section]
            begin = bisect.bisect_left(starts, low - offset - self.longest) if ordered else 0
            for item in range(begin, len(starts)):
                start = starts[item] + offset
                if start >= high or len(elements) >= most:
                    if ordered:
                        break
                elif start + self.length(numbers[item]) > low:
                    elements.append(self.cell(section, item, with_data))
            elements += self.supplementary(section, "footer", low, high)
        return elements

    @property
    def size(self):
        main, cross = self.end / UNIT, self.cross / UNIT
        return dict(zip(("width", "height"),
                        (main, cross) if self.horizontal else (cross, main)))

    def answer(self, elements, next=None):
        return {"dataset": self.dataset.name, "layout": self.name,
                "revision": self.dataset.revision,
                "incarnation": f"{self.dataset.incarnation}-{self.incarnation}",
                "contentSize": self.size, "elements": elements} | (
                    {"next": next} if next else {})

    def where(self, section):
        """Where the items of a section are, by number: main start from the section's own."""
        starts, columns, _, _ = self.placed[section]
        offset = self.header + self.inset
        return {number: (starts[i] + offset, self.length(number), columns[i])
                for i, number in enumerate(self.dataset.sections[section])}


INVERSE = {"insert": "delete", "delete": "insert", "before": "after", "after": "before"}


class Undo:
    """Takes the last batch back."""

    def __init__(self, dataset, visible):
        last = dataset.last
        if last is None:
            raise Problem(409, "it is an import")
        self.batch = Batch(dataset, [], visible)
        self.batch.sections = last.sections
        self.batch.operations = [None]
        self.batch.plan = lambda _: lambda: dataset.bring_back(last.former)
        for update in reversed(last.updates):
            places = {INVERSE.get(name, name): value for name, value in update.items()}
            self.batch.updates.append(places | {"op": INVERSE.get(update["op"], update["op"])})

    def run(self):
        return self.batch.run()


def setting(width, columns, direction="vertical", mirrored=False, footer=0):
    container = {"height": width} if direction == "horizontal" else {"width": width}
    inset = dict.fromkeys(("top", "left", "bottom", "right"), 8)
    return {"container": container, "scrollDirection": direction,
            "layoutDirection": "rightToLeft" if mirrored else "leftToRight",
            "section": {"kind": "waterfall", "columns": columns, "columnSpacing": 8,
                        "lineSpacing": 8, "inset": inset, "header": 44, "footer": footer,
                        "pinsHeader": True, "pinsFooter": footer > 0},
            "sectionSpacing": 0, "sections": {}, "snap": "none"}


class Batch:
    """Carries operations out and says what came of them."""

    def __init__(self, dataset, lines, visible):
        self.dataset, self.visible, self.updates = dataset, visible, []
        self.layouts = [each for each in dataset.layouts.values() if each.placed]
        self.operations = [json.loads(line) for line in lines if line.strip()]
        self.sections = set()

    def run(self):
        dataset = self.dataset
        plans = [self.plan(operation) for operation in self.operations]
        before = {layout: {s: layout.where(s) for s in self.sections} for layout in self.layouts}
        ends = {layout: layout.end for layout in self.layouts}
        spans = {layout: list(layout.starts) for layout in self.layouts}
        self.former = dataset.remembered(self.sections)
        for plan in plans:
            plan()
        dataset.revision += 1
        dataset.last = self
        contexts = []
        for layout in self.layouts:
            for section in self.sections:
                known = {n: place[2] for n, place in before[layout][section].items()}
                layout.placed[section] = layout.place(section, known)
            layout.add_up()
            contexts.append(self.context(layout, before[layout], ends[layout], spans[layout]))
        commit = {"dataset": dataset.name, "revision": dataset.revision,
                  "incarnation": dataset.incarnation,
                  "updates": {"sections": [], "items": self.updates}, "layouts": contexts}
        dataset.commits.append(commit)
        dataset.changed.notify_all()
        return commit

    def find(self, key):
        number = self.dataset.number(key)
        if number is None:
            raise KeyError(key)
        self.sections.add(self.dataset.home(number))
        return number

    def plan(self, operation):
        name, dataset = operation["op"], self.dataset
        if name == "resize":
            number = self.find(operation["key"])
            return lambda: self.resize(number, operation)
        if name == "delete":
            numbers = [self.find(key) for key in operation["keys"]]
            return lambda: [self.take(n, True) for n in numbers]
        if name == "move":
            number = self.find(operation["key"])
            self.target(operation)
            return lambda: (self.take(number, False), self.put(number, operation))
        if name == "data":
            number = dataset.number(operation["key"])
            return lambda: self.text(number, operation["data"])
        if name == "insert":
            self.target(operation)
            return lambda: self.insert(operation)
        raise ValueError(f"unknown operation {name}")

    def target(self, operation):
        beside = operation.get("before") or operation.get("after")
        if beside:
            self.find(beside)
        else:
            self.sections.add(self.dataset.section_keys.index(operation["section"]))

    def note(self, name, number, **places):
        self.updates.append({"op": name, "key": self.dataset.key(number)} | places)

    def path(self, number):
        section = self.dataset.home(number)
        return [section, self.dataset.sections[section].index(number)]

    def resize(self, number, operation):
        self.dataset.natural[number] = operation["width"], operation["height"]
        self.note("reload", number, after=self.path(number))

    def text(self, number, data):
        self.dataset.texts[number] = data
        self.note("reload", number, after=self.path(number))

    def take(self, number, for_good):
        self.note("delete" if for_good else "move", number, before=self.path(number))
        self.dataset.sections[self.dataset.home(number)].remove(number)
        if for_good:
            self.dataset.gone.add(number)

    def put(self, number, operation):
        dataset = self.dataset
        beside = operation.get("before") or operation.get("after")
        if beside:
            section, index = self.path(dataset.number(beside))
            index += 0 if "before" in operation else 1
        else:
            section = dataset.section_keys.index(operation["section"])
            index = operation.get("index", len(dataset.sections[section]))
        dataset.sections[section].insert(index, number)
        dataset.homes[number] = section
        if self.updates and self.updates[-1]["op"] == "move":
            self.updates[-1]["after"] = [section, index]
        else:
            self.note("insert", number, after=[section, index])

    def insert(self, operation):
        dataset = self.dataset
        for offset, item in enumerate(operation["items"]):
            number = dataset.next
            dataset.next += 1
            dataset.numbers[item["key"]], dataset.keys[number] = number, item["key"]
            dataset.natural[number] = item["width"], item["height"]
            dataset.texts[number] = item.get("data") or {}
            place = dict(operation)
            if "index" in place:
                place["index"] += offset
            elif "after" in place and offset:
                place["after"] = operation["items"][offset - 1]["key"]
            self.put(number, place)

    def context(self, layout, before, end, starts):
        sections, work, nodes = [], 0, 0
        for section in sorted(self.sections):
            old, new = before[section], layout.where(section)
            moved = {n for n in old.keys() | new.keys() if old.get(n) != new.get(n)}
            order = self.dataset.sections[section]
            places = [p for n in moved for p in (old.get(n), new.get(n)) if p]
            if not places:
                continue
            indices = [i for i, n in enumerate(order) if n in moved]
            low = layout.starts[section] + min(p[0] for p in places)
            high = layout.starts[section] + max(p[0] + p[1] for p in places)
            last = len(order) - 1
            sections.append({
                "section": section, "items": [[min(indices), last]] if indices else [],
                "columns": sorted({p[2] for p in places}),
                "interval": [low / UNIT, high / UNIT]})
            work, nodes = work + len(self.operations), nodes + 3
        growth = (layout.end - end) / UNIT
        shift = self.adjustment(layout, before, starts)
        axes = ("width", "height") if layout.horizontal else ("height", "width")
        return {"layout": layout.name, "incarnation": layout.incarnation, "everything": False,
                "recomputedItems": work,
                "recomputedColumns": sum(len(s["columns"]) for s in sections),
                "changedNodes": nodes,
                "contentSizeAdjustment": {axes[0]: growth, axes[1]: 0},
                "contentOffsetAdjustment":
                    {"x": shift, "y": 0} if layout.horizontal else {"x": 0, "y": shift},
                "sections": sections}

    def adjustment(self, layout, before, starts):
        if not self.visible or self.visible[1] != layout.name:
            return 0
        low, _ = layout.interval(self.visible[0])
        section = max(0, bisect.bisect_right(starts, low) - 1)
        if section not in before:
            return (layout.starts[section] - starts[section]) / UNIT
        new = layout.where(section)
        for number, (start, length, _) in before[section].items():
            if starts[section] + start + length > low and number in new:
                return (layout.starts[section] + new[number][0]
                        - starts[section] - start) / UNIT
        return 0


class Problem(Exception):
    def __init__(self, status, detail):
        super().__init__(detail)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.handle_any(b"")

    def do_POST(self):
        self.handle_any(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def handle_any(self, body):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        parts = [urllib.parse.unquote(part) for part in url.path.split("/")[1:]]
        server = self.server
        try:
            if parts[0] == "fake":
                return self.send(server.instruct(query))
            if parts[0] != "v1":
                return self.send_page(parts)
            server.asked.append(self.path)
            time.sleep(server.delay)
            if server.fail:
                raise Problem(503, "told to fail")
            if server.token and self.headers.get("Authorization") != f"Bearer {server.token}":
                raise Problem(401, "a bearer token is needed")
            self.route(parts[1:], query, body)
        except Problem as problem:
            self.send({"type": "about:blank", "title": "Refused", "status": problem.status,
                       "detail": str(problem)}, problem.status, "application/problem+json")
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send(self, value, status=200, kind="application/json", extra=None):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, text in (extra or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def send_page(self, parts):
        file = page_file("/" + "/".join(parts))
        if not file:
            raise Problem(404, "no such page")
        self.send(file.read_bytes(), 200, TYPES[file.suffix] + "; charset=utf-8", {
            "Content-Security-Policy": "default-src 'self'; img-src * data:; style-src 'self'",
            "Cache-Control": "no-cache"})

    def route(self, parts, query, body):
        datasets = self.server.datasets
        if parts == ["datasets"]:
            return self.send({"datasets": [self.described(d) for d in datasets.values()]})
        dataset = datasets.get(parts[1])
        if not dataset:
            raise Problem(404, f"no dataset {parts[1]}")
        rest = parts[2:]
        if rest[:1] == ["events"]:
            return self.events(dataset, query)
        with dataset.lock:
            begun = time.perf_counter()
            answer = self.answer(dataset, rest, query, body)
            took = (time.perf_counter() - begun) * 1000
        self.send(answer, extra={"Server-Timing": f"work;dur={took:.3f}"})

    def described(self, dataset):
        return {"dataset": dataset.name, "revision": dataset.revision,
                "incarnation": dataset.incarnation, "sections": len(dataset.sections),
                "items": dataset.count, "layouts": sorted(dataset.layouts)}

    def layout(self, dataset, name):
        if name not in dataset.layouts:
            raise Problem(404, f"no layout {name}")
        return dataset.layouts[name].prepare()

    def answer(self, dataset, rest, query, body):
        def asked(name, default=None):
            return query.get(name, [default])[0]
        if not rest:
            return self.described(dataset)
        if rest == ["layouts"]:
            return {"dataset": dataset.name, "layouts": [
                {"layout": each.name, "configuration": each.configuration,
                 "preparedRevision": dataset.revision} for each in dataset.layouts.values()]}
        if rest == ["sections"]:
            return self.sections(dataset, asked("layout"), int(asked("from", 0)),
                                 int(asked("count", 1000)))
        if rest == ["batches"]:
            visible = (asked("visible"), asked("layout")) if asked("visible") else None
            try:
                return Batch(dataset, body.decode().splitlines(), visible).run()
            except (KeyError, ValueError) as error:
                raise Problem(409, f"no such key or section: {error}") from None
        if rest == ["undo"]:
            return Undo(dataset, (asked("visible"), asked("layout"))).run()
        if rest[0] == "items":
            return self.item(dataset, rest[1], asked("layout"))
        if rest[0] == "layouts" and rest[2:] == ["elements"]:
            layout = self.layout(dataset, rest[1])
            with_data = asked("data") == "true"
            return self.query(layout, query, with_data)
        raise Problem(404, "no such route")

    def sections(self, dataset, layout, first, count):
        layout = layout and self.layout(dataset, layout)
        rows, item = [], 0
        for index, key in enumerate(dataset.section_keys):
            row = {"section": index, "sectionKey": key, "firstItem": item,
                   "items": len(dataset.sections[index])}
            item += row["items"]
            if layout:
                start, end = layout.span(index)
                row |= {"start": start / UNIT, "length": (end - start) / UNIT}
            rows.append(row)
        return {"dataset": dataset.name, "revision": dataset.revision,
                "sections": rows[first:first + count]}

    def find(self, dataset, key):
        number = dataset.number(key)
        if number is None:
            raise Problem(404, f"no item {key}")
        section = dataset.home(number)
        return number, section, dataset.sections[section].index(number)

    def item(self, dataset, key, layout):
        number, section, item = self.find(dataset, key)
        if not layout:
            width, height = dataset.size_of(number)
            return {"key": key, "section": section, "item": item, "width": width,
                    "height": height, "sectionKey": dataset.section_keys[section]}
        layout = self.layout(dataset, layout)
        cell = layout.cell(section, item, True)
        return cell | {"column": layout.placed[section][1][item], "revision": dataset.revision}

    def query(self, layout, query, with_data):
        rects, limit = query.get("rect"), int(query.get("limit", [5000])[0])
        skipped = 0
        if "after" in query:
            rect, skipped = query["after"][0].split("+")
            rects, skipped = [rect], int(skipped)
        pages = []
        for rect in rects:
            elements = layout.elements(rect, with_data, skipped + limit + 1)
            page = {"elements": elements[skipped:skipped + limit]}
            if len(elements) > skipped + limit:
                page["next"] = f"{rect}+{skipped + limit}"
            pages.append(page)
        if len(pages) == 1:
            return layout.answer(**pages[0])
        answer = layout.answer([]) | {"pages": pages}
        del answer["elements"]
        return answer

    def told(self, commit, layout):
        return commit | {"layouts": [c for c in commit["layouts"] if c["layout"] == layout]}

    def since(self, dataset, since, layout):
        """What has become since a revision: one commit, or everything."""
        news = [commit for commit in dataset.commits if commit["revision"] > since]
        if len(news) == 1:
            return self.told(news[0], layout) | {"since": since}
        updates = {"everything": True} if news else {"sections": [], "items": []}
        return {"dataset": dataset.name, "revision": dataset.revision, "since": since,
                "incarnation": dataset.incarnation, "updates": updates, "layouts": []}

    def events(self, dataset, query):
        since = query.get("since", [None])[0]
        layout = query.get("layout", [None])[0]
        if since:
            return self.send(self.since(dataset, int(since), layout))
        last = self.headers.get("Last-Event-ID")
        with dataset.lock:
            sent = int(last) if last else dataset.revision
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache, no-transform")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.server.streams += 1
        try:
            self.wfile.write(b"retry: 1000\n: hello\n\n")
            while True:
                with dataset.changed:
                    if dataset.revision == sent:
                        dataset.changed.wait(1)
                    news = [c for c in dataset.commits if c["revision"] > sent]
                for commit in news:
                    sent = commit["revision"]
                    data = json.dumps(self.told(commit, layout))
                    self.wfile.write(f"event: commit\nid: {sent}\ndata: {data}\n\n".encode())
                self.wfile.write(b": \n\n")
        finally:
            self.server.streams -= 1


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address, section_count, items_a_section, token=None):
        super().__init__(address, Handler)
        self.asked, self.delay, self.fail, self.streams, self.token = [], 0, False, 0, token
        feed = Dataset("collection", section_count, items_a_section, 1826)
        strip = Dataset("strip", 30, 100, 1990)
        for dataset, name, configuration in [
                (feed, "desktop", setting(1120, 5)), (feed, "phone", setting(390, 2)),
                (strip, "across", setting(640, 3, "horizontal", footer=24)),
                (strip, "across-rtl", setting(640, 3, "horizontal", True)),
                (strip, "down", setting(800, 4, footer=24))]:
            dataset.layouts[name] = Layout(dataset, name, configuration)
        self.datasets = {"collection": feed, "strip": strip}

    def handle_error(self, request, client_address):
        pass  # A tab that has been closed.

    def instruct(self, query):
        self.delay = float(query.get("delay", [self.delay])[0])
        self.fail = query.get("fail", ["1" if self.fail else "0"])[0] == "1"
        self.token = query.get("token", [self.token])[0] or None
        asked = list(self.asked)
        if "clear" in query:
            self.asked.clear()
        return {"asked": asked, "streams": self.streams}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--sections", type=int, default=200)
    parser.add_argument("--items", type=int, default=10000, help="in each section")
    parser.add_argument("--token")
    options = parser.parse_args()
    server = Server(("127.0.0.1", options.port), options.sections, options.items, options.token)
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
