"""Two services and the command on one file.

Each step is done by one of the three and checked through the others: revision, sections, items in
order, and the answer of a layout. The library is compared with an oracle elsewhere.
LAYOUTCACHE_SERVICE_LONG=SECONDS takes more steps.
"""

import copy
import json
import os
import queue
import threading

from batch_model import Model
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


def load(service):
    """Returns the contents and the revision of the dataset, as a service has them."""
    items = [json.loads(line)
             for line in service.get(D + "/export").body.decode().splitlines()]
    sections = [
        [one["sectionKey"], [(item["key"], item["width"], item["height"]) for item in items
                             if item["section"] == one["sectionKey"]]]
        for one in service.get(D + "/sections").json["sections"]]
    return sections, service.get(D).json["revision"]


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
        model = Model()
        self.first.ndjson(D + "/import", self.rows(chance, model))
        for name, configuration in LAYOUTS.items():
            self.assertEqual(self.second.request(
                "PUT", f"{D}/layouts/{name}", json.dumps(configuration)).status, 201)
        streams = [self.followed(service) for service in self.services]
        told, previous = [], None
        for step in repeated(20):
            before, revision = load(self.first)
            model.sections = copy.deepcopy(before)
            actor = chance.choice((self.first, self.second, None))
            done = self.step(chance, model, revision, actor, previous is not None)
            after, now = load(self.first)
            with self.subTest(seed=seed, step=step, done=done):
                if done == "undo":
                    self.assertEqual(after, previous)
                if done == "batch":
                    self.assertEqual(after, model.sections)
                # The operations of a batch may undo each other.
                if after != before:
                    self.assertGreater(now, revision)
                elif done in ("stale", "noop"):
                    self.assertEqual(now, revision)
                if now != revision:
                    self.assertEqual(now, revision + 1)
                    told.append(now)
                self.check(chance, after, now)
            previous = before if done == "batch" and now != revision else None
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

    @staticmethod
    def rows(chance, model):
        """Returns rows of new items."""
        return [{"key": key, "width": width, "height": height,
                 "section": chance.choice(("main", "more"))}
                for _ in range(4) for key, width, height in model.new_items(chance)]

    def step(self, chance, model, revision, actor, may_undo):
        """Makes one change by a service, or by the command if `None`."""
        kind = chance.choice(("batch",) * 8 + ("undo", "append", "replace", "stale", "noop"))
        if kind == "undo" and may_undo:
            if actor:
                self.assertEqual(actor.request("POST", D + "/undo").status, 200)
            else:
                self.command("undo", "--json")
            return kind
        if kind in ("append", "replace"):
            text = "".join(json.dumps(row) + "\n" for row in self.rows(chance, model))
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
            wrong = revision + chance.choice((-1, 1))
            if actor:
                found = actor.request("POST", D + "/batches", line, {"If-Match": f'"{wrong}"'})
                self.assertEqual((found.status, found.json["revision"]), (412, revision))
            else:
                self.command("update", "-", "--expect", str(wrong), text=line, status=1)
            return kind
        if kind == "noop":
            line = json.dumps({"op": "delete", "keys": ["never"], "missing": "ignore"})
            self.assertEqual(self.update(actor, line, revision)["revision"], revision)
            return kind
        lines = [model.change(chance) for _ in range(chance.randint(1, 4))]
        self.update(actor, "".join(json.dumps(line) + "\n" for line in lines),
                    revision if chance.random() < 0.5 else None)
        return "batch"

    def update(self, actor, text, expected):
        if actor:
            headers = {"If-Match": f'"{expected}"'} if expected is not None else {}
            found = actor.request("POST", D + "/batches", text, headers)
            self.assertEqual(found.status, 200, f"{found} {text}")
            return found.json
        options = ["--expect", str(expected)] if expected is not None else []
        return json.loads(self.command("update", "-", "--json", *options, text=text))

    def check(self, chance, sections, revision):
        """Checks that both services, and occasionally the command, agree."""
        layout = chance.choice(list(LAYOUTS))
        self.assertEqual(load(self.second), (sections, revision))
        keys = [item[0] for _, items in sections for item in items]
        answers = []
        for service in self.services:
            info = service.get(D).json
            self.assertEqual((info["items"], info["sections"]), (len(keys), len(sections)))
            found = service.get(f"{D}/layouts/{layout}/elements?rect=0,0,100000,100000")
            self.assertEqual(found.header("layoutcache-revision"), str(revision))
            cells = [one["key"] for one in found.json["elements"] if one["category"] == "cell"]
            self.assertEqual(cells, keys)
            answers.append((found.json["elements"], found.json["contentSize"]))
        if chance.random() < 0.3:
            found = json.loads(self.command(
                "query", "--json", "--layout", layout, "--rect", "0,0,100000,100000"))
            self.assertEqual(found["revision"], revision)
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
        self.assertEqual(self.first.get(f"{D}/layouts/phone/elements?rect=0,0,9,9").status, 404)
        self.assertEqual(self.second.request("DELETE", D).status, 204)
        for service in self.services:
            self.assertEqual(service.get(D).status, 404)
            self.assertEqual(service.get("/v1/datasets").json["datasets"], [])
        for stream in streams:
            self.assertEqual(stream.next()[0], "gone")
        self.assertIn("revision", self.command("import", os.devnull, "--dataset", "art",
                                               "--format", "ndjson", "--json"))
        self.assertEqual(self.first.get(D).json["items"], 0)
