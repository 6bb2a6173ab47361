"""Two services and the command on one file, against a model.

Each step is done by one of the three and checked through the others: revision, sections,
items in order, and what a layout answers. LAYOUTCACHE_SERVICE_LONG=SECONDS takes more steps.
"""

import json
import os
import queue
import threading

from test_events import Stream
from service import NDJSON, Service, ServiceCase, command
from waiting import repeated, seeded

D = "/v1/datasets/art"
LAYOUTS = {
    "phone": {"container": {"width": 390, "height": 844},
              "section": {"columns": 3, "header": 40}},
    "flow": {"container": {"width": 300, "height": 300},
             "section": {"kind": "flow", "itemSize": {"width": 50, "height": 40}}},
    "exact": {"container": {"width": 500, "height": 300}, "scrollDirection": "horizontal",
              "section": {"columns": 2, "assignment": "exact"}}}


class Feed:
    """The expected contents of the dataset: sections of items in order."""

    def __init__(self):
        self.sections, self.revision, self.next = [], 0, 0

    def new_items(self, count):
        """Returns items with unused keys."""
        items = []
        for _ in range(count):
            items.append({"key": f"n{self.next}", "width": 1 + self.next % 7,
                          "height": 1 + self.next % 5})
            self.next += 1
        return items

    def position(self, key):
        for _, items in self.sections:
            for index, item in enumerate(items):
                if item["key"] == key:
                    return items, index
        raise KeyError(key)

    def keys(self):
        return [item["key"] for _, items in self.sections for item in items]

    def section(self, key):
        return next(items for name, items in self.sections if name == key)

    def apply(self, line):
        """Applies one operation of a batch, as documented."""
        kind = line["op"]
        if kind == "insert":
            if "before" in line or "after" in line:
                items, index = self.position(line.get("before") or line.get("after"))
                index += "after" in line
            else:
                items = self.section(line["section"])
                index = line.get("index", len(items))
            items[index:index] = [dict(item) for item in line["items"]]
        elif kind == "delete":
            for key in line["keys"]:
                items, index = self.position(key)
                del items[index]
        elif kind == "move":
            items, index = self.position(line["key"])
            item = items.pop(index)
            if "section" in line:
                items = self.section(line["section"])
                # The index is counted after removal.
                items.insert(line.get("index", len(items)), item)
            else:
                items, index = self.position(line.get("before") or line.get("after"))
                items.insert(index + ("after" in line), item)
        elif kind == "resize":
            items, index = self.position(line["key"])
            items[index].update(width=line["width"], height=line["height"])
        elif kind == "data":
            items, index = self.position(line["key"])
            items[index]["data"] = line["data"]
        elif kind == "insertSection":
            self.sections.insert(line["index"], (line["key"], []))
        elif kind == "deleteSection":
            self.sections = [one for one in self.sections if one[0] != line["key"]]
        elif kind == "moveSection":
            moved = next(one for one in self.sections if one[0] == line["key"])
            self.sections.remove(moved)
            self.sections.insert(line["index"], moved)

    def random_operation(self, chance):
        """Returns a valid operation that changes the feed."""
        keys = self.keys()
        names = [name for name, _ in self.sections]
        kind = chance.choice(
            ("insert", "insert", "insert", "delete", "move", "move", "resize", "data",
             "insertSection", "deleteSection", "moveSection"))
        if not names or (kind == "insertSection" and len(names) < 6):
            return {"op": "insertSection", "key": f"s{self.new_number()}",
                    "index": chance.randint(0, len(names))}
        if kind == "deleteSection" and len(names) > 3 and len(self.section(names[0])) < 20:
            return {"op": "deleteSection", "key": names[0]}
        if kind == "moveSection" and len(names) > 1:
            return {"op": "moveSection", "key": names[-1], "index": 0}
        if kind == "delete" and len(keys) > 10:
            return {"op": "delete", "keys": chance.sample(keys, chance.randint(1, 4))}
        if kind == "move" and len(keys) > 2:
            key, other = chance.sample(keys, 2)
            if chance.random() < 0.5:
                return {"op": "move", "key": key, chance.choice(("before", "after")): other}
            name = chance.choice(names)
            count = sum(item["key"] != key for item in self.section(name))
            return {"op": "move", "key": key, "section": name,
                    "index": chance.randint(0, count)}
        if kind == "resize" and keys:
            return {"op": "resize", "key": chance.choice(keys),
                    "width": chance.randint(1, 9), "height": chance.randint(1, 9)}
        if kind == "data" and keys:
            return {"op": "data", "key": chance.choice(keys),
                    "data": {"title": f"t{self.new_number()}"}}
        items = self.new_items(chance.randint(1, 5))
        if keys and chance.random() < 0.5:
            return {"op": "insert", "items": items,
                    chance.choice(("before", "after")): chance.choice(keys)}
        name = chance.choice(names)
        line = {"op": "insert", "items": items, "section": name}
        if chance.random() < 0.5:
            line["index"] = chance.randint(0, len(self.section(name)))
        return line

    def new_number(self):
        self.next += 1
        return self.next

    def copy(self):
        return json.loads(json.dumps(self.sections))


class TwoServicesTests(ServiceCase):
    starts_own = True

    def setUp(self):
        self.first = self.started()
        self.second = Service(database=self.first.database)
        self.addCleanup(self.second.remove)
        self.services = (self.first, self.second)

    def command(self, *arguments, text=None, status=0):
        """Runs the command on the services' file; returns its JSON output."""
        done = command(*arguments, database=self.first.database, input=text)
        self.assertEqual(done.returncode, status, f"{arguments} {done.stdout} {done.stderr}")
        return done.stdout

    # One after another

    def test_each_process_sees_the_changes_of_the_others(self):
        chance, seed = seeded()
        feed = Feed()
        feed.sections = [("main", feed.new_items(8))]
        found = self.first.ndjson(
            D + "/import", [{**item, "section": "main"} for item in feed.sections[0][1]])
        feed.revision = found.json["revision"]
        for name, configuration in LAYOUTS.items():
            self.assertEqual(self.second.request(
                "PUT", f"{D}/layouts/{name}", json.dumps(configuration)).status, 201)
        streams = [self.followed(service) for service in self.services]
        told, previous = [], None
        for step in repeated(20):
            before, revision = feed.copy(), feed.revision
            actor = chance.choice((self.first, self.second, None))
            done = self.step(chance, feed, actor, previous)
            previous = before if done == "batch" else None
            if feed.revision != revision:
                told.append(feed.revision)
            with self.subTest(seed=seed, step=step, done=done):
                self.check(chance, feed)
        self.assertGreater(len(told), 5)
        # Both services streamed every revision, including those of the other and the command.
        events = []
        for stream in streams:
            found = [stream.get(timeout=10) for _ in told]
            self.assertEqual([number for number, _ in found], told, f"seed {seed}")
            events.append([data["updates"] for _, data in found])
        self.assertEqual(events[0], events[1], f"seed {seed}")
        for service in self.services:
            self.stop_and_verify(service)

    def followed(self, service):
        """Returns the commits of a service's stream: revision and data."""
        stream = Stream(service)
        self.addCleanup(stream.close)
        stream.connection.settimeout(120)
        found = queue.Queue()

        def follow():
            while True:
                try:
                    name, number, data = stream.next()
                except (OSError, EOFError):
                    return
                found.put((number, data))
        threading.Thread(target=follow, daemon=True).start()
        return found

    def step(self, chance, feed, actor, previous):
        """Makes one change by a service, or by the command if `None`."""
        kind = chance.choice(("batch",) * 8 + ("undo", "append", "replace", "stale", "noop"))
        if kind == "undo" and previous is not None:
            if actor:
                found = actor.request("POST", D + "/undo")
                self.assertEqual(found.status, 200, found)
                revision = found.json["revision"]
            else:
                revision = json.loads(self.command("undo", "--json"))["revision"]
            feed.sections = [tuple(one) for one in previous]
            self.assertEqual(revision, feed.revision + 1)
            feed.revision = revision
            return "undo"
        if kind in ("append", "replace"):
            rows = [{**item, "section": chance.choice(("main", "more"))}
                    for item in feed.new_items(6)]
            text = "".join(json.dumps(row) + "\n" for row in rows)
            if actor:
                found = actor.request(
                    "POST", f"{D}/import?mode={kind}", text, {"Content-Type": NDJSON})
                self.assertEqual(found.status, 200, found)
            else:
                self.command("import", "-", "--dataset", "art", "--format", "ndjson",
                             f"--{kind}", text=text)
            if kind == "replace":
                feed.sections = []
            for row in rows:
                if row["section"] not in [name for name, _ in feed.sections]:
                    feed.sections.append((row["section"], []))
                feed.section(row["section"]).append(
                    {name: value for name, value in row.items() if name != "section"})
            feed.revision += 1
            return kind
        if kind == "stale":
            line = json.dumps({"op": "insertSection", "key": "never", "index": 0})
            wrong = feed.revision + chance.choice((-1, 1))
            if actor:
                found = actor.request("POST", D + "/batches", line, {"If-Match": f'"{wrong}"'})
                self.assertEqual((found.status, found.json["revision"]), (412, feed.revision))
            else:
                self.command("update", "-", "--expect", str(wrong), text=line, status=1)
            return kind
        if kind == "noop":
            line = json.dumps({"op": "delete", "keys": ["never"], "missing": "ignore"})
            found = self.update(actor, line, feed.revision)
            self.assertEqual(found["revision"], feed.revision)
            return kind
        lines = []
        before = feed.copy()
        for _ in range(chance.randint(1, 4)):
            lines.append(feed.random_operation(chance))
            feed.apply(lines[-1])
        found = self.update(actor, "".join(json.dumps(line) + "\n" for line in lines),
                            feed.revision if chance.random() < 0.5 else None)
        if found["revision"] == feed.revision:
            # A batch whose operations cancel out is no change.
            self.assertEqual(feed.copy(), before, lines)
            return "nothing"
        self.assertEqual(found["revision"], feed.revision + 1, lines)
        feed.revision += 1
        return "batch"

    def update(self, actor, text, expected):
        if actor:
            headers = {"If-Match": f'"{expected}"'} if expected is not None else {}
            found = actor.request("POST", D + "/batches", text, headers)
            self.assertEqual(found.status, 200, f"{found} {text}")
            return found.json
        options = ["--expect", str(expected)] if expected is not None else []
        return json.loads(self.command("update", "-", "--json", *options, text=text))

    def check(self, chance, feed):
        """Checks that both services, and occasionally the command, agree with the model."""
        items = [{"section": name, **item} for name, found in feed.sections for item in found]
        names = [(name, len(found)) for name, found in feed.sections]
        rows = len(items)
        layout = chance.choice(list(LAYOUTS))
        answers = []
        for service in self.services:
            info = service.get(D).json
            self.assertEqual((info["revision"], info["items"], info["sections"]),
                             (feed.revision, rows, len(names)))
            text = service.get(D + "/export").body.decode()
            found = [json.loads(line) for line in text.splitlines()]
            for one in found:
                self.assertEqual(one.pop("span"), 1)
            self.assertEqual(found, items)
            found = service.get(D + "/sections").json["sections"]
            self.assertEqual([(one["sectionKey"], one["items"]) for one in found], names)
            found = service.get(f"{D}/layouts/{layout}/elements?rect=0,0,100000,100000")
            self.assertEqual(found.header("layoutcache-revision"), str(feed.revision))
            cells = [one["key"] for one in found.json["elements"] if one["category"] == "cell"]
            self.assertEqual(cells, feed.keys())
            answers.append((found.json["elements"], found.json["contentSize"]))
        if chance.random() < 0.3:
            found = json.loads(self.command(
                "query", "--json", "--layout", layout, "--rect", "0,0,100000,100000"))
            self.assertEqual(found["revision"], feed.revision)
            answers.append((found["elements"], found["contentSize"]))
        for one in answers[1:]:
            self.assertEqual(one, answers[0], layout)

    # At the same time

    def test_only_one_change_for_a_revision_is_committed(self):
        self.first.make_feed()
        start = self.first.get(D).json["revision"]
        lock = threading.Lock()
        committed, conflicts, wrong = {}, [0], []

        def change(writer, actor):
            """Commits for the revision read last, a number of times."""
            for count in repeated(20):
                revision = self.first.get(D).json["revision"]
                key = f"w{writer}-{count}"
                line = json.dumps({"op": "insert", "section": "s1",
                                   "items": [{"key": key, "width": 1, "height": 1}]})
                if actor:
                    found = actor.request(
                        "POST", D + "/batches", line, {"If-Match": f'"{revision}"'})
                    status, made = found.status, found.json.get("revision")
                else:
                    done = command("update", "-", "--json", "--expect", str(revision),
                                   database=self.first.database, input=line)
                    status = {0: 200, 1: 412, 75: 503}.get(done.returncode, done.stderr)
                    made = json.loads(done.stdout)["revision"] if status == 200 else None
                with lock:
                    if status == 200:
                        if made in committed or made != revision + 1:
                            wrong.append(f"{key} for {revision} became {made}")
                        committed[made] = key
                    elif status == 412:
                        conflicts[0] += 1
                    elif status != 503:
                        wrong.append(f"{key}: {status}")

        threads = [threading.Thread(target=change, args=one) for one in enumerate(
            (self.first, self.first, self.second, self.second, None))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(wrong, [])
        print(f"        {len(committed)} commits, {conflicts[0]} conflicts", flush=True)
        self.assertGreater(conflicts[0], 0)
        # Every revision was reported to a client.
        final = self.second.get(D).json["revision"]
        self.assertEqual(sorted(committed), list(range(start + 1, final + 1)))
        self.assertEqual([key for key in self.keys("art", self.second) if key[0] == "w"],
                         [committed[revision] for revision in sorted(committed)])

    def test_a_removal_is_seen_by_the_other_service(self):
        self.first.make_feed()
        streams = [Stream(service) for service in self.services]
        for stream in streams:
            self.addCleanup(stream.close)
        self.assertEqual(self.second.request("DELETE", f"{D}/layouts/phone").status, 204)
        self.assertEqual(self.first.get(
            f"{D}/layouts/phone/elements?rect=0,0,9,9").status, 404)
        self.assertEqual(self.second.request("DELETE", D).status, 204)
        for service in self.services:
            self.assertEqual(service.get(D).status, 404)
            self.assertEqual(service.get("/v1/datasets").json["datasets"], [])
        for stream in streams:
            self.assertEqual(stream.next()[0], "gone")
        self.assertIn("revision", self.command("import", os.devnull, "--dataset", "art",
                                               "--format", "ndjson", "--json"))
        self.assertEqual(self.first.get(D).json["items"], 0)
