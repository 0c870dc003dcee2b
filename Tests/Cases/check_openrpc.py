"""Checks an OpenRPC document with Debian's python3-jsonschema: `check_openrpc.py SCHEMA DOCUMENT`.

Prints one line for each thing that is wrong, and nothing when all is well.
"""

import copy
import json
import re
import sys

from jsonschema import Draft7Validator, RefResolver

with open(sys.argv[1], encoding="utf-8") as file:
    openrpc = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)

checks = Draft7Validator(openrpc)


def schemas():
    """Every JSON Schema of the document, with its place."""
    for name, schema in document["components"]["schemas"].items():
        yield f"schemas/{name}", schema
    for name, error in document["components"]["errors"].items():
        yield f"errors/{name}", error["data"]
    for method in document["methods"]:
        yield f"{method['name']} result", method["result"]["schema"]
        for parameter in method["params"]:
            yield f"{method['name']} {parameter['name']}", parameter["schema"]
    for operation in document["x-http"]:
        for parameter in operation["parameters"]:
            yield f"{operation['path']} {parameter['name']}", parameter["schema"]
        if "answer" in operation:
            yield f"{operation['path']} answer", operation["answer"]
        for event in operation.get("events", []):
            yield f"{operation['path']} {event['name']}", event["data"]


def inner(value):
    """The objects of a schema, itself included."""
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from inner(member)
    elif isinstance(value, list):
        for element in value:
            yield from inner(element)


def resolved(reference):
    place = document
    for step in reference.removeprefix("#/").split("/"):
        place = place[step]
    return place


def validator(schema):
    return Draft7Validator(schema, resolver=RefResolver("", document))


for fault in checks.iter_errors(document):
    print(f"document at /{'/'.join(map(str, fault.absolute_path))}: {fault.message[:200]}")

count = 0
for place, schema in schemas():
    count += 1
    for fault in Draft7Validator(Draft7Validator.META_SCHEMA).iter_errors(schema):
        print(f"{place}: not a schema of draft-07: {fault.message[:200]}")
    for part in inner(schema):
        if isinstance(part.get("$ref"), str):
            try:
                resolved(part["$ref"])
            except KeyError:
                print(f"{place}: {part['$ref']} leads nowhere")
            further = set(part) - {"$ref"}
            if further:
                print(f"{place}: draft-07 ignores {sorted(further)} beside $ref")
        if isinstance(part.get("pattern"), str):
            re.compile(part["pattern"])

names = [method["name"] for method in document["methods"]]
if len(set(names)) != len(names):
    print("methods: names repeat")
for method in document["methods"]:
    name = method["name"]
    if method.get("paramStructure") != "by-name":
        print(f"{name}: params are not by name")
    if not method.get("summary") or "x-roles" not in method:
        print(f"{name}: no summary or no x-roles")
    if not method.get("examples"):
        print(f"{name}: no example")
    parameters = {parameter["name"]: parameter for parameter in method["params"]}
    for example in method.get("examples", []):
        given = {one["name"]: one["value"] for one in example["params"]}
        for one, value in given.items():
            for fault in validator(parameters[one]["schema"]).iter_errors(value):
                print(f"{name}: the example's {one}: {fault.message[:200]}")
        for one, parameter in parameters.items():
            if parameter.get("required") and one not in given:
                print(f"{name}: the example has no {one}")
        for fault in validator(method["result"]["schema"]).iter_errors(example["result"]["value"]):
            print(f"{name}: the example's result: {fault.message[:200]}")

# A check that refuses nothing would prove nothing.
for spoil in (
    lambda one: one.pop("info"),
    lambda one: one.update(openrpc="1.2.0"),
    lambda one: one.update(extra=1),
    lambda one: one["methods"][0].pop("result"),
    lambda one: one["methods"][0].update(paramStructure="named"),
    lambda one: one["methods"][0]["examples"][0].pop("name"),
    lambda one: one["methods"][-1]["result"].update(schema={"type": "text"}),
    lambda one: one["components"]["errors"]["conflict"].update(code="409"),
    lambda one: one["components"]["schemas"].update({"sessions": {"properties": []}}),
):
    spoiled = copy.deepcopy(document)
    spoil(spoiled)
    if checks.is_valid(spoiled):
        print("a spoiled document passes")
if count < 100:
    print(f"only {count} schemas were checked")
