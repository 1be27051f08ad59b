"""Asks Prometheus for every expression of a dashboard until each returns data: panels.py URL DASHBOARD"""
import json
import sys
import time
import urllib.parse
import urllib.request

url, path = sys.argv[1:]
expressions = [target["expr"] for panel in json.load(open(path))["panels"] for target in panel["targets"]]


def results(expression):
    query = url + "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    return json.load(urllib.request.urlopen(query))["data"]["result"]


# A rate needs two scrapes, one second apart.
missing = expressions
for _ in range(60):
    missing = [expression for expression in missing if not results(expression)]
    if not missing:
        print(f"install: prometheus: all {len(expressions)} expressions of the dashboard return data")
        sys.exit(0)
    time.sleep(0.5)
sys.exit("no data: " + "; ".join(missing))
