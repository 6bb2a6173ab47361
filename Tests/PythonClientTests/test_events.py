"""Following commits over streams that break."""

import random
import threading

import layoutcache
from layoutcache import Item, operations
from layoutcache._events import EventParser
from service import free_ports
from support import QUICK, ClientCase


class EventTests(ClientCase):
    def commit(self, name, height):
        return self.client.apply(name, operations.resize("k1", 1, height)).revision

    def test_commits_after_the_call_arrive_in_order(self):
        name = self.make_feed()
        with self.client.events(name, layout="phone") as events:
            # Before the first iteration.
            revisions = [self.commit(name, height) for height in range(1, 6)]
            found = [next(events) for _ in revisions]
        self.assertEqual([event.kind for event in found], ["commit"] * 5)
        self.assertEqual([event.revision for event in found], revisions)
        self.assertEqual([event.commit.revision for event in found], revisions)
        self.assertEqual(found[0].commit.updates.items[0].key, "k1")
        self.assertEqual(events.revision, revisions[-1])

    def test_a_stream_of_a_view_tells_of_commits_that_change_it(self):
        name = self.make_feed()
        with self.client.events(name, layout="phone", where="key = k1") as events:
            self.client.apply(name, operations.resize("k2", 1, 9))
            revision = self.commit(name, 5)
            self.assertEqual(next(events).revision, revision)

    def test_another_configuration_of_the_layout_is_an_event(self):
        name = self.make_feed()
        with self.client.events(name, layout="phone") as events:
            self.commit(name, 5)
            # Then the stream is open.
            next(events)
            self.client.set_layout(name, "phone", {"container": {"width": 9}})
            event = next(events)
        self.assertEqual((event.kind, event.layout, event.incarnation), ("layout", "phone", ""))

    def test_a_stream_begins_after_a_stored_revision(self):
        name = self.make_feed()
        wanted = [self.commit(name, height) for height in range(1, 4)]
        with self.client.events(name, since=1) as events:
            found = [next(events)]
            while found[-1].revision < wanted[-1]:
                found.append(next(events))
        self.assertLessEqual({event.revision for event in found}, set(wanted))

    def test_a_dataset_that_was_created_again_is_a_reset(self):
        name = self.make_feed()
        stored = self.client.dataset(name)
        self.client.delete_dataset(name)
        self.make_feed()
        self.commit(name, 5)
        with self.client.events(
                name, since=stored.revision, incarnation=stored.incarnation) as events:
            reset = next(events)
            self.assertEqual((reset.kind, reset.revision), ("reset", 2))
            self.assertNotEqual(reset.incarnation, stored.incarnation)
            revision = self.commit(name, 6)
            self.assertEqual(next(events).revision, revision)

    def test_a_deleted_dataset_ends_the_stream(self):
        name = self.make_feed()
        open_stream, not_yet_open = self.client.events(name), self.client.events(name)
        revision = self.commit(name, 5)
        self.assertEqual(next(open_stream).revision, revision)
        self.client.delete_dataset(name)
        for events in (open_stream, not_yet_open):
            self.assertEqual([event.kind for event in events], ["gone"])
            self.assertEqual(list(events), [])
        with self.assertRaises(layoutcache.NotFoundError):
            self.client.events(name)
        with self.assertRaises(layoutcache.NotFoundError):
            next(self.client.events(name, since=revision))

    def test_closing_from_another_thread_ends_a_waiting_iteration(self):
        name = self.make_feed()
        events = self.client.events(name)
        result = self.assert_is_pending(lambda: list(events))
        events.close()
        self.assertEqual(result(), [])

    def test_a_stream_survives_a_restart_of_the_service(self):
        folder = self.new_folder()
        port, = free_ports(1)
        service = layoutcache.serve(f"{folder}/feed.sqlite", port=port)
        client = service.client(retries=QUICK)
        client.create_dataset("art")
        events = client.events("art")
        self.addCleanup(events.close)
        client.apply("art", operations.upsert([Item("a", 1, 1)], "s"))
        self.assertEqual(next(events).revision, 2)
        service.kill()
        service = layoutcache.serve(f"{folder}/feed.sqlite", port=port)
        self.addCleanup(service.kill)
        client.apply("art", operations.upsert([Item("b", 1, 1)], "s"))
        event = next(events)
        self.assertEqual((event.kind, event.revision), ("commit", 3))
        self.assertEqual(event.commit.updates.items[0].key, "b")

    def test_a_stream_gives_up_after_its_timeout(self):
        name = self.make_feed()
        proxy, client = self.proxied()
        events = client.events(name, reconnect_timeout=0.5)
        self.commit(name, 1)
        next(events)
        proxy.close()
        with self.assertRaises(layoutcache.ConnectionFailedError) as raised:
            next(events)
        self.assertIn("attempts", str(raised.exception))

    def test_more_streams_than_allowed_wait_for_their_turn(self):
        with layoutcache.serve(settings=["limits.streamsMax=1"]) as service:
            client = service.client(retries=QUICK)
            client.create_dataset("art")
            first = client.events("art")
            client.apply("art", operations.insert_section("s"))
            self.assertEqual(next(first).revision, 2)
            second = client.events("art", reconnect_timeout=0.3)
            with self.assertRaises(layoutcache.ProblemError) as raised:
                next(second)
            self.assertEqual(raised.exception.kind, "too-many-streams")
            second = client.events("art")
            result = self.assert_is_pending(lambda: next(second))
            client.apply("art", operations.insert_section("t"))
            first.close()
            self.assertEqual(result().revision, 3)
            second.close()

    def test_commits_arrive_at_several_threads(self):
        name = self.make_feed()
        streams = [self.client.events(name) for _ in range(5)]
        found = {}

        def follow(stream):
            found[stream] = [next(stream).revision for _ in range(3)]

        threads = [threading.Thread(target=follow, args=(stream,)) for stream in streams]
        for thread in threads:
            thread.start()
        revisions = [self.commit(name, height) for height in range(1, 4)]
        for thread in threads:
            thread.join(20)
        self.assertEqual(list(found.values()), [revisions] * 5)
        for stream in streams:
            stream.close()


class EventParserTests(ClientCase):
    @classmethod
    def setUpClass(cls):
        """Needs no service."""

    def test_pieces_of_any_length_have_the_same_events(self):
        text = (
            ": welcome\nretry: 1000\n\nevent: commit\nid: 7\ndata: {\"a\":\ndata: \"\u00e9\u2028\"}\n\n"
            "event: nothing\nid: 8\n\nevent: gone\ndata\n\ndata:x\r\ndata:  y\rid:9\r\n\r\n"
            "data: last\n").encode()
        expected = [
            ("commit", '{"a":\n"\u00e9\u2028"}', "7"), ("gone", "", "8"),
            ("message", "x\n y", "9")]
        for seed in range(300):
            with self.subTest(seed=seed):
                choose = random.Random(seed)
                parser, found, at = EventParser(), [], 0
                while at < len(text):
                    end = at + choose.choice((1, 1, 2, 3, 10, 100))
                    found += parser.feed(text[at:end])
                    at = end
                self.assertEqual(found, expected)
