"""Parses the mail on standard input and prints its headers and parts as a JSON object of strings."""

import email
import email.policy
import email.utils
import hashlib
import json
import sys

message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
seen = {name.lower(): str(value) for name, value in message.items()}
seen["names"] = " ".join(name.lower() for name in message.keys())
seen["defects"] = " ".join(type(defect).__name__ for part in message.walk() for defect in part.defects)
seen["type"] = message.get_content_type()
leaves = [part for part in message.walk() if not part.is_multipart()]
seen["parts"] = " ".join(part.get_content_type() for part in leaves)
seen["age"] = str(email.utils.localtime().timestamp() - message["date"].datetime.timestamp())
for part in leaves:
    content = part.get_content()
    if part.get_filename():
        seen["attachment"] = part.get_filename()
        seen["sha256"] = hashlib.sha256(content).hexdigest()
    else:
        seen[part.get_content_type()] = content.replace("\r\n", "\n")
json.dump(seen, sys.stdout)
