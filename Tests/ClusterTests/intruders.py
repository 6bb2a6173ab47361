"""A client whose requests must all be rejected, and must not affect other clients."""

import time

from clients import Client

NUL, LONG, HUGE = "%00", "n" * 300, "9" * 30
HOT = "/v1/datasets/hot0"
# Method, path, body and headers.
REQUESTS = [
    *(("GET", f"/v1/datasets/{name}", None, {}) for name in (NUL, f"a{NUL}b", LONG, "%FF", "%0A")),
    *((method, f"/v1/datasets/{NUL}", None, {}) for method in ("PUT", "DELETE")),
    ("POST", f"/v1/datasets/{NUL}/rename?to=there", None, {}),
    ("POST", f"{HOT}/rename?to={NUL}", None, {}),
    ("POST", f"{HOT}/rename?to={LONG}", None, {}),
    ("POST", f"/v1/datasets/{NUL}/batches", '{"op":"delete","keys":["a"]}', {}),
    ("POST", f"/v1/datasets/{NUL}/undo", None, {}),
    ("POST", f"/v1/datasets/{NUL}/import", '{"key":"a","width":1,"height":1}', {}),
    ("POST", f"{HOT}/import?id={NUL}", '{"key":"a","width":1,"height":1}', {}),
    *(("GET", f"/v1/datasets?after={after}", None, {}) for after in (NUL, "%FF")),
    ("GET", f"{HOT}/layouts/{NUL}/elements?rect=0,0,1,1", None, {}),
    ("PUT", f"{HOT}/layouts/{NUL}", "{}", {}),
    ("GET", f"{HOT}/events?since={HUGE}", None, {}),
    ("GET", f"{HOT}/log?limit={HUGE}", None, {}),
    ("GET", f"{HOT}/layouts/grid/elements?rect=0,0,{HUGE},1", None, {}),
    ("GET", f"{HOT}/layouts/grid/elements?rect=nan,0,1,1", None, {}),
    *(("GET", HOT, None, {"Min-Revision": value}) for value in (HUGE, "-1", "0.0.0.0.0", "x")),
    *(("GET", HOT, None, {"Max-Staleness": value}) for value in ("-1", "nan", HUGE * 10)),
    ("POST", f"{HOT}/batches", '{"op":', {}),
    ("POST", f"{HOT}/batches", b"\xff\x00\xfe", {}),
    ("POST", f"{HOT}/batches", "[" * 5000, {"Content-Type": "application/json"}),
    ("POST", f"{HOT}/batches", '{"op":"resize","key":"k0","width":1e999,"height":1}', {}),
    ("POST", f"{HOT}/batches", '{"op":"resize","key":"k0","width":1,"height":1}',
     {"If-Match": HUGE}),
    ("POST", f"{HOT}/batches", '{"op":"resize","key":"k0","width":1,"height":1}',
     {"Idempotency-Key": LONG}),
]


class Intruder(Client):
    def step(self):
        method, path, body, headers = self.random.choice(REQUESTS)
        target = self.random.choice(self.cluster.machines)
        begin = time.monotonic()
        reply = self.asker(target).ask(method, path, body, headers)
        if reply.status is not None:
            self.cluster.observations.note(
                "rejections", f"{target}: {method} {path[:60]} {list(headers)} "
                f"{str(body)[:40]}", begin, time.monotonic(), reply.status, reply.body[:120])
        self.pause(0.1)
