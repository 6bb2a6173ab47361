"""Queries, pages, datasets, layouts, imports and exports."""

import io
import json
import threading

import layoutcache
from layoutcache import Item, Rect, operations
from support import CONFIGURATION, ROOT, ClientCase, feed


class QueryTests(ClientCase):
    def test_elements_in_a_rectangle_have_typed_members(self):
        name = self.make_feed()
        page = self.client.elements(name, "phone", (0, 0, 390, 200), data=True)
        header, cell = page.elements[:2]
        self.assertEqual((page.dataset, page.layout, page.revision), (name, "phone", 1))
        self.assertEqual(page.content_size.width, 390)
        self.assertEqual(header.kind, "header")
        self.assertEqual(header.frame, Rect(0, 0, 390, 44))
        self.assertEqual(header.z_index, 2147483647)
        self.assertEqual((cell.category, cell.key, cell.section_key), ("cell", "k0", "s0"))
        self.assertEqual(cell.frame, Rect(0, 44, 195, 130))
        self.assertEqual(cell.data, {"number": 0})
        self.assertIsNone(page.next)
        self.assertEqual(len(list(page)), len(page))

    def test_a_preview_equals_the_commit(self):
        name = self.make_feed()
        rect, batch = (0, 0, 390, 600), [operations.delete(["k1"])]
        before = self.client.elements(name, "phone", rect)
        page = self.client.preview(name, "phone", rect, operations=batch, visible=rect, limit=2)
        self.assertEqual((page.revision, page.commit.revision, len(page)), (1, 1, 2))
        rest = self.client.preview(name, "phone", operations=batch, after=page.next, limit=10000)
        self.assertEqual(self.client.elements(name, "phone", rect), before)
        commit = self.client.apply(name, batch, layout="phone")
        self.assertEqual(
            page.elements + rest.elements, self.client.elements(name, "phone", rect).elements)
        self.assertEqual(page.commit.updates, commit.updates)
        self.assertEqual(
            [change.sections for change in page.commit.layouts],
            [change.sections for change in commit.layouts])
        past = self.client.preview(name, "phone", rect, undo_to=1)
        self.assertEqual(past.elements, before.elements)
        self.assertEqual(past.commit.undone.last, 2)
        drafts = [
            self.client.preview(
                name, "phone", start="k2", count=1, direction=direction,
                configuration={"container": {"width": 390}, "section": {"columns": 2}})
            for direction in (None, "rightToLeft")]
        frames = [draft.elements[0].frame for draft in drafts]
        self.assertEqual([frame.width for frame in frames], [195, 195])
        self.assertEqual(sum(frame.x for frame in frames), 195)
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.preview(name, "none", rect)

    def test_several_rectangles_are_of_one_state(self):
        name = self.make_feed()
        first, second = self.client.elements_in_rects(
            name, "phone", [(0, 0, 390, 100), (0, 1000, 390, 100)])
        self.assertEqual(first.incarnation, second.incarnation)
        self.assertNotEqual([e.key for e in first], [e.key for e in second])
        alone = self.client.elements(name, "phone", (0, 1000, 390, 100), as_laid_out=True)
        self.assertEqual([e.key for e in second if e.key], [e.key for e in alone if e.key])

    def test_pages_return_each_item_once_with_its_data(self):
        name = self.make_feed(100)
        first = self.client.elements_from(name, "phone", "k0", 7, data=True)
        pages = list(self.client.pages(first))
        self.assertEqual(len(pages), 15)
        elements = [element for page in pages for element in page]
        self.assertEqual([e.key for e in elements], [f"k{n}" for n in range(100)])
        self.assertEqual([e.data["number"] for e in elements], list(range(100)))
        last = self.client.elements_from(name, "phone", (2, 32), 100, backward=True)
        self.assertEqual([e.key for e in last], [f"k{n}" for n in reversed(range(100))])

    def test_queries_read_the_items_that_match_a_filter_in_another_order(self):
        name = self.make_feed()
        rect, sale = (0, 0, 390, 10**6), {"where": "number >= 50", "order": "-number"}
        keys = [f"k{n}" for n in range(59, 49, -1)]
        for page in (
                self.client.elements(name, "phone", rect, **sale),
                self.client.elements_in_rects(name, "phone", [rect], **sale)[0],
                self.client.elements_from(name, "phone", (0, 0), 60, **sale)):
            self.assertEqual([e.key for e in page if e.key], keys)
        section, = self.client.sections(name, "phone", **sale)
        self.assertEqual((section.section_key, section.items), ("main", 10))
        filtered, = self.client.sections(name, "phone", where=sale["where"])
        self.assertEqual((filtered.section_key, filtered.items), ("s2", 10))
        self.assertEqual(self.client.cell(name, "phone", "k58", **sale).item, 1)
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.cell(name, "phone", "k49", **sale)
        self.assertEqual(self.client.hit_test(name, "phone", (10, 60), **sale).key, "k59")
        for order in (["-number", "name"], "-number,name", ("-number",)):
            first = self.client.elements_from(name, "phone", (0, 0), 1, order=order)
            self.assertEqual([e.key for e in first], ["k59"])
        whole = self.client.elements(name, "phone", rect)
        self.assertEqual(self.client.elements(name, "phone", rect, order=[]), whole)

    def test_measured_lengths_of_missing_items_are_ignored(self):
        name = self.make_feed()
        taken = self.client.measure(name, "phone", {"k1": 211.5, "k2": (99, None), "none": 3, "k3": None})
        self.assertEqual(taken, 3)
        self.assertEqual(self.client.cell(name, "phone", "k1").frame.height, 211.5)

    def test_a_view_is_a_filter_and_an_order_by_name(self):
        name = self.make_feed()
        made = self.client.set_view(name, "sale", where="number >= 50", order="-number,name")
        self.assertEqual(
            (made.view, made.where, made.order), ("sale", "number >= 50", ("-number", "name")))
        self.assertEqual(self.client.view(name, "sale"), made)
        some = self.client.set_view(name, "all", order=["number"])
        self.assertEqual(list(self.client.views(name)), [some, made])
        stated = self.client.elements_from(
            name, "phone", (0, 0), 4, where=made.where, order=made.order)
        first = self.client.elements_from(name, "phone", (0, 0), 4, view="sale")
        self.assertEqual((first, first.etag), (stated, stated.etag))
        pages = self.client.pages(first)
        self.assertEqual([e.key for page in pages for e in page], [f"k{n}" for n in range(59, 49, -1)])
        listed = self.client.set_view(name, "listed", keys=["k7", "none", "k3"])
        self.assertEqual(self.client.view(name, "listed"), listed)
        self.assertEqual((listed.keys, listed.key_count), (("k7", "none", "k3"), None))
        self.assertIn(("listed", None, 3), [
            (view.view, view.keys, view.key_count) for view in self.client.views(name)])
        found = self.client.elements_from(name, "phone", (0, 0), 4, view="listed")
        self.assertEqual([element.key for element in found], ["k7", "k3"])
        self.client.delete_view(name, "sale")
        for call in (lambda: self.client.view(name, "sale"),
                     lambda: self.client.delete_view(name, "sale"),
                     lambda: self.client.elements(name, "phone", (0, 0, 9, 9), view="sale")):
            with self.assertRaises(layoutcache.NotFoundError):
                call()

    def test_pages_of_filtered_items_continue_after_a_change(self):
        name = self.make_feed()
        for order, keys in ((None, range(40, 60)), (["-number"], range(59, 39, -1))):
            with self.subTest(order=order):
                first = self.client.elements_from(
                    name, "phone", (0, 0), 7, data=True, where="number >= 40", order=order)
                self.client.apply(name, operations.data("k3", {"number": 45}))
                pages = list(self.client.pages(first))
                self.assertEqual([len(page) for page in pages][:2], [7, 7])
                numbers = [e.data["number"] for page in pages for e in page if e.key != "k3"]
                self.assertEqual(numbers, list(keys))
                self.client.undo(name)
        with self.assertRaises(layoutcache.ProblemError) as raised:
            self.client.elements_after(name, "phone", first.next)
        self.assertEqual(raised.exception.kind, "bad-request")

    def test_an_empty_rectangle_and_a_point_without_elements(self):
        name = self.make_feed()
        self.assertEqual(list(self.client.elements(name, "phone", (0, 10**9, 10, 10))), [])
        self.assertIsNone(self.client.hit_test(name, "phone", (1e9, 0)))
        hit = self.client.hit_test(name, "phone", (10, 60))
        self.assertEqual((hit.key, hit.column), ("k0", 0))

    def test_positions_are_in_the_direction_of_the_call(self):
        name = self.make_feed()
        rect, mirrored = (0, 44, 195, 130), {"direction": "rightToLeft"}
        page = self.client.elements(name, "phone", rect, **mirrored)
        self.assertEqual([e.key for e in page if e.key], ["k1"])
        same, = self.client.elements_in_rects(name, "phone", [rect], **mirrored)
        self.assertEqual(same.elements, page.elements)
        x = {self.client.cell(name, "phone", "k0", **mirrored).frame.x,
             self.client.elements_from(name, "phone", "k0", 1, **mirrored).elements[0].frame.x,
             self.client.hit_test(name, "phone", (200, 50), **mirrored).frame.x}
        self.assertEqual(x, {195})
        for commit in (
                self.client.apply(name, operations.delete(["k0"]), visible=rect, **mirrored),
                self.client.undo(name, visible=rect, **mirrored)):
            self.assertIsInstance(commit, layoutcache.Commit)
        with self.assertRaisesRegex(layoutcache.ProblemError, "direction"):
            self.client.elements(name, "phone", rect, direction="up")

    def test_an_item_and_its_cell(self):
        name = self.make_feed()
        item = self.client.item(name, "k3")
        self.assertEqual(
            (item.key, item.section_key, item.item, item.width, item.height, item.span),
            ("k3", "s0", 3, 6, 5, 1))
        self.assertEqual(item.data, {"number": 3})
        cell = self.client.cell(name, "phone", "k59", anchor=100)
        self.assertEqual(cell.content_offset.x, 0)
        self.assertFalse(cell.exact)

    def test_a_pinned_query_is_of_its_state_or_a_conflict(self):
        name = self.make_feed()
        page = self.client.elements(name, "phone", (0, 0, 390, 200))
        self.assertEqual(self.client.elements(name, "phone", (0, 0, 390, 200), at=page.etag), page)
        self.client.apply(name, operations.resize("k1", 1, 9))
        with self.assertRaises(layoutcache.ConflictError) as raised:
            self.client.elements(name, "phone", (0, 0, 390, 200), at=page.etag)
        self.assertEqual(raised.exception.kind, "pinned-state-expired")
        self.assertEqual(raised.exception.etag, page.etag.replace(".1.", ".2."))

    def test_sections_are_listed_page_by_page(self):
        name = self.make_feed(60)
        sections = list(self.client.sections(name, "phone", page_size=2))
        self.assertEqual([s.section_key for s in sections], ["s0", "s1", "s2"])
        self.assertEqual([s.first_item for s in sections], [0, 20, 40])
        self.assertEqual(sections[1].start, sections[0].length)
        plain = list(self.client.sections(name, after="s0"))
        self.assertEqual([(s.section_key, s.start) for s in plain], [("s1", None), ("s2", None)])

    def test_names_and_keys_of_any_text(self):
        for name in ("a/b", "..", ".", "ü ?#&%", "a+b", "\u2028"):
            with self.subTest(name=name):
                self.client.create_dataset(name)
                self.client.apply(name, operations.upsert([Item(name, 1, 1)], name))
                self.client.set_layout(name, name, CONFIGURATION)
                self.assertEqual(self.client.dataset(name).layouts, (name,))
                self.assertEqual(self.client.item(name, name).section_key, name)
                self.assertEqual(self.client.cell(name, name, name).key, name)
                page = self.client.elements_from(name, name, name, 1)
                self.assertEqual([e.key for e in page], [name])
                self.assertIn(name, [dataset.dataset for dataset in self.client.datasets()])
                self.client.delete_dataset(name)
                with self.assertRaises(layoutcache.NotFoundError):
                    self.client.dataset(name)

    def test_a_dataset_is_sorted(self):
        self.client.create_dataset("shop", ["-price", "name"], sections="-price")
        items = [Item(str(price), 1, 1, data={"price": price}) for price in (3, 10, 1)]
        self.client.apply("shop", operations.upsert(items))
        keys = [section.section_key for section in self.client.sections("shop")]
        self.assertEqual(keys, ["10", "3", "1"])
        found = self.client.dataset("shop")
        self.assertEqual((found.order, found.sections_by), (("-price", "name"), "-price"))
        with self.assertRaises(layoutcache.RevisionMismatchError):
            self.client.create_dataset("shop", [], expect=1)
        self.assertEqual(self.client.create_dataset("shop", [], expect=2).order, ())
        self.assertIsNone(self.client.dataset("shop").sections_by)
        body = b"key,width,height,t\na,1,1,2024-01-31\nb,1,1,2024-02-01\n"
        self.client.import_file(
            "album", body, format="csv", data=["t"], order=["-t"], sections="-t:month")
        found = self.client.dataset("album")
        self.assertEqual((found.order, found.sections_by, found.sections), (("-t",), "-t:month", 2))

    def test_datasets_and_layouts_are_created_renamed_and_deleted(self):
        self.client.create_dataset("one")
        self.assertEqual(self.client.create_dataset("one").revision, 1)
        with self.assertRaises(layoutcache.RevisionMismatchError):
            self.client.rename_dataset("one", "two", expect=2)
        with self.assertRaises(layoutcache.RevisionMismatchError):
            self.client.delete_dataset("one", expect=0)
        self.assertEqual(self.client.rename_dataset("one", "two", expect=1).dataset, "two")
        layout = self.client.set_layout("two", "phone", CONFIGURATION)
        self.assertEqual(layout.configuration["section"]["columns"], 2)
        self.assertIsNone(layout.prepared_revision)
        prepared = self.client.prepare("two", "phone")
        self.assertEqual((prepared.laid_out, prepared.caught_up), (True, False))
        self.assertEqual(
            (prepared.everything, prepared.reason, prepared.sections), (True, "relaid", ()))
        self.assertEqual(self.client.layout("two", "phone").prepared_revision, 1)
        self.assertEqual([listed.layout for listed in self.client.layouts("two")], ["phone"])
        other = self.client.set_layout("two", "phone", {"container": {"width": 9}})
        restored = self.client.restore_previous_configuration("two", "phone", expect=other.etag)
        self.assertEqual((restored.configuration, restored.etag), (layout.configuration, layout.etag))
        with self.assertRaises(layoutcache.RevisionMismatchError):
            self.client.restore_previous_configuration("two", "phone", expect=other.etag)
        self.assertEqual(
            [entry.configuration for entry in self.client.layout_history("two", "phone")],
            [layout.configuration, other.configuration, layout.configuration])
        self.client.delete_layout("two", "phone")
        self.assertEqual(list(self.client.layouts("two")), [])
        self.client.delete_dataset("two")

    def test_a_template_is_a_layout_of_many_datasets(self):
        name = self.make_feed()
        configuration = {"container": {"width": 300}, "section": {"columns": 1}}
        made = self.client.set_template("t", name[:-1] + "*", configuration, layout="wall")
        self.assertEqual((made.template, made.datasets, made.layout), ("t", name[:-1] + "*", "wall"))
        self.assertEqual(self.client.template("t"), made)
        self.assertEqual(list(self.client.templates()), [made])
        layout = self.client.layout(name, "wall")
        self.assertEqual((layout.template, layout.prepared_revision), ("t", None))
        self.assertEqual(self.client.elements(name, "wall", (0, 0, 1, 1)).content_size.width, 300)
        with self.assertRaises(layoutcache.ConflictError):
            self.client.delete_layout(name, "wall")
        # Set in the dataset, it is the dataset's own.
        own = self.client.set_layout(name, "wall", {"container": {"width": 200}})
        self.assertEqual((own.template, self.client.layout(name, "wall").template), (None, None))
        self.client.delete_layout(name, "wall")
        self.client.delete_template("t")
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.layout(name, "wall")

    def test_a_layout_that_fits_any_width_has_variants(self):
        name = self.make_feed()
        self.client.set_layout(name, "any", {"container": {"widths": {}}, "section": {"columns": 2}})
        page = self.client.elements(name, "any@390.5", (0, 0, 384, 200))
        self.assertEqual((page.layout, page.content_size.width), ("any@384", 384))
        self.assertEqual(self.client.prepare(name, "any@400x900").layout, "any@400")
        layout = self.client.layout(name, "any")
        self.assertEqual([v["layout"] for v in layout.variants], ["any@384", "any@400"])
        self.assertLessEqual(
            layout.variants[0]["secondsSinceUse"], layout.variants[0]["secondsSinceCreation"])
        self.assertIsNone(self.client.layout(name, "phone").variants)
        self.client.apply(name, operations.prefer("any@390", key="k0", length=77))
        self.assertEqual(self.client.cell(name, "any@384", "k0").frame.height, 77)

    def test_problems_are_exceptions_with_their_members(self):
        name = self.make_feed()
        cases = [
            (layoutcache.NotFoundError, "not-found", lambda: self.client.dataset("none")),
            (layoutcache.NotFoundError, "not-found", lambda: self.client.item(name, "none")),
            (layoutcache.NotFoundError, "not-found",
             lambda: self.client.elements(name, "none", (0, 0, 1, 1))),
            (layoutcache.ConflictError, "conflict",
             lambda: self.client.import_items(name, feed(1))),
            (layoutcache.ProblemError, "bad-request",
             lambda: self.client.elements(name, "phone", (0, 0, 1, 1), where="number <")),
            (layoutcache.ProblemError, "bad-request",
             lambda: list(self.client.sections(name, where="number < 1"))),
            (layoutcache.ProblemError, "bad-request",
             lambda: self.client.elements(name, "phone", (0, 0, 1, 1), limit=0)),
            (layoutcache.ProblemError, "invalid-operation",
             lambda: self.client.set_layout(name, "phone", {"columns": 2})),
        ]
        for kind, name_of_problem, call in cases:
            with self.subTest(problem=name_of_problem):
                with self.assertRaises(kind) as raised:
                    call()
                self.assertEqual(raised.exception.kind, name_of_problem)
                self.assertIn(raised.exception.detail, str(raised.exception))

    def test_numbers_that_http_cannot_carry_are_rejected_here(self):
        for rect in ((0, 0, float("nan"), 1), (float("inf"), 0, 1, 1), (0, 0, 10**13, 1), (0, 0, 1)):
            with self.assertRaises(ValueError):
                self.client.elements("any", "phone", rect)
        with self.assertRaises(ValueError):
            self.client.apply("any", operations.resize("a", float("nan"), 1))
        with self.assertRaises(ValueError):
            self.client.dataset("")

    def test_requests_have_the_described_form(self):
        name = self.make_feed()
        proxy, client = self.proxied()
        # Proxies resolve dots in a path, and the description has no exponents.
        with self.assertRaises(layoutcache.NotFoundError):
            client.item("..", ".")
        client.elements(name, "phone", (1e-9, 1e11, 1e11, 1.5), data=True)
        with layoutcache.Client(f"{proxy.url}/below/") as below:
            with self.assertRaises(layoutcache.ProblemError) as raised:
                below.dataset(name)
        self.assertEqual(raised.exception.kind, "route-not-found")
        self.assertNotIsInstance(raised.exception, layoutcache.NotFoundError)
        self.assertEqual([target for _, target, _ in proxy.requests], [
            "/v1/datasets/%2E%2E/items?key=.",
            f"/v1/datasets/{name}/layouts/phone/elements"
            "?rect=0.000000001%2C100000000000%2C100000000000%2C1.5&data=true",
            f"/below/v1/datasets/{name}"])

    def test_addresses_are_checked(self):
        for url in ("localhost:8080", "ftp://host", "http://", "http://h/?a=b", "http://u:p@h"):
            with self.assertRaises(ValueError, msg=url):
                layoutcache.Client(url)
        self.assertEqual(layoutcache.Client("http://h:1/layouts/").url, "http://h:1/layouts")

    def test_threads_share_a_client(self):
        name = self.make_feed()
        expected = self.client.elements(name, "phone", (0, 0, 390, 844))
        wrong = []

        def query():
            for _ in range(20):
                if self.client.elements(name, "phone", (0, 0, 390, 844)) != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=query) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_the_log_lists_commits_newest_first(self):
        name = self.make_feed()
        self.client.apply(name, [operations.resize("k1", 1, 9), operations.mark("orders", "7")])
        newest, imported = self.client.log(name)
        self.assertEqual((newest.kind, newest.mark.position), ("batch", "7"))
        self.assertEqual((imported.kind, imported.revision), ("import", 1))

    def test_other_routes_are_reached_by_path(self):
        name = self.make_feed()
        answer = self.client.request(
            "GET", ("v1", "datasets", name, "layouts", "phone", "anchor"), [("visible", "0,0,9,9")])
        self.assertTrue(answer.body.startswith(b"{"))
        self.assertEqual(answer.headers["content-type"], "application/json")


class ImportTests(ClientCase):
    def test_imported_items_are_exported_equally(self):
        items = feed(5000, sections=7)
        outcome = self.client.import_items("equal", iter(items), id="first")
        self.assertEqual(
            (outcome.imported, outcome.items, outcome.sections, outcome.id),
            (5000, 5000, 7, "first"))
        exported = list(self.client.export_items("equal"))
        self.assertEqual(
            exported, [Item(i.key, i.width, i.height, i.section, 1, i.data) for i in items])

    def test_modes_of_an_import(self):
        self.client.import_items("modes", feed(3, 1))
        self.client.import_items("modes", [Item("x", 1, 1)], mode="append")
        self.assertEqual(self.client.dataset("modes").items, 4)
        outcome = self.client.import_items("modes", feed(2, 1), mode="match")
        self.assertEqual((outcome.deleted, outcome.imported, outcome.items), (2, 0, 2))
        with self.assertRaises(layoutcache.ConflictError):
            self.client.import_items("modes", [], mode="replace")
        self.client.import_items("modes", [], mode="replace", allow_empty=True)
        self.assertEqual(self.client.dataset("modes").items, 0)
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.import_items("none", feed(1), mode="append")

    def test_a_csv_file_with_columns_and_skipped_rows(self):
        text = b"sku,w,h,title\na,4,3,One\nb,0,3,Two\nc,1,1,Three\n"
        outcome = self.client.import_file(
            "csv", io.BytesIO(text), format="csv",
            columns={"key": "sku", "width": "w", "height": "h"}, data=["title"],
            on_invalid="skip")
        self.assertEqual((outcome.imported, outcome.skipped), (2, 1))
        self.assertEqual((outcome.problems[0].line, outcome.problems[0].field), (3, "w"))
        self.assertEqual(self.client.item("csv", "c").data, {"title": "Three"})
        rows = b"".join(self.client.export("csv", format="csv", data=True))
        self.assertIn(b"One", rows)
        with self.assertRaises(layoutcache.ProblemError) as raised:
            self.client.import_file("bad", text, format="csv", columns={"key": "sku"})
        self.assertEqual(raised.exception.kind, "invalid-row")
        with self.assertRaises(TypeError):
            self.client.import_file("bad", io.StringIO("a"))
        with self.assertRaises(ValueError):
            self.client.import_file("bad", b"", format="xlsx")

    def test_a_file_with_the_options_of_its_text(self):
        outcome = self.client.import_file(
            "forms", b"note\na;0,5;1\nb;;\n", format="csv", header=False, skip_lines=1,
            columns={"key": "1", "width": "2", "height": "3"}, decimal="comma", scale=100.0,
            size="320x400")
        self.assertEqual((outcome.imported, outcome.without_size), (2, 1))
        item = self.client.item("forms", "a")
        self.assertEqual((item.width, item.height), (50, 100))
        listed = json.dumps({"page": 1, "items": [{"key": "a", "width": 1, "height": 2}]})
        self.client.import_file("listed", listed.encode(), items="items")
        self.assertEqual(self.client.dataset("listed").items, 1)

    def test_an_exception_of_the_iterable_imports_nothing(self):
        def broken():
            yield from feed(3000)
            raise KeyError("the source failed")

        with self.assertRaises(KeyError):
            self.client.import_items("broken", broken())
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.dataset("broken")

    def test_measured_lengths_are_exported_as_a_batch(self):
        name = self.make_feed()
        self.client.apply(name, operations.prefer_lengths(
            "phone", {"k1": 211.5, "none": 3}, missing="ignore"))
        batch = b"".join(self.client.export(name, preferred_lengths=True))
        measured = [json.loads(line) for line in batch.splitlines()]
        self.assertEqual(measured, [operations.prefer("phone", key="k1", length=211.5)])


class DescriptionTests(ClientCase):
    """The client has every member that the service's description has."""

    # The schema of each class, and its members that only requests have.
    schemas = {
        "BatchItem": layoutcache.Item, "Dataset": layoutcache.Dataset, "Mark": layoutcache.Mark,
        "ElementInDetail": layoutcache.Element, "Elements": layoutcache.Elements,
        "SectionSummary": layoutcache.Section, "ItemDescription": layoutcache.StoredItem,
        "Layout": layoutcache.Layout, "Preparation": layoutcache.Preparation,
        "Commit": layoutcache.Commit, "Changes": layoutcache.Changes,
        "Updates": layoutcache.Updates, "ItemUpdate": layoutcache.ItemUpdate,
        "SectionUpdate": layoutcache.SectionUpdate, "LayoutChange": layoutcache.LayoutChange,
        "LayoutBehind": layoutcache.LaggingLayout, "LogEntry": layoutcache.LogEntry,
        "SectionInvalidation": layoutcache.SectionInvalidation,
        "ImportOutcome": layoutcache.ImportOutcome, "SkippedRow": layoutcache.SkippedRow,
    }
    # Members that have another form.
    implied = {("Elements", "pages"), ("ImportOutcome", "state")}

    # The methods for each route.
    methods = {
        "GET /datasets": ["datasets"],
        "GET /datasets/{dataset}": ["dataset"],
        "PUT /datasets/{dataset}": ["create_dataset"],
        "DELETE /datasets/{dataset}": ["delete_dataset"],
        "POST /datasets/{dataset}/rename": ["rename_dataset"],
        "GET /datasets/{dataset}/views": ["views"],
        "GET /datasets/{dataset}/views/{view}": ["view"],
        "PUT /datasets/{dataset}/views/{view}": ["set_view"],
        "DELETE /datasets/{dataset}/views/{view}": ["delete_view"],
        "GET /templates": ["templates"],
        "GET /templates/{template}": ["template"],
        "PUT /templates/{template}": ["set_template"],
        "DELETE /templates/{template}": ["delete_template"],
        "POST /datasets/{dataset}/import": ["import_items", "import_file"],
        "GET /datasets/{dataset}/imports/{id}": ["import_items"],
        "GET /datasets/{dataset}/export": ["export"],
        "GET /datasets/{dataset}/sections": ["sections"],
        "GET /datasets/{dataset}/items/{key}": ["item", "cell"],
        "GET /datasets/{dataset}/items": ["item", "cell"],
        "POST /datasets/{dataset}/batches": ["apply"],
        "POST /datasets/{dataset}/undo": ["undo"],
        "GET /datasets/{dataset}/log": ["log"],
        "GET /datasets/{dataset}/layouts": ["layouts"],
        "PUT /datasets/{dataset}/layouts/{layout}": ["set_layout"],
        "GET /datasets/{dataset}/layouts/{layout}": ["layout"],
        "DELETE /datasets/{dataset}/layouts/{layout}": ["delete_layout"],
        "GET /datasets/{dataset}/layouts/{layout}/history": ["layout_history"],
        "POST /datasets/{dataset}/layouts/{layout}/previous": ["restore_previous_configuration"],
        "POST /datasets/{dataset}/layouts/{layout}/prepare": ["prepare"],
        "POST /datasets/{dataset}/layouts/{layout}/rebalance": ["rebalance"],
        "POST /datasets/{dataset}/layouts/{layout}/lengths": ["measure"],
        "GET /datasets/{dataset}/layouts/{layout}/elements": [
            "elements", "elements_in_rects", "elements_from", "elements_after", "changes"],
        "POST /datasets/{dataset}/layouts/{layout}/elements": ["preview"],
        "GET /datasets/{dataset}/layouts/{layout}/hit-test": ["hit_test"],
        "GET /datasets/{dataset}/events": ["events", "changes"],
    }
    # For clients that draw; docs/PYTHON.md names them. `at` is the former name of `hit-test`.
    without_method = {
        "transition", "anchor", "target-offset", "movement"}
    # Parameters with another name, and those that the methods send by themselves.
    parameters = {"from": "start", "key": "columns", "width": "columns", "height": "columns",
                  "section": "columns", "span": "columns", "hidden": "columns",
                  "style": "columns", "offset": "offsets"}
    sent = {
        ("GET /datasets", "limit"), ("GET /datasets", "after"),
        ("GET /datasets/{dataset}/layouts", "limit"), ("GET /datasets/{dataset}/layouts", "after"),
        ("GET /templates", "limit"), ("GET /templates", "after"),
        ("GET /datasets/{dataset}/views", "limit"), ("GET /datasets/{dataset}/views", "after"),
        ("GET /datasets/{dataset}/log", "limit"), ("GET /datasets/{dataset}/log", "after"),
        # The list is read from a key on, in pages of a size.
        ("GET /datasets/{dataset}/sections", "from"), ("GET /datasets/{dataset}/sections", "count"),
        ("GET /datasets/{dataset}/sections", "limit"),
        # Without effect: their positions count from the leading edge.
        ("GET /datasets/{dataset}/sections", "direction"),
        ("GET /datasets/{dataset}/events", "direction"),
        # The client's streams have the changes themselves, which those of a view do not.
        ("GET /datasets/{dataset}/events", "where"), ("GET /datasets/{dataset}/events", "order"),
        ("GET /datasets/{dataset}/events", "view"),
    }

    @classmethod
    def setUpClass(cls):
        with open(f"{ROOT}/Sources/ServicePage/openapi.json", encoding="utf-8") as file:
            cls.whole = json.load(file)
            cls.description = cls.whole["components"]["schemas"]

    def test_every_route_has_a_method_with_all_its_parameters(self):
        routes = set()
        for path, item in self.whole["paths"].items():
            for verb in {"get", "put", "post", "delete"} & set(item):
                if not path.startswith("/v1/") or path.rpartition("/")[2] in self.without_method:
                    continue
                route = f"{verb.upper()} {path[3:]}"
                routes.add(route)
                has = set()
                for name in self.methods.get(route, []):
                    code = getattr(layoutcache.Client, name).__code__
                    has |= set(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
                for parameter in item[verb].get("parameters", []):
                    if "$ref" in parameter:
                        parameter = self.whole["components"]["parameters"][
                            parameter["$ref"].rpartition("/")[2]]
                    name = parameter["name"]
                    if parameter["in"] != "query" or (route, name) in self.sent:
                        continue
                    wanted = {self.in_python(name), self.parameters.get(name)}
                    wanted |= {"rects"} if name == "rect" else set()
                    self.assertTrue(wanted & has, f"{route} has no {name}")
        self.assertEqual(routes, set(self.methods))

    @staticmethod
    def in_python(name):
        return "".join(
            f"_{letter.lower()}" if letter.isupper() and not name[at - 1].isdigit()
            else letter.lower() for at, letter in enumerate(name))

    def test_classes_have_all_members_of_the_answers(self):
        for schema, kind in self.schemas.items():
            for member in self.description[schema]["properties"]:
                if (schema, member) not in self.implied:
                    self.assertIn(
                        self.in_python(member), kind.__dataclass_fields__, f"of {schema}")

    def test_every_operation_has_a_function_with_all_its_members(self):
        functions = {
            "prefer": ("prefer", "prefer_layout", "prefer_lengths", "reset_lengths"),
        }
        mapping = self.description["BatchOperation"]["discriminator"]["mapping"]
        self.assertGreater(len(mapping), 10)
        for op, reference in mapping.items():
            members = set(self.description[reference.rpartition("/")[2]]["properties"]) - {"op"}
            has = set()
            for name in functions.get(op, (self.in_python(op),)):
                code = getattr(operations, name).__code__
                has |= set(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount])
            missing = {self.in_python(member) for member in members} - has
            # `reset_lengths` has no argument for its `null`; `prefer_layout` takes the member.
            implied = {"everything", "layout_header", "layout_footer"} if op == "prefer" else set()
            self.assertEqual(missing - implied, set(), op)
