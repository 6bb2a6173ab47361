"""Extreme values in every position of every request: each gets a 4xx or a correct answer.

The positions come from openapi.json, which another test compares with the table of routes: path
parts, queries, headers, members of operations and of configurations. Each gets every extreme
value, and then pairs of positions get pairs of values, in random order until the time is over:
LAYOUTCACHE_SERVICE_LONG=SECONDS tests more of them.
"""

import json
import os
import re
from urllib.parse import quote

from described import OPERATIONS, required_description
from service import NDJSON, ROOT, ServiceCase
from sockets import Pipeline, request
from waiting import repeated, seeded

INTEGERS = [
    "0", "1", "-1", "-0", str(2**31 - 1), str(2**31), str(2**32), str(2**53), str(2**53 + 1),
    str(2**63 - 10_000), str(2**63 - 10_001), str(2**63 - 2), str(2**63 - 1), str(2**63),
    str(-(2**63)), str(-(2**63) - 1), str(2**64 - 1), str(2**64), "9" * 400]
# The numbers of the tests in Swift, and some more.
with open(os.path.join(ROOT, "Tests/TestSupport/Random/Extremes.swift")) as file:
    SHARED = re.findall(r'"([^"]+)"', file.read().partition("let texts")[2])
NUMBERS = [
    *SHARED, "-0.0", "1e12", "1000000000000.015625", "-1e12", str(2**53 / 64),
    "140737488355327.9", "140737488355328", "-140737488355328", "9e16", "1e17", "1e309", "1e99999",
    "nan", "-inf", "Infinity", "0x10", "1_000", "1e", "--1", "+1", ".5", "5.", "1." + "3" * 1000]
TEXTS = ["", " ", "a", "true", "null", "a,b", "é", "\U0001f600", "\u202e", "e\u0301", "..", "%"]
# These are already percent-encoded, or must not be.
RAW = [b"%00", b"a%00b", b"%ff", b"%c3%28", b"%ed%a0%80", b"%", b"%g1", b"%0d%0aX:%20y", b"+"]
LONG = [b"a" * 255, b"a" * 256, b"a" * 4097, b"9" * 20_000]
HUGE = b"a" * (1 << 20)

HEADERS = {
    "If-Match": ['"0"', '"1"', '"9223372036854775807"', '"9223372036854775808"', '"-1"', '""',
                 '"', "*", "**", 'W/"1"', '"1", "2"', "1.0", "", "a" * 5000],
    "If-None-Match": ["*", '""', '"', 'W/', 'W/"', ",", ",,,", '"a' * 300, "é", ""],
    "Last-Event-ID": [*INTEGERS, "1.5", "", "x", "a" * 5000],
    "Idempotency-Key": ["", " ", "a", '"a"', "a" * 255, "a" * 256, "a" * 5000, "é"],
    "Min-Revision": [*INTEGERS, "", "a", "a:1", "a:9223372036854775807", "::", "a" * 5000],
    "Max-Staleness": [*INTEGERS, *NUMBERS, "", "a"],
    "Range": ["bytes=0-0", "bytes=-1", "bytes=9223372036854775807-", "bytes=5-1", "items=0-",
              "bytes=0-0," * 500, ""],
    "Accept": ["*/*", "", ",", "a" * 5000, "*/*;q=1e308", "*/*;q=-1", "application/json;q=nan",
               "application/json;q=9223372036854775808", "text/event-stream;q=0.5,*/*;q=0.1"],
    "Accept-Encoding": ["", "gzip;q=nan", "gzip;q=9223372036854775808", "*;q=0", "identity;q=0"],
    "Authorization": ["", "Bearer", "Bearer ", "Bearer a b", "Basic " + "a" * 5000, "bearer \x7f"],
    "Content-Type": ["", ";", "a" * 5000, "application/x-ndjson;charset=" + "x" * 500, "é"],
    "Content-Encoding": ["gzip", "identity", "br", ""],
    "Expect": ["100-continue", "", "9223372036854775808", "100-continue, 100-continue"],
    "Connection": ["keep-alive, keep-alive", "", "upgrade", "a" * 5000],
    "Upgrade": ["websocket", "h2c", "TLS/1.3", ""],
    "Origin": ["null", "", "http://", "http://127.0.0.1:99999999999999999999", "a" * 5000],
    "X-Forwarded-For": ["::1, " * 500], "Forwarded": ["for=9223372036854775808"],
    "If-Modified-Since": ["Thu, 01 Jan 99999999999999999999 00:00:00 GMT", "0"],
}
# A rejected Expect, a 1xx answer or an upgrade would change how the next answer is read.
ALONE = {"Expect", "Connection", "Upgrade"}

NAMES = {"dataset": "art", "layout": "phone", "key": "k1", "id": "none", "name": "page.js",
         "template": "phone", "view": "few"}
PLAIN = {"rect": "0,0,390,844", "finalRect": "0,0,390,844", "visible": "0,100,390,844",
         "point": "60,60", "offset": "0,100", "size": "390,844", "key": "k1", "to": "wide",
         "since": "1", "wait": "0", "velocity": "0.5", "section": "s1", "anchor": "20"}


def values(schema, name):
    """Returns extreme values for a position, as texts or as already encoded bytes."""
    kind = schema.get("type")
    pattern = schema.get("pattern", "")
    if kind == "array":
        return values(schema["items"], name)
    if kind == "integer":
        bounds = [schema[end] + step for end in ("minimum", "maximum") if end in schema
                  for step in (-1, 0, 1)]
        return [*map(str, bounds), *INTEGERS, "1e3", "1.0", *TEXTS, *RAW, *LONG]
    if kind == "number":
        return [*INTEGERS, *NUMBERS, *TEXTS, *RAW, *LONG]
    if "," in pattern:
        count = pattern.count(",[") + pattern.count(",-") + 1
        found = []
        for value in [*INTEGERS, *NUMBERS]:
            found.append(",".join([value] * count))
            found += [",".join(value if at == place else "1" for at in range(count))
                      for place in range(count)]
        return [*found, ",".join(["1"] * (count + 1)), ",".join(["1"] * (count - 1)),
                "," * (count - 1), *TEXTS, *RAW, *LONG]
    if kind == "boolean":
        return ["TRUE", "1", "0", "yes", *TEXTS, *RAW]
    return [*INTEGERS, *TEXTS, *RAW, *LONG, "9223372036854775807.9223372036854775807", "-1.-1",
            "0.9223372036854775807", "k1", "s1"]


class Case:
    """A request with replaced values in some positions."""

    def __init__(self, method, path, needed, changes, body=None):
        self.method, self.path, self.changes = method, path, changes
        parts = {name: quote(NAMES[name], safe="")
                 for name in re.findall(r"\{(\w+)\}", path)}
        if method == "DELETE" or path.endswith("/rename"):
            # The other requests need the dataset.
            parts["dataset"] = "missing"
        query = {name: quote(value, safe=",") for name, value in needed.items()}
        headers = {}
        for (kind, name), value in changes:
            text = value if isinstance(value, bytes) else quote(value, safe=",")
            text = text.decode("latin-1") if isinstance(text, bytes) else text
            if kind == "path":
                parts[name] = text
            elif kind == "query":
                query[name] = text
            else:
                headers[name] = value
        if method == "POST" and path.endswith("/batches"):
            headers.setdefault("Content-Type", NDJSON)
        self.target = path.format_map(parts)
        if query:
            self.target += "?" + "&".join(f"{name}={value}" for name, value in query.items())
        self.data = request(method, self.target.encode("latin-1"), headers.items(), body)

    def __repr__(self):
        places = "; ".join(f"{kind} {name}={value[:80]!r}" for (kind, name), value in self.changes)
        return f"{self.method} {self.path} with {places}"


class ExtremeTests(ServiceCase):
    @classmethod
    def setUpClass(cls):
        cls.description = required_description()
        super().setUpClass()
        cls.fill(cls.service)

    @staticmethod
    def fill(service):
        service.make_feed()
        found = service.request("PUT", "/v1/datasets/art/layouts/wide", json.dumps(
            {"container": {"width": 844, "height": 390}, "scrollDirection": "horizontal",
             "snap": "page", "section": {"kind": "flow", "itemSize": 40}}))
        assert found.status in (200, 201, 422), found
        if found.status == 422:
            found = service.request("PUT", "/v1/datasets/art/layouts/wide", json.dumps(
                {"container": {"width": 844, "height": 390}, "snap": "page"}))
            assert found.status in (200, 201), found

    def routes(self):
        """Yields each operation with its positions and the query that it needs."""
        for method, path, operation in self.description.operations():
            places = {}
            needed = {}
            for one in self.description.parameters(path, operation):
                where, name = one["in"], one["name"]
                if where == "header":
                    continue
                places[where, name] = values(one["schema"], name)
                if where == "query" and one.get("required"):
                    needed[name] = PLAIN[name]
            if path.endswith("/elements"):
                needed["rect"] = PLAIN["rect"]
            if path.endswith("/events"):
                # Without these the answer never ends.
                needed.update({"since": "0", "wait": "0"})
            if path.endswith("/import"):
                needed.update({"mode": "append", "format": "ndjson"})
            for name, found in HEADERS.items():
                places["header", name] = found
            yield method, path, places, needed

    def body(self, method, path):
        """Returns a body that changes nothing, if the request has one."""
        if method in ("GET", "DELETE") or not path.startswith("/v1/"):
            return None
        if path.endswith("/import"):
            return b'{"key":"k1","width":-1,"height":1}\n'
        if path.endswith("/batches"):
            return b'{"op":"delete","keys":["none"]}\n'
        if path.endswith("/layouts/{layout}"):
            return b'{"container":{"width":390}}'
        if path.endswith("/lengths"):
            return b'{"lengths":[["none",9]]}'
        if path.endswith("/views/{view}"):
            return b'{"where":"key = k1"}'
        if path.endswith("/templates/{template}"):
            return b'{"datasets":"none","layout":{"container":{"width":390}}}'
        return b""

    def singles(self):
        for method, path, places, needed in self.routes():
            for place, found in places.items():
                for value in found:
                    yield Case(method, path, self.with_context(path, place, needed),
                               [(place, value)], self.body(method, path))

    def pairs(self, chance):
        """Yields random pairs of positions of one route with a value each, without end."""
        routes = list(self.routes())
        weights = [len(places) ** 2 for _, _, places, _ in routes]
        while True:
            method, path, places, needed = chance.choices(routes, weights)[0]
            first, second = chance.sample(list(places), 2)
            changes = [(one, chance.choice(places[one])) for one in (first, second)]
            if (("query", "wait"), "59") in changes or (("query", "wait"), "60") in changes:
                # With the dataset's revision in the other position, the request would wait
                # that long.
                continue
            yield Case(method, path, needed, changes, self.body(method, path))

    @staticmethod
    def with_context(path, place, needed):
        """Returns the query for one position: some names require or exclude others."""
        name = place[1]
        if path.endswith("/elements"):
            if name in ("count", "backward"):
                return {"from": "0.0"}
            if name in ("from", "after", "since"):
                return {}
        if path.endswith(("/items", "/items/{key}", "/sections")) and name in (
                "anchor", "at", "offset"):
            return {"layout": "phone"}
        return needed

    def check(self, case, found):
        """Returns the error in an answer; `None` if it is correct."""
        if self.service.process.poll() is not None:
            return f"the service has ended: {self.service.log_text()[-1500:]}"
        if found is None:
            return "the connection ended without an answer"
        if found.status >= 500:
            return f"{found}"
        item = self.description.document["paths"][case.path].get(case.method.lower())
        described = item and str(found.status) in item["responses"]
        if not described and found.status not in (404, 405, 417, 421, 431, 403, 400):
            return f"{found.status} is not described: {found}"
        if found.status >= 400 and found.header("content-type") != "application/problem+json":
            if found.body:
                return f"no problem: {found}"
        return self.bound_problem(case, found)

    def bound_problem(self, case, found):
        """Checks that an integer is accepted only within the bounds of openapi.json."""
        if len(case.changes) != 1:
            return None
        ((where, name), value), = case.changes
        if where != "query" or not isinstance(value, str) or not re.fullmatch(r"-?\d+", value):
            return None
        schema = self.schema(case, name)
        if schema.get("type") != "integer":
            return None
        number = int(value)
        inside = schema["minimum"] <= number <= schema.get("maximum", 2**63 - 1)
        if not inside and found.status != 400:
            return f"outside the bounds, but {found.status}"
        detail = found.json.get("detail", "") if found.status == 400 else ""
        named = "whole number" in detail and f"'{name}'" in detail
        if inside and named:
            return f"inside the bounds, but {detail}"
        if not inside and not named:
            return f"the detail does not say what '{name}' may be: {detail}"
        return None

    def schema(self, case, name):
        operation = self.description.document["paths"][case.path][case.method.lower()]
        for one in self.description.parameters(case.path, operation):
            if one["name"] == name and one["in"] == "query":
                return one["schema"]
        return {}

    def run_cases(self, cases, count):
        """Sends a number of requests, or for LAYOUTCACHE_SERVICE_LONG; returns their number."""
        wrong, done = [], 0
        pipeline = Pipeline(self.service)
        self.addCleanup(pipeline.close)

        def pending():
            for _, case in zip(repeated(count), cases):
                if len(wrong) >= 20:
                    return
                yield case, case.data

        try:
            for case, found in pipeline.run(pending()):
                done += 1
                problem = self.check(case, found)
                if problem:
                    wrong.append(f"{case}: {problem}"[:1500])
                if self.service.process.poll() is not None:
                    break
        except OSError as error:
            wrong.append(f"{error} after {done} requests; {self.service.log_text()[-1500:]}")
        self.assertEqual(wrong, [], "\n".join(wrong))
        return done

    def setUp(self):
        if self.service.process.poll() is not None:
            # An earlier test ended the service.
            type(self).service = self.started()
            self.fill(self.service)
        if self.service.get("/v1/datasets/art/layouts/phone").status != 200:
            self.fill(self.service)

    def test_every_parameter_accepts_or_rejects_every_extreme(self):
        chance, seed = seeded()
        cases = list(self.singles())
        chance.shuffle(cases)
        alone = [case for case in cases if case.changes[0][0][1] in ALONE]
        others = [case for case in cases if case.changes[0][0][1] not in ALONE]
        total = self.run_cases(others, 1000) + self.run_cases(alone, 50)
        print(f"        {total} of {len(cases)} requests", flush=True)
        self.assertGreater(total, 1000, f"seed {seed}")

    def test_pairs_of_parameters_accept_or_reject_extremes(self):
        chance, seed = seeded()
        cases = (case for case in self.pairs(chance)
                 if not any(name in ALONE for (_, name), _ in case.changes))
        total = self.run_cases(cases, 500)
        self.assertGreaterEqual(total, 500, f"seed {seed}")

    def test_bounds_are_stated(self):
        """Without both bounds a number can overflow in a sum."""
        open_ended = []
        for method, path, operation in self.description.operations():
            for one in self.description.parameters(path, operation):
                schema = one["schema"].get("items", one["schema"])
                # Only the sign of a velocity matters.
                if schema.get("type") in ("integer", "number") and one["name"] != "velocity":
                    least = {"minimum", "exclusiveMinimum"} & schema.keys()
                    if not least or "maximum" not in schema:
                        open_ended.append(f"{method} {path} {one['name']}")
        self.assertEqual(open_ended, [])

    def test_a_megabyte_in_any_place_is_rejected(self):
        wrong = []
        for method, path, places, needed in self.routes():
            # One of each kind of position: the others are parsed the same way.
            for place in {kind: (kind, name) for kind, name in places}.values():
                case = Case(method, path, needed, [(place, HUGE)])
                with self.service.connect() as connection:
                    try:
                        connection.sendall(case.data)
                        text = connection.recv(4096)
                    except ConnectionError:
                        # The connection was ended before everything was sent, so the answer
                        # may be lost.
                        text = b""
                if text and text[9:12] not in (b"400", b"413", b"414", b"431"):
                    wrong.append(f"{case}: {text[:100]}")
        self.assertEqual(wrong, [])
        self.assertIsNone(self.service.process.poll(), self.service.log_text()[-1500:])
        self.assertEqual(self.service.get("/healthz").status, 200)

    def test_sections_from_any_index_match_the_list(self):
        everything = self.service.get("/v1/datasets/art/sections").json["sections"]
        self.assertEqual(len(everything), 3)
        schema = self.schema(Case("GET", "/v1/datasets/{dataset}/sections", {}, []), "from")
        for layout in ("", "&layout=phone"):
            whole = self.service.get(f"/v1/datasets/art/sections?{layout[1:]}").json["sections"]
            for first in (0, 1, 2, 3, 4, schema["maximum"], schema["maximum"] + 1, 2**31, 2**53, 2**63 - 10_001, 2**63 - 10_000, 2**63 - 1):
                for count in (1, 2, 3, 10_000):
                    target = f"/v1/datasets/art/sections?from={first}&count={count}{layout}"
                    with self.subTest(target=target):
                        found = self.service.get(target)
                        if first > schema["maximum"]:
                            self.assert_problem(found, 400)
                            continue
                        self.assertEqual(found.status, 200, found)
                        self.assertEqual(found.json["sections"], whole[first:first + count])
                        rest = first + count
                        self.assertEqual(
                            found.json.get("next"), rest if rest < len(whole) else None)

    # Bodies

    def members(self, schema, path=()):
        """Yields each number and text of a schema, as a path of names, and its schema."""
        schema = self.description.resolved(schema)
        for form in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
            yield from self.members(form, path)
        for name, part in schema.get("properties", {}).items():
            if len(path) < 6:
                yield from self.members(part, (*path, name))
        if "items" in schema and len(path) < 6:
            yield from self.members(schema["items"], (*path, 0))
        if path and schema.get("type") not in ("object", "array"):
            yield path, schema

    def literals(self):
        """Returns JSON texts of extreme values."""
        return [*INTEGERS[:-1], *(value for value in NUMBERS if is_json(value)), "null", "true",
                '""', '"\\u0000"', '"\\ud800"', '"' + "a" * 256 + '"', '"' + "a" * 70_000 + '"',
                "[]", "{}", "[" * 100 + "]" * 100, "1" + "0" * 400, '"NaN"',
                '"9223372036854775808"', b'"\xff"', b'"\xed\xa0\x80"']

    def test_operations_with_extreme_members_are_rejected_or_applied(self):
        chance, seed = seeded()
        cases = []
        for form in OPERATIONS:
            for path in paths(form):
                for literal in self.literals():
                    line = replaced(form, path, literal)
                    # Nothing is changed: the second operation can't be applied.
                    data = request(
                        "POST", "/v1/datasets/art/batches", [("Content-Type", NDJSON)],
                        line + b'\n{"op":"delete","keys":["none"]}\n')
                    cases.append((line, data))
        self.run_bodies(cases, chance, seed, (409, 422, 413, 400))

    def test_applied_operations_with_extreme_members_are_correct(self):
        """Accepted operations must leave a dataset that passes verification."""
        chance, seed = seeded()
        service = self.started()
        self.fill(service)
        cases = []
        for form in OPERATIONS:
            for path in paths(form):
                for literal in self.literals():
                    cases.append(replaced(form, path, literal))
        chance.shuffle(cases)
        pipeline = Pipeline(service, window=8)
        self.addCleanup(pipeline.close)
        count = applied = 0

        def pending():
            for _, line in zip(repeated(300), cases):
                yield line, request(
                    "POST", "/v1/datasets/art/batches?layout=phone&visible=0,100,390,844",
                    [("Content-Type", NDJSON)], line + b"\n")
        for line, found in pipeline.run(pending()):
            self.assertIsNotNone(found, f"seed {seed}: {line[:300]} {service.log_text()[-1500:]}")
            self.assertIn(found.status, (200, 400, 409, 413, 422), f"{line[:300]} {found}")
            count += 1
            applied += found.status == 200
        print(f"        {count} batches, {applied} applied", flush=True)
        self.assertGreater(applied, 10)
        for layout in ("phone", "wide"):
            found = service.get(f"/v1/datasets/art/layouts/{layout}/elements?rect=0,0,1e9,1e9")
            self.assertEqual(found.status, 200, f"seed {seed}: {found}")
        self.stop_and_verify(service)

    def test_configurations_with_extreme_members_are_rejected_or_laid_out(self):
        chance, seed = seeded()
        cases = []
        schema = {"$ref": "#/components/schemas/LayoutConfiguration"}
        found = {tuple(path) for path, _ in self.members(schema) if len(path) <= 3}
        self.assertGreater(len(found), 40)
        for path in sorted(found, key=repr):
            if 0 in path:
                # Elements of a list are tested only together with the list.
                continue
            for literal in self.literals():
                configuration = {"container": {"width": 390, "height": 844}}
                place = configuration
                for name in path[:-1]:
                    place = place.setdefault(name, {})
                line = replaced(configuration, path, literal)
                data = request("PUT", "/v1/datasets/art/layouts/tried", [], line)
                data += request("GET", "/v1/datasets/art/layouts/tried/elements?rect=0,0,500,500")
                cases.append((line, data))
        # Each case sets a configuration and then queries the layout.
        chance.shuffle(cases)
        pipeline = Pipeline(self.service, window=16)
        self.addCleanup(pipeline.close)
        count = set_count = 0

        def pending():
            for _, (line, data) in zip(repeated(300), cases):
                first, second = data[:data.index(b"GET /v1/")], data[data.index(b"GET /v1/"):]
                yield ("set", line), first
                yield ("query", line), second
        for (step, line), answer in pipeline.run(pending()):
            self.assertIsNotNone(
                answer, f"seed {seed}: {step} {line[:300]} {self.service.log_text()[-1500:]}")
            allowed = (200, 201, 400, 409, 413, 422) if step == "set" else (200, 404, 409, 413)
            self.assertIn(answer.status, allowed, f"seed {seed}: {step} {line[:300]} {answer}")
            count += 1
            set_count += step == "set" and answer.status < 300
        print(f"        {count} requests, {set_count} configurations set", flush=True)
        self.assertGreater(set_count, 5)

    def test_rows_with_extreme_members_are_rejected_or_imported(self):
        chance, seed = seeded()
        cases = []
        row = {"key": "new", "width": 1, "height": 1, "section": "s1", "span": 1,
               "data": {"a": 1}}
        for path in paths(row):
            for literal in self.literals():
                line = replaced(row, path, literal)
                cases.append((line, request(
                    "POST", "/v1/datasets/art/import?mode=append&id=x&onDuplicate=update",
                    [("Content-Type", NDJSON)], line + b'\n{"key":"k1","width":-1,"height":1}\n')))
        for name in ("width", "height", "span", "key"):
            for value in [*INTEGERS, *NUMBERS, *TEXTS]:
                columns = {"key": "n", "width": "1", "height": "1", "span": "1", name: value}
                text = ("key,width,height,span\n" + ",".join(columns.values())
                        + "\nk1,-1,1,1\n").encode()
                cases.append((text, request(
                    "POST", "/v1/datasets/art/import?mode=append",
                    [("Content-Type", "text/csv")], text)))
        self.run_bodies(cases, chance, seed, (400, 409, 413, 422))

    def run_bodies(self, cases, chance, seed, statuses):
        """Sends bodies that change nothing; each must be rejected as expected."""
        chance.shuffle(cases)
        before = self.service.get("/v1/datasets/art").json
        pipeline = Pipeline(self.service)
        self.addCleanup(pipeline.close)
        count = 0
        for line, found in pipeline.run(one for _, one in zip(repeated(400), cases)):
            self.assertIsNotNone(
                found, f"seed {seed}: {line[:300]} {self.service.log_text()[-1500:]}")
            self.assertIn(found.status, statuses, f"seed {seed}: {line[:300]} {found}")
            self.assert_problem(found, found.status)
            count += 1
        print(f"        {count} of {len(cases)} bodies", flush=True)
        self.assertGreater(count, 300)
        self.assertEqual(self.service.get("/v1/datasets/art").json, before)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return not re.search("[A-Za-df-z]", text.replace("e", ""))


def paths(value, prefix=()):
    """Yields the path of each member of a value, including containers."""
    if prefix:
        yield prefix
    inside = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    for name, part in inside:
        yield from paths(part, (*prefix, name))


MARK = "\u0001here\u0001"


def replaced(value, path, literal):
    """Returns the JSON text of a value with a literal at a path, which may be invalid JSON."""
    whole = json.loads(json.dumps(value))
    place = whole
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = MARK
    literal = literal if isinstance(literal, bytes) else literal.encode()
    return json.dumps(whole).encode().replace(json.dumps(MARK).encode(), literal)
