"""openapi.json and the service agree: routes, ranges, and each answer."""

import functools
import json
import os
import re
import unittest

from described import AnswerCase, Description, load
from service import ROOT
from waiting import missing

D, L = "/v1/datasets/art", "/v1/datasets/art/layouts/phone"
CONFIGURATION = {"container": {"width": 390}, "section": {"columns": 2}}


@functools.cache
def routes():
    """Returns the table of Route.swift: method and path to access and query parameters."""
    path = os.path.join(ROOT, "Sources", "LayoutCacheService", "Routes", "Route.swift")
    with open(path, encoding="utf-8") as file:
        text = file.read().split("enum Routes {", 1)[1]
    table = {}
    for entry in re.split(r"\bRoute\(", text)[1:]:
        method, path, access = re.match(r'\s*\.(\w+),\s*"([^"]+)",\s*\.(\w+)', entry).groups()
        lists = re.findall(r"(?:query:|repeated:|union\()\s*\[([^\]]*)\]", entry)
        names = {name for part in lists for name in re.findall(r'\.(\w+)', part)}
        if "ImportOption.allCases" in entry:
            names |= import_options()
        is_geometry = "{layout}/" in path and not path.endswith("/history")
        if "layout" in names or access == "read" and is_geometry:
            names.add("direction")
        table[method.upper(), path] = (access, names)
    return table


def import_options():
    """Returns the names in the table of import options."""
    path = os.path.join(ROOT, "Sources", "TextFormats", "Items", "ImportOptions.swift")
    with open(path, encoding="utf-8") as file:
        cases = file.read().split("enum ImportOption:", 1)[1].split("///", 1)[0]
    return set(re.findall(r"\w+", " ".join(re.findall(r"case (.*)", cases))))


class DocumentTests(unittest.TestCase):
    """Checks that need no service."""

    def setUp(self):
        try:
            from openapi_spec_validator import validate
        except ImportError:
            missing("no validator; run Scripts/setup-service-tests.sh")
        self.validate = validate

    def test_the_document_is_valid(self):
        self.validate(load())

    def test_examples_match_their_schemas(self):
        description = Description()
        for method, path, operation in description.operations():
            for parameter in description.parameters(path, operation):
                if "example" in parameter:
                    errors = description.errors(parameter["schema"], parameter["example"])
                    self.assertEqual(errors, [], f"{method} {path} {parameter['name']}")
            contents = [operation.get("requestBody", {}).get("content", {})]
            contents += [
                description.resolved(said).get("content", {})
                for said in operation["responses"].values()]
            for content in contents:
                for media in content.values():
                    if "example" in media:
                        self.assertEqual(
                            description.errors(media["schema"], media["example"]), [], path)

    def test_routes_match_the_table(self):
        description = Description()
        said = {(method, path) for method, path, _ in description.operations()}
        self.assertEqual(said, set(routes()))

    def test_each_route_has_its_parameters_and_access(self):
        description = Description()
        for method, path, operation in description.operations():
            access, names = routes()[method, path]
            with self.subTest(method=method, path=path):
                parameters = description.parameters(path, operation)
                said = {one["name"] for one in parameters if one["in"] == "query"}
                self.assertEqual(said, names)
                in_path = {one["name"] for one in parameters if one["in"] == "path"}
                self.assertEqual(in_path, set(re.findall(r"\{(\w+)\}", path)))
                self.assertEqual(operation.get("security") == [], access == "open")

    def test_returned_configurations_have_the_allowed_members(self):
        schemas = load()["components"]["schemas"]
        self.assertEqual(
            set(schemas["GivenConfiguration"]["properties"]),
            set(schemas["LayoutConfiguration"]["properties"]))

    def test_the_check_can_fail(self):
        description = Description()

        class Wrong:
            status, body, json = 200, b"{}", {"status": "unwell", "more": 1}

            @staticmethod
            def header(name, default=None):
                return {"content-type": "application/json"}.get(name, default)

        found = description.problems("GET", "/healthz", Wrong)
        self.assertEqual(len(found), 2, found)
        Wrong.status = 418
        self.assertEqual(len(description.problems("GET", "/healthz", Wrong)), 1)


T = "/v1/templates/t"
# Each operation with valid and invalid input: method, target, body, expected answer.
CALLS = [
    ("PUT", "/v1/datasets/new", None, 201),
    ("PUT", "/v1/datasets/new", None, 200),
    ("PUT", "/v1/datasets/a%00b", None, 400),
    ("GET", "/v1/datasets", None, 200),
    ("GET", "/v1/datasets?limit=1", None, 200),
    ("GET", "/v1/datasets?limit=1&after=art", None, 200),
    ("GET", D, None, 200),
    ("GET", "/v1/datasets/none", None, 404),
    ("POST", "/v1/datasets/new/rename?to=renamed", None, 200),
    ("POST", "/v1/datasets/renamed/rename?to=art", None, 409),
    ("POST", "/v1/datasets/renamed/rename", None, 400),
    ("POST", "/v1/datasets/none/rename?to=other", None, 404),
    ("POST", D + "/import?mode=append&id=one", [{"key": "x", "width": 1, "height": 1}], 200),
    ("POST", D + "/import?mode=append&id=one", [{"key": "y", "width": 1, "height": 1}], 409),
    ("POST", D + "/import?mode=append&id=two", [{"key": "x", "width": 1, "height": 1}], 409),
    ("POST", D + "/import?mode=append&id=bad", [{"key": "z", "width": -1, "height": 1}], 422),
    ("POST", D + "/import?mode=append&onDuplicate=update",
     [{"key": "x", "width": 2, "height": 1}], 200),
    ("POST", D + "/import?mode=append&onInvalid=skip",
     [{"key": "q", "width": 0, "height": 1}, {"key": "r", "width": 1, "height": 1}], 200),
    ("POST", D + "/import?mode=append&format=csv&key=id", "id,width,height\nc,1,2\n", 200),
    ("POST", D + "/import?mode=append&format=tsv", "key\twidth\theight\nt\t1\t2\n", 200),
    ("POST", D + "/import", [{"key": "x", "width": 1, "height": 1}], 409),
    ("POST", "/v1/datasets/none/import?mode=append", [{"key": "x", "width": 1, "height": 1}], 404),
    ("GET", D + "/imports/one", None, 200),
    ("GET", D + "/imports/bad", None, 200),
    ("GET", D + "/imports/none", None, 404),
    ("GET", D + "/export", None, 200),
    ("GET", D + "/export?format=csv", None, 200),
    ("GET", "/v1/datasets/none/export", None, 404),
    ("GET", D + "/sections", None, 200),
    ("GET", D + "/sections?layout=phone&from=1&count=1", None, 200),
    ("GET", D + "/sections?limit=1", None, 200),
    ("GET", D + "/sections?after=nowhere", None, 404),
    ("GET", D + "/sections?layout=phone&after=nowhere", None, 404),
    ("GET", D + "/sections?after=main&from=1", None, 400),
    ("GET", D + "/sections?limit=1&count=1", None, 400),
    ("GET", D + "/sections?layout=none", None, 404),
    ("GET", D + "/items/k1?layout=phone", None, 200),
    ("GET", D + "/items/none?layout=phone", None, 404),
    ("GET", D + "/items/k1", None, 200),
    ("GET", D + "/items/none", None, 404),
    ("GET", D + "/items?key=k1&layout=phone", None, 200),
    ("GET", D + "/items?layout=phone", None, 400),
    ("POST", D + "/batches?visible=0,0,390,844&layout=phone",
     [{"op": "resize", "key": "k1", "width": 1, "height": 9}], 200),
    ("POST", D + "/batches", [{"op": "data", "key": "k1", "data": {"title": "Ophelia"}}], 200),
    ("GET", D + "/items/k1?layout=phone", None, 200),
    ("POST", D + "/batches", [{"op": "mark", "source": "orders", "position": "7"},
                              {"op": "resize", "key": "k2", "width": 2, "height": 9}], 200),
    ("POST", D + "/batches", [{"op": "mark", "source": "orders", "position": "7"},
                              {"op": "resize", "key": "k2", "width": 9, "height": 9}], 200),
    ("POST", D + "/batches", [{"op": "delete", "keys": ["none"]}], 409),
    ("POST", D + "/batches", [
        {"op": "upsert", "items": [{"key": 7, "width": 1, "height": 1}], "section": "new"},
        {"op": "delete", "keys": ["none"], "missing": "ignore"}], 200),
    ("POST", D + "/batches", [{"op": "no-such"}], 422),
    ("POST", D + "/batches?expect=1", [{"op": "delete", "keys": ["k9"]}], 412),
    ("POST", D + "/undo?visible=0,0,390,844&layout=phone", None, 200),
    ("POST", D + "/undo", None, 200),
    ("POST", D + "/undo?to=1", None, 200),
    ("POST", D + "/undo?expect=1", None, 412),
    ("DELETE", D + "?expect=1", None, 412),
    ("POST", D + "/rename?to=other&expect=1", None, 412),
    ("POST", "/v1/datasets/none/undo", None, 404),
    ("GET", D + "/log", None, 200),
    ("GET", D + "/log?limit=1", None, 200),
    ("GET", D + "/log?after=2", None, 200),
    ("GET", "/v1/datasets/none/log", None, 404),
    ("POST", "/v1/datasets/none/batches", [{"op": "delete", "keys": ["a"]}], 404),
    ("GET", D + "/events?since=1&wait=1", None, 200),
    ("GET", D + "/events?since=1000&wait=1", None, 400),
    ("GET", D + "/events?wait=1", None, 400),
    ("GET", "/v1/datasets/none/events", None, 404),
    ("GET", D + "/layouts", None, 200),
    ("GET", D + "/layouts?limit=1", None, 200),
    ("PUT", D + "/layouts/wide", json.dumps(CONFIGURATION), 201),
    ("PUT", D + "/layouts/wide", json.dumps(CONFIGURATION), 200),
    ("PUT", D + "/layouts/wide", '{"container": {"width": 390}, "colums": 3}', 422),
    ("PUT", D + "/layouts/wide", "{", 422),
    ("GET", D + "/layouts/wide", None, 200),
    ("PUT", T, json.dumps({"datasets": "a*", "layout": CONFIGURATION}), 201),
    ("PUT", T, json.dumps({"datasets": "a*", "name": "t", "layout": CONFIGURATION}), 200),
    ("PUT", T + "2", json.dumps({"datasets": "a*", "name": "t", "layout": CONFIGURATION}), 409),
    ("PUT", T + "2", json.dumps({"datasets": "a*", "name": "t@3", "layout": CONFIGURATION}), 400),
    ("PUT", T, json.dumps({"datasets": "a*", "layout": {"container": {}}}), 422),
    ("PUT", T, json.dumps({"layout": CONFIGURATION}), 422),
    ("PUT", T, "[]", 422),
    ("GET", T, None, 200),
    ("GET", T + "2", None, 404),
    ("GET", "/v1/templates", None, 200),
    ("GET", "/v1/templates?limit=1", None, 200),
    ("GET", D + "/layouts/t", None, 200),
    ("GET", D + "/layouts/t/elements?rect=0,0,390,9", None, 200),
    ("GET", D + "/layouts/t/history", None, 200),
    ("DELETE", D + "/layouts/t", None, 409),
    ("DELETE", T, None, 204),
    ("DELETE", T, None, 404),
    ("POST", L + "/lengths", '{"lengths": [["k1", 90], ["none", 9]]}', 200),
    ("POST", L + "/lengths", '{"lengths": [["k1", null]]}', 200),
    ("POST", L + "/lengths", '{"lengths": [["k1"]]}', 422),
    ("POST", "/v1/datasets/art/layouts/none/lengths", '{"lengths": []}', 404),
    ("PUT", D + "/views/few", '{"where": "key = k1", "order": [{"by": "title"}]}', 201),
    ("PUT", D + "/views/few", '{"where": "key IN [k1, k2]"}', 200),
    ("PUT", D + "/views/few", '{"where": "key"}', 400),
    ("PUT", D + "/views/few", '{"filter": "key = k1"}', 422),
    ("PUT", "/v1/datasets/none/views/few", "{}", 404),
    ("GET", D + "/views", None, 200),
    ("GET", D + "/views?limit=1&after=a", None, 200),
    ("GET", D + "/views/few", None, 200),
    ("GET", D + "/views/none", None, 404),
    ("GET", L + "/elements?rect=0,0,390,844&view=few", None, 200),
    ("GET", L + "/elements?rect=0,0,390,844&view=none", None, 404),
    ("GET", L + "/elements?rect=0,0,390,844&view=few&where=key=k1", None, 400),
    ("DELETE", D + "/views/few", None, 204),
    ("DELETE", D + "/views/few", None, 404),
    ("GET", D + "/layouts/none", None, 404),
    ("GET", D + "/layouts/wide/history", None, 200),
    ("GET", D + "/layouts/none/history", None, 404),
    ("POST", D + "/layouts/wide/previous", None, 404),
    ("PUT", D + "/layouts/wide", '{"container": {"width": 391}}', 200),
    ("POST", D + "/layouts/wide/previous", None, 200),
    ("POST", D + "/layouts/wide/prepare", None, 200),
    ("POST", D + "/layouts/none/prepare", None, 404),
    ("POST", D + "/layouts/wide/rebalance", None, 200),
    ("POST", D + "/layouts/wide/rebalance?section=none", None, (404, 409)),
    ("GET", L + "/elements?rect=0,0,390,844", None, 200),
    ("POST", L + "/elements?rect=0,0,390,844&visible=0,0,390,844&anchor=end",
     '{"operations": [{"op": "delete", "keys": ["k1"]}]}', 200),
    ("POST", L + "/elements?from=k2&count=1", '{"configuration": {"container": {"width": 50}}}',
     200),
    ("POST", L + "/elements?rect=0,0,390,844", '{"undoTo": 9007199254740991}', 400),
    ("POST", L + "/elements?rect=0,0,390,844", '{"undoTo": 0}', 409),
    ("POST", L + "/elements?rect=0,0,390,844", "{}", 422),
    ("GET", L + "/elements?rect=0,0,390,844&limit=2", None, 200),
    ("GET", L + "/elements?rect=0,0,390,844&rect=0,844,390,844", None, 200),
    ("GET", L + "/elements?rect=0,0,390,844&after=1.2.1", None, 400),
    ("GET", L + "/elements?from=k1&count=1", None, 200),
    ("GET", L + "/elements?from=0.0&count=2&backward=true&data=true", None, 200),
    ("GET", L + "/elements?from=none", None, 404),
    ("GET", L + "/elements?from=a&rect=0,0,1,1", None, 400),
    ("GET", L + "/elements?count=1", None, 400),
    ("GET", L + "/elements?rect=0,0,390,844&at=elsewhere", None, 409),
    ("GET", L + "/elements?" + "&".join(["rect=0,0,1,1"] * 17), None, 413),
    ("GET", L + "/elements", None, 400),
    ("GET", L + "/elements?since=1", None, 200),
    ("GET", L + "/elements?since=2&rect=0,0,390,844", None, 200),
    ("GET", L + "/elements?since=1000", None, 400),
    ("GET", "/v1/datasets/art/layouts/none/elements?rect=0,0,1,1", None, 404),
    ("GET", L + "/elements?rect=0,0,390,844&data=true", None, 200),
    ("GET", L + "/transition?rect=0,0,390,844", None, 200),
    ("GET", L + "/transition?rect=0,0,390,844&finalRect=0,900,390,844&since=2", None, 200),
    ("GET", L + "/transition?rect=0,0,390,844&since=0", None, 200),
    ("GET", L + "/transition?rect=0,0,390,844&to=wide", None, 200),
    ("GET", L + "/transition?rect=0,0,390,844&to=none", None, 404),
    ("GET", L + "/transition?rect=0,0,390,844&since=1000", None, 400),
    ("GET", L + "/transition", None, 400),
    ("GET", L + "/anchor?visible=0,100,390,844&since=2", None, 200),
    ("GET", L + "/anchor?visible=0,100,390,844&to=wide&size=844,390", None, 200),
    ("GET", L + "/anchor?visible=0,900000,390,844", None, 200),
    ("GET", L + "/anchor?visible=0,100,390,844&since=0", None, 200),
    ("GET", L + "/anchor?visible=0,100,390,844&to=none", None, 404),
    ("GET", L + "/anchor?size=844,390", None, 400),
    ("GET", L + "/target-offset?offset=0,130&velocity=-0.5&size=390,600", None, 200),
    ("GET", L + "/target-offset?offset=0,130&from=0,0", None, 200),
    ("GET", L + "/target-offset?offset=0,130&velocity=1,-0.5", None, 200),
    ("GET", L + "/target-offset?offset=0,130&from=0", None, 400),
    ("GET", L + "/target-offset?velocity=1", None, 400),
    ("GET", L + "/target-offset?offset=0,0&velocity=fast", None, 400),
    ("GET", L + "/movement?key=k1&key=k5&point=60,400&rect=0,0,390,844", None, 200),
    ("GET", L + "/movement?key=k1&point=60,60&visible=0,0,390,844", None, 200),
    ("GET", L + "/movement?key=k1&point=60,60&current=0.3", None, 200),
    ("GET", L + "/movement?key=k1&point=60,60&current=0.1000000", None, 400),
    ("GET", L + "/movement?key=k1&point=60,60&current=x", None, 400),
    ("GET", L + "/movement?key=none&point=60,60", None, 404),
    ("GET", L + "/movement?key=k1", None, 400),
    ("GET", D + "/items/k1?layout=phone&anchor=-20.5", None, 200),
    ("GET", D + "/items/k1?anchor=20", None, 400),
    ("GET", D + "/export?preferredLengths=true", None, 200),
    ("GET", D + "/export?preferredLengths=true&format=csv", None, 400),
    ("GET", L + "/hit-test?point=60,60", None, 200),
    ("GET", L + "/hit-test?point=-60,60", None, 200),
    ("GET", L + "/hit-test", None, 400),
    ("GET", L + "/hit-test?point=60,60&at=elsewhere", None, 409),
    ("GET", D + "/items/k1?layout=phone&at=elsewhere", None, 409),
    ("GET", D + "/items/k1?at=elsewhere", None, 400),
    ("GET", D + "/sections?at=elsewhere", None, 400),
    ("GET", L + "/elements?since=1&at=elsewhere", None, 400),
    ("DELETE", D + "/layouts/wide", None, 204),
    ("DELETE", D + "/layouts/wide", None, 404),
    ("DELETE", "/v1/datasets/renamed", None, 204),
    ("DELETE", "/v1/datasets/renamed", None, 404),
    ("GET", "/healthz", None, 200),
    ("GET", "/readyz", None, 200),
    ("GET", "/metrics", None, 200),
    ("GET", "/openapi.json", None, 200),
    ("GET", "/problems", None, 200),
    ("GET", "/", None, 200),
    ("GET", "/client.js", None, 200),
    ("GET", "/client.d.ts", None, (200, 404)),
    ("GET", "/page/none", None, 404),
]


class OperationTests(AnswerCase):
    """The answers of a service, compared with their description."""

    def test_every_operation_answers_as_described(self):
        called = set()
        for method, target, body, status in CALLS:
            with self.subTest(method=method, target=target):
                found = self.call(method, target, body)
                allowed = status if isinstance(status, tuple) else (status,)
                self.assertIn(found.status, allowed, found)
                if found.status < 300 or isinstance(status, tuple) or "/page/" in target:
                    called.add((method, self.description.operation(method, target)[0]))
        said = {(method, path) for method, path, _ in self.description.operations()}
        self.assertEqual(said - called, set(), "operations that no call reaches")

    def test_data_is_included_only_on_request(self):
        data = {"title": "Ophelia \u2740", "more": [1, None, {"a": 0.5}]}
        self.call("POST", D + "/batches", [{"op": "data", "key": "k7", "data": data}])
        target = L + "/elements?rect=0,0,390,100000"
        bare, full = self.call("GET", target), self.call("GET", target + "&data=true")
        self.assertNotEqual(bare.header("etag"), full.header("etag"))
        elements = full.json["elements"]
        found = {one["key"]: one.pop("data") for one in elements if "data" in one}
        self.assertEqual((found, elements), ({"k7": data}, bare.json["elements"]))

    def test_the_document_is_served(self):
        self.assertEqual(self.service.get("/openapi.json").json, load())
