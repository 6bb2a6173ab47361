"""Programs of a machine: started with a log file each, ended by their own number."""

import contextlib
import os
import signal
import subprocess
import time


class Failed(Exception):
    """What the test itself can't go on without."""


class Ended(Failed):
    """A program has ended with another code than 0."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def wait_until(what, condition, seconds):
    """Asks ten times a second; what the condition gave, once that is something."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"not within {seconds} s: {what}")
        time.sleep(0.1)


class Program:
    """A program that is started again and again with the same words."""

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
            # From a folder that everybody may see: PostgreSQL is another user's.
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True)

    def kill(self):
        """As by a failing machine."""
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
        """As its users would end it; the exit code, or None where it had to be killed."""
        self.resume()
        if not self.process:
            return 0
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def tail(self, bytes_max=2000):
        with contextlib.suppress(OSError), open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - bytes_max))
            return file.read().decode("utf-8", "replace")
        return ""


def children(parent):
    """The numbers of a process's children."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    # Behind the name, which is in parentheses: the state and the parent.
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                        found.append(int(name))
    return found


def kill_family(parent):
    """Kills a process and its children; they are gone, but for what is nobody's to wait for."""
    family = [parent, *children(parent)]
    for number in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def run(words, seconds=30, check=True):
    """Runs a program to its end; what it printed."""
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
