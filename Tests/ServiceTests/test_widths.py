"""Layouts that fit any width: variants over HTTP."""

import json

from described import AnswerCase

D = "/v1/datasets/art"
ANY = {"container": {"widths": {"step": 8, "keep": 4}},
       "section": {"columns": 2, "columnSpacing": 8},
       "breakpoints": [{"from": 600, "minimumColumnWidth": 180}]}


class WidthTests(AnswerCase):
    """Each test sets the layout again, so that it begins without variants."""

    def setUp(self):
        super().setUp()
        for name in ("any", "fixed"):
            self.call("DELETE", f"{D}/layouts/{name}")
        self.assertEqual(self.put("any", ANY).status, 201)

    def put(self, name, configuration):
        return self.call("PUT", f"{D}/layouts/{name}", json.dumps(configuration),
                         {"Content-Type": "application/json"})

    def elements(self, name, query="rect=0,0,2000,900"):
        return self.call("GET", f"{D}/layouts/{name}/elements?{query}")

    def variants(self):
        return [one["layout"] for one in self.call("GET", f"{D}/layouts/any").json["variants"]]

    def test_every_route_answers_with_the_canonical_name(self):
        for target in ("sections?layout={}", "layouts/{}/anchor?visible=0,0,384,800&since=1",
                       "layouts/{}/transition?rect=0,0,384,800&since=1",
                       "layouts/{}/target-offset?offset=0,10",
                       "layouts/{}/movement?key=k1&point=10,10"):
            found = self.call("GET", f"{D}/" + target.format("any@390"))
            self.assertEqual((found.status, found.json.get("layout")), (200, "any@384"), target)
        prepared = self.call("POST", f"{D}/layouts/any@390.5/prepare")
        self.assertEqual(prepared.json["layout"], "any@384")

    def test_prepare_names_the_sections_of_a_changed_configuration(self):
        configuration = {"container": {"width": 400}, "section": {"columns": 2}}
        self.put("fixed", configuration)
        prepare = f"{D}/layouts/fixed/prepare"
        first = self.call("POST", prepare).json
        self.assertEqual((first["laidOut"], first["everything"]), (True, True))
        section = self.call("GET", f"{D}/sections?layout=fixed&limit=1").json["sections"][0]
        configuration["sections"] = {section["sectionKey"]: {"columns": 3}}
        self.assertNotIn("warnings", self.put("fixed", configuration).json)
        changed = self.call("POST", prepare).json
        self.assertEqual((changed["laidOut"], changed["caughtUp"]), (False, True))
        self.assertEqual((changed["everything"], changed["recomputedItems"]),
                         (False, section["items"]))
        self.assertEqual([(one["section"], one["items"]) for one in changed["sections"]],
                         [(0, [[0, section["items"] - 1]])])
        same = self.call("POST", prepare).json
        self.assertEqual((same["recomputedItems"], same["sections"]), (0, []))

    def test_overrides_without_effect_are_warned_about(self):
        configuration = ANY | {"styles": {"hero": {}}, "sections": {"nowhere": {"columns": 1}}}
        found = self.put("any", configuration)
        self.assertEqual(found.status, 200)
        self.assertEqual(found.json["warnings"],
                         ["the dataset has no section 'nowhere' of 'sections'"])

    def test_the_name_without_a_width_is_rejected(self):
        for target in (f"{D}/layouts/any/elements?rect=0,0,10,10",
                       f"{D}/layouts/any/elements?since=1", f"{D}/items/k1?layout=any",
                       f"{D}/sections?layout=any", f"{D}/events?layout=any",
                       f"{D}/events?layout=any&since=0&wait=0",
                       f"{D}/layouts/any/hit-test?point=1,1"):
            found = self.call("GET", target)
            self.assert_problem(found, 400, "bad-request")
            self.assertIn("NAME@390", found.json["detail"], target)
        found = self.call("POST", f"{D}/batches", [
            {"op": "prefer", "layout": "any", "key": "k1", "length": 50}])
        self.assert_problem(found, 409, "conflict")
        self.assertEqual(found.json["line"], 1)

    def test_a_batch_names_a_variant_by_any_of_its_names(self):
        self.elements("any@400")
        commit = self.call("POST", f"{D}/batches?layout=any@403&visible=0,0,400,400", [
            {"op": "prefer", "layout": "any@401.5", "key": "k1", "length": 50}]).json
        self.assertEqual([one["layout"] for one in commit["layouts"]], ["any@400"])
        item = self.call("GET", f"{D}/items/k1?layout=any@400").json
        self.assertEqual(item["frame"]["height"], 50)
        self.call("POST", f"{D}/batches", [
            {"op": "prefer", "layout": "any@400", "everything": None}])
