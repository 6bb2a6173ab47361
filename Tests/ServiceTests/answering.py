"""A base class for tests that check each answer against openapi.json."""

import json

from described import required_description
from service import NDJSON, ServiceCase


class AnswerCase(ServiceCase):
    """Tests of a service with a feed, and the description of its answers."""

    @classmethod
    def setUpClass(cls):
        cls.description = required_description()
        super().setUpClass()
        cls.service.make_feed()

    def call(self, method, target, body=None, headers=None):
        """Sends a request and checks its answer against the description."""
        headers = dict(headers or {})
        if isinstance(body, list):
            body = "".join(json.dumps(line) + "\n" for line in body)
            headers.setdefault("Content-Type", NDJSON)
        found = self.service.request(method, target, body, headers)
        self.assertEqual(self.description.problems(method, target, found), [], found)
        return found
