"""Ranges, choices and members: the service accepts exactly the values in openapi.json."""

import json
import re
import urllib.parse

from described import OPERATIONS, AnswerCase
from service import NDJSON

D = "/v1/datasets/art"
NAMES = {"dataset": "art", "layout": "phone", "key": "k1", "id": "none", "name": "none",
         "template": "none", "view": "none"}


def values_inside(schema, example):
    """Yields valid values of a query parameter, at the ends of its range."""
    if example is not None:
        yield example
    if "enum" in schema:
        yield from schema["enum"]
    if schema.get("type") == "integer":
        yield from (schema[end] for end in ("minimum", "maximum") if end in schema)


def values_outside(schema):
    """Yields invalid values of a query parameter."""
    if "enum" in schema:
        yield from ("", "no-such", schema["enum"][0].upper())
    elif schema.get("type") == "integer":
        yield from ("", "x", "1.5", "1e1", "9223372036854775808")
        if "minimum" in schema:
            yield schema["minimum"] - 1
        if "maximum" in schema:
            yield schema["maximum"] + 1
    elif "pattern" in schema and "," in schema["pattern"]:
        lists = ("", "1", "1,2,3", "a,b,c,d", "0,0,nan,1", "0,0,inf,1", "0,0,-1,1", "1,2,3,4,5")
        yield from (one for one in lists if not re.fullmatch(schema["pattern"], one))


class QueryTests(AnswerCase):
    """Each parameter of each query."""

    def reading(self):
        """Yields each GET with its path filled in, its parameters, and the required ones."""
        for method, path, operation in self.description.operations():
            if method != "GET":
                continue
            parameters = [
                one for one in self.description.parameters(path, operation)
                if one["in"] == "query"]
            needed = {one["name"]: one["example"] for one in parameters if one.get("required")}
            if path.endswith("/elements"):
                needed["rect"] = "0,0,390,844"
            if path.endswith("/movement"):
                needed["key"] = "k1"
            if path.endswith("/events"):
                # These give an immediate answer instead of an endless stream.
                needed.update({"since": "0", "wait": "0"})
            yield path.format_map(NAMES), parameters, needed

    def get(self, path, query):
        return self.service.get(f"{path}?{urllib.parse.urlencode(query)}")

    def test_unknown_names_are_rejected_everywhere(self):
        for path, _, needed in self.reading():
            with self.subTest(path=path):
                found = self.get(path, {**needed, "no-such": "1"})
                if path.startswith("/v1/"):
                    self.assert_problem(found, 400, "bad-request")
                else:
                    # Pages and probes accept unknown parameters, which others may append.
                    self.assertIn(found.status, (200, 404))

    def test_repeated_names_are_rejected(self):
        for path, parameters, needed in self.reading():
            for one in parameters:
                if one["schema"].get("type") == "array":
                    continue
                with self.subTest(path=path, name=one["name"]):
                    twice = [(one["name"], "1"), (one["name"], "1")]
                    self.assert_problem(
                        self.get(path, [*needed.items(), *twice]), 400, "bad-request")

    def test_values_inside_the_ranges_are_accepted(self):
        count = 0
        for path, parameters, needed in self.reading():
            for one in parameters:
                schema = one["schema"].get("items", one["schema"])
                example = one.get("example")
                example = example[0] if isinstance(example, list) else example
                others = needed
                if path.endswith("/elements") and one["name"] in ("from", "count", "backward"):
                    # A query of consecutive items has no rectangle.
                    others = {"from": "0.0"}
                if ("/items" in path or path.endswith(("/sections", "/events"))) and one[
                        "name"] in ("anchor", "at", "offset", "direction", "where", "order"):
                    others = {**needed, "layout": "phone"}
                if path.endswith("/events") and one["name"] in ("where", "order"):
                    # A view is streamed without an end.
                    continue
                for value in values_inside(schema, example):
                    with self.subTest(path=path, name=one["name"], value=value):
                        found = self.get(path, {**others, one["name"]: value})
                        if path.endswith("/sections") and one["name"] == "after":
                            # Well-formed, but the dataset has no such section.
                            self.assert_problem(found, 404, "not-found")
                        elif one["name"] == "since" and value == schema.get("maximum"):
                            # Within the bounds, but a revision that the dataset has not
                            # reached.
                            self.assert_problem(found, 400, "bad-request")
                            self.assertEqual(found.json["revision"], 1)
                        else:
                            self.assertNotEqual(found.status, 400, found)
                        count += 1
        self.assertGreater(count, 15)

    def test_values_outside_the_ranges_are_rejected(self):
        count = 0
        for path, parameters, needed in self.reading():
            for one in parameters:
                schema = one["schema"].get("items", one["schema"])
                for value in values_outside(schema):
                    with self.subTest(path=path, name=one["name"], value=value):
                        found = self.get(path, {**needed, one["name"]: value})
                        self.assert_problem(found, 400, "bad-request")
                        count += 1
        self.assertGreater(count, 40)

    def test_configurations_are_accepted_exactly_as_described(self):
        schema = {"$ref": "#/components/schemas/LayoutConfiguration"}
        for configuration in configurations(self.description):
            with self.subTest(configuration=configuration):
                errors = self.description.errors(schema, configuration)
                found = self.service.request(
                    "PUT", D + "/layouts/tried", json.dumps(configuration))
                if found.status not in (200, 201):
                    self.assert_problem(found, 422, "invalid-operation")
                self.assertEqual(found.status == 422, bool(errors), (found, errors))

    def test_operations_are_accepted_exactly_as_described(self):
        schema = {"$ref": "#/components/schemas/BatchOperation"}
        for line in operations():
            with self.subTest(line=line):
                errors = list(self.description.errors(schema, line))
                # Only datasets that derive sections take items without a place.
                if line.get("op") in ("insert", "upsert") and not (
                        {"section", "before", "after"} & set(line)):
                    errors.append("no place")
                # The second line can't be applied, so no line changes anything.
                body = json.dumps(line) + '\n{"op":"delete","keys":["none"]}\n'
                found = self.service.request(
                    "POST", D + "/batches", body, {"Content-Type": NDJSON})
                self.assertIn(found.status, (409, 422), found)
                self.assertEqual(found.status == 422, bool(errors), (found, errors))


# For members that not every kind reads: a kind that reads it, and other required members.
READERS = {
    "itemSize": {"kind": "flow"}, "lineLength": {"kind": "flow"},
    "minimumInteritemSpacing": {"kind": "flow"}, "minimumLineSpacing": {"kind": "flow"},
    "lineAlignment": {"kind": "flow"}, "crossAlignment": {"kind": "flow"},
    "rowLength": {"kind": "grid"}, "targetRowLength": {"kind": "justified"},
    "maximumRowLength": {"kind": "justified", "targetRowLength": 0.5},
    "spacing": {"kind": "justified", "targetRowLength": 100},
    "lastRow": {"kind": "justified", "targetRowLength": 100},
    "itemWidth": {"kind": "carousel"}, "scrolling": {"kind": "carousel"},
}
# Members whose large values conflict with others, so that only small ones are tried.
CROSSWISE = {"columns", "columnSpacing", "minimumColumnWidth", "spacing", "inset"}


def configurations(description):
    """Yields configurations that differ from a plain one in one member, in and out of range."""
    members = description.document["components"]["schemas"]["SectionOptions"]["properties"]
    for name, schema in members.items():
        forms = [description.resolved(form) for form in schema.get("oneOf", [schema])]
        values = [[], "no-such", True, {"no-such": 1}]
        for form in forms:
            values += form.get("enum", [])
            if form.get("type") in ("number", "integer"):
                values += [form["minimum"], form["minimum"] - 0.5, form["maximum"] + 1]
                values += [] if name in CROSSWISE else [form["maximum"]]
            if form.get("type") == "integer":
                values += [2.5, 2.0]
        if name == "kind":
            # An unknown kind is rejected, though another service may know it.
            values.remove("no-such")
            values += ["waterfall", "flow", "grid"]
        if name == "options":
            values = []
        for value in values:
            section = {**READERS.get(name, {}), name: value}
            yield {"container": {"width": 1_000_000}, "section": section}
    plain = {"container": {"width": 390, "height": 844}}
    for change in (
            {}, {"container": {}}, {"container": {"width": 0.5}}, 
            {"container": {"width": 1}, "section": {"columns": 1}},
            {"container": {"width": 1_000_001}}, {"container": {"width": 390, "depth": 1}},
            {"container": {"width": "390"}}, {"scrollDirection": "diagonal"},
            {"scrollDirection": "horizontal"}, {"layoutDirection": "rightToLeft"},
            {"sectionSpacing": -1}, {"sectionSpacing": 0.25}, {"snap": "page"}, {"snap": "pages"},
            {"sections": {"s1": {"columns": 5}}}, {"sections": {"s1": {"colums": 5}}},
            {"sections": []}, {"more": 1}, {"effect": {"kind": "scale"}},
            {"effect": {"kind": "scale", "maximumScale": 100}},
            {"effect": {"kind": "scale", "maximumScale": 101}},
            {"effect": {"kind": "scale", "maximumScale": 0}},
            {"effect": {"kind": "rotary", "maximumAngle": 89}},
            {"effect": {"kind": "rotary", "maximumAngle": 90}},
            {"effect": {"kind": "rotary", "maximumScale": 1}},
            {"effect": {"kind": "coverStack"}}, {"effect": {}}, {"effect": {"kind": "none"}}):
        yield {**plain, **change}


def operations():
    """Yields lines: each form, and each with a member omitted, added, or of another type."""
    for form in OPERATIONS:
        yield form
        yield {**form, "no-such": 1}
        for name, value in form.items():
            yield {other: kept for other, kept in form.items() if other != name}
            for wrong in ({}, [1], "", 0.25, True, "x" * 256):
                if type(wrong) is not type(value):
                    yield {**form, name: wrong}
    insert = OPERATIONS[0]
    for change in ({"width": 0}, {"width": -1}, {"height": 1_000_001}, {"key": ""},
                   {"key": "a\u0007"}, {"span": 65_536}, {"span": 1.5}, {"more": 1}):
        yield {**insert, "items": [{**insert["items"][0], **change}]}
    yield {**insert, "before": "k1"}
    yield {"op": "move", "key": "k1", "before": "k3", "index": 1}
    yield {"op": "prefer", "layout": "phone", "key": "k1", "header": "s1", "length": 1}
    yield {"op": "prefer", "layout": "phone", "key": "k1", "length": None, "crossLength": 1}
    yield {"op": "no-such"}
    yield {}
