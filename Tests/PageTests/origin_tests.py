"""Pages of other origins in a real browser: they cannot change anything by any means.

Each test starts the command itself (LAYOUTCACHE_BINARY), and a separate server for the
foreign page.
"""

import contextlib
import http.server
import os
import threading

from harness import HERE, equal, wait
import service as services

TOKEN = "a-token-of-the-tests"

# All requests that a page can send without a CORS preflight, and those that need one.
ATTACK = """
async ({ base, headers }) => {
  const feed = `${base}/v1/datasets/art`;
  const line = '{"op":"delete","keys":["k1"]}';
  const targets = [
    ['POST', `${feed}/batches`, line], ['POST', `${feed}/undo`, ''],
    ['POST', `${feed}/rename?to=stolen`, ''],
    ['POST', `${feed}/import?mode=replace&allowEmpty=true&format=ndjson`, ''],
    ['POST', `${base}/v1/datasets/planted/import?format=ndjson`, '{"key":"a","width":1,"height":1}'],
    ['POST', `${feed}/layouts/phone/rebalance`, ''], ['POST', `${feed}/layouts/phone/prepare`, ''],
    ['PUT', `${base}/v1/datasets/planted`, ''], ['DELETE', feed, ''],
    ['DELETE', `${feed}/layouts/phone`, ''],
  ];
  let sent = 0;
  for (const [method, url, text] of targets) {
    const bodies = [text, new Blob([text]), new Blob([text], { type: 'text/plain' }),
      new URLSearchParams({ a: text }), new Blob([text], { type: 'application/x-ndjson' })];
    for (const body of bodies) {
      for (const mode of ['no-cors', 'cors']) {
        // A request that the browser itself forbids is never sent.
        await fetch(url, { method, mode, body, headers }).then(() => { sent += 1; }, () => {});
      }
      if (method === 'POST') navigator.sendBeacon(url, body);
    }
    if (method !== 'POST') continue;
    for (const type of ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded']) {
      const frame = document.createElement('iframe');
      frame.name = `frame${Math.random()}`;
      document.body.append(frame);
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: url, enctype: type, target: frame.name });
      const field = document.createElement('input');
      Object.assign(field, { name: text.slice(0, -1), value: '}' });
      form.append(field);
      document.body.append(form);
      form.submit();
      sent += 1;
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  return sent;
}
"""

ORDINARY = """
async ({ base, headers }) => {
  const answer = await fetch(`${base}/v1/datasets/made`, { method: 'PUT', headers });
  return answer.status;
}
"""


@contextlib.contextmanager
def _foreign_page(page="<!doctype html><title>foreign</title><body></body>"):
    """Serves a page, and a picture under all paths that end with .svg; yields the port, and a list
    with the page, which can be changed."""
    picture = (HERE.parents[1] / "Sources/ServicePage/Inspector/icon.svg").read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            is_picture = self.path.endswith(".svg")
            self.send_response(200)
            self.send_header("Content-Type", "image/svg+xml" if is_picture else "text/html")
            self.end_headers()
            self.wfile.write(picture if is_picture else pages[0].encode())

        def log_message(self, *_):
            pass

    pages = [page]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, pages
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def _service(*arguments, tokens=None):
    services.binary = os.environ["LAYOUTCACHE_BINARY"]
    service = services.Service(arguments, tokens)
    try:
        yield service
    finally:
        service.remove()


def _state(service, headers):
    """Returns everything that a change would affect."""
    paths = ["/v1/datasets", "/v1/datasets/art/export", "/v1/datasets/art/layouts"]
    return [service.request("GET", path, headers=headers).body for path in paths]


def _make_feed(service, headers):
    lines = "".join(f'{{"key":"k{n}","width":4,"height":3}}\n' for n in range(20))
    made = service.request(
        "POST", "/v1/datasets/art/import", lines,
        {"Content-Type": services.NDJSON, **headers})
    equal(made.status, 200, "the import")
    made = service.request(
        "PUT", "/v1/datasets/art/layouts/phone", '{"container":{"width":390}}', headers)
    equal(made.status, 201, "the layout")


def pages_of_other_origins_change_nothing(lab):
    tokens = services.token_line("all", token=TOKEN)
    for file in (None, tokens):
        own = {"Authorization": f"Bearer {TOKEN}"} if file else {}
        with _service(tokens=file) as service, _foreign_page() as (port, _):
            _make_feed(service, own)
            before = _state(service, own)
            # Another port is the same site, another name is not; the page may know the token.
            for host in ("127.0.0.1", "localhost"):
                for headers in ({}, own):
                    page = lab.context().new_page()
                    page.goto(f"http://{host}:{port}/")
                    sent = page.evaluate(ATTACK, {"base": service.url, "headers": headers})
                    assert sent > 20, f"only {sent} requests were sent"
                    equal(_state(service, own), before, f"after a page of {host}")
            # The service's own page has all rights of its user.
            page = lab.context().new_page()
            page.goto(f"{service.url}/problems")
            page = lab.context().new_page()
            page.goto(f"{service.url}/")
            equal(page.evaluate(ORDINARY, {"base": "", "headers": own}), 201, "its own page")


pages_of_other_origins_change_nothing.needs = "LAYOUTCACHE_BINARY"


def the_example_of_the_guide_works(lab):
    """As it is pasted, on a page of another port, with the flag of the guide."""
    guide = (HERE.parents[1] / "docs" / "CLIENT.md").read_text()
    example = guide.split("```html\n")[1].split("```")[0]
    assert len(example.splitlines()) <= 28, "the example has grown"
    assert "--allow-origin http://localhost:8000" in guide.split("```sh\n")[1].split("```")[0]
    rows = "".join(
        f'{{"key":"m{number}","width":300,"height":{300 + number * 41 % 200},'
        f'"section":"{1890 + number // 50}",'
        f'"data":{{"title":"Work {number}","image_url":"/{number}.svg"}}}}\n'
        for number in range(4000))
    example = example.replace("await feed.open();", "window.feed = feed; await feed.open();")
    with _foreign_page() as (port, pages):
        with _service("--allow-origin", f"http://localhost:{port}") as service:
            pages[0] = example.replace("http://localhost:8080", f"http://localhost:{service.port}")
            headers = {"Content-Type": services.NDJSON}
            equal(service.request("POST", "/v1/datasets/museum/import", rows, headers).status,
                  200, "the import")
            equal(service.request("PUT", "/v1/datasets/museum/layouts/phone", """
                {"container": {"width": 390, "height": 844},
                 "section": {"columns": 2, "columnSpacing": 8, "lineSpacing": 8, "header": 44}}
                """).status, 201, "the layout")
            page = lab.context().new_page()
            lab.watch(page)
            page.goto(f"http://localhost:{port}/")
            lab.ready(page)
            page.mouse.move(page.evaluate("probe.box().left + 100"), 300)
            page.mouse.wheel(0, 1000)
            wait(page, "feed.position === 1000")
            page.evaluate("probe.rest()")
            assert page.evaluate("probe.cells().length") > 3
            key = page.evaluate("probe.anchor().key")
            image = page.locator(f"[data-key={key}] img")
            equal(image.get_attribute("alt"), f"Work {key[1:]}", "the picture's text")
            label = page.locator("#scrubber .labels span").first
            equal(label.inner_text(), "1890", "the first label of the scrubber")
            page.locator("#scrubber").focus()
            page.keyboard.press("End")
            page.evaluate("probe.rest()")
            equal(page.evaluate("feed.view.position === feed.view.end"), True, "the end")
            assert page.evaluate("Boolean(probe.node('m3999'))"), "the last item is missing"


the_example_of_the_guide_works.needs = "LAYOUTCACHE_BINARY"
