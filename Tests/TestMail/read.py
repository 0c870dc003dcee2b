"""Parses the mail on standard input and prints its headers and parts as a JSON object of strings."""

import email
import email.policy
import email.utils
import json
import sys

message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
seen = {name.lower(): str(value) for name, value in message.items()}
seen["names"] = " ".join(name.lower() for name in message.keys())
seen["defects"] = " ".join(type(defect).__name__ for part in message.walk() for defect in part.defects)
seen["type"] = message.get_content_type()
seen["parts"] = " ".join(part.get_content_type() for part in message.iter_parts())
seen["age"] = str(email.utils.localtime().timestamp() - message["date"].datetime.timestamp())
for part in message.iter_parts():
    seen[part.get_content_type()] = part.get_content().replace("\r\n", "\n")
json.dump(seen, sys.stdout)
