"""Waiting, seeds, and programs that may be missing."""

import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest


def wait_for(condition, text, limit=30, pause=None, error=AssertionError):
    """Returns the first true value of a condition, within some seconds.

    - `text`: the failure, or a function that returns it.
    - `pause`: is called between two attempts, instead of a sleep.
    """
    end = time.monotonic() + limit
    while not (found := condition()):
        if time.monotonic() > end:
            raise error(f"not within {limit} s: {text() if callable(text) else text}")
        pause() if pause else time.sleep(0.02)
    return found


def ended(process, seconds):
    """Ends a process as its users would; its exit code, or None if it had to be killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def seeded():
    """Returns a random generator whose seed the test prints, so that a run can be repeated."""
    seed = int(os.environ.get("LAYOUTCACHE_SEED", time.time_ns() % 1_000_000))
    print(f"        seed {seed}", flush=True)
    return random.Random(seed), seed


def repeated(count, seconds_environment="LAYOUTCACHE_SERVICE_LONG"):
    """Yields the numbers from 0: as many as stated, or for as many seconds as the environment
    states."""
    seconds = os.environ.get(seconds_environment)
    end = time.monotonic() + float(seconds or 0)
    number = 0
    while number < count or seconds and time.monotonic() < end:
        yield number
        number += 1


def missing(text):
    """Ends a test, or its class, without which a program is missing: in CI it fails."""
    if os.environ.get("CI"):
        raise AssertionError(f"{text}; in CI it must be there")
    raise unittest.SkipTest(text)


def allow_files(count):
    """Lets this process have as many open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        missing(f"this machine allows {hard} open files, not {count}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def required(program, text, path=None):
    """Returns the path of a program; ends the test without it, as `missing` does."""
    return shutil.which(program, path=path) or missing(text)
