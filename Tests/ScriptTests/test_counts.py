"""Tests of Scripts/counts.py: which counts differ from the table."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Scripts"))
import counts

CONDITIONS = "Swift 6.3.1, x86_64, SQLite 3.40.1"
KNOWN = {"rect": ["50000", "10.00", "0.00", "7.00"], "item": ["5000", "4.00", "0.00", "-"]}


class CountsTests(unittest.TestCase):
    def outcome(self, conditions=CONDITIONS, known=KNOWN, **changed):
        """The exit code and the message for a build with some other rows; None leaves one out."""
        found = {name: row for name, row in {**KNOWN, **changed}.items() if row}
        return counts.outcome(counts.table(CONDITIONS, known), conditions, lambda: found)

    def expect_failure(self, *phrases, **arguments):
        code, message = self.outcome(**arguments)
        self.assertEqual(code, 1)
        for phrase in (*phrases, "make counts UPDATE=1"):
            self.assertIn(phrase, message)

    def test_the_same_counts_pass(self):
        self.assertEqual(self.outcome(), (0, "counts: 2 operations as in the table"))

    def test_fewer_or_more_instructions_fail(self):
        for now, change in (("48499", "-3.0 %"), ("51501", "+3.0 %"), ("100000", "+100.0 %")):
            self.expect_failure(f"rect: {now} instructions, in the table 50000 ({change})",
                                rect=[now, *KNOWN["rect"][1:]])

    def test_three_percent_pass_and_of_few_instructions_the_slack(self):
        for name, now, expected in (("rect", "48500", 0), ("item", "5600", 0), ("item", "5601", 1)):
            code, _ = self.outcome(**{name: [now, *KNOWN[name][1:]]})
            self.assertEqual(code, expected)

    def test_allocations_have_the_same_limit_but_for_a_tenth_of_one(self):
        for now, expected in (("10.29", 0), ("9.71", 0), ("10.31", 1), ("9.69", 1)):
            code, _ = self.outcome(rect=["50000", now, "0.00", "7.00"])
            self.assertEqual(code, expected)
        few = {"rect": ["50000", "1.00", "0.00", "7.00"]}
        for now, expected in (("1.05", 0), ("1.20", 1)):
            code, _ = counts.outcome(counts.table(CONDITIONS, few), CONDITIONS,
                                     lambda: {"rect": ["50000", now, "0.00", "7.00"]})
            self.assertEqual(code, expected)

    def test_any_other_count_of_bytes_or_nodes_fails(self):
        self.expect_failure("rect: 0.01 bytes, in the table 0.00",
                            rect=["50000", "10.00", "0.01", "7.00"])
        self.expect_failure("rect: 7.01 nodes, in the table 7.00 (+0.1 %)",
                            rect=["50000", "10.00", "0.00", "7.01"])
        self.expect_failure("item: 1.00 nodes, in the table -",
                            item=["5000", "4.00", "0.00", "1.00"])

    def test_rows_that_one_of_them_lacks_fail(self):
        self.expect_failure("item is no longer counted", item=None)
        self.expect_failure("move is not in the table", move=KNOWN["rect"])
        self.expect_failure("rect is not in the table", known={})

    def test_another_compiler_is_skipped_without_counting(self):
        def count():
            self.fail("counted")
        code, message = counts.outcome(counts.table(CONDITIONS, KNOWN), "Swift 6.4", count)
        self.assertEqual(code, 0)
        self.assertIn(f"skipped: the table is of {CONDITIONS}, this is Swift 6.4", message)

    def test_a_table_reads_back(self):
        self.assertEqual(counts.parsed(counts.table(CONDITIONS, KNOWN)), (CONDITIONS, KNOWN))


if __name__ == "__main__":
    unittest.main()
