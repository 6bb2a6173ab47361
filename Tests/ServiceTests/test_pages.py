"""The files of `serve --pages`, and those that are not served."""

import hashlib
import os
import subprocess
import tempfile

import service as services
from service import Service, ServiceCase


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
        self.assertEqual(service.request("PUT", "/pages/new.html", body=b"x").status, 404)
        self.assertEqual(service.get("/v1/datasets").status, 200)

    def test_files_need_no_token_but_the_host(self):
        entry = f"reader read * {hashlib.sha256(b'token').hexdigest()}"
        service = self.start(tokens=entry + "\n")
        self.assertEqual(service.get("/pages/").status, 200)
        self.assertEqual(service.get("/v1/datasets").status, 401)
        self.assertEqual(service.get("/pages/", Host="evil.example").status, 421)

    def test_without_a_folder_there_are_no_pages(self):
        service = Service()
        self.addCleanup(service.remove)
        self.assertEqual(service.get("/pages/").status, 404)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [services.binary, "serve", "--database", os.path.join(folder, "d.sqlite"),
                 "--pages", os.path.join(folder, "missing")],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 66, done.stderr)
            self.assertIn("no such folder", done.stderr)
