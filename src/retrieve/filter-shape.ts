/**
 * What a filter asks about, without what it asks for: fields and operators, never a value. For reports and telemetry.
 */
import type { Filter } from "../filter/filter.js";

/** Fields and operators of a filter. */
export interface FilterShape {
  /** Sorted, each once. */
  readonly fields: readonly string[];
  /** `AND`, `OR`, `NOT` and the operators in use, sorted, each once. */
  readonly operators: readonly string[];
  /** Whether it does more than compare fields with a value each. */
  readonly advanced: boolean;
}

/** Reads a filter that was checked before. */
export function filterShape(filter: Filter | undefined): FilterShape {
  const fields = new Set<string>();
  const operators = new Set<string>();
  const walk = (part: object): void => {
    for (const [key, condition] of Object.entries(part) as ReadonlyArray<[string, unknown]>) {
      if (["AND", "OR", "NOT"].includes(key)) {
        operators.add(key);
        // A combination is a list of filters.
        for (const inner of condition as readonly object[]) walk(inner);
      } else {
        fields.add(key);
        for (const operator of operatorsOf(condition)) operators.add(operator);
      }
    }
  };
  walk(filter ?? {});
  return {
    fields: [...fields].toSorted(),
    operators: [...operators].toSorted(),
    advanced: [...operators].some((operator) => operator !== "eq"),
  };
}

function operatorsOf(condition: unknown): readonly string[] {
  if (condition === "*") return ["*"];
  if (Array.isArray(condition)) return ["in"];
  return typeof condition === "object" && condition !== null ? Object.keys(condition) : ["eq"];
}
