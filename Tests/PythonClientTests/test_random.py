"""Random batches through a proxy that breaks connections, compared with lists in memory."""

import os
import random

import layoutcache
from layoutcache import Item, operations
from batch_model import Model
from support import ClientCase

STEPS = int(os.environ.get("LAYOUTCACHE_STEPS", "60"))
SEEDS = [int(seed) for seed in os.environ.get("LAYOUTCACHE_SEED", "1,2,3").split(",")]
FAULTS = [None] * 6 + ["drop", "lose", "lose", "truncate", "busy", "unknown", "html"]


def follow(lists, updates, contents):
    """Applies the updates of a commit to lists of sections and keys, as CHANGES.md describes.

    `contents` has the keys of each section after the commit: the items of an inserted section are
    listed only if they were in another section before.
    """
    removed = [update for update in updates.items if update.op in ("delete", "move")]
    for update in sorted(removed, key=lambda update: update.before, reverse=True):
        section, item = update.before
        key = lists[section][1].pop(item)
        assert key == update.key, f"{update} finds {key}"
    moved = {}
    for update in sorted(
            (update for update in updates.sections if update.before is not None),
            key=lambda update: update.before, reverse=True):
        moved[update.key] = lists.pop(update.before)
        assert moved[update.key][0] == update.key, f"{update} finds {moved[update.key]}"
    added = [update for update in updates.items if update.op in ("insert", "move")]
    listed = {update.key for update in added}
    for update in sorted(
            (update for update in updates.sections if update.after is not None),
            key=lambda update: update.after):
        section = moved[update.key] if update.op == "move" else (
            update.key, [key for key in contents[update.key] if key not in listed])
        lists.insert(update.after, section)
    for update in sorted(added, key=lambda update: update.after):
        section, item = update.after
        lists[section][1].insert(item, update.key)


class RandomTests(ClientCase):
    def test_batches_are_applied_once_and_followed_without_gaps(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                print(f"        seed {seed}, {STEPS} steps", flush=True)
                self.run_steps(random.Random(seed), f"random-{seed}")

    def run_steps(self, choose, name):
        faults = random.Random(choose.random())
        proxy, client = self.proxied(
            iter(lambda: faults.choice(FAULTS), "no end"),
            retries=layoutcache.Retries(attempts=50, delay=0.001, delay_max=0.01))
        model, lists = Model([["s0", []]]), [("s0", [])]
        self.client.apply(
            self.client.create_dataset(name).dataset, operations.insert_section("s0"))
        # Streams have other faults: they are cut at random.
        streams, following = self.proxied(retries=layoutcache.Retries(50, 0.001, 0.01))
        events = following.events(name)
        self.addCleanup(events.close)
        revision, history = 2, {}
        for _ in range(STEPS):
            batch = [model.change(choose) for _ in range(choose.randint(1, 4))]
            commit = client.apply(name, batch)
            # Operations that change nothing, such as a move to the same position, make no commit.
            self.assertIn(commit.revision, (revision, revision + 1))
            revision = commit.revision
            history[revision] = model.listed()
            if choose.random() < 0.2:
                streams.cut()
            if choose.random() < 0.5:
                self.follow_to(events, revision, lists, history)
        self.follow_to(events, revision, lists, history)
        self.assertEqual(lists, model.listed())
        self.assertEqual(list(client_export(client, name)), [
            Item(*item, key, 1) for key, items in model.sections for item in items])
        self.assertEqual(self.client.dataset(name).revision, revision)
        self.assertGreater(len(proxy.requests), STEPS * 1.3)

    def follow_to(self, events, revision, lists, history):
        while events.revision < revision:
            event = next(events)
            self.assertEqual(event.kind, "commit")
            self.assertFalse(event.commit.updates.everything)
            follow(lists, event.commit.updates, dict(history[event.revision]))
            self.assertEqual(lists, history[event.revision], f"revision {event.revision}")


def client_export(client, name):
    """Exports again until the proxy lets an export pass."""
    while True:
        try:
            return list(client.export_items(name))
        except (layoutcache.ConnectionFailedError, layoutcache.ProblemError):
            pass
