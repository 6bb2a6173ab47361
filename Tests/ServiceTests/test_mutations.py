"""The mutations still apply to the sources; `make service-mutations` runs them."""

import os
import unittest

from mutations import MUTATIONS
from service import ROOT


class MutationTests(unittest.TestCase):
    def test_each_text_is_once_in_its_file_and_each_test_exists(self):
        loader = unittest.TestLoader()
        for mutation in MUTATIONS:
            with self.subTest(name=mutation.name):
                with open(os.path.join(ROOT, mutation.file), encoding="utf-8") as file:
                    text = file.read()
                self.assertEqual(text.count(mutation.text), 1)
                self.assertNotEqual(mutation.text, mutation.replacement)
                # Raises an error if a part of the name does not exist.
                loader.loadTestsFromName(mutation.test)
                self.assertEqual(loader.errors, [])

    def test_each_robustness_test_file_has_a_mutation(self):
        files = {mutation.test.split(".")[0] for mutation in MUTATIONS}
        for name in ("extremes", "framing", "access", "kills", "two_services", "load", "faults"):
            self.assertIn(f"test_{name}", files)
