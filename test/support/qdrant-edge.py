"""Qdrant's own engine behind Qdrant's own requests: one JSON line in, one JSON line out.

A line is `{"n", "method", "path", "body"}`, what comes back `{"n", "status", "body"}`, the bodies as a server has them. Collections
live in a folder that goes when the program ends. Only what this repository asks of a server is here; everything else is 404,
and a condition the engine does not know is 400, never left out.
"""

import json
import os
import re
import struct
import sys
import tempfile
import uuid

import qdrant_edge as engine

VERSION = sys.argv[1]
MEMORY_FOLDER = "/dev/shm"
DISTANCES = {name: getattr(engine.Distance, name) for name in ("Cosine", "Dot", "Euclid")}
INDEX_TYPES = {
    name: getattr(engine.PayloadSchemaType, name.capitalize())
    for name in ("keyword", "integer", "float", "text", "bool", "datetime")
}
# A condition on a field by the name it has in a request.
MATCHES = {
    "value": "MatchValue",
    "text": "MatchText",
    "text_any": "MatchTextAny",
    "phrase": "MatchPhrase",
    "prefix": "MatchPrefix",
    "substring": "MatchSubstring",
    "any": "MatchAny",
    "except": "MatchExcept",
}
FILTER_LISTS = ("must", "should", "must_not")


class Refused(Exception):
    """What a server answers with a status of its own."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Truth:
    """A boolean as the binding reads it: a plain `True` it takes for the whole number 1, one of numpy for what it is."""

    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return self.value


Truth.__module__, Truth.__name__ = "numpy", "bool_"


def exact(value):
    return Truth(value) if isinstance(value, bool) else value


def match_of(given):
    [(name, value)] = given.items()
    known = getattr(engine, MATCHES.get(name, ""), None)
    if known is None:
        raise Refused(400, "Format error in JSON body: data did not match any variant of untagged enum MatchInterface")
    return known([exact(one) for one in value] if isinstance(value, list) else exact(value))


def range_of(given):
    texts = any(isinstance(bound, str) for bound in given.values())
    return (engine.RangeDateTime if texts else engine.RangeFloat)(**given)


def condition_of(given):
    keys = set(given)
    if keys & {*FILTER_LISTS, "min_should"}:
        return filter_of(given)
    if keys == {"has_id"}:
        return engine.HasIdCondition({point_id(one) for one in given["has_id"]})
    if keys == {"is_empty"}:
        return engine.IsEmptyCondition(given["is_empty"]["key"])
    if keys == {"is_null"}:
        return engine.IsNullCondition(given["is_null"]["key"])
    if keys == {"key", "match"}:
        return engine.FieldCondition(given["key"], match=match_of(given["match"]))
    if keys == {"key", "range"}:
        return engine.FieldCondition(given["key"], range=range_of(given["range"]))
    raise Refused(400, f"Format error in JSON body: unknown condition {sorted(keys)}")


def filter_of(given):
    if given is None:
        return None
    unknown = set(given) - set(FILTER_LISTS)
    if unknown:
        raise Refused(400, f"Format error in JSON body: unknown field {sorted(unknown)}")
    return engine.Filter(**{name: [condition_of(one) for one in part] for name, part in given.items()})


def point_id(given):
    return uuid.UUID(given) if isinstance(given, str) else given


def shortest(value):
    """A 32-bit number in the fewest digits that read back as the same, as a server writes it."""
    if value != value or value in (float("inf"), float("-inf")):
        return None
    for digits in range(1, 10):
        text = float(f"{value:.{digits}g}")
        if abs(text) < 3.4e38 and struct.pack("f", text) == struct.pack("f", value):
            return text
    return value


def answered(point):
    found = {"id": point.id if isinstance(point.id, int) else str(point.id)}
    if hasattr(point, "score"):
        found.update(version=point.version, score=shortest(point.score))
    if point.payload is not None:
        found["payload"] = point.payload
    if point.vector is not None:
        found["vector"] = [shortest(value) for value in point.vector]
    return found


def selection(body):
    return {"with_payload": body.get("with_payload", True), "with_vector": body.get("with_vector", False)}


class Collection:
    """A shard of the engine, and what a server knows of a collection beside it."""

    def __init__(self, folder, body):
        self.params = body["vectors"]
        self.body = body
        os.mkdir(folder)
        params = engine.EdgeVectorParams(size=self.params["size"], distance=DISTANCES[self.params["distance"]])
        self.shard = engine.EdgeShard.create(folder, engine.EdgeConfig(vectors=params))
        self.operations = 0

    def update(self, operation):
        self.shard.update(operation)
        self.operations += 1
        return {"operation_id": self.operations, "status": "completed"}

    def describe(self):
        info = self.shard.info()
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": info.points_count,
            "indexed_vectors_count": info.indexed_vectors_count,
            "config": {
                "params": {
                    "vectors": self.params,
                    "replication_factor": self.body["replication_factor"],
                    "write_consistency_factor": self.body["write_consistency_factor"],
                },
                "metadata": self.body.get("metadata"),
            },
            "payload_schema": {
                field: {"data_type": str(index.data_type).split(".")[-1].lower(), "points": index.points}
                for field, index in info.payload_schema.items()
            },
        }

    def index(self, body):
        schema = body["field_schema"]
        name, options = (schema, {}) if isinstance(schema, str) else (schema["type"], schema)
        if options.get("is_tenant"):
            kind = engine.KeywordIndexParams(is_tenant=True)
        else:
            kind = INDEX_TYPES[name]
        return self.update(engine.UpdateOperation.create_field_index(body["field_name"], kind))

    def upsert(self, body):
        points = [engine.Point(point_id(one["id"]), one["vector"], one.get("payload")) for one in body["points"]]
        if not points:
            raise Refused(400, "Bad request: Empty update request")
        return self.update(engine.UpdateOperation.upsert_points(points))

    def delete(self, body):
        if "points" in body:
            return self.update(engine.UpdateOperation.delete_points([point_id(one) for one in body["points"]]))
        return self.update(engine.UpdateOperation.delete_points_by_filter(filter_of(body["filter"])))

    def retrieve(self, body):
        ids = [point_id(one) for one in body["ids"]]
        return [answered(one) for one in self.shard.retrieve(ids, **selection(body))]

    def scroll(self, body):
        request = engine.ScrollRequest(
            offset=point_id(body.get("offset")),
            limit=body["limit"],
            filter=filter_of(body.get("filter")),
            **selection(body),
        )
        points, following = self.shard.scroll(request)
        if following is not None and not isinstance(following, int):
            following = str(following)
        return {"points": [answered(one) for one in points], "next_page_offset": following}

    def count(self, body):
        request = engine.CountRequest(exact=body["exact"], filter=filter_of(body.get("filter")))
        return {"count": self.shard.count(request)}

    def query(self, body):
        request = engine.QueryRequest(
            limit=body["limit"],
            query=engine.Query.Nearest(body["query"]),
            filter=filter_of(body.get("filter")),
            score_threshold=body.get("score_threshold"),
            **selection(body),
        )
        return {"points": [answered(one) for one in self.shard.query(request)]}


CALLS = {
    ("PUT", "/index"): Collection.index,
    ("PUT", "/points"): Collection.upsert,
    ("POST", "/points"): Collection.retrieve,
    ("POST", "/points/delete"): Collection.delete,
    ("POST", "/points/scroll"): Collection.scroll,
    ("POST", "/points/count"): Collection.count,
    ("POST", "/points/query"): Collection.query,
}


class Server:
    """The collections by name."""

    def __init__(self, folder):
        self.folder = folder
        self.collections = {}

    def answer(self, method, path, body):
        path = path.split("?")[0]
        if (method, path) == ("GET", "/collections"):
            return {"collections": [{"name": name} for name in self.collections]}
        name, call = re.fullmatch(r"/collections/([^/]+)(.*)", path).groups()
        if (method, call) == ("PUT", ""):
            return self.create(name, body)
        collection = self.collections.get(name)
        if collection is None:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        if (method, call) == ("GET", ""):
            return collection.describe()
        if (method, call) == ("GET", "/cluster"):
            return {"local_shards": [{"shard_id": 0, "state": "Active"}], "remote_shards": []}
        if (method, call) not in CALLS:
            raise Refused(404, f"Not found: {method} {call}")
        return CALLS[method, call](collection, body)

    def create(self, name, body):
        if name in self.collections:
            raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
        self.collections[name] = Collection(f"{self.folder}/{len(self.collections)}", body)
        return True


def respond(server, request):
    if request["path"] == "/":
        return 200, {"title": "qdrant - vector search engine", "version": VERSION}
    if request["path"] == "/readyz":
        return 200, "all shards are ready"
    try:
        body = json.loads(request["body"]) if request["body"] else None
        return 200, {"result": server.answer(request["method"], request["path"], body), "status": "ok", "time": 0}
    except Refused as refused:
        return refused.status, {"status": {"error": str(refused)}, "time": 0}
    except Exception as error:
        # The binding has no classes of its own for what a server answers with 400.
        return 400, {"status": {"error": f"{type(error).__name__}: {error}"}, "time": 0}
    except BaseException as panic:
        # A panic of the engine; not an `Exception`, so that programs do not catch it by accident.
        return 500, {"status": {"error": f"Service internal error: {panic}"}, "time": 0}


def text_of(body):
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def main():
    # The engine syncs every index and every collection to disk; in memory there is nothing to wait for.
    place = MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sluice-qdrant-", dir=place) as folder:
        server = Server(folder)
        for line in sys.stdin:
            request = json.loads(line)
            status, body = respond(server, request)
            print(json.dumps({"n": request["n"], "status": status, "body": text_of(body)}), flush=True)


main()
