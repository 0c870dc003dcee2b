"""Reads a calendar with libical and prints its events as JSON, and what libical finds wrong with it."""

import ctypes
import datetime
import json
import sys

ical = ctypes.CDLL("libical.so.3")


class Time(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in
                ("year", "month", "day", "hour", "minute", "second", "is_date", "is_daylight")] + [
                    ("zone", ctypes.c_void_p)]


def function(name, result, *arguments):
    found = getattr(ical, name)
    found.restype = result
    found.argtypes = list(arguments)
    return found


handle, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
parse = function("icalparser_parse_string", handle, text)
kind_of = function("icalcomponent_string_to_kind", number, text)
first = function("icalcomponent_get_first_component", handle, handle, number)
following = function("icalcomponent_get_next_component", handle, handle, number)
count_errors = function("icalcomponent_count_errors", number, handle)
restrictions = function("icalrestriction_check", number, handle)
start, end = (function("icalcomponent_get_dt" + name, Time, handle) for name in ("start", "end"))
seconds = function("icaltime_as_timet_with_zone", ctypes.c_long, Time, handle)
status_text = function("icalproperty_status_to_string", text, number)
status = function("icalcomponent_get_status", number, handle)
sequence = function("icalcomponent_get_sequence", number, handle)
texts = {name: function("icalcomponent_get_" + name, text, handle)
         for name in ("uid", "summary", "location", "description")}


def instant(time):
    moment = seconds(time, time.zone)
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


with open(sys.argv[1], "rb") as file:
    calendar = parse(file.read())
if not calendar:
    sys.exit("libical cannot read the calendar")
kind = kind_of(b"VEVENT")
events = []
event = first(calendar, kind)
while event:
    read = {name: value and value.decode() for name, value in ((name, get(event)) for name, get in texts.items())}
    read.update(start=instant(start(event)), end=instant(end(event)), sequence=sequence(event),
                status=status_text(status(event)).decode())
    events.append(read)
    event = following(calendar, kind)
# Before icalrestriction_check, which adds properties with its findings.
errors = count_errors(calendar)
print(json.dumps({"errors": errors, "is_valid": bool(restrictions(calendar)), "events": events}))
