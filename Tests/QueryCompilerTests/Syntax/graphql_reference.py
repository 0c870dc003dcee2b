"""Reads JSON texts, one a line, and tells of each what graphql-core makes of it.

null: no GraphQL. {"subset": false}: GraphQL, but more than a selection may say. {"subset": true, "canonical": "..."}:
a selection set, fragments behind it, written back in the form of CanonicalForm.swift.
"""
import json
import sys

from graphql import (
    EnumValueNode, FieldNode, FloatValueNode, FragmentDefinitionNode, FragmentSpreadNode, IntValueNode, ListValueNode,
    NullValueNode, ObjectValueNode, OperationDefinitionNode, StringValueNode, BooleanValueNode, VariableNode, parse)


class Outside(Exception):
    pass


def refuse_directives(node):
    if node.directives:
        raise Outside


def selection_set(node):
    return "{" + " ".join(selection(each) for each in node.selections) + "}"


def selection(node):
    if isinstance(node, FragmentSpreadNode):
        refuse_directives(node)
        return "..." + node.name.value
    if not isinstance(node, FieldNode):
        raise Outside
    refuse_directives(node)
    alias = node.alias.value + ":" if node.alias else ""
    arguments = "(" + " ".join(map(member, node.arguments)) + ")" if node.arguments else ""
    return alias + node.name.value + arguments + (selection_set(node.selection_set) if node.selection_set else "")


def member(node):
    return node.name.value + ":" + value(node.value)


def value(node):
    if isinstance(node, VariableNode):
        return "$" + node.name.value
    if isinstance(node, (IntValueNode, FloatValueNode, EnumValueNode)):
        return node.value
    if isinstance(node, StringValueNode):
        return '"' + node.value + '"'
    if isinstance(node, BooleanValueNode):
        return "true" if node.value else "false"
    if isinstance(node, NullValueNode):
        return "null"
    if isinstance(node, ListValueNode):
        return "[" + " ".join(map(value, node.values)) + "]"
    assert isinstance(node, ObjectValueNode)
    return "{" + " ".join(map(member, node.fields)) + "}"


def canonical(document):
    first, *others = document.definitions
    if not isinstance(first, OperationDefinitionNode) or first.loc.start_token.kind.value != "{":
        raise Outside
    parts = [selection_set(first.selection_set)]
    for fragment in others:
        if not isinstance(fragment, FragmentDefinitionNode):
            raise Outside
        refuse_directives(fragment)
        on = fragment.type_condition.name.value
        parts.append(f"fragment {fragment.name.value} on {on} {selection_set(fragment.selection_set)}")
    return " ".join(parts)


def answer(text):
    try:
        document = parse(text)
    except Exception:
        # A text that ends inside an escape makes graphql-core raise an IndexError.
        return None
    try:
        return {"subset": True, "canonical": canonical(document)}
    except Outside:
        return {"subset": False}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=False)
