"""A check that finds nothing proves nothing until it has found something: run by check.sh."""

import unittest

from checks import metrics
from checks.common import anchor, seconds

KNOWN = {"a_total": {"app", "reason"}, "b": {"lane"}, "h_bucket": {"stage", "le"}, "up": set()}


class MetricsTest(unittest.TestCase):
    def problems(self, query):
        return metrics.problems(query, KNOWN)

    def test_queries_that_are_right(self):
        for query in (
                'sum by (app) (rate(a_total{app="x", instance=~"y"}[5m]))',
                "histogram_quantile(0.99, sum by (le, stage) (rate(h_bucket[$__rate_interval])))",
                "max by (instance, lane) (b) == 1 unless on (job) up offset 1h",
                'a_total{reason=~"not_a_series(|b)"} or vector(0)',
                "b # gone\n> 1",
                "sum(a_total) / ignoring(app) group_left (reason) sum(a_total) > bool 1e3"):
            self.assertEqual(self.problems(query), [], query)

    def test_queries_that_are_wrong(self):
        for query, problem in (
                ("rate(a[5m])", "there is no series a"),
                ('a_total{lane="1"}', "a_total has no label lane"),
                ("sum by (lane) (a_total)", "no series of the query has the label lane"),
                ("b == c", "there is no series c"),
                ("vector(0)", "it asks for no series"),
                ("b offset 5m > gone", "there is no series gone")):
            self.assertIn(problem, self.problems(query), query)


class CommonTest(unittest.TestCase):
    def test_durations(self):
        for text, length in (("45s", 45), ("5min", 300), ("30d", 2592000), ("500ms", 0.5),
                             ("7", 7), ("2h", 7200)):
            self.assertEqual(seconds(text), length)

    def test_anchors(self):
        self.assertEqual(anchor("Exit 73"), "exit-73")
        self.assertEqual(anchor("Upgrading, and rolling back"), "upgrading-and-rolling-back")


if __name__ == "__main__":
    unittest.main()
