"""Two services and the command on one file.

Each step is done by one of the three and checked through the others: revision, sections, items in
order, and the answer of a layout. The library is compared with an oracle elsewhere.
LAYOUTCACHE_SERVICE_LONG=SECONDS takes more steps.
"""

import json
import os
import queue
import threading

from events import Stream
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
    """The contents of the dataset, as a service has them, and changes of it."""

    def __init__(self):
        self.sections, self.revision, self.next = [], 0, 0

    def load(self, service):
        """Reads the sections with their items in order, and the revision."""
        self.revision = service.get(D).json["revision"]
        text = service.get(D + "/export").body.decode()
        items = [json.loads(line) for line in text.splitlines()]
        self.sections = [
            (one["sectionKey"], [item for item in items if item["section"] == one["sectionKey"]])
            for one in service.get(D + "/sections").json["sections"]]

    def new_items(self, count):
        """Returns items with unused keys."""
        items = []
        for _ in range(count):
            items.append({"key": f"n{self.next}", "width": 1 + self.next % 7,
                          "height": 1 + self.next % 5})
            self.next += 1
        return items

    def keys(self):
        return [item["key"] for _, items in self.sections for item in items]

    def section(self, key):
        return next(items for name, items in self.sections if name == key)

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
        self.first.ndjson(
            D + "/import", [{**item, "section": "main"} for item in feed.new_items(8)])
        for name, configuration in LAYOUTS.items():
            self.assertEqual(self.second.request(
                "PUT", f"{D}/layouts/{name}", json.dumps(configuration)).status, 201)
        streams = [self.followed(service) for service in self.services]
        told, previous = [], None
        for step in repeated(20):
            feed.load(self.first)
            before, revision = feed.sections, feed.revision
            actor = chance.choice((self.first, self.second, None))
            done = self.step(chance, feed, actor, previous is not None)
            feed.load(self.first)
            with self.subTest(seed=seed, step=step, done=done):
                if done == "undo":
                    self.assertEqual(feed.sections, previous)
                self.assertEqual(feed.revision > revision, feed.sections != before)
                if feed.revision != revision:
                    self.assertEqual(feed.revision, revision + 1)
                    told.append(feed.revision)
                self.check(chance, feed)
            previous = before if done == "batch" and feed.revision != revision else None
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

    def step(self, chance, feed, actor, may_undo):
        """Makes one change by a service, or by the command if `None`."""
        kind = chance.choice(("batch",) * 8 + ("undo", "append", "replace", "stale", "noop"))
        if kind == "undo" and may_undo:
            if actor:
                self.assertEqual(actor.request("POST", D + "/undo").status, 200)
            else:
                self.command("undo", "--json")
            return kind
        if kind in ("append", "replace"):
            text = "".join(json.dumps({**item, "section": chance.choice(("main", "more"))}) + "\n"
                           for item in feed.new_items(6))
            if actor:
                found = actor.request(
                    "POST", f"{D}/import?mode={kind}", text, {"Content-Type": NDJSON})
                self.assertEqual(found.status, 200, found)
            else:
                self.command("import", "-", "--dataset", "art", "--format", "ndjson",
                             f"--{kind}", text=text)
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
        # The last may remove what the others name.
        lines = [{"op": "insert", "section": chance.choice(feed.sections)[0],
                  "items": feed.new_items(chance.randint(1, 5))}
                 for _ in range(chance.randint(0, 3) if feed.sections else 0)]
        lines.append(feed.random_operation(chance))
        self.update(actor, "".join(json.dumps(line) + "\n" for line in lines),
                    feed.revision if chance.random() < 0.5 else None)
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
        """Checks that both services, and occasionally the command, agree."""
        layout = chance.choice(list(LAYOUTS))
        other = Feed()
        other.load(self.second)
        self.assertEqual((other.sections, other.revision), (feed.sections, feed.revision))
        answers = []
        for service in self.services:
            info = service.get(D).json
            self.assertEqual(
                (info["items"], info["sections"]), (len(feed.keys()), len(feed.sections)))
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
