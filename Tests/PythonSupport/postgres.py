"""A PostgreSQL server for the tests, on a free port of this machine."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile

from service import command, free_ports
from waiting import missing, required, wait_for

ROLE = "layoutcache"


def programs():
    """Returns the folder with PostgreSQL's programs; None if there are none."""
    known = sorted(
        glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    for folder in os.environ["PATH"].split(":") + known[::-1]:
        if os.access(os.path.join(folder, "initdb"), os.X_OK):
            return folder
    return None


def require():
    """Ends the tests of a class if a cluster is impossible here."""
    if "cluster" not in command("--help").stdout:
        missing("the binary does not support clusters; build it with LAYOUTCACHE_CLUSTER=1")
    if programs() is None:
        missing("no PostgreSQL; run Scripts/setup-cluster.sh")
    required("psql", "no PostgreSQL; run Scripts/setup-cluster.sh")
    if os.getuid() == 0:
        required("setpriv", "no setpriv, and PostgreSQL does not run as root")


class Postgres:
    """A server with an empty database, until it is removed."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="layoutcache-postgres-")
        # It does not run as root, and must access files of another user.
        os.chmod(self.folder, 0o777)
        self.data = os.path.join(self.folder, "data")
        self.process = None
        self.port, = free_ports(1)
        subprocess.run(
            self._command("initdb", "-D", self.data, "-U", ROLE, "-A", "trust", "-E", "UTF8",
                          "--locale=C", "--no-sync", "--no-instructions"),
            check=True, stdout=subprocess.DEVNULL, cwd="/")
        self.start()

    @staticmethod
    def _command(program, *arguments):
        command = [os.path.join(programs(), program), *arguments]
        if os.getuid() == 0:
            command = [
                "setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        return command

    def url(self, database="postgres"):
        return f"postgresql://{ROLE}@127.0.0.1:{self.port}/{database}"

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                self._command(
                    "postgres", "-D", self.data, "-p", str(self.port), "-c",
                    "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c",
                    "shared_buffers=16MB"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        wait_for(lambda: self.sql("SELECT 1", check=False) == "1"
                 or self.process.poll() is not None, "PostgreSQL starts", 20)
        assert self.process.poll() is None, "PostgreSQL did not start"

    def sql(self, text, database="postgres", check=True):
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-d", self.url(database), "-c", text],
            capture_output=True, text=True, timeout=20, check=False)
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def _family(self):
        """Returns the IDs of the server and its child processes."""
        family = [self.process.pid]
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    number, rest = file.read().split(" ", 1)
            except OSError:
                continue
            if int(rest.rsplit(")", 1)[1].split()[1]) == self.process.pid:
                family.append(int(number))
        return family

    def _signal(self, number):
        for process in self._family():
            # A process may have ended in the meantime.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def pause(self):
        """Suspends the server: from now on it accepts input but does not answer."""
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def stop(self):
        """Ends the server immediately, like a power failure."""
        if self.process and self.process.poll() is None:
            self.go_on()
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(20)

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
