"""The files of `serve --pages`, and those that are not served."""

import os
import tempfile

from service import Service, ServiceCase, command, token_line


class PagesTests(ServiceCase):
    def start(self, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        files = {
            "index.html": "<!doctype html><script>1</script>", "a.js": "1", "sub/b c.txt": "text",
            ".secret": "hidden", ".git/config": "hidden", "sub/index.html": "below"}
        for name, text in files.items():
            path = os.path.join(folder.name, "pages", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(folder.name, "outside"), "w", encoding="utf-8") as file:
            file.write("outside")
        service = Service(["--pages", os.path.join(folder.name, "pages")], **options)
        self.addCleanup(service.remove)
        return service

    def test_files_have_their_types_and_no_policy(self):
        service = self.start()
        for path, kind, body in [
            ("/pages/", "text/html", "<script>"),
            ("/pages/index.html", "text/html", "<script>"), ("/pages/a.js", "javascript", "1"),
            ("/pages/sub/b%20c.txt", "text/plain", "text"), ("/pages/sub/", "text/html", "below"),
        ]:
            answer = service.get(path)
            self.assertEqual(answer.status, 200, (path, answer))
            self.assertIn(kind, answer.header("content-type"), path)
            self.assertIn(body, answer.body.decode(), path)
            self.assertEqual(answer.header("x-content-type-options"), "nosniff")
            self.assertIsNone(answer.header("content-security-policy"))
        moved = service.get("/pages")
        self.assertEqual((moved.status, moved.header("location")), (303, "/pages/"))
        # Other answers keep their policy.
        self.assertIsNotNone(service.get("/v1/datasets").header("content-security-policy"))

    def test_other_files_are_not_found(self):
        service = self.start()
        for path in [
            "/pages/missing.html", "/pages/.secret", "/pages/%2esecret", "/pages/.git/config",
            "/pages/../outside", "/pages/..%2foutside", "/pages/%2e%2e/outside",
            "/pages/sub/../../outside", "/pages/index.html%00.js", "/pages/%ff", "/pagesindex.html",
            "/pages//../outside", "/pages/a.js/", "/pages/" + "x" * 5000,
        ]:
            answer = service.get(path)
            self.assertIn(answer.status, (400, 404), (path, answer))
            self.assertIn("problem+json", answer.header("content-type"), path)
            self.assertNotIn(b"outside\n", answer.body)
            self.assertNotIn(b"hidden", answer.body)
        self.assertEqual(service.request("PUT", "/pages/new.html", body=b"x").status, 405)
        self.assertEqual(service.get("/v1/datasets").status, 200)

    def test_files_need_no_token_but_the_host(self):
        service = self.start(tokens=token_line("reader", "read"))
        self.assertEqual(service.get("/pages/").status, 200)
        self.assertEqual(service.get("/v1/datasets").status, 401)
        self.assertEqual(service.get("/pages/", Host="evil.example").status, 421)

    def test_a_folder_with_private_files_is_refused_by_any_name(self):
        with tempfile.TemporaryDirectory() as top:
            data, pages = os.path.join(top, "data"), os.path.join(top, "pages")
            os.makedirs(os.path.join(pages, "sub"))
            os.mkdir(data)
            os.symlink(data, os.path.join(top, "link"))
            os.symlink(os.path.join(data, "d.sqlite"), os.path.join(top, "alias.sqlite"))
            tokens = os.path.join(data, "tokens")
            with open(tokens, "w", encoding="ascii") as file:
                file.write(token_line("a"))
            above = os.path.join("..", os.path.basename(top))
            for database, folder, current in (
                    ("data/d.sqlite", "data", top), ("data/d.sqlite", ".", top),
                    ("data/d.sqlite", "link", top), ("data/d.sqlite", "data/../link/", top),
                    ("d.sqlite", ".", data), ("d.sqlite", "..", data), ("link/d.sqlite", "data", top),
                    ("alias.sqlite", "data", top), ("data/d.sqlite", above, top),
                    ("data/d.sqlite", "/", top), ("/tmp/other-d.sqlite", "data", top)):
                with self.subTest(database=database, folder=folder):
                    done = command(
                        "serve", "--pages", folder, "--tokens", tokens, "--port", "0",
                        database=database, cwd=current)
                    self.assertEqual(done.returncode, 64, done.stderr)
                    self.assertIn("which all clients could read", done.stderr)
                    self.assertEqual(os.listdir(data), ["tokens"])

    def test_the_database_is_not_served_under_another_name(self):
        with tempfile.TemporaryDirectory() as top:
            pages = os.path.join(top, "pages")
            os.makedirs(os.path.join(pages, "folder"))
            service = self.started(
                "--pages", pages, database=os.path.join(top, "d.sqlite"),
                tokens=token_line("a") + "public read\n")
            writer = {"Authorization": "Bearer a"}
            self.assertEqual(service.request("PUT", "/v1/datasets/a", headers=writer).status, 201)
            with open(os.path.join(pages, "page.html"), "w", encoding="ascii") as file:
                file.write("page")
            os.symlink("page.html", os.path.join(pages, "linked.html"))
            os.symlink(top, os.path.join(pages, "above"))
            os.symlink("/etc/hostname", os.path.join(pages, "host.txt"))
            names = [name for name in os.listdir(top) if name.startswith("d.sqlite")]
            self.assertIn("d.sqlite-wal", names)
            for name in names + [os.path.join(service.folder, "tokens")]:
                targets = ["host.txt"]
                base = os.path.basename(name)
                os.link(os.path.join(top, name), os.path.join(pages, "hard-" + base))
                os.symlink(os.path.join(top, name), os.path.join(pages, "soft-" + base))
                os.link(os.path.join(top, name), os.path.join(pages, "folder", "index.html"))
                for path in (f"hard-{base}", f"soft-{base}", f"above/{base}", f"../{base}",
                             f"folder/../hard-{base}", f"./hard-{base}", "folder/"):
                    targets += [path, path.replace("d", "%64"), path.replace("/", "%2f"),
                                path.replace(".", "%2E")]
                locks = self.locks(service)
                for target in targets:
                    for method in ("GET", "HEAD"):
                        with self.subTest(target=target, method=method):
                            found = service.request(method, "/pages/" + target)
                            self.assertIn(found.status, (303, 400, 404), found)
                os.remove(os.path.join(pages, "folder", "index.html"))
                # A file that is opened and closed would release the locks of the service on it.
                self.assertEqual(self.locks(service), locks)
                self.assertTrue(locks)
            for target in ("page.html", "linked.html"):
                self.assertEqual(service.get("/pages/" + target).body, b"page")

    def locks(self, service):
        with open("/proc/locks", encoding="ascii") as file:
            found = [line.split()[1:] for line in file]
        return sorted(line for line in found if line[3] == str(service.process.pid))

    def test_without_a_folder_there_are_no_pages(self):
        service = Service()
        self.addCleanup(service.remove)
        self.assertEqual(service.get("/pages/").status, 404)
        with tempfile.TemporaryDirectory() as folder:
            done = command("serve", "--pages", os.path.join(folder, "missing"),
                           database=os.path.join(folder, "d.sqlite"))
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertIn("no such folder", done.stderr)
