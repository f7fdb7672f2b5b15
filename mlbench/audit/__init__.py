"""What could be wrong with the comparisons of an experiment."""

from mlbench.audit.audit import alarms_of, check_rules, find_threats, not_judged
from mlbench.audit.facts import Facts
from mlbench.audit.threat import SEVERITIES, Alarm, Severity, Threat, Threats

__all__ = [
    "SEVERITIES",
    "Alarm",
    "Facts",
    "Severity",
    "Threat",
    "Threats",
    "alarms_of",
    "check_rules",
    "find_threats",
    "not_judged",
]
