#!/usr/bin/env python3
"""Three machines with etcd, PostgreSQL under Patroni and a node of the service each, and nginx:
changes and reads under faults, and a comparison of the clients' observations with the log.

    python3 Tests/ClusterTests/run.py --binary layoutcache --checker CheckHistory

Everything runs in separate network namespaces and a temporary folder, and ends with this
process. The exit code is 1 if there is a finding; the histories are kept then.
"""

import argparse
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INSIDE = "LAYOUTCACHE_CLUSTER_TEST_INSIDE"
# For the time before and after the faults.
AROUND_SECONDS = 900
sys.path[:0] = [HERE, os.path.join(ROOT, "Tests", "PythonSupport")]
import running  # noqa: E402


def options():
    parser = argparse.ArgumentParser(description="Tests nodes that share a log, under faults")
    parser.add_argument("--binary", required=True, help="the layoutcache command")
    parser.add_argument("--checker", required=True, help="CheckHistory")
    parser.add_argument("--duration", type=int, default=600, help="seconds of faults")
    parser.add_argument("--seed", default=str(random.randrange(10 ** 6)))
    parser.add_argument("--faults", default="all", help="all, none, or names with commas")
    parser.add_argument("--without", default="", help="clients to leave out, with commas")
    found = parser.parse_args()
    found.binary = running.program(parser, found.binary)
    found.checker = running.program(parser, found.checker)
    return found


# Outside: a folder, namespaces, a bound on the time.


def outside(found):
    from network import may_isolate

    folder = tempfile.mkdtemp(prefix="layoutcache-")
    os.chmod(folder, 0o755)
    is_isolated = may_isolate()
    if not is_isolated:
        print("run: no namespaces here: all on loopback, and nothing is cut off", flush=True)
    around = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    arguments = ["--binary", found.binary, "--checker", found.checker, "--seed", found.seed,
                 "--duration", str(found.duration), "--faults", found.faults,
                 "--without", found.without]
    process = subprocess.Popen(
        (around if is_isolated else []) + [sys.executable, os.path.abspath(__file__), *arguments],
        env={**os.environ, INSIDE: f"{int(is_isolated)}{folder}"})
    code = None
    try:
        code = process.wait(found.duration + AROUND_SECONDS)
    except (KeyboardInterrupt, subprocess.TimeoutExpired) as reason:
        print(f"run: ended by {type(reason).__name__}", flush=True)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if code != 0:
        keep(folder, found.seed)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if code == 0 else 1)


def keep(folder, seed):
    """Moves histories and logs of a run with findings to a permanent folder."""
    place = os.path.join(ROOT, ".build", "cluster-test", seed)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    for name in os.listdir(folder):
        if name.endswith((".ndjson", ".log", ".sqlite")):
            shutil.move(os.path.join(folder, name), place)
    print(f"run: histories and logs are in {os.path.relpath(place, os.getcwd())}")


# Inside.


def inside(found, is_isolated, folder):
    from cluster import Cluster
    from faults import Faults
    from processes import Failed

    begun = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - begun:7.1f} s  {text}", flush=True)

    say(f"seed {found.seed}")
    cluster = Cluster(folder, found.binary, is_isolated, found.seed)
    try:
        cluster.start()
        say("three machines are up")
        cluster.start_clients(found.without.split(","))
        try:
            hold(cluster, Faults(cluster, cluster.random), found, say)
            say(f"whole again after {cluster.repair():.1f} s; the clients end")
        finally:
            cluster.stop_clients()
            say("the clients have ended")
        conclude(cluster, found, folder, say)
    except Failed as error:
        cluster.history.finding(str(error))
    finally:
        cluster.is_over.set()
        for program in cluster.nodes.programs.values():
            program.kill()
        # If killed, it would leave its workers running.
        cluster.nodes.proxy.end(5)
        cluster.database.stop()
        cluster.history.close()
    for kind, count in cluster.history.repeated():
        print(f"{count} findings like: {kind}")
    findings = cluster.history.findings
    say(f"seed {found.seed}: {len(findings)} findings")
    return 1 if findings else 0


def hold(cluster, faults, found, say):
    """Injects faults one after another, each repaired before the next."""
    end = time.monotonic() + found.duration
    cluster.is_over.wait(min(8, found.duration))
    if found.faults == "none":
        cluster.is_over.wait(max(0, end - time.monotonic()))
        return
    if found.faults == "all":
        plan = faults.plan()
    else:
        plan = ((name,) for name in itertools.cycle(found.faults.split(",")))
    for names in plan:
        if time.monotonic() > end:
            return
        begun = time.monotonic()
        nodes, seconds = faults.do(names)
        name = " and ".join(names)
        say(f"{name}{' of ' + ', '.join(sorted(nodes)) if nodes else ''} for {seconds:.0f} s")
        cluster.is_over.wait(seconds)
        recovery = cluster.repair()
        cluster.figures.fault(name, nodes, begun, time.monotonic())
        cluster.observations.note("faults", names, nodes, begun, time.monotonic())
        cluster.figures.recoveries.append(recovery)
        cluster.is_over.wait(2)


def conclude(cluster, found, folder, say):
    """Compares the clients' observations with the log, and the nodes with each other."""
    import checks
    import mutations
    from history import read_log, write_log

    datasets = [feed.name for feed in cluster.all_feeds] + ["moving-0", "moving-1"]
    programs = checks.all_nodes(cluster)
    entries, findings = read_log(cluster, list(programs), datasets)
    for finding in findings:
        cluster.history.finding(finding)
    write_log(f"{folder}/log.ndjson", entries)
    checks.converge(cluster, list(programs), entries, say)
    checks.compare_logs(cluster, list(programs))
    checks.check_readiness(cluster, list(programs))
    checks.check_upkeep(cluster, list(programs))
    observe(cluster, found.seed, say)
    checks.end_and_verify(cluster, programs)
    say("their files are verified")
    cluster.history.operations.flush()
    cluster.history.bodies.flush()
    operations = checks.read_lines(f"{folder}/operations.ndjson")
    changes, answers = checks.Replay(cluster, folder, operations, entries).run(found.seed)
    say(f"{changes} changes and {answers} answers are replayed on one machine")
    code, text = checks.check(found.checker, folder)
    say(f"the checker: {text.strip()}")
    if code:
        cluster.history.finding(f"the checker ends with {code}")
    if not mutations.lose(found.checker, folder, operations,
                          checks.read_lines(f"{folder}/log.ndjson"), found.seed):
        cluster.history.finding("the checker does not find an acknowledged batch that is lost")
    lost = checks.lost_writes(operations, entries)
    if lost:
        cluster.history.finding(f"acknowledged and not in the log: {lost[:20]}")
    for line in cluster.figures.lines(cluster.machines, len(lost)):
        print(line)


def observe(cluster, seed, say):
    """Judges the observations, and shows that each rule can fail."""
    import mutations
    from observations import judge

    rows = cluster.database.rows("SELECT name FROM layoutcache.dataset WHERE name IS NOT NULL", 20)
    if rows is None:
        cluster.history.finding("the names can't be read at the end")
        return
    final = [row[0] for row in rows]
    findings, counts = judge(cluster.observations, final)
    for finding in findings:
        cluster.history.finding(finding)
    say("judged: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    count = mutations.try_rules(cluster, final, seed)
    say(f"the rules have found {count} changed observations")


def main():
    found = options()
    place = os.environ.get(INSIDE)
    if not place:
        outside(found)
    if os.getpid() == 1:
        # Orphaned processes are reparented to the first process, which must wait for them.
        child = os.fork()
        if child:
            signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
            while True:
                done, status = os.wait()
                if done == child:
                    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(inside(found, place[0] == "1", place[1:]))


if __name__ == "__main__":
    main()
