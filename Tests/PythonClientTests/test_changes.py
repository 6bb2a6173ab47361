"""Batches, marks, expected revisions, undo, and following commits."""

import layoutcache
from layoutcache import Item, operations
from support import ClientCase


class ChangeTests(ClientCase):
    def keys(self, name):
        found = {}
        for item in self.client.export_items(name):
            found.setdefault(item.section, []).append(item.key)
        return found

    def test_each_operation_is_accepted_and_has_its_effect(self):
        name = self.make_feed(6)
        self.assertEqual(
            self.keys(name), {"s0": ["k0", "k1"], "s1": ["k2", "k3"], "s2": ["k4", "k5"]})
        commit = self.client.apply(name, [
            operations.insert([Item("a", 4, 3, section="ignored")], section="s0", index=1),
            operations.insert([{"key": "b", "width": 1, "height": 1}], before="k3"),
            operations.upsert([Item("c", 1, 1), Item("k0", 9, 9)], "s3"),
            operations.delete(["k1", "none"], missing="ignore"),
            operations.move("k4", after="k2"),
            operations.resize("k5", 2, 2, span=2),
            operations.data("k5", {"title": "Ophelia"}),
            operations.data("k2", None),
            operations.insert_section("s4", 0),
            operations.move_section("s2", 1),
            operations.delete_section("s9", missing="ignore"),
            operations.prefer("phone", key="k2", length=100),
            operations.prefer("phone", header="s0", length=30),
            operations.prefer_lengths("phone", {"k3": 50, "k2": None}),
            operations.invalidate("phone", items=["k0"], sections=["s0"], everything=False),
            operations.mark("orders", "1", after=None),
        ])
        self.assertEqual(commit.revision, 2)
        self.assertEqual(self.keys(name), {
            "s0": ["k0", "a"], "s2": ["k5"], "s1": ["k2", "k4", "b", "k3"], "s3": ["c"]})
        self.assertEqual(
            [section.section_key for section in self.client.sections(name)],
            ["s4", "s2", "s0", "s1", "s3"])
        item = self.client.item(name, "k5")
        self.assertEqual((item.span, item.data), (2, {"title": "Ophelia"}))
        self.assertEqual(self.client.item(name, "k0").width, 9)
        self.assertEqual(self.client.cell(name, "phone", "k3").frame.height, 50)
        self.assertEqual(self.client.marks(name)["orders"].position, "1")
        self.client.apply(name, operations.reset_lengths("phone"))
        self.assertNotEqual(self.client.cell(name, "phone", "k3").frame.height, 50)
        matched = self.client.apply(
            name, operations.match([("s0", [Item("k0", 9, 9), Item("z", 1, 1)])]))
        self.assertEqual(self.keys(name), {"s0": ["k0", "z"]})
        self.assertIn(("insert", "z"), [(u.op, u.key) for u in matched.updates.items])

    def test_elements_of_the_layout_have_no_section_and_are_measured(self):
        name = self.make_feed(6)
        self.client.set_layout(name, "framed", {
            "container": {"width": 100}, "header": {"length": 20, "pins": True},
            "background": {"kind": "page"}, "section": {"columns": 1}})
        page, header = self.client.elements(name, "framed", (0, 0, 100, 9)).elements
        self.assertEqual(
            (page.kind, page.section, header.kind, header.section_key, header.frame.height),
            ("page", None, "layoutHeader", None, 20))
        commit = self.client.apply(
            name, operations.prefer_layout("framed", "layoutHeader", 50), layout="framed")
        change, = commit.layouts
        self.assertEqual(
            (change.supplementary_elements, change.decoration_elements, change.sections),
            (("layoutHeader",), ("page",), ()))
        _, header = self.client.elements(name, "framed", (0, 0, 100, 9)).elements
        self.assertEqual(header.frame.height, 50)
        commit = self.client.apply(
            name, operations.invalidate("framed", kinds=["page"]), layout="framed")
        change, = commit.layouts
        self.assertEqual(
            (change.supplementary_elements, change.decoration_elements, change.sections),
            ((), ("page",), ()))
        self.client.apply(name, operations.prefer_layout("framed", "layoutHeader", None))
        _, header = self.client.elements(name, "framed", (0, 0, 100, 9)).elements
        self.assertEqual(header.frame.height, 20)

    def test_a_commit_has_typed_updates_and_layouts(self):
        name = self.make_feed()
        self.client.elements(name, "phone", (0, 0, 390, 844))
        commit = self.client.apply(
            name, operations.insert([Item("new", 3, 4)], after="k1"), layout="phone",
            visible=(0, 1000, 390, 844))
        update, = commit.updates.items
        self.assertEqual((update.op, update.key, update.after), ("insert", "new", (0, 2)))
        change, = commit.layouts
        self.assertEqual((change.layout, change.everything), ("phone", False))
        self.assertGreater(change.content_size_adjustment.height, 0)
        section, = change.sections
        self.assertEqual(section.items, ((2, 20),))
        self.assertGreater(section.interval[1], section.interval[0])
        self.assertFalse(commit.replayed)

    def test_the_end_stays_in_sight(self):
        name = self.make_feed()
        for anchor, moves in [("end", True), (None, False)]:
            end = self.client.elements(name, "phone", (0, 0, 390, 844)).content_size.height
            last = list(self.client.sections(name))[-1].section_key
            commit = self.client.apply(
                name, operations.insert([Item(f"new {anchor}", 3, 90)], section=last),
                layout="phone", visible=(0, end - 300, 390, 300), anchor=anchor)
            change, = commit.layouts
            grown = change.content_size_adjustment.height
            self.assertGreater(grown, 0)
            self.assertEqual(change.content_offset_adjustment.y, grown if moves else 0)

    def test_an_expected_revision(self):
        name = self.make_feed()
        self.client.apply(name, operations.resize("k1", 1, 9), expect=1)
        with self.assertRaises(layoutcache.RevisionMismatchError) as raised:
            self.client.apply(name, operations.resize("k1", 1, 8), expect=1)
        self.assertEqual((raised.exception.status, raised.exception.revision), (412, 2))
        self.assertEqual(self.client.item(name, "k1").height, 9)

    def test_the_same_key_is_applied_once_and_another_batch_is_rejected(self):
        name = self.make_feed()
        batch = operations.insert([Item("new", 1, 1)], after="k1")
        first = self.client.apply(name, batch, idempotency_key="order-991")
        second = self.client.apply(name, batch, idempotency_key="order-991")
        self.assertEqual(first, second)
        self.assertTrue(second.replayed and not first.replayed)
        with self.assertRaises(layoutcache.ProblemError) as raised:
            self.client.apply(name, operations.delete(["new"]), idempotency_key="order-991")
        self.assertEqual(raised.exception.kind, "idempotency-key-reused")
        # Each call without a key has a new one.
        with self.assertRaises(layoutcache.ConflictError):
            self.client.apply(name, batch)

    def test_a_mark_is_applied_once_and_compared(self):
        name = self.make_feed()
        batch = [operations.mark("orders", "1"), operations.resize("k1", 1, 9)]
        first = self.client.apply(name, batch)
        second = self.client.apply(name, batch)
        self.assertEqual((second.repeated, second.revision, second.updates), (True, 2, None))
        self.assertFalse(first.repeated)
        self.client.apply(name, [
            operations.mark("orders", "2", after="1"), operations.resize("k1", 1, 8)])
        with self.assertRaises(layoutcache.ConflictError):
            self.client.apply(name, [
                operations.mark("orders", "3", after=None), operations.resize("k1", 1, 7)])
        mark, = self.client.marks(name).values()
        self.assertEqual((mark.source, mark.position, mark.revision), ("orders", "2", 3))

    def test_undo_and_redo(self):
        name = self.make_feed()
        commit = self.client.apply(name, operations.delete(["k1"]))
        undone = self.client.undo(name, expect=commit.revision)
        self.assertEqual(undone.revision, 3)
        self.assertEqual(self.client.item(name, "k1").item, 1)
        with self.assertRaises(layoutcache.RevisionMismatchError):
            self.client.undo(name, expect=commit.revision)
        self.client.undo(name)
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.item(name, "k1")
        back = self.client.undo(name, to=1, expect=4).undone
        self.assertEqual((back.first, back.last), (2, 4))
        self.assertEqual(self.client.item(name, "k1").item, 1)

    def test_an_invalid_operation_names_its_line_and_changes_nothing(self):
        name = self.make_feed()
        with self.assertRaises(layoutcache.ProblemError) as raised:
            self.client.apply(name, [
                operations.resize("k1", 1, 9), {"op": "resize", "key": "k1", "widht": 4}])
        self.assertEqual((raised.exception.kind, raised.exception.line), ("invalid-operation", 2))
        with self.assertRaises(layoutcache.ConflictError) as raised:
            self.client.apply(name, [operations.resize("k1", 1, 9), operations.delete(["none"])])
        self.assertEqual((raised.exception.kind, raised.exception.operation), ("conflict", 2))
        self.assertEqual(self.client.dataset(name).revision, 1)

    def test_changes_since_a_revision_and_waiting_for_one(self):
        name = self.make_feed()
        nothing = self.client.changes(name, 1)
        self.assertEqual((nothing.revision, nothing.updates.items), (1, ()))
        result = self.assert_is_pending(lambda: self.client.changes(name, 1, wait=20))
        self.client.apply(name, operations.resize("k1", 1, 9))
        found = result()
        self.assertEqual((found.revision, found.since), (2, 1))
        self.assertEqual(found.updates.items[0].key, "k1")

    def test_rebalance_returns_a_commit(self):
        name = self.make_feed()
        self.assertEqual(self.client.rebalance(name, "phone", section="s1").revision, 2)
