"""Prints a test of promtool for a rule file: each alert fires on its fault, and on no other's: alerts.py ALERTS"""
import re
import sys

# Alert: series that provoke it, of one minute each.
faults = {
    "BlackjackDown": {'up{job="bjserver"}': "0x30"},
    "BlackjackChipsImbalanced": {"bj_ledger_imbalance_chips": "0x10 5x20"},
    "BlackjackDescriptorsShort": {"process_open_fds": "950x30", "process_max_fds": "1000x30"},
    "BlackjackAcceptFails": {"bj_accept_failures_total": "0x18 1x12"},
    "BlackjackLoopLags": {"bj_loop_lag_seconds": "0.5x30"},
    "BlackjackDiskStalls": {"bj_disk_stalls_total": "0x5 1x25", "bj_disk_stalled": "0x5 1x25"},
    "BlackjackDiskFills": {"bj_data_free_bytes": "4e9-1e8x30"},
    "BlackjackRestarts": {'process_start_time_seconds{job="bjserver"}': "1x10 2+1x20"},
    "BlackjackCheckpointFails": {"bj_checkpoint_failures_total": "0x10 1x20"},
    "BlackjackLogLinesLost": {"bj_log_lines_dropped_total": "0x15 7x15"},
    "BlackjackAccountsNearlyFull": {"bj_accounts": "95x30", "bj_accounts_limit": "100x30"},
    "BlackjackNearlyFull": {"bj_connections_lingering": "250x30"},
    "BlackjackLeftAlone": {"bj_partition_left_alone": "0x10 1x20"},
    # The same partition twice, as beside an owner that was cut off, and the other one not at all.
    "BlackjackWithoutOwner": {'bj_partition_number{instance="b"}': "2x5 1x25", 'bj_partition_number{instance="c"}': "0x30"},
    "BlackjackRelayFails": {"bj_relay_failures_total": "0+1x30"},
}
calm = {
    'up{job="bjserver"}': "1x30",
    "bj_ledger_imbalance_chips": "0x30",
    "process_open_fds": "50x30",
    "process_max_fds": "1000x30",
    "bj_accept_failures_total": "3x30",
    "bj_loop_lag_seconds": "0.001x30",
    "bj_disk_stalls_total": "2x30",
    "bj_disk_stalled": "0x30",
    "bj_data_free_bytes": "9e9x30",
    # An upgrade.
    'process_start_time_seconds{job="bjserver"}': "1x10 2x20",
    "bj_checkpoint_failures_total": "1x30",
    "bj_log_lines_dropped_total": "9x30",
    "bj_accounts": "5x30",
    "bj_accounts_limit": "100x30",
    "bj_connections_lingering": "3x30",
    "bj_partition_left_alone": "0x30",
    "bj_partitions": "2x30",
    'bj_partition_number{instance="a"}': "1x30",
    'bj_partition_number{instance="b"}': "2x30",
    'bj_partition_number{instance="c"}': "0x30",
    # A take-over.
    "bj_relay_failures_total": "0x8 3x22",
}
rules = open(sys.argv[1]).read()
names = re.findall(r"- alert: (\w+)", rules)
if set(names) != set(faults):
    sys.exit("no fault is known for: " + ", ".join(set(names) ^ set(faults)))


def field(name, key):
    return re.search(rf"- alert: {name}\n(?:.*\n)*?.*\b{key}: \"?([^\"\n}}]*)", rules).group(1)


print("rule_files: [alerts.yml]\nevaluation_interval: 1m\ntests:")
for fault in [None, *names]:
    print("  - interval: 1m\n    input_series:")
    for series, values in {**calm, **faults.get(fault, {})}.items():
        print(f"      - series: '{series}'\n        values: '{values}'")
    print("    alert_rule_test:")
    for name in names:
        print(f"      - eval_time: 20m\n        alertname: {name}")
        if name == fault:
            labels = re.search(r"\{(.*)\}", " ".join(faults[fault])) if len(faults[fault]) == 1 else None
            own = labels.group(1).replace("=", ": ") + ", " if labels else ""
            print(f"        exp_alerts:\n          - exp_labels: {{{own}severity: {field(name, 'severity')}}}")
            print("            exp_annotations:")
            for key in ("summary", "action"):
                print(f'              {key}: "{field(name, key)}"')
