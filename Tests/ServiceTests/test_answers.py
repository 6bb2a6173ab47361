"""Consistency of answers: data, transitions, drags, anchors, exports."""

import json

from answering import AnswerCase

D, L = "/v1/datasets/art", "/v1/datasets/art/layouts/phone"


class AnswerTests(AnswerCase):
    def test_data_is_included_only_on_request(self):
        data = {"title": "Ophelia \u2740", "more": [1, None, {"a": 0.5}]}
        made = self.call(
            "POST", "/v1/datasets/art/batches", [{"op": "data", "key": "k7", "data": data}])
        self.assertEqual(made.json["layouts"][0]["recomputedItems"], 0)
        target = L + "/elements?rect=0,0,390,100000"
        bare, full = self.call("GET", target), self.call("GET", target + "&data=true")
        self.assertNotEqual(bare.header("etag"), full.header("etag"))
        cells = {one.get("key"): one for one in full.json["elements"]}
        self.assertEqual(cells["k7"].pop("data"), data)
        self.assertNotIn("data", cells["k8"])
        self.assertEqual(cells, {one.get("key"): one for one in bare.json["elements"]})

    def test_a_transition_leads_from_one_answer_to_the_other(self):
        rect = "rect=0,40,390,500"
        before = self.call("GET", f"{L}/elements?{rect}").json
        self.call("POST", D + "/batches", [
            {"op": "delete", "keys": ["k4"]}, {"op": "resize", "key": "k6", "width": 1, "height": 3},
            {"op": "insert", "items": [{"key": "new", "width": 3, "height": 2}], "before": "k5"}])
        after = self.call("GET", f"{L}/elements?{rect}").json
        found = self.call("GET", f"{L}/transition?{rect}&since={before['revision']}").json
        self.assertEqual((found["revision"], found["everything"]), (after["revision"], False))

        def shown(groups, end):
            return sorted(
                (one[end] for name in groups for one in found[name]), key=lambda one: str(one))

        self.assertEqual(
            shown(["disappearing", "moving"], "initial"), sorted(before["elements"], key=str))
        self.assertEqual(shown(["appearing", "moving"], "final"), sorted(after["elements"], key=str))
        changes = {one["final"].get("key"): one.get("change")
                   for name in ("appearing", "disappearing", "moving") for one in found[name]}
        self.assertEqual(changes.get("new"), "insert")
        # Without an earlier state, a transition shows scrolling or nothing.
        still = self.call("GET", f"{L}/transition?{rect}").json
        self.assertEqual((still["appearing"], still["disappearing"]), ([], []))
        scrolled = self.call("GET", f"{L}/transition?{rect}&finalRect=0,700,390,500").json
        self.assertTrue(scrolled["appearing"] and scrolled["disappearing"])
        self.assertNotIn("change", scrolled["appearing"][0])

    def test_a_resting_drag_converges(self):
        for x in range(20, 390, 40):
            for y in range(20, 900, 110):
                first = self.call("GET", f"{L}/movement?key=k2&point={x},{y}").json
                section, item = first["targetIndexPath"]
                again = self.call(
                    "GET", f"{L}/movement?key=k2&point={x},{y}&current={section}.{item}").json
                self.assertEqual(again["targetIndexPath"], [section, item], (x, y))
                self.assertEqual(again["operations"], first["operations"], (x, y))

    def test_a_drag_has_the_result_of_its_batch(self):
        rect = "0,0,390,1000"
        drag = self.call("GET", f"{L}/movement?key=k2&key=k7&point=200,500&rect={rect}")
        tag = drag.header("etag")
        self.assertEqual(
            self.call("GET", f"{L}/movement?key=k2&key=k7&point=200,500&rect={rect}",
                      headers={"If-None-Match": tag}).status, 304)
        moving = [one["key"] for one in drag.json["moving"]]
        self.assertEqual(moving, ["k2", "k7"])
        for one in drag.json["moving"]:
            frame = one["frame"]
            self.assertAlmostEqual(frame["x"] + frame["width"] / 2, 200, delta=1 / 64)
            self.assertAlmostEqual(frame["y"] + frame["height"] / 2, 500, delta=1 / 64)
        commit = self.call("POST", D + "/batches?layout=phone", drag.json["operations"])
        self.assertEqual(commit.status, 200)
        shown = self.call("GET", f"{L}/elements?rect={rect}").json["elements"]
        others = [one for one in drag.json["elements"] if one.get("key") not in moving]
        self.assertEqual(others, [one for one in shown if one.get("key") not in moving])
        for key, path in zip(moving, drag.json["indexPaths"]):
            item = self.call("GET", f"{D}/items/{key}").json
            self.assertEqual([item["section"], item["item"]], path)
        self.call("POST", D + "/undo")

    def test_the_anchor_keeps_the_reading_position(self):
        visible = "0,600,390,400"
        old = self.call("GET", D).json["revision"]
        self.call("POST", D + "/batches", [
            {"op": "insert", "items": [{"key": f"above{n}", "width": 1, "height": 2}
                                       for n in range(7)], "before": "k0"}])
        kept = self.call("GET", f"{L}/anchor?visible={visible}&since={old}").json
        cell = self.call("GET", f"{D}/items/{kept['key']}?layout=phone").json["frame"]
        was = self.call("GET", f"{L}/transition?rect={visible}&since={old}").json
        first = [one["initial"] for one in was["moving"] + was["disappearing"]
                 if one["initial"].get("key") == kept["key"]][0]["frame"]
        self.assertEqual(cell["y"] - kept["contentOffset"]["y"], first["y"] - 600)
        placed = self.call("GET", f"{D}/items/{kept['key']}?layout=phone&anchor=25").json
        self.assertEqual(placed["contentOffset"]["y"], cell["y"] - 25)
        unknown = self.call("GET", f"{L}/anchor?visible={visible}&since=0").json
        self.assertEqual((unknown["everything"], unknown["contentOffset"]), (True, None))
        self.call("POST", D + "/undo")

    def test_preferred_lengths_are_exported_as_a_batch(self):
        lines = [{"op": "prefer", "layout": "phone", "header": "s1", "length": 51.5},
                 {"op": "prefer", "layout": "phone", "key": "k30", "length": 77.25}]
        self.call("POST", D + "/batches", lines)
        text = self.call("GET", D + "/export?preferredLengths=true").body.decode()
        self.assertEqual([json.loads(line) for line in text.splitlines()], lines)
        again = self.call("POST", D + "/batches", text, {"Content-Type": "application/x-ndjson"})
        self.assertEqual(again.json["updates"]["items"], [])

    def test_exports_can_be_imported(self):
        for form in ("ndjson", "csv"):
            text = self.call("GET", f"{D}/export?format={form}").body.decode()
            copied = self.call("POST", f"/v1/datasets/copy-{form}/import?format={form}", text)
            self.assertEqual(copied.status, 200, copied)
            again = self.call("GET", f"/v1/datasets/copy-{form}/export?format={form}")
            self.assertEqual(again.body.decode(), text)
