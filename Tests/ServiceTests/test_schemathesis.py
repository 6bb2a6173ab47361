"""Random requests generated from openapi.json: each answer matches it, and none is a 5xx.

Strategy: schemathesis generates valid and invalid requests for all routes of an existing feed.
Requests that delete datasets and layouts come last, so that the others find data.
"""

import json
import os
import subprocess
import sys
import tempfile

from described import Description
from service import ServiceCase
from waiting import required, seeded

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance")
# The random requests of each operation. LAYOUTCACHE_SERVICE_LONG sends more, and each value that
# the description names.
EXAMPLES = "4"
REMOVING = ("removeDataset", "removeLayout", "renameDataset")


class RandomRequestTests(ServiceCase):
    def setUp(self):
        self.tool = required(
            "schemathesis", "no schemathesis; run Scripts/setup-service-tests.sh",
            os.path.dirname(sys.executable))
        self.is_long = "LAYOUTCACHE_SERVICE_LONG" in os.environ
        # A limit, which a busy machine may reach before it has sent the examples.
        self.seconds = int(os.environ.get("LAYOUTCACHE_SERVICE_LONG", "60"))
        self.seed = str(seeded()[1])
        self.service.make_feed()

    def run_tool(self, seconds, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "openapi.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(Description().document, file)
            done = subprocess.run(
                [self.tool, "--no-color", "run", path, "--url", self.service.url,
                 "--checks", CHECKS, "--seed", self.seed,
                 "--max-time", str(seconds),
                 *(["--phases", "examples,coverage,fuzzing"] if self.is_long
                   else ["--phases", "examples,fuzzing", "--max-examples", EXAMPLES]),
                 "--request-timeout", "10",
                 "--generation-database", "none", "--warnings", "off",
                 "--suppress-health-check", "all", *options],
                cwd=folder, env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                                 "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))},
                capture_output=True, text=True, timeout=seconds + 50)
        print("        " + done.stdout.strip().splitlines()[-1].strip("= "), flush=True)
        self.assertIsNone(self.service.process.poll(), self.service.log_text()[-3000:])
        self.assertEqual(done.returncode, 0, f"seed {self.seed}\n" + done.stdout[-6000:])

    def test_random_requests_are_answered_as_described(self):
        for name in REMOVING:
            self.assertIn(name, json.dumps(Description().document))
        others = [part for name in REMOVING for part in ("--exclude-operation-id", name)]
        self.run_tool(self.seconds * 5 // 6, *others)
        removing = [part for name in REMOVING for part in ("--include-operation-id", name)]
        self.run_tool(self.seconds // 6, *removing)
