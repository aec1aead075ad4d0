"""Checks both API documents, and that each rule fails for a document that violates it. Needs no server."""

import copy
import json
import pathlib
import sys
from importlib.metadata import version

from .document_rules import check_collisions, check_metadata, check_operations, check_specification

print("openapi-spec-validator", version("openapi-spec-validator"), flush=True)

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "openapi"
DOCUMENTS = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in ["portal", "disk"]}
PATH = "/api/trash/{id}"
CALL = f"DELETE {PATH}"
OPERATION = ["paths", PATH, "delete"]
ABSENT = object()


def mutate(place, value=ABSENT):
    """A copy of the disk's document, cut down to two paths, in which one value is replaced or removed."""
    disk = DOCUMENTS["disk"]
    paths = {path: disk["paths"][path] for path in [PATH, "/api/trash"]}
    tags = [tag for tag in disk["tags"] if tag["name"] == "trash"]
    document = copy.deepcopy({**disk, "paths": paths, "tags": tags})
    *parents, last = place
    part = document
    for name in parents:
        part = part[name]
    if value is ABSENT:
        del part[last]
    else:
        part[last] = value
    return document


def violations():
    """For each rule documents that violate it, with the fault to be found."""
    item = {"delete": {"responses": {}}}
    alike = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in ["a-b", "A_b"]]
    response = [*OPERATION, "responses", "200"]
    yield check_specification, mutate([*response, "description"]), "'description' is a required property"
    yield check_specification, mutate([*OPERATION, "parameters"]), "Path parameter 'id'"
    yield check_metadata, mutate(["openapi"], "3.0.3"), "openapi is 3.0.3"
    yield check_metadata, mutate(["servers"], []), "servers is empty"
    yield check_metadata, mutate(["info", "contact"]), "info.contact is empty"
    yield check_metadata, mutate(["tags", 0, "description"]), "tag trash has no description"
    yield check_metadata, mutate(["tags"], [{"name": "more", "description": "更多"}]), "tag more is unused"
    yield check_metadata, mutate(["tags"], []), "tag trash is not declared"
    yield check_metadata, mutate(["components", "schemas", "More"], {}), "schema More is unused"
    yield check_operations, mutate([*OPERATION, "tags"]), f"{CALL} has no tag"
    yield check_operations, mutate([*OPERATION, "operationId"]), f"{CALL} has no operationId"
    yield check_operations, mutate([*OPERATION, "summary"], "purge"), f"{CALL} has no Chinese summary"
    yield check_operations, mutate(["security"]), f"{CALL} has no security"
    yield check_operations, mutate([*response, "description"], " "), f"{CALL} has no description of 200"
    yield check_collisions, [mutate(["components", "schemas", "hit_"], {})], "schemas: Hit = hit_"
    yield check_collisions, [mutate(["paths", "/api/trash/{item}/x"], item)], "/api/trash/{}: id = item"
    yield check_collisions, [mutate([*OPERATION, "operationId"], "list_trash")], "operationId: list_trash = listTrash"
    yield check_collisions, [mutate([*OPERATION, "summary"], "回收站")], "summary: 回收站 = 回收站"
    yield check_collisions, [mutate([*OPERATION, "parameters"], alike)], f"parameters of {CALL}: a-b = A_b"


faults = list(check_collisions(DOCUMENTS.values()))
for name, document in DOCUMENTS.items():
    for check in [check_specification, check_metadata, check_operations]:
        faults += (f"{name}.json: {fault}" for fault in check(document))
for check, document, wanted in violations():
    found = list(check(document))
    if not any(wanted in fault for fault in found):
        faults.append(f"{check.__name__} misses {wanted!r}, found {found}")
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
