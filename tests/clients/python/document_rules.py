"""The rules for API documents: OpenAPI 3.1 by openapi-spec-validator, and those that it does not check."""

import json
import re
from collections import defaultdict

from openapi_spec_validator import OpenAPIV31SpecValidator

METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
CHINESE = re.compile("[\u4e00-\u9fff]")
PLACEHOLDER = re.compile(r"\{([^}]*)\}")


def check_specification(document):
    """Yields violations of OpenAPI 3.1."""
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def check_metadata(document):
    """Yields what the document does not say about itself, its tags and its schemas."""
    if not document["openapi"].startswith("3.1."):
        yield f"openapi is {document['openapi']}"
    if not document.get("servers"):
        yield "servers is empty"
    if not document["info"].get("contact"):
        yield "info.contact is empty"
    tags = {tag["name"]: tag.get("description") for tag in document.get("tags", [])}
    yield from (f"tag {name} has no description" for name, description in tags.items() if not description)
    used = {tag for _, operation in list_operations(document) for tag in operation.get("tags", [])}
    yield from (f"tag {name} is unused" for name in tags.keys() - used)
    yield from (f"tag {name} is not declared" for name in used - tags.keys())
    text = json.dumps(document)
    for name in document.get("components", {}).get("schemas", {}):
        if f'"#/components/schemas/{name}"' not in text:
            yield f"schema {name} is unused"


def check_operations(document):
    """Yields what the operations do not say about themselves."""
    for call, operation in list_operations(document):
        if not operation.get("operationId"):
            yield f"{call} has no operationId"
        if not CHINESE.search(operation.get("summary", "")):
            yield f"{call} has no Chinese summary"
        if not operation.get("tags"):
            yield f"{call} has no tag"
        # Without it a generated client sends no token.
        if "security" not in document and "security" not in operation:
            yield f"{call} has no security"
        for status, response in operation["responses"].items():
            if "$ref" not in response and not response.get("description", "").strip():
                yield f"{call} has no description of {status}"


def check_collisions(documents):
    """Yields names that become equal in generated code, which changes their case and keeps only letters and digits."""
    operation_ids, summaries = [], []
    for document in documents:
        for kind, components in document.get("components", {}).items():
            yield from find_equal(kind, components)
        yield from find_renamed_placeholders(document["paths"])
        for call, operation in list_operations(document):
            operation_ids.append(operation.get("operationId", ""))
            summaries.append(operation.get("summary", ""))
            # They become arguments of one function, wherever they are sent.
            yield from find_equal(f"parameters of {call}", [parameter["name"] for parameter in operation["parameters"]])
    # Across documents, because one client may be generated from both.
    yield from find_equal("operationId", operation_ids)
    yield from find_equal("summary", summaries, normalize=str)


def find_equal(what, names, normalize=lambda name: re.sub("[^a-z0-9]", "", name.lower())):
    """Yields the names that are equal once normalized."""
    found = defaultdict(list)
    for name in names:
        found[normalize(name)].append(name)
    yield from (f"{what}: {' = '.join(equal)}" for equal in found.values() if len(equal) > 1)


def find_renamed_placeholders(paths):
    """Yields positions with two names, such as in /users/{id} and /users/{user}/groups."""
    found = defaultdict(set)
    for path in paths:
        for placeholder in PLACEHOLDER.finditer(path):
            found[PLACEHOLDER.sub("{}", path[: placeholder.end()])].add(placeholder[1])
    yield from (f"{position}: {' = '.join(sorted(names))}" for position, names in found.items() if len(names) > 1)


def list_operations(document):
    """Yields each operation with its method and path; the path's parameters are among its own."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if operation := item.get(method):
                parameters = item.get("parameters", []) + operation.get("parameters", [])
                yield f"{method.upper()} {path}", {**operation, "parameters": parameters}
