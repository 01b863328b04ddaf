/**
 * Scopes: the one form of their ids, mem0's form of a filter, and what is refused.
 */
import { describe, expect, it } from "vitest";
import { liftScope, scopeFields, scopeFilter } from "../../src/filter/scope.js";
import type { EntityScope, ScopeFields } from "../../src/filter/scope.js";
import { failureOf } from "../support/refusal-table.js";

describe("a scope", () => {
  it.each<[EntityScope, ScopeFields]>([
    [{ userId: " alice\t" }, { user_id: "alice" }],
    [{ agentId: 42 }, { agent_id: "42" }],
    [
      { runId: "7", userId: "Zoe\u0308" },
      { user_id: "Zo\u00eb", run_id: "7" },
    ],
  ])("%j has one form, which is a filter", (scope, fields) => {
    expect(scopeFields(scope)).toEqual(fields);
    expect(scopeFilter(scope)).toEqual(fields);
  });

  it.each<[unknown, string, string | undefined]>([
    [{}, "SCOPE_REQUIRED", undefined],
    [undefined, "SCOPE_REQUIRED", undefined],
    ["alice", "SCOPE_REQUIRED", undefined],
    [{ userId: undefined, agentId: null }, "SCOPE_REQUIRED", undefined],
    [{ userId: undefined, agentId: "s" }, "SCOPE_ID_TYPE", "user_id"],
    [{ agentId: "s", runId: null }, "SCOPE_ID_TYPE", "run_id"],
    [{ userId: { toJSON: () => "bob" } }, "SCOPE_ID_TYPE", "user_id"],
    [{ userId: new Date(0) }, "SCOPE_ID_TYPE", "user_id"],
    [{ userId: true }, "SCOPE_ID_TYPE", "user_id"],
    [{ userId: ["a", "b"] }, "SCOPE_ID_TYPE", "user_id"],
    [{ userId: 1.5 }, "SCOPE_ID_TYPE", "user_id"],
    [{ userId: "a", agentId: Number.NaN }, "SCOPE_ID_TYPE", "agent_id"],
    [{ userId: "a", agentId: 7n }, "SCOPE_ID_TYPE", "agent_id"],
    [{ userId: "  " }, "SCOPE_ID_EMPTY", "user_id"],
    [{ userId: "a b" }, "SCOPE_ID_WHITESPACE", "user_id"],
    [{ runId: "*" }, "SCOPE_ID_WILDCARD", "run_id"],
    [{ userId: "a".repeat(257) }, "SCOPE_ID_LONG", "user_id"],
    [{ userId: "a", tenant: "b" }, "FILTER_SHAPE", undefined],
    [{ user_id: "a" }, "FILTER_SHAPE", undefined],
  ])("%o is refused", async (scope, code, field) => {
    const failure = await failureOf(() => scopeFields(scope as EntityScope));
    expect(failure.code).toBe(code);
    expect(failure.details.field).toBe(field);
  });
});

describe("a scope in a filter", () => {
  it("is lifted from the top level, and what is further down stays", () => {
    const filter = { user_id: " alice ", agent_id: 7, lang: "de", OR: [{ user_id: "bob" }, { run_id: "*" }] };
    const before = structuredClone(filter);
    expect(liftScope(filter)).toEqual({
      scope: { user_id: "alice", agent_id: "7" },
      filter: { lang: "de", OR: [{ user_id: "bob" }, { run_id: "*" }] },
    });
    expect(filter).toEqual(before);
  });

  it.each<[object, string]>([
    [{}, "SCOPE_REQUIRED"],
    [{ OR: [{ user_id: "alice" }] }, "SCOPE_REQUIRED"],
    [{ user_id: null }, "SCOPE_REQUIRED"],
    [{ user_id: null, agent_id: "s" }, "SCOPE_ID_TYPE"],
    [{ user_id: undefined, agent_id: "s" }, "SCOPE_ID_TYPE"],
    [new Map([["user_id", "a"]]), "FILTER_SHAPE"],
    [{ user_id: "a", toJSON: () => ({ user_id: "b" }) }, "FILTER_SHAPE"],
    [{ user_id: "*" }, "SCOPE_ID_WILDCARD"],
    [{ user_id: { ne: "x" } }, "SCOPE_ID_TYPE"],
    [{ user_id: "a", AND: [] }, "LOGICAL_LIST"],
  ])("%j is refused", async (filter, code) => {
    expect((await failureOf(() => liftScope(filter as Parameters<typeof liftScope>[0]))).code).toBe(code);
  });
});
