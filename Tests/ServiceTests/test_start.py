"""Starts that fail or create something: each prints one line about it."""

import os
import resource
import signal
import socket
import tempfile

from service import Service, ServiceCase, command, token_line
from waiting import wait_for


def run(*arguments, **variables):
    return command("serve", *arguments, env=variables)


class StartTests(ServiceCase):
    def test_a_port_in_use_is_named(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for option in ("--port", "--admin-port"):
                others = [] if option == "--port" else ["--port", "0"]
                done = run(
                    "--database", os.path.join(folder, "d.sqlite"), option, str(port), *others)
                self.assertEqual(done.returncode, 74, done.stderr)
                self.assertIn(f"port {port} of 127.0.0.1 is in use", done.stderr)
                self.assertIn(f"choose another with {option}", done.stderr)
                self.assertNotIn("internal error", done.stderr)
                # A service is ready once it listens at both.
                self.assertNotIn("ready at", done.stderr)

    def test_an_address_of_another_machine_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = os.path.join(folder, "tokens")
            with open(tokens, "w") as file:
                file.write(token_line("name", "read"))
            done = run(
                "--database", os.path.join(folder, "d.sqlite"), "--host", "192.0.2.1",
                "--tokens", tokens)
            self.assertEqual(done.returncode, 74, done.stderr)
            self.assertIn("192.0.2.1 is not an address of this machine", done.stderr)

    def test_a_missing_database_is_created_only_without_no_create(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "d.sqlite")
            done = run("--database", path, "--no-create")
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertFalse(os.path.exists(path))
        service = self.started()
        self.assertIn("created a new database", service.log_text())

    def test_each_request_is_one_line_of_the_log_at_info(self):
        token = "a-token-of-this-test"
        service = self.started("--log-level", "info", tokens=token_line("reader", "read", token=token))

        def lines():
            return [line for line in service.log_text().split("\n")
                    if "route=" in line and "healthz" not in line and "readyz" not in line]
        named = {"Authorization": f"Bearer {token}"}
        for path, headers in (("/v1/datasets", named), ("/v1/datasets/secret-name", named),
                              ("/v1/nowhere", {})):
            before = len(lines())
            service.get(path, **headers)
            # The line is written after the answer.
            wait_for(lambda: len(lines()) > before, f"no line for {path}")
        service.stop()
        routes = [
            "route='/v1/datasets'", "route='/v1/datasets/{dataset}'", "route='other'"]
        found = lines()
        self.assertEqual(len(found), 3, service.log_text())
        for line, route, status in zip(found, routes, (200, 404, 404)):
            self.assertIn(route, line)
            self.assertIn(f"status={status}", line.replace("'", ""))
            self.assertIn("milliseconds=", line)
            self.assertIn("bytes=", line)
            self.assertNotIn("secret-name", line)
            self.assertNotIn(token, line)
        self.assertIn("reader", found[0])
        self.assertNotIn("token=", found[2])
        for line in service.log_text().splitlines():
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z layoutcache: (info|notice|warning): ")

    def test_tokens_are_rotated_without_a_restart(self):
        service = self.started(tokens=token_line("old"))
        path = os.path.join(service.folder, "tokens")
        done = command("token", "new", "--write", "*", "--tokens", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        token = done.stdout.strip()

        def put(token, dataset):
            return service.request(
                "PUT", f"/v1/datasets/{dataset}", headers={"Authorization": f"Bearer {token}"}).status

        def reload(text, said):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            count = service.log_text().count(said)
            service.process.send_signal(signal.SIGHUP)
            wait_for(lambda: service.log_text().count(said) != count, service.log_text, 10)

        with open(path, encoding="utf-8") as file:
            both = file.read()
        self.assertEqual((put("old", "a"), put(token, "b")), (201, 401))
        reload(both, "reloaded the token file")
        self.assertEqual((put("old", "b"), put(token, "c")), (201, 201))
        reload(both.split("\n")[1] + "\n", "reloaded the token file")
        self.assertEqual((put("old", "d"), put(token, "e")), (401, 201))
        for wrong in ("", "nonsense\n"):
            reload(wrong, "cannot reload the token file")
            # The reason alone, not a value of the program.
            self.assertRegex(service.log_text(), r"tokens stay error='[^'()]*, line 1 of the token file: ")
            self.assertNotIn("Failure(", service.log_text())
            self.assertEqual((put("old", "f"), put(token, "e")), (401, 200))

    def test_a_service_without_tokens_survives_a_reload(self):
        service = self.started()
        for count in (1, 2):
            service.process.send_signal(signal.SIGHUP)
            wait_for(lambda: service.log_text().count("nothing to reload") == count, service.log_text)
            self.assertEqual(service.get("/v1/datasets").status, 200)
        self.assertEqual(service.stop(), 0)

    def test_reading_is_public_only_if_that_is_stated(self):
        for arguments, line, status in (
                ((), "", 401), ((), "public read\n", 200), (("--public-reads",), "", 200),
                (("--set", "publicReads=true"), "", 200), (("--set", "publicReads=false"), "", 401)):
            service = Service(arguments, tokens=line + token_line("a"))
            self.addCleanup(service.remove)
            with self.subTest(arguments=arguments, line=line):
                self.assertEqual(service.get("/v1/datasets").status, status)
                service.process.send_signal(signal.SIGHUP)
                wait_for(lambda: "reloaded" in service.log_text(), service.log_text)
                self.assertEqual(service.get("/v1/datasets").status, status)

    def test_too_little_address_space_is_one_line(self):
        for words in (["serve", "--database", "d.sqlite"], ["open", "a.csv", "--no-browser"]):
            for mebibytes in (300, 600, 900):
                with self.subTest(words=words, mebibytes=mebibytes), \
                        tempfile.TemporaryDirectory() as folder:
                    with open(os.path.join(folder, "a.csv"), "w", encoding="ascii") as file:
                        file.write("key,width,height\na,1,1\n")
                    done = command(
                        *words, cwd=folder, preexec_fn=lambda: resource.setrlimit(
                            resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20)))
                    self.assertEqual(done.returncode, 74, done.stderr)
                    errors = [line for line in done.stderr.splitlines() if "warning" not in line]
                    self.assertEqual(len(errors), 1, done.stderr)
                    self.assertIn(f"address space is limited to {mebibytes} MiB", errors[0])

    def test_an_ignored_variable_is_named_with_the_near_setting(self):
        # Other programs set variables too, so it is no error.
        done = run("--print-configuration", LAYOUTCACHE_PROT="9000", LAYOUTCACHE_DATASET="d",
                   LAYOUTCACHE_DATABASE="d.sqlite", LAYOUTCACHE_PORT_8080_TCP="tcp://10.0.0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if "ignored an environment" in line]
        self.assertRegex(lines[0], "LAYOUTCACHE_PORT_8080_TCP'$")
        self.assertRegex(lines[1], "did you mean 'LAYOUTCACHE_PORT'.*LAYOUTCACHE_PROT")
        self.assertNotIn("LAYOUTCACHE_DATA", done.stderr)

    def test_the_variable_port_is_ignored_with_advice(self):
        done = run("--print-configuration", PORT="9000")
        self.assertRegex(done.stderr, "set LAYOUTCACHE_PORT, or pass --port.*PORT")
        self.assertRegex(done.stdout, r"port +8080 +the default")
        for stated in (run("--print-configuration", "--port", "1", PORT="9000"),
                       run("--print-configuration", PORT="9000", LAYOUTCACHE_PORT="1")):
            self.assertNotIn("PORT", stated.stderr)
