"""Every route, method and token: rejections, changes, and lists."""

import hashlib
import itertools
import json
import re
from urllib.parse import quote

from described import required_description
from test_openapi import routes
from service import NDJSON, ServiceCase, feed, token_line
from sockets import Peer, Pipeline, request

# The tokens of the tests, which are their own names: scope and dataset prefix.
TOKENS = {
    "writer": ("write", "*"), "reader": ("read", "*"), "shop-writer": ("write", "shop-"),
    "shop-reader": ("read", "shop-")}
DATASETS = ("art", "shop-1")
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS")
QUERIES = {
    "elements": "rect=0,0,390,844", "hit-test": "point=60,60", "transition": "rect=0,0,390,844",
    "items": "key=k1", "anchor": "visible=0,100,390,844",
    "target-offset": "offset=0,100", "movement": "key=k1&point=60,60",
    "events": "since=0&wait=0", "rename": "to={dataset}-2",
    "import": "mode=replace&format=ndjson"}
BODIES = {
    "import": b'{"key":"new","width":1,"height":1}\n',
    "batches": b'{"op":"delete","keys":["k1"]}\n',
    "{layout}": b'{"container":{"width":99}}',
    "lengths": b'{"lengths":[]}', "{view}": b'{"where":"key = k1"}',
    "{template}": b'{"datasets":"DATASET","layout":{"container":{"width":99}}}'}


def token_file(names):
    return "".join(token_line(name, *TOKENS[name]) for name in names)


class Rules:
    """The access of a request, derived only from docs/RUNNING.md and openapi.json."""

    def __init__(self, names, reading_is_free):
        self.names = names
        self.reading_is_free = reading_is_free

    def status(self, access, token, dataset):
        """Returns 401, 403, or `None` if the request is allowed."""
        if not self.names:
            return None
        if token is not None and token not in self.names:
            return 401
        if access == "metrics":
            return 401 if token is None else None
        if access == "open" or (access == "read" and self.reading_is_free):
            return None
        if token is None:
            return 401
        scope, prefix = TOKENS[token]
        if access in ("write", "measure") and scope != "write":
            return 403
        if dataset is not None and prefix != "*" and not dataset.startswith(prefix):
            return 403
        return None


class Access:
    """All requests with all tokens; the subclasses define the tokens of the file."""

    names, reading_is_free = (), False

    @classmethod
    def setUpClass(cls):
        cls.description = required_description()
        cls.tokens = token_file(cls.names) if cls.names else None
        if cls.reading_is_free:
            cls.tokens += "public read\n"
        super().setUpClass()
        cls.rules = Rules(cls.names, cls.reading_is_free)
        cls.writer = {"Authorization": "Bearer writer"} if cls.names else {}
        for dataset in DATASETS:
            made = cls.service.ndjson(f"/v1/datasets/{dataset}/import", feed(12), cls.writer)
            assert made.status == 200, made
            made = cls.service.request(
                "PUT", f"/v1/datasets/{dataset}/layouts/phone", '{"container":{"width":390}}',
                cls.writer)
            assert made.status == 201, made
            made = cls.service.request(
                "PUT", f"/v1/datasets/{dataset}/views/few", '{"where":"key = k1"}', cls.writer)
            assert made.status == 201, made
            made = cls.service.request(
                "PUT", f"/v1/templates/{dataset}",
                json.dumps({"datasets": dataset, "layout": {"container": {"width": 390}}}),
                cls.writer)
            assert made.status == 201, made

    def state(self):
        found = []
        for dataset in DATASETS:
            for path in ("", "/layouts/phone", "/export"):
                got = self.service.request(
                    "GET", f"/v1/datasets/{dataset}{path}", headers=self.writer)
                # Queries store a layout; the extent of the stored part is not a change.
                body = re.sub(rb'"preparedRevision":\w+', b"", got.body)
                found.append((got.status, body))
        for path in ("/v1/templates", "/v1/datasets"):
            listed = self.service.request("GET", path, headers=self.writer)
            found.append([one.get("template", one.get("dataset"))
                          for one in listed.json[path.rsplit("/", 1)[1]]])
        return found

    def targets(self):
        """Yields each path of the description, the access of its methods, and the target."""
        paths = {}
        for method, path, operation in self.description.operations():
            access = routes()[method, path][0]
            self.assertEqual(operation.get("security") == [], access == "open", path)
            paths.setdefault(path, {})[method] = "metrics" if path == "/metrics" else access
        for path, accesses in paths.items():
            if "GET" in accesses:
                accesses["HEAD"] = accesses["GET"]
            yield path, accesses

    def requests(self, datasets, wanted):
        """Yields the requests that access rules reject, or those that they allow."""
        tokens = [None, "unknown", *(TOKENS if self.names else ())]
        turn = itertools.cycle(tokens)
        for path, accesses in self.targets():
            last = path.rsplit("/", 1)[1]
            # Each dataset has a template with its name.
            for dataset in datasets if re.search("{(dataset|template)}", path) else (None,):
                target = re.sub(r"\{(\w+)\}", lambda found: quote({
                    "dataset": dataset, "template": dataset, "layout": "phone", "view": "few",
                    "key": "k1"}.get(found[1], "none")), path)
                if last in QUERIES:
                    target += "?" + QUERIES[last].replace("{dataset}", str(dataset))
                for method in METHODS:
                    # A method that a route lacks is rejected whatever the token and the dataset.
                    if method not in accesses and dataset not in (None, datasets[0]):
                        continue
                    for token in tokens if method in accesses else (next(turn),):
                        access = accesses.get(method)
                        status = self.rules.status(access, token, dataset) if access else None
                        if wanted(status):
                            headers = [("Authorization", f"Bearer {token}")] if token else []
                            body = BODIES.get(last, b"") if method in ("PUT", "POST") else None
                            if body:
                                body = body.replace(b"DATASET", str(dataset).encode())
                            if body and last in ("batches", "import"):
                                headers.append(("Content-Type", NDJSON))
                            yield ((method, target, token, access, status),
                                   request(method, target, headers, body))

    def answers(self, requests):
        pipeline = Pipeline(self.service)
        self.addCleanup(pipeline.close)
        for case, found in pipeline.run(requests):
            self.assertIsNotNone(found, f"{case}: {self.service.log_text()[-1000:]}")
            yield case, found

    def test_forbidden_requests_are_rejected_and_change_nothing(self):
        before = self.state()
        count = 0
        for case, found in self.answers(self.requests(DATASETS, lambda status: status)):
            count += 1
            with self.subTest(case=case):
                self.assertEqual(found.status, case[4])
                if case[0] == "HEAD":
                    continue
                self.assert_problem(found, case[4])
                if found.status == 401:
                    self.assertTrue(found.header("www-authenticate", "").startswith("Bearer"))
                # The answer contains nothing that the caller did not send.
                self.assertNotRegex(found.body.decode(), r"k1|frame|width")
        if self.names:
            self.assertGreater(count, 100)
        self.assertEqual(self.state(), before)

    def test_allowed_requests_are_not_rejected(self):
        """Uses datasets that don't exist, so that allowed requests delete nothing."""
        count = 0
        for case, found in self.answers(
                self.requests(("art-none", "shop-none"), lambda status: not status)):
            count += 1
            method, target, token, access, _ = case
            with self.subTest(case=case):
                if method == "OPTIONS":
                    self.assertEqual(found.status, 204)
                elif access is None:
                    self.assertEqual(found.status, 405)
                    self.assertNotIn(method, found.header("allow").split(", "))
                else:
                    self.assertLess(found.status, 500)
                    self.assertNotIn(found.status, (401, 403, 405), found)
        self.assertGreater(count, 100)
        for dataset in ("art-none", "shop-none", "art-none-2", "shop-none-2"):
            self.service.request("DELETE", f"/v1/datasets/{dataset}", headers=self.writer)
            self.service.request("DELETE", f"/v1/templates/{dataset}", headers=self.writer)

    def test_allowed_tokens_can_read(self):
        def reading():
            for case, data in self.requests(DATASETS, lambda status: not status):
                if case[0] in ("GET", "HEAD") and case[3] == "read":
                    yield case, data
        count = 0
        for case, found in self.answers(reading()):
            count += 1
            with self.subTest(case=case):
                self.assertIn(found.status, (200, 404) if "/imports/" in case[1] else (200,))
        self.assertGreater(count, 30)

    def test_a_dataset_states_whether_the_caller_may_write(self):
        for dataset in DATASETS:
            for token in (None, *self.names):
                if self.rules.status("read", token, dataset):
                    continue
                headers = {"Authorization": f"Bearer {token}"} if token else {}
                found = self.service.request("GET", f"/v1/datasets/{dataset}", headers=headers)
                expected = "read" if self.rules.status("write", token, dataset) else "write"
                with self.subTest(dataset=dataset, token=token):
                    self.assertEqual(found.header("layoutcache-access"), expected)

    def test_lists_show_only_what_the_token_may_see(self):
        extra = [f"{prefix}{number}" for prefix in ("a-", "shop-x", "sho", "shop.", "z")
                 for number in range(3)]
        for name in extra:
            self.assertEqual(self.service.request(
                "PUT", f"/v1/datasets/{name}", headers=self.writer).status, 201)
        every = sorted([*DATASETS, *extra], key=lambda name: name.encode())
        for token in (None, *self.names):
            if self.rules.status("read", token, None):
                continue
            prefix = TOKENS[token][1] if token else "*"
            wanted = [one for one in every if prefix == "*" or one.startswith(prefix)]
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            with self.subTest(token=token):
                self.assertEqual(self.listed("/v1/datasets", headers), wanted)
                # Page by page, from before, within and after the prefix.
                for limit in (1, 2, 100):
                    found, after = [], None
                    for _ in range(len(every) + 2):
                        target = f"/v1/datasets?limit={limit}" + (
                            f"&after={quote(after)}" if after else "")
                        page = self.service.request("GET", target, headers=headers).json
                        found += [one["dataset"] for one in page["datasets"]]
                        self.assertLessEqual(len(page["datasets"]), limit)
                        after = page.get("next")
                        if after is None:
                            break
                    self.assertEqual(found, wanted, limit)
                for start in ("", "a", "shop-1", "shop-x1", "shop-\U0010ffff", "zz"):
                    self.assertEqual(
                        self.listed(f"/v1/datasets?after={quote(start)}", headers),
                        [one for one in wanted if one.encode() > start.encode()], start)
        for name in extra:
            self.service.request("DELETE", f"/v1/datasets/{name}", headers=self.writer)

    def test_templates_are_of_those_who_may_use_all_their_datasets(self):
        patterns = ("*", "s*", "shop-", "shop-*", "shop-1", "art*", "art")
        for number, pattern in enumerate(patterns):
            path, layout = f"/v1/templates/t{number}", {"container": {"width": 9}}
            body = json.dumps({"datasets": pattern, "name": f"t{number}", "layout": layout})
            for token in self.names:
                headers = {"Authorization": f"Bearer {token}"}
                with self.subTest(pattern=pattern, token=token):
                    rule = self.rules.status("write", token, pattern.rstrip("*"))
                    self.assertEqual(
                        self.service.request("PUT", path, body, headers).status, rule or 201)
                    self.service.request("PUT", path, body, self.writer)
                    # A template of others is not taken over by another pattern.
                    mine = json.dumps({"datasets": "shop-1", "layout": layout})
                    found = self.service.request("PUT", path, mine, headers)
                    self.assertEqual(found.status, rule or 200)
                    self.service.request("PUT", path, body, self.writer)
                    reads = self.rules.status("read", token, pattern.rstrip("*"))
                    found = self.service.request("GET", path, headers=headers)
                    self.assertEqual(found.status, reads or 200)
                    found = self.service.request("GET", "/v1/templates?limit=100", headers=headers)
                    names = [one["template"] for one in found.json["templates"]]
                    self.assertEqual(f"t{number}" in names, not reads)
                    found = self.service.request("DELETE", path, headers=headers)
                    self.assertEqual(found.status, rule or 204)
                    self.service.request("DELETE", path, headers=self.writer)

    def listed(self, target, headers):
        found = self.service.request("GET", target, headers=headers)
        self.assertEqual(found.status, 200, found)
        return [one["dataset"] for one in found.json["datasets"]]


class AccessByTokens(Access):
    """With a file of tokens."""

    def test_a_dataset_is_not_renamed_into_another_prefix(self):
        headers = {"Authorization": "Bearer shop-writer"}
        before = self.state()
        for source, target in (("shop-1", "art-2"), ("art", "shop-2"), ("shop-1", "sho"),
                               ("none", "shop-2"), ("shop-none", "art-2")):
            found = self.service.request(
                "POST", f"/v1/datasets/{source}/rename?to={target}", headers=headers)
            self.assert_problem(found, 403)
        self.assertEqual(self.state(), before)
        found = self.service.request(
            "POST", "/v1/datasets/shop-1/rename?to=shop-3", headers=headers)
        self.assertEqual(found.status, 200, found)
        self.service.request("POST", "/v1/datasets/shop-3/rename?to=shop-1", headers=headers)

    def test_other_ways_to_send_a_token_are_rejected(self):
        before = self.state()
        hashed = hashlib.sha256(b"writer").hexdigest()
        for headers in (
                [("Authorization", "Basic d3JpdGVyOg==")], [("Authorization", "writer")],
                [("Authorization", "Bearer")], [("Authorization", "Bearer  ")],
                [("Authorization", "Bearer Writer")], [("Authorization", "Bearer writer x")],
                [("Authorization", f"Bearer {hashed}")], [("Authorization", "Bearer writer,")],
                [("Authorization", "Bearer unknown"), ("Authorization", "Bearer writer")],
                [("Authorization", "Bearer writer"), ("Authorization", "Bearer unknown")],
                [("X-Authorization", "Bearer writer")], [("Cookie", "token=writer")],
                [("Proxy-Authorization", "Bearer writer")]):
            with self.subTest(headers=headers), Peer(self.service) as peer:
                peer.send(request("DELETE", "/v1/datasets/art", headers))
                self.assertEqual([one.status for one in peer.finish()[0]], [401])
        for target in ("/v1/datasets/art?access_token=writer", "/v1/datasets/art?token=writer"):
            found = self.service.request("DELETE", target)
            self.assertIn(found.status, (400, 401))
        self.assertEqual(self.state(), before)

    def test_access_is_checked_for_the_path_that_is_changed(self):
        headers = [("Authorization", "Bearer shop-writer")]
        before = self.state()
        for target in (
                "/v1/datasets/shop-1/../art", "/v1/datasets/shop-1%2f..%2fart",
                "/v1/datasets//art", "/v1//datasets/art", "//v1/datasets/art",
                "/v1/datasets/%61rt", "/v1/datasets/art/", "/v1/datasets/art?",
                "/v1/datasets/art%00shop-1", "/V1/datasets/art", "/v1/datasets/shop-1/../../datasets/art",
                "/v1/datasets/art;shop-1", "/v1/datasets/./art", "http://127.0.0.1/v1/datasets/art"):
            with self.subTest(target=target), Peer(self.service) as peer:
                peer.send(request("DELETE", target, headers))
                statuses = [one.status for one in peer.finish()[0]]
                self.assertEqual(len(statuses), 1)
                self.assertIn(statuses[0], (400, 403, 404, 405))
        self.assertEqual(self.state(), before)


class WithoutTokensTests(Access, ServiceCase):
    names = ()

    def test_pages_of_other_origins_change_nothing_by_any_route(self):
        before = self.state()
        own = f"http://127.0.0.1:{self.service.port}"
        foreign = [
            [("Origin", "http://example.org")], [("Origin", "null")], [("Origin", "")],
            [("Origin", f"http://localhost:{self.service.port}")],
            [("Origin", "http://127.0.0.1:1")], [("Origin", own + ".example.org")],
            [("Origin", f"{own}, {own}")], [("Origin", f"{own}@example.org")],
            [("Origin", own.replace("http", "ftp"))], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "anything")],
            [("Origin", "http://example.org"), ("Sec-Fetch-Site", "same-origin")]]
        allowed = [
            [("Origin", own)], [("Origin", own), ("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")], []]

        def requests(datasets, choices, is_write):
            for case, data in self.requests(datasets, lambda status: not status):
                if (case[3] in ("write", "measure")) == is_write and case[3] and case[2] is None:
                    for headers in choices:
                        first, rest = data.split(b"\r\nHost: 127.0.0.1\r\n", 1)
                        lines = b"".join(
                            f"{name}: {value}\r\n".encode() for name, value in headers)
                        host = f"\r\nHost: 127.0.0.1:{self.service.port}\r\n".encode()
                        yield (*case[:2], headers), first + host + lines + rest
        count = 0
        for case, found in self.answers(requests(DATASETS[:1], foreign, True)):
            count += 1
            with self.subTest(case=case):
                self.assert_problem(found, 403, "cross-origin-request")
        self.assertGreater(count, 100)
        self.assertEqual(self.state(), before)
        for case, found in self.answers(requests(DATASETS[:1], foreign, False)):
            with self.subTest(case=case):
                # Other pages may send requests, but can't read the answers.
                self.assertNotIn(found.status, (403, 500))
                self.assertIsNone(found.header("access-control-allow-origin"))
        for case, found in self.answers(requests(("none-1",), allowed, True)):
            with self.subTest(case=case):
                self.assertNotEqual(found.status, 403, found)
        for dataset in ("none-1", "none-1-2"):
            self.service.request("DELETE", f"/v1/datasets/{dataset}")
        self.assertEqual(self.state(), before)


class WriteTokensTests(AccessByTokens, ServiceCase):
    """Reading needs a token, although none is for reading only."""

    names = ("writer", "shop-writer")


class PublicReadTests(AccessByTokens, ServiceCase):
    """Reading needs no token."""

    names, reading_is_free = ("writer", "shop-writer"), True


class AllTokensTests(AccessByTokens, ServiceCase):
    """Reading needs a token too."""

    names = tuple(TOKENS)
