"""Starting the service, the command, and the types."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import layoutcache
from support import ROOT
from waiting import missing

PACKAGE = os.path.dirname(layoutcache.__file__)


class ServiceTests(unittest.TestCase):
    def test_a_service_is_stopped_and_its_folder_deleted(self):
        with layoutcache.serve() as service:
            folder = service._folder
            self.assertTrue(os.path.exists(f"{folder}/feeds.sqlite"))
            self.assertTrue(service.client().is_ready())
        self.assertFalse(os.path.exists(folder))
        self.assertEqual(service.process.returncode, 0)
        self.assertIn("stopping", service.log)
        self.assertFalse(layoutcache.Client(service.url).is_ready())
        # Stopping again has no effect.
        self.assertEqual(service.stop(), 0)

    def test_a_database_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "feeds.sqlite")
            for revision in (1, 1):
                with layoutcache.serve(path) as service:
                    self.assertEqual(service.client().create_dataset("art").revision, revision)

    def test_a_service_that_cannot_start_raises_its_log(self):
        with self.assertRaises(layoutcache.ServiceStartError) as raised:
            layoutcache.serve("/nonexistent/feeds.sqlite")
        self.assertIn("/nonexistent", str(raised.exception))
        with layoutcache.serve() as service:
            port = int(service.url.rpartition(":")[2])
            with self.assertRaises(layoutcache.ServiceStartError) as raised:
                layoutcache.serve(port=port)
            self.assertIn("in use", str(raised.exception))
        with self.assertRaises(FileNotFoundError):
            layoutcache.serve(binary="/nonexistent/layoutcache")
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            file.write("#!/bin/sh\nexec sleep 60\n")
        os.chmod(file.name, 0o700)
        with self.assertRaises(layoutcache.ServiceStartError) as raised:
            layoutcache.serve(binary=file.name, timeout=0.3)
        self.assertIn("not ready after 0.3 s", str(raised.exception))

    def test_tokens(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = os.path.join(folder, "tokens")
            token = subprocess.run(
                [layoutcache.binary_path(), "token", "shop", "--write", "shop-", "--tokens",
                 tokens], check=True, capture_output=True, text=True).stdout.strip()
            with layoutcache.serve(tokens=tokens) as service:
                calls = []
                client = service.client(lambda: calls.append(1) or token)
                client.create_dataset("shop-1")
                self.assertEqual(len(calls), 1)
                for wrong, kind in ((token, "forbidden"), ("x", "invalid-token"),
                                    (None, "token-required")):
                    with self.assertRaises(layoutcache.ProblemError) as raised:
                        service.client(wrong).create_dataset("art")
                    self.assertEqual(raised.exception.kind, kind)

    def test_a_full_log_does_not_stop_the_service(self):
        with layoutcache.serve(settings=["log.level=trace"]) as service:
            client = service.client()
            for _ in range(600):
                client.is_ready()
            list(client.datasets())
            self.assertGreater(len(service.log), 1000)


class CommandTests(unittest.TestCase):
    def run_module(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "layoutcache", *arguments], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": os.path.dirname(PACKAGE),
                 "PYTHONDONTWRITEBYTECODE": "1", **environment})

    def test_the_module_runs_the_command(self):
        found = self.run_module("--version")
        self.assertRegex(found.stdout, r"^layoutcache \d+\.\d+\.\d+")
        self.assertEqual(self.run_module("query", "--no-such").returncode, 64)

    def test_without_a_command_there_is_advice(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE, os.path.join(folder, "layoutcache"),
                            ignore=shutil.ignore_patterns("bin", "__pycache__"))
            # Its own script, which must not call itself.
            script = os.path.join(folder, "scripts", "layoutcache")
            os.mkdir(os.path.dirname(script))
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable}\n")
            os.chmod(script, 0o700)
            environment = dict(os.environ, PYTHONPATH=folder, PATH=os.path.dirname(script))
            environment.pop("LAYOUTCACHE_BINARY", None)
            found = subprocess.run(
                [sys.executable, "-m", "layoutcache", "demo"], capture_output=True, text=True,
                env=environment)
        self.assertEqual(found.returncode, 66)
        self.assertIn("built without the layoutcache command", found.stderr)
        found = self.run_module("demo", LAYOUTCACHE_BINARY="/nonexistent")
        self.assertEqual(found.returncode, 66)
        self.assertIn("/nonexistent", found.stderr)


class TypeTests(unittest.TestCase):
    def test_the_package_and_its_use_are_strictly_typed(self):
        mypy = os.path.join(ROOT, ".build", "python", "bin", "mypy")
        if not os.path.exists(mypy):
            missing("no mypy: sh Scripts/setup-python.sh")
        found = subprocess.run(
            [mypy, "--strict", "--cache-dir", os.path.join(ROOT, ".build", "mypy"), PACKAGE,
             os.path.join(os.path.dirname(os.path.abspath(__file__)), "typed_use.py")],
            capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
        self.assertEqual(found.returncode, 0, found.stdout)

    def test_the_package_has_a_typed_marker_and_no_dependencies(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))
        found = subprocess.run(
            [sys.executable, "-I", "-S", "-c",
             f"import sys; sys.path.insert(0, {os.path.dirname(PACKAGE)!r}); import layoutcache; "
             "print(sorted(name for name in layoutcache.__all__ if not hasattr(layoutcache, name)))"],
            capture_output=True, text=True)
        self.assertEqual((found.stdout, found.stderr), ("[]\n", ""))


class WheelTagTests(unittest.TestCase):
    def platform(self, machine, kinds):
        """Returns the tag for an ELF file with these segments."""
        module = {"__file__": os.path.join(ROOT, "clients", "python", "hatch_build.py")}
        with open(module["__file__"], encoding="utf-8") as file:
            # The hook's base class is of a package that only the build has.
            source = file.read().replace(
                "from hatchling.builders.hooks.plugin.interface import BuildHookInterface",
                "BuildHookInterface = object")
        exec(source, module)
        head = bytearray(b"\x7fELF\x02\x01" + bytes(58))
        struct.pack_into("<H", head, 18, machine)
        struct.pack_into("<Q", head, 32, 64)
        struct.pack_into("<HH", head, 54, 56, len(kinds))
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(head) + b"".join(struct.pack("<I", kind) + bytes(52) for kind in kinds))
            file.flush()
            return module["platform"](file.name)

    def test_a_static_program_is_for_every_linux_and_another_for_this_system(self):
        self.assertEqual(
            self.platform(62, [6, 1, 1, 4]),
            "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64")
        self.assertEqual(
            self.platform(183, [1]),
            "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64")
        self.assertEqual(self.platform(62, [6, 3, 1]), "linux_x86_64")
        with self.assertRaises(ValueError):
            self.platform(8, [1])
