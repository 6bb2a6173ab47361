"""Measures commits to one dataset while a node imports many items into another, both through the
log in a PostgreSQL server that this script starts: their rate, as a ratio to the rate before and
after the import.

    python3 Scripts/bench-cluster-import.py BINARY [ITEMS [CLIENTS [ROUNDS]]]

BINARY is a release build with the cluster. The clients commit through the importing node, then
through another; each commit changes one item's height, and waits for its answer. For comparison,
the ratio during a process that only computes is printed: both nodes, the server, the clients and
the sender of the items share the machine's processors.
"""

import http.client
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Tests", "PythonSupport"))

import postgres  # noqa: E402
import service  # noqa: E402

FEED = "/v1/datasets/feed"


def write_items(file, count):
    """The items as NDJSON."""
    generator = random.Random(1)
    for i in range(count):
        file.write(
            f'{{"key":"item-{i}","width":{200 + (i * 7919) % 600},'
            f'"height":{generator.randrange(200, 1100)},"section":"s{i // 5000}"}}\n'.encode())
    file.flush()


def commit(port, key, end, times):
    """Commits until `end` is set; sends the time of each answer, and how long it took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    done, height = [], 100
    while not end.is_set():
        height = 100 + (height + 1) % 900
        body = json.dumps({"op": "resize", "key": key, "width": 300, "height": height}) + "\n"
        begin = time.monotonic()
        connection.request("POST", FEED + "/batches", body, {"Content-Type": service.NDJSON})
        found = connection.getresponse()
        text = found.read()
        if found.status != 200:
            raise RuntimeError(f"{found.status}: {text}")
        now = time.monotonic()
        done.append((now, now - begin))
    times.put(done)


class Clients:
    """Processes that commit to the feed through a node until they are stopped."""

    def __init__(self, node, count):
        self.end, self.times = multiprocessing.Event(), multiprocessing.Queue()
        self.processes = [
            multiprocessing.Process(target=commit, args=(node.port, f"k{i}", self.end, self.times))
            for i in range(count)]
        for process in self.processes:
            process.start()

    def stop(self):
        self.end.set()
        done = [one for _ in self.processes for one in self.times.get()]
        for process in self.processes:
            process.join()
        return done


def rate(done, start, end):
    """Commits per second that were answered in an interval, and the longest in milliseconds."""
    within = [took for at, took in done if start <= at < end]
    return len(within) / (end - start), max(within, default=0) * 1000


def imported(node, name, file):
    """Sends the items to a node, and returns the answer, which follows the commit."""
    connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=3600, blocksize=1 << 18)
    with open(file.name, "rb") as body:
        connection.request(
            "POST", f"/v1/datasets/{name}/import", body,
            {"Content-Type": service.NDJSON, "Content-Length": os.path.getsize(file.name)})
        answer = connection.getresponse()
        text = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status}: {text}")
    return json.loads(text)


def spin(seconds=15):
    """Runs a process that computes, and shares only the machine with the nodes."""
    text = f"import time\nend = time.time() + {seconds}\nwhile time.time() < end: pass"
    subprocess.run([sys.executable, "-c", text], check=True)


def during_work(title, node, clients, work, quiet=10):
    """Prints the rates of commits before, during and after some work, and its seconds."""
    running = Clients(node, clients)
    time.sleep(1)
    begin = time.monotonic()
    time.sleep(quiet)
    start = time.monotonic()
    result = work()
    end = time.monotonic()
    time.sleep(1)
    rest = time.monotonic()
    time.sleep(quiet)
    done = running.stop()
    before, longest_before = rate(done, begin, start)
    during, longest = rate(done, start, end)
    after, _ = rate(done, rest, rest + quiet)
    alone = statistics.mean([before, after])
    print(f"{title:38} alone {before:6.0f} and {after:6.0f}/s  during {during:6.0f}/s  "
          f"{during / alone:.2f}  longest {longest_before:4.0f} and {longest:5.0f} ms  "
          f"it takes {end - start:6.1f} s", flush=True)
    return result


def main():
    service.binary = os.path.abspath(sys.argv[1])
    given = [int(text) for text in sys.argv[2:]]
    count, clients, rounds = given + [10_000_000, 4, 1][len(given):]
    file = tempfile.NamedTemporaryFile(prefix="layoutcache-items-")
    write_items(file, count)
    server = postgres.Postgres()
    nodes = []
    try:
        subprocess.run(
            [service.binary, "cluster", "init", "--log", server.url()], check=True,
            stdout=subprocess.DEVNULL)
        for name in "ab":
            nodes.append(service.Service(
                ["--log", server.url(), "--set", f"cluster.node={name}"]))
        here, other = nodes
        here.make_feed("feed", items=[
            {"key": f"k{i}", "width": 300, "height": 200} for i in range(1000)])
        here.get(FEED + "/layouts/phone/elements?rect=0,0,390,844")
        for number in range(rounds):
            for title, node in (("the importing node", here), ("another node", other)):
                during_work(f"{title}, a process computes", node, clients, spin)
                name = f"long-{number}-{node.port}"
                found = during_work(
                    f"{title}, an import", node, clients,
                    lambda name=name: imported(here, name, file))
                assert found["items"] == count, found
                found = other.request("GET", f"/v1/datasets/{name}", timeout=3600)
                assert found.json["items"] == count, found
                here.request("DELETE", f"/v1/datasets/{name}", timeout=600)
    finally:
        for node in nodes:
            node.remove()
        server.remove()


if __name__ == "__main__":
    main()
