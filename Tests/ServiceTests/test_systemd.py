"""Notifications to systemd, and the unit file; systemd itself does not run here."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import service
from service import ROOT, ServiceCase, command
from waiting import required

UNIT = os.path.join(ROOT, "packaging", "layoutcache.service")


class SystemdTests(ServiceCase):
    def test_systemd_is_notified_of_ready_watchdog_and_stopping(self):
        folder = tempfile.mkdtemp(prefix="layoutcache-")
        self.addCleanup(shutil.rmtree, folder)
        for name in (os.path.join(folder, "notify"), "@layoutcache-" + os.path.basename(folder)):
            with self.subTest(name=name), socket.socket(
                    socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
                notified.bind(name.replace("@", "\0"))
                notified.settimeout(10)

                def told():
                    os.environ["NOTIFY_SOCKET"] = name
                    os.environ["WATCHDOG_USEC"] = "400000"

                # In the new process, before the command.
                running = self.started(before=told)
                self.assertEqual(self.state_after_watchdog(notified), b"READY=1")
                self.assertEqual(running.get("/readyz").status, 200)
                for _ in range(3):
                    self.assertEqual(notified.recv(100), b"WATCHDOG=1")
                running.process.send_signal(signal.SIGTERM)
                self.assertEqual(self.state_after_watchdog(notified), b"STOPPING=1")
                self.assertEqual(running.process.wait(20), 0)

    @staticmethod
    def state_after_watchdog(notified):
        """Returns the next state other than a watchdog ping, which may come at any time."""
        while (state := notified.recv(100)) == b"WATCHDOG=1":
            pass
        return state

    def test_the_unit_is_valid(self):
        required("systemd-analyze", "no systemd-analyze")
        with open(UNIT, encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layoutcache.service")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("/usr/local/bin/layoutcache", service.binary))
            done = subprocess.run(
                ["systemd-analyze", "verify", path], capture_output=True, text=True, timeout=60)
        # Before the machine's memory is exhausted, the service is slowed down, then restarted.
        high, most = (
            int(re.search(rf"^Memory{name}=(\d+)%$", text, re.M).group(1))
            for name in ("High", "Max"))
        self.assertTrue(0 < high < most < 100)
        said = [line for line in done.stderr.splitlines() if "layoutcache" in line]
        self.assertEqual(said, [])
        words = re.search(r"^ExecStart=\S+ (.*)$", text, re.M).group(1).split()
        done = command(*words, "--print-configuration")
        self.assertEqual(done.returncode, 0, done.stderr)
