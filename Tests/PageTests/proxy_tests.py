"""The proxy's faults: a fault without effect would let every test pass."""

import http.client
import json
import time
import urllib.error
import urllib.request

from harness import equal, wait_until


def _get(lab, path, timeout=10):
    """Returns the status and body that come through the proxy; the error's type if none do."""
    try:
        with urllib.request.urlopen(lab.server.url + path, timeout=timeout) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__, b""


def _path(lab):
    return (lab.server.under(lab.server.dataset, "layouts", lab.server.layout, "elements")
            + "?rect=0,0,1120,800")


def without_faults_answers_pass_unchanged(lab):
    with urllib.request.urlopen(lab.server.service_url + _path(lab)) as response:
        expected = response.status, response.read()
    equal(_get(lab, _path(lab)), expected, "an answer through the proxy")
    # A request body that is too long for one read.
    first = json.loads(expected[1])["elements"]
    cell = next(each for each in first if each["category"] == "cell")
    lines = (json.dumps({"op": "data", "key": cell["key"], "data": {"title": "x" * 400}})
             + "\n") * 500
    before = lab.server.described()["revision"]
    request = urllib.request.Request(
        lab.server.url + lab.server.under(lab.server.dataset, "batches"), lines.encode(),
        {"Content-Type": "application/x-ndjson"})
    with urllib.request.urlopen(request, timeout=30) as response:
        equal(json.load(response)["revision"], before + 1, "the revision")


def each_fault_affects_only_its_paths(lab):
    proxy, path = lab.server.proxy, _path(lab)
    whole = _get(lab, path)[1]
    for status in (429, 500, 503):
        with proxy.faults(status=status):
            equal(_get(lab, path)[0], status, "the status")
    with proxy.faults(drop=True):
        equal(_get(lab, path)[0], "RemoteDisconnected", "a dropped request")
    for length in (0, 1, len(whole) // 2):
        with proxy.faults(body_bytes_max=length):
            equal(_get(lab, path)[0], "IncompleteRead", f"a body of {length} bytes")
    with proxy.faults(piece_bytes=len(whole) // 3):
        equal(_get(lab, path)[1], whole, "an answer in pieces")
    with proxy.faults(delay=0.2):
        begun = time.monotonic()
        equal(_get(lab, path)[1], whole, "a delayed answer")
        assert time.monotonic() - begun >= 0.2, "the answer is not delayed"
    with proxy.faults(under="/sections", drop=True):
        equal(_get(lab, path)[1], whole, "another path")
        _get(lab, path.replace("/elements", "/sections"))
    equal(_get(lab, path)[1], whole, "an answer after the faults")


def a_fault_without_a_request_fails_its_test(lab):
    try:
        with lab.server.proxy.faults(status=503):
            pass
    except AssertionError:
        return
    raise AssertionError("a test with an unused fault passes")


def a_cut_ends_streams_and_their_count(lab):
    proxy = lab.server.proxy
    before = proxy.streams
    connection = http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=10)
    connection.request("GET", lab.server.under(lab.server.dataset, "events"),
                       headers={"Accept": "text/event-stream"})
    response = connection.getresponse()
    equal(response.status, 200, "the stream")
    equal(proxy.streams, before + 1, "streams")
    proxy.cut()
    try:
        response.read()
    except (OSError, http.client.HTTPException):
        pass
    wait_until(lambda: proxy.streams == before, "the stream is counted after its end")
