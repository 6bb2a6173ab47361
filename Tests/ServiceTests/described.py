"""The description in openapi.json, and checks of answers against it."""

import copy
import json
import os
import re

from service import NDJSON, ROOT, ServiceCase
from waiting import missing

PATH = os.path.join(ROOT, "Sources", "ServicePage", "openapi.json")
METHODS = ("get", "put", "post", "delete")


def load():
    """Returns the whole document."""
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


# Each form of an operation; a feed of the tests accepts most of them.
ITEM = {"key": "new", "width": 1, "height": 2}
OPERATIONS = [
    {"op": "insert", "items": [ITEM], "section": "s1", "index": 0},
    {"op": "insert", "items": [{**ITEM, "span": 2}], "before": "k1"},
    {"op": "insert", "items": [{**ITEM, "span": None}], "after": "k1"},
    {"op": "delete", "keys": ["k1", "k2"]},
    {"op": "move", "key": "k1", "section": "s2", "index": 1},
    {"op": "move", "key": "k1", "after": "k5"},
    {"op": "resize", "key": "k1", "width": 0.5, "height": 1_000_000, "span": 0},
    {"op": "prefer", "layout": "phone", "key": "k1", "length": 211.5},
    {"op": "prefer", "layout": "phone", "key": "k1", "length": None},
    {"op": "prefer", "layout": "phone", "key": "k1", "length": 20, "crossLength": 30.5},
    {"op": "prefer", "layout": "phone", "header": "s1", "length": 52.5},
    {"op": "prefer", "layout": "phone", "footer": "s1", "length": None},
    {"op": "upsert", "items": [ITEM, {**ITEM, "key": "k1"}], "section": "s2"},
    {"op": "upsert", "items": [{**ITEM, "data": None}], "section": "new", "move": True},
    {"op": "delete", "keys": ["k1", "none"], "missing": "ignore"},
    {"op": "deleteSection", "key": "none", "missing": "ignore"},
    {"op": "data", "key": "k1", "data": {"title": "Ophelia", "more": [1, None]}},
    {"op": "data", "key": "k1", "data": None},
    {"op": "prefer", "layout": "phone", "lengths": [["k1", 20], ["k2", None]]},
    {"op": "prefer", "layout": "phone", "lengths": [["none", 20]], "missing": "ignore"},
    {"op": "prefer", "layout": "phone", "everything": None},
    {"op": "match", "sections": [{"key": "s1", "items": [ITEM]}], "missing": "keep"},
    {"op": "mark", "source": "orders", "position": "0/16B3748"},
    {"op": "mark", "source": "orders", "position": "0/16B3749", "after": None},
    {"op": "insert", "items": [{**ITEM, "data": {"title": "é"}}], "section": "s1"},
    {"op": "insertSection", "key": "new", "index": 1},
    {"op": "deleteSection", "key": "s1"},
    {"op": "moveSection", "key": "s1", "index": 0},
    {"op": "invalidate", "layout": "phone", "items": ["k1"], "sections": ["s1"],
     "everything": False},
    {"op": "invalidate", "layout": "phone", "sections": ["s1"], "kinds": []},
]


class Description:
    """The document, and checks of answers against it."""

    def __init__(self):
        # Only these tests need the validation packages.
        import jsonschema

        self.document = load()
        self._validator = jsonschema.Draft202012Validator

    def resolved(self, part):
        while isinstance(part, dict) and "$ref" in part:
            place = self.document
            for step in part["$ref"].removeprefix("#/").split("/"):
                place = place[step]
            part = place
        return part

    def operations(self):
        """Yields each operation: method, path, and description."""
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, item[method]

    def parameters(self, path, operation):
        item = self.document["paths"][path]
        both = item.get("parameters", []) + operation.get("parameters", [])
        return [self.resolved(parameter) for parameter in both]

    def errors(self, schema, value):
        """Returns the schema violations of a value as text; empty if it is valid."""
        whole = {**copy.copy(schema), "components": self.document["components"]}
        return [
            f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
            for error in self._validator(whole).iter_errors(value)]

    def operation(self, method, target):
        """Returns the path and description of a request's operation."""
        target = target.split("?")[0]
        fixed_first = sorted(self.document["paths"], key=lambda path: path.count("{"))
        for path in fixed_first:
            pattern = re.sub(r"\{\w+\}", "[^/]+", path)
            if re.fullmatch(pattern, target):
                return path, self.document["paths"][path].get(method.lower())
        return None, None

    def problems(self, method, target, answer):
        """Returns the differences between an answer and its description."""
        path, operation = self.operation(method, target)
        if operation is None:
            return [f"{method} {target} is not described"]
        said = self.resolved(operation["responses"].get(str(answer.status)))
        if said is None:
            return [f"{method} {path} answers {answer.status}, which is not described"]
        found = []
        for name, header in said.get("headers", {}).items():
            found += self._header_problems(name, self.resolved(header), answer)
        content = said.get("content", {})
        media = (answer.header("content-type") or "").split(";")[0]
        if not content:
            if answer.body:
                found.append(f"{answer.status} has a body")
        elif media not in content:
            found.append(f"{answer.status} is {media or 'of no type'}")
        elif media == "application/json" or media.endswith("+json"):
            found += self.errors(content[media]["schema"], answer.json)
        else:
            answer.body.decode("utf-8")
        return [f"{method} {target} -> {answer.status}: {problem}" for problem in found]

    def _header_problems(self, name, header, answer):
        text = answer.header(name)
        if text is None:
            return [f"{name} is missing"] if header.get("required") else []
        kind = header["schema"].get("type")
        value = int(text) if kind == "integer" and text.isdigit() else text
        return [f"{name}: {error}" for error in self.errors(header["schema"], value)]


def required_description():
    """Returns the description; skips the tests if the validation packages are missing."""
    try:
        return Description()
    except ImportError:
        return missing("no validator; run Scripts/setup-service-tests.sh")


class AnswerCase(ServiceCase):
    """Tests of a service with a feed, and the description of its answers."""

    @classmethod
    def setUpClass(cls):
        cls.description = required_description()
        super().setUpClass()
        cls.service.make_feed()

    def call(self, method, target, body=None, headers=None):
        """Sends a request and checks its answer against the description."""
        headers = dict(headers or {})
        if isinstance(body, list):
            body = "".join(json.dumps(line) + "\n" for line in body)
            headers.setdefault("Content-Type", NDJSON)
        found = self.service.request(method, target, body, headers)
        self.assertEqual(self.description.problems(method, target, found), [], found)
        return found
