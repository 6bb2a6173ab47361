"""Answers that say what they should: once, pinned, page by page, with data."""

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

    def test_what_is_exported_can_be_imported(self):
        for form in ("ndjson", "csv"):
            text = self.call("GET", f"{D}/export?format={form}").body.decode()
            copied = self.call("POST", f"/v1/datasets/copy-{form}/import?format={form}", text)
            self.assertEqual(copied.status, 200, copied)
            again = self.call("GET", f"/v1/datasets/copy-{form}/export?format={form}")
            self.assertEqual(again.body.decode(), text)
