"""A client: a thread with its own session."""

import random
import threading
import time

# How long a client retries one change, in seconds.
PATIENCE = 60


class Client(threading.Thread):
    """A session: its position in each dataset, and connections to all targets."""

    def __init__(self, cluster, name, seed):
        super().__init__(name=name, daemon=True)
        self.cluster, self.session = cluster, name
        self.random = random.Random(f"{seed}/{name}")
        self.askers = {}
        # By dataset: the token of the last state seen.
        self.seen = {}

    def run(self):
        try:
            while not self.cluster.is_over.is_set():
                self.step()
        except Exception as error:  # pylint: disable=broad-except
            self.cluster.history.finding(f"{self.session} has failed: {error!r}")
            raise
        finally:
            for asker in self.askers.values():
                asker.close()

    def step(self):
        raise NotImplementedError

    def asker(self, target):
        if target not in self.askers:
            self.askers[target] = self.cluster.nodes.asker(target, self.session)
        return self.askers[target]

    def any_target(self):
        return self.random.choice(("proxy", "proxy", "proxy", *self.cluster.machines))

    def pause(self, seconds):
        self.cluster.is_over.wait(self.random.uniform(0.5, 1.5) * seconds)

    def note_seen(self, dataset, reply):
        seen = reply.position or (None if reply.revision is None else str(reply.revision))
        if seen:
            self.seen[dataset] = seen

    def until_answered(self, method, where, body, headers, is_done=lambda reply: reply.is_done):
        """Retries until the outcome is known, or for PATIENCE seconds.

        Returns the last reply, and whether an attempt may still be under way.
        """
        end = time.monotonic() + PATIENCE
        is_unknown = False
        while True:
            target = self.any_target()
            begun = time.monotonic()
            reply = self.asker(target).ask(method, where, body, headers)
            self.cluster.figures.write_attempt(reply)
            self.cluster.observations.note(
                "attempts", where.split("/")[3], begun, time.monotonic(), reply.problem)
            if is_done(reply) or reply.is_refused:
                return reply, is_unknown
            if not reply.is_nothing_done:
                is_unknown = True
            if time.monotonic() > end:
                return reply, is_unknown
            time.sleep(self.random.uniform(0.05, 0.4))


def follow(asker, dataset, query, last, seconds, is_over, take):
    """Passes on the fields of each event of a dataset, after the last one, until the stream breaks
    or `is_over` returns True; returns the status and body of an answer that is no stream."""
    headers = {"Authorization": f"Bearer {asker.token}", "Accept": "text/event-stream"}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    try:
        connection = asker.open(seconds)
        connection.request("GET", f"/v1/datasets/{dataset}/events{query}", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            return response.status, response.read()
        event = {}
        while not is_over() and (line := response.readline()):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
            elif event:
                take(event)
                event = {}
    except (OSError, ValueError, AttributeError):
        # A broken stream; http.client ends some of them with an AttributeError.
        pass
    finally:
        asker.close()
    return None
