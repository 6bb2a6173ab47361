"""Tokens that a backend signs: with Python's own HMAC, over every route and token."""

import base64
import hashlib
import hmac
import json
import time

from described import required_description
from service import NDJSON, ServiceCase, command, token_line

SECRET = bytes(range(40))
D = "/v1/datasets/feed"
L = f"{D}/layouts/phone"
READING = [
    f"{L}/elements?rect=0,0,390,99999&data=true", f"{L}/elements?from=0.0&count=3",
    f"{L}/elements?since=1", f"{L}/hit-test?point=9,9", f"{D}/sections?layout=phone",
    f"{D}/items?key=k1&layout=phone"]


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(claims, header=None, secret=SECRET):
    """Returns a token of RFC 7515."""
    parts = [header or {"alg": "HS256", "typ": "JWT", "kid": "app"}, claims]
    text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def claims(**permissions):
    """Returns the claims of a token for the dataset that may read the layout."""
    given = {"datasets": ["feed"], "layouts": ["phone"], "may": ["read"], **permissions}
    return {"exp": int(time.time()) + 600, "layoutcache": given}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class TokenTests(ServiceCase):
    tokens = token_line("writer") + f"app hs256 fe {encoded(SECRET)}\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.writer = bearer("writer")
        rows = [
            {"key": f"k{number}", "width": 3 + number % 5, "height": 2 + number % 7,
             "section": f"s{number // 8}",
             "data": {"owner": f"u{number % 4}", "text": f"of u{number % 4}"}}
            for number in range(40)]
        assert cls.service.ndjson(f"{D}/import", rows, cls.writer).status == 200
        for layout in ("phone", "wide"):
            made = cls.service.request(
                "PUT", f"{D}/layouts/{layout}", '{"container":{"width":390}}', cls.writer)
            assert made.status == 201, made

    def get(self, target, token):
        return self.service.request("GET", target, headers=bearer(token))

    def test_a_token_of_another_program_is_accepted(self):
        for extra in ({}, {"aud": "layoutcache"}, {"nbf": int(time.time()) - 5, "sub": "u1"}):
            self.assertEqual(self.get(READING[0], signed({**claims(), **extra})).status, 200)

    def test_an_invalid_token_is_rejected_by_every_route(self):
        good = claims()
        head, body, code = signed(good).split(".")
        wrong = {
            "another key": signed(good, secret=SECRET[::-1]),
            "no algorithm": signed(good, {"alg": "none", "kid": "app"}),
            "another algorithm": signed(good, {"alg": "HS384", "kid": "app"}),
            "no key": signed(good, {"alg": "HS256"}),
            "an unknown key": signed(good, {"alg": "HS256", "kid": "writer"}),
            "an extension": signed(good, {"alg": "HS256", "kid": "app", "crit": ["exp"]}),
            "no signature": f"{head}.{body}.",
            "widened claims": ".".join(
                [head, signed(claims(may=["read", "write"])).split(".")[1], code]),
            "expired": signed({**good, "exp": int(time.time()) - 1}),
            "too long": signed({**good, "exp": int(time.time()) + 10**6}),
            "endless": signed({"layoutcache": good["layoutcache"]}),
            "early": signed({**good, "nbf": int(time.time()) + 1000}),
            "for others": signed({**good, "aud": "shop"}),
            "a name of lines": signed({**good, "sub": "a\nb"}),
            "a long name": signed({**good, "sub": "x" * 300}),
            "a misspelt claim": signed(claims(were="owner = u1")),
            "a malformed filter": signed(claims(where="owner =")),
        }
        for method, path, operation in required_description().operations():
            if operation.get("security") == []:
                continue
            target = path.replace("{dataset}", "feed").replace("{layout}", "phone")
            for name, token in wrong.items():
                with self.subTest(name, method=method, path=path):
                    found = self.service.request(method, target, headers=bearer(token))
                    self.assert_problem(found, 401, "invalid-token")

    def test_a_token_with_any_other_character_is_rejected(self):
        good = signed(claims())
        for at, character in enumerate(good):
            with self.subTest(at=at):
                token = good[:at] + ("A" if character != "A" else "B") + good[at + 1:]
                self.assertEqual(self.get(READING[0], token).status, 401, token)

    def test_parts_are_exactly_the_filtered_answers(self):
        whole = signed(claims(may=["read", "query"]))
        for owner in ("u0", "u3"):
            part = signed(claims(where=f"owner = {owner}"))
            for target in READING:
                with self.subTest(target, owner=owner):
                    found = self.get(target, part)
                    stated = self.get(f"{target}&where=owner%20%3D%20{owner}", whole)
                    self.assertEqual((found.status, found.body), (stated.status, stated.body))
                    for other in {"u0", "u1", "u2", "u3"} - {owner}:
                        self.assertNotIn(f"of {other}", found.body.decode())

    def test_a_filter_of_the_viewer_narrows_the_part(self):
        part = signed(claims(may=["read", "query"], where="owner = u1"))
        for own in ("owner%20EXISTS", "owner%20%3D%20u2%20OR%20width%20%3E%200", "owner%20%3D%20u2"):
            for target in READING:
                with self.subTest(target, own=own):
                    found = self.get(f"{target}&where={own}", part)
                    for other in ("u0", "u2", "u3"):
                        self.assertNotIn(f"of {other}", found.body.decode())

    def test_a_part_is_read_by_the_listed_routes_only(self):
        token = signed(claims(may=["read", "query", "measure"], where="owner = u1"))
        allowed = {
            ("GET", D + "/sections"), ("GET", D + "/items"), ("GET", D + "/items/k1"),
            ("GET", L + "/elements"), ("GET", L + "/hit-test"), ("GET", D + "/events"),
            ("POST", L + "/lengths")}
        before = self.service.request("GET", D + "/export", headers=self.writer).body
        for method, path, operation in required_description().operations():
            if operation.get("security") == []:
                continue
            target = path
            for name, value in (("dataset", "feed"), ("layout", "phone"), ("key", "k1")):
                target = target.replace(f"{{{name}}}", value)
            if (method, target) in allowed:
                continue
            with self.subTest(method=method, path=path):
                found = self.service.request(
                    method, target, headers={**bearer(token), "Content-Type": NDJSON}, body=b"{}\n")
                self.assertEqual(found.status, 403, found)
        self.assertEqual(self.service.request("GET", D + "/export", headers=self.writer).body, before)

    def test_other_layouts_and_datasets_are_not_permitted(self):
        for permissions, target in (
                ({}, f"{D}/layouts/wide/elements?rect=0,0,1,1"),
                ({}, f"{D}/sections?layout=wide"), ({}, f"{L}/transition?rect=0,0,9,9&to=wide"),
                ({"layouts": []}, READING[0]), ({"datasets": []}, READING[0]),
                ({"datasets": ["art"]}, READING[0]), ({"datasets": ["*"]}, READING[0]),
                ({"may": []}, READING[0]), ({"may": ["write"]}, READING[0])):
            with self.subTest(target, **permissions):
                self.assertEqual(self.get(target, signed(claims(**permissions))).status, 403)

    def test_the_command_makes_a_key_and_a_token(self):
        service = self.started(tokens=token_line("writer"))
        folder = service.folder

        def run(*words):
            return command("token", *words, cwd=folder)

        secret = run("create", "mobile", "--key", "fe", "--tokens", "keys")
        self.assertEqual(secret.returncode, 0, secret.stderr)
        line, = open(f"{folder}/keys", encoding="utf-8")
        self.assertEqual(line, f"mobile hs256 fe {secret.stdout}")
        made = run(
            "sign", "mobile", "--tokens", "keys", "--datasets", "feed,art", "--layouts", "phone",
            "--may", "read,query", "--where", "owner = u1", "--subject", "u1")
        self.assertEqual(made.returncode, 0, made.stderr)
        head, body, code = made.stdout.strip().split(".")
        key = base64.urlsafe_b64decode(secret.stdout.strip() + "=")
        self.assertEqual(
            code, encoded(hmac.new(key, f"{head}.{body}".encode(), hashlib.sha256).digest()))
        given = json.loads(base64.urlsafe_b64decode(body + "=="))
        self.assertEqual(given.pop("exp") // 60, int(time.time() + 3600) // 60)
        self.assertEqual(given, {"sub": "u1", "layoutcache": {
            "datasets": ["feed", "art"], "layouts": ["phone"], "may": ["read", "query"],
            "where": "owner = u1"}})
        # All users can read the first file.
        for words, code in (
                (("create", "other", "--key", "fe", "--tokens", "tokens"), 64),
                (("create", "mobile", "--key", "fe", "--tokens", "keys"), 64),
                (("sign", "none", "--datasets", "feed", "--tokens", "keys"), 66),
                (("sign", "mobile", "--datasets", "feed", "--where", "a =", "--tokens", "keys"), 64),
                (("sign", "mobile", "--datasets", "feed", "--may", "all", "--tokens", "keys"), 64)):
            with self.subTest(words):
                found = run(*words)
                self.assertEqual(found.returncode, code, found.stderr)
                self.assertNotIn(secret.stdout.strip(), found.stderr + found.stdout)
