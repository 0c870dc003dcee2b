"""Parses JSON texts, one a line, with graphql-core and prints one result a line.

null: the text is not GraphQL. {"subset": false}: it is GraphQL that a selection does not allow. {"subset": true,
"canonical": "..."}: it is a selection set with fragments, in the canonical form of CanonicalForm.swift.
"""
import json
import sys

from graphql import (
    EnumValueNode, FieldNode, FloatValueNode, FragmentDefinitionNode, FragmentSpreadNode, IntValueNode, ListValueNode,
    NullValueNode, ObjectValueNode, OperationDefinitionNode, StringValueNode, BooleanValueNode, VariableNode, parse)


class OutsideSubset(Exception):
    pass


def reject_directives(node):
    if node.directives:
        raise OutsideSubset


def selection_set(node):
    return "{" + " ".join(selection(each) for each in node.selections) + "}"


def selection(node):
    if isinstance(node, FragmentSpreadNode):
        reject_directives(node)
        return "..." + node.name.value
    if not isinstance(node, FieldNode):
        raise OutsideSubset
    reject_directives(node)
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
        raise OutsideSubset
    parts = [selection_set(first.selection_set)]
    for fragment in others:
        if not isinstance(fragment, FragmentDefinitionNode):
            raise OutsideSubset
        reject_directives(fragment)
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
    except OutsideSubset:
        return {"subset": False}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=False)
