"""Programs of a machine: each has a log file, and is ended by its process ID."""

import contextlib
import os
import signal
import subprocess
import time

from waiting import ended, wait_for


class Failed(Exception):
    """A failure of the test itself."""


class Ended(Failed):
    """A program has ended with a code other than 0."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def wait_until(what, condition, seconds):
    """Checks ten times a second; returns the condition's first true value."""
    return wait_for(condition, what, seconds, pause=lambda: time.sleep(0.1), error=Failed)


class Program:
    """A program that is restarted with the same arguments."""

    def __init__(self, name, words, log):
        self.name, self.words, self.log = name, words, log
        self.process = None
        self.is_stopped = False

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        if self.is_running:
            return
        self.is_stopped = False
        with open(self.log, "ab") as log:
            # In a folder that all users can read: PostgreSQL runs as another user.
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True)

    def kill(self):
        """Kills the program, like a failing machine."""
        if self.is_running:
            self.process.kill()
        if self.process:
            self.process.wait()

    def pause(self):
        if self.is_running:
            self.process.send_signal(signal.SIGSTOP)
            self.is_stopped = True

    def resume(self):
        if self.is_running and self.is_stopped:
            self.process.send_signal(signal.SIGCONT)
        self.is_stopped = False

    def end(self, seconds=30):
        """Ends the program as its users would; its exit code, or None if it had to be killed."""
        self.resume()
        if not self.process:
            return 0
        return ended(self.process, seconds)

    def tail(self, bytes_max=2000):
        with contextlib.suppress(OSError), open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - bytes_max))
            return file.read().decode("utf-8", "replace")
        return ""


def children(parent):
    """The IDs of a process's children."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    # The name in parentheses is followed by the state and the parent.
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                        found.append(int(name))
    return found


def signal_all(numbers, sent):
    """Sends a signal to those processes that still exist."""
    for number in numbers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, sent)


def kill_family(parent):
    """Kills a process and its children."""
    signal_all([parent, *children(parent)], signal.SIGKILL)


def stop_family(parent):
    """Stops a process and its children; returns them."""
    # First the parent, which then creates no further children.
    signal_all([parent], signal.SIGSTOP)
    family = [parent, *children(parent)]
    signal_all(family, signal.SIGSTOP)
    return family


def run(words, seconds=30, check=True):
    """Runs a program to its end; returns its output."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
            cwd="/")
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(words)} does not end within {seconds} s") from None
    if check and done.returncode:
        raise Ended(f"{' '.join(words)} ends with {done.returncode}: "
                    f"{(done.stderr or done.stdout).strip()[-600:]}", done.returncode)
    return done.stdout


def build_preload(folder, name):
    """Compiles a C file of this folder to a library for LD_PRELOAD; returns its path."""
    library = f"{folder}/{name}.so"
    run(["cc", "-shared", "-fPIC", "-O1", "-o", library,
         f"{os.path.dirname(os.path.abspath(__file__))}/{name}.c"])
    return library
