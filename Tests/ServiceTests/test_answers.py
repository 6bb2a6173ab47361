"""Answers that say what they should: once, pinned, page by page, with data."""

import json
import urllib.parse

from answering import AnswerCase

D, L = "/v1/datasets/art", "/v1/datasets/art/layouts/phone"


class AnswerTests(AnswerCase):
    def test_an_answer_that_the_client_has_is_not_sent_again(self):
        for target in (L + "/elements?rect=0,0,9,9", L + "/at?point=60,60",
                       D + "/items/k2?layout=phone"):
            tag = self.call("GET", target).header("etag")
            for value in (tag, "*", f'"x", {tag}', tag[:-1] + '-gzip"'):
                found = self.call("GET", target, headers={"If-None-Match": value})
                self.assertEqual((found.status, found.body), (304, b""), target)
            found = self.call("GET", target, headers={"If-None-Match": 'W/"other"'})
            self.assertEqual(found.status, 200)

    def test_a_pinned_answer_may_be_kept_and_no_other(self):
        target = L + "/elements?rect=0,0,390,844"
        free = self.call("GET", target)
        self.assertEqual(free.header("cache-control"), "no-cache")
        pin = urllib.parse.quote(free.header("etag"), safe="")
        pinned = self.call("GET", f"{target}&at={pin}")
        self.assertIn("immutable", pinned.header("cache-control"))
        self.assertEqual(pinned.body, free.body)
        self.call("POST", D + "/batches", [{"op": "resize", "key": "k3", "width": 2, "height": 9}])
        gone = self.call("GET", f"{target}&at={pin}")
        self.assertEqual((gone.status, gone.header("cache-control")), (409, "no-store"))
        self.assertEqual(gone.json["etag"], self.call("GET", target).header("etag"))

    def test_a_batch_with_a_key_is_carried_out_once(self):
        line = {"op": "insert", "items": [{"key": "once", "width": 1, "height": 1}],
                "section": "s1"}
        headers = {"Idempotency-Key": "order 7"}
        first = self.call("POST", D + "/batches", [line], headers)
        self.assertEqual((first.status, first.header("idempotency-replayed")), (200, None))
        again = self.call("POST", D + "/batches", [line], headers)
        self.assertEqual((again.status, again.body), (200, first.body))
        self.assertEqual(again.header("idempotency-replayed"), "true")
        # A repeat is recognised before the revision is looked at.
        expecting = {**headers, "If-Match": f'"{first.json["revision"] - 1}"'}
        self.assertEqual(self.call("POST", D + "/batches", [line], expecting).status, 200)
        other = self.call("POST", D + "/batches", [{**line, "section": "s2"}], headers)
        self.assert_problem(other, 422, "reused-key")

    def test_a_batch_for_another_revision_changes_nothing(self):
        line = {"op": "resize", "key": "k5", "width": 1, "height": 1}
        now = self.call("GET", D).json["revision"]
        for value in (f'"{now + 1}"', str(now - 1)):
            found = self.call("POST", D + "/batches", [line], {"If-Match": value})
            self.assert_problem(found, 412, "other-revision")
            self.assertEqual(found.json["revision"], now)
        for value in ("x", '"', 'W/"1"', f'"{now}", "1"', "-1"):
            found = self.call("POST", D + "/batches", [line], {"If-Match": value})
            self.assert_problem(found, 400, "bad-request")
        self.assertEqual(self.call("GET", D).json["revision"], now)
        found = self.call("POST", D + "/batches", [line], {"If-Match": f'"{now}"'})
        self.assertEqual(found.json["revision"], now + 1)

    def test_data_come_with_cells_that_are_asked_for_with_them(self):
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

    def test_paging_gives_everything_once(self):
        target = L + "/elements?rect=0,0,390,100000"
        everything = self.call("GET", target).json["elements"]
        for limit in (1, 7, len(everything), len(everything) + 1):
            pages, after = [], ""
            while True:
                page = self.call("GET", f"{target}&limit={limit}{after}").json
                pages += page["elements"]
                if "next" not in page:
                    break
                self.assertEqual(len(page["elements"]), limit)
                after = "&after=" + page["next"]
            self.assertEqual(pages, everything, limit)

    def test_paging_by_item_gives_every_cell_once(self):
        everything = self.call("GET", L + "/elements?rect=0,0,390,100000").json["elements"]
        keys = [one["key"] for one in everything if one["category"] == "cell"]
        for backward, wanted in ((False, keys), (True, keys[::-1])):
            page = self.call("GET", f"{L}/elements?from={wanted[0]}&count=7"
                                    f"&backward={str(backward).lower()}").json
            found = [one["key"] for one in page["elements"]]
            while "next" in page:
                page = self.call("GET", f"{L}/elements?after={page['next']}").json
                found += [one["key"] for one in page["elements"]]
            self.assertEqual(found, wanted)

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
        # Without an earlier state it is about scrolling, or about nothing.
        still = self.call("GET", f"{L}/transition?{rect}").json
        self.assertEqual((still["appearing"], still["disappearing"]), ([], []))
        scrolled = self.call("GET", f"{L}/transition?{rect}&finalRect=0,700,390,500").json
        self.assertTrue(scrolled["appearing"] and scrolled["disappearing"])
        self.assertNotIn("change", scrolled["appearing"][0])

    def test_a_drag_that_rests_settles(self):
        for x in range(20, 390, 40):
            for y in range(20, 900, 110):
                first = self.call("GET", f"{L}/movement?key=k2&point={x},{y}").json
                section, item = first["targetIndexPath"]
                again = self.call(
                    "GET", f"{L}/movement?key=k2&point={x},{y}&current={section}.{item}").json
                self.assertEqual(again["targetIndexPath"], [section, item], (x, y))
                self.assertEqual(again["operations"], first["operations"], (x, y))

    def test_what_a_drag_comes_to_is_what_its_batch_does(self):
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

    def test_a_reader_keeps_the_place(self):
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

    def test_what_was_measured_is_exported_as_a_batch(self):
        lines = [{"op": "prefer", "layout": "phone", "header": "s1", "length": 51.5},
                 {"op": "prefer", "layout": "phone", "key": "k30", "length": 77.25}]
        self.call("POST", D + "/batches", lines)
        text = self.call("GET", D + "/export?measured=true").body.decode()
        self.assertEqual([json.loads(line) for line in text.splitlines()], lines)
        again = self.call("POST", D + "/batches", text, {"Content-Type": "application/x-ndjson"})
        self.assertEqual(again.json["updates"]["items"], [])

    def test_what_is_exported_can_be_imported(self):
        for form in ("ndjson", "csv"):
            text = self.call("GET", f"{D}/export?format={form}").body.decode()
            copied = self.call("POST", f"/v1/datasets/copy-{form}/import?format={form}", text)
            self.assertEqual(copied.status, 200, copied)
            again = self.call("GET", f"/v1/datasets/copy-{form}/export?format={form}")
            self.assertEqual(again.body.decode(), text)
