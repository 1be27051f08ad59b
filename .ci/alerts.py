"""Prints a test of promtool for a rule file: each alert fires on its fault, and on no other's: alerts.py ALERTS"""
import json
import re
import sys

# The series of each alert: calm, and with the alert's fault; of one minute each.
faults = {
    "BlackjackDown": {'up{job="bjserver"}': ("1x30", "0x30")},
    "BlackjackChipsImbalanced": {"bj_ledger_imbalance_chips": ("0x30", "0x10 5x20")},
    "BlackjackDescriptorsShort": {"process_open_fds": ("50x30", "950x30")},
    "BlackjackAcceptFails": {"bj_accept_failures_total": ("3x30", "0x18 1x12")},
    "BlackjackLoopLags": {"bj_loop_lag_seconds": ("0.001x30", "0.5x30")},
    "BlackjackDiskStalls": {"bj_disk_stalls_total": ("2x30", "0x5 1x25"), "bj_disk_stalled": ("0x30", "0x5 1x25")},
    "BlackjackDiskFills": {"bj_data_free_bytes": ("9e9x30", "4e9-1e8x30")},
    # Calm is an upgrade.
    "BlackjackRestarts": {'process_start_time_seconds{job="bjserver"}': ("1x10 2x20", "1x10 2+1x20")},
    "BlackjackCheckpointFails": {"bj_checkpoint_failures_total": ("1x30", "0x10 1x20")},
    "BlackjackLogLinesLost": {"bj_log_lines_dropped_total": ("9x30", "0x15 7x15")},
    "BlackjackAccountsNearlyFull": {"bj_accounts": ("5x30", "95x30")},
    "BlackjackNearlyFull": {"bj_connections_lingering": ("3x30", "250x30")},
    "BlackjackLeftAlone": {"bj_partition_left_alone": ("0x30", "0x10 1x20")},
    # The same partition twice, as beside an owner that was cut off, and the other one not at all.
    "BlackjackWithoutOwner": {'bj_partition_number{instance="b"}': ("2x30", "2x5 1x25")},
    # Calm is a take-over.
    "BlackjackRelayFails": {"bj_relay_failures_total": ("0x8 3x22", "0+1x30")},
}
constant = {
    "process_max_fds": 1000,
    "bj_accounts_limit": 100,
    "bj_partitions": 2,
    'bj_partition_number{instance="a"}': 1,
    'bj_partition_number{instance="c"}': 0,
}
rules = open(sys.argv[1]).read()
names = re.findall(r"- alert: (\w+)", rules)
if set(names) != set(faults):
    sys.exit("no fault is known for: " + ", ".join(set(names) ^ set(faults)))


def field(name, key):
    return re.search(rf"- alert: {name}\n(?:.*\n)*?.*\b{key}: \"?([^\"\n}}]*)", rules).group(1)


tests = []
for fault in [None, *names]:
    values = {series: f"{value}x30" for series, value in constant.items()}
    for alert, changed in faults.items():
        values |= {series: both[alert == fault] for series, both in changed.items()}
    expected = {name: [] for name in names}
    if fault:
        labels = {"job": "bjserver"} if "{job=" in " ".join(faults[fault]) else {}
        labels["severity"] = field(fault, "severity")
        expected[fault] = [{"exp_labels": labels, "exp_annotations": {key: field(fault, key) for key in ("summary", "action")}}]
    tests.append({
        "interval": "1m",
        "input_series": [{"series": series, "values": text} for series, text in values.items()],
        "alert_rule_test": [{"eval_time": "20m", "alertname": name, "exp_alerts": alerts} for name, alerts in expected.items()],
    })
json.dump({"rule_files": ["alerts.yml"], "evaluation_interval": "1m", "tests": tests}, sys.stdout)
