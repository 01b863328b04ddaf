/**
 * The rows of a Parquet file as records: the chosen columns, as values that JSON can hold.
 *
 * Columns are read side by side, page by page; memory is one compressed column chunk and one page for each chosen column.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DecodedArray, SchemaElement } from "hyparquet";
import { SluiceError } from "../errors.js";
import type { ParquetFile, ParquetGroup } from "./parquet-file.js";
import { parquetError, type ParquetLeaf } from "./parquet-schema.js";

/** Which columns a record gets. */
export interface ParquetColumns {
  /** Columns of text; another type is `COLUMN_NOT_TEXT`, bytes that are not UTF-8 are `INPUT_ENCODING`. */
  readonly texts: readonly string[];
  /** Further columns of plain values, for ids and for preferences. A column that is not there is left out. */
  readonly others: readonly string[];
}

type Convert = (value: unknown, row: number) => unknown;

/** Rows between two looks at the signal. */
const ROWS_PER_TURN = 4096;

/**
 * The records of a file in order. Nulls come as `null`.
 *
 * Integers beyond 2^53 come as `bigint`, dates and times as their integers, decimals as numbers.
 */
export async function* parquetRecords(
  file: ParquetFile,
  columns: ParquetColumns,
  signal?: AbortSignal,
): AsyncGenerator<Record<string, unknown>> {
  const present = new Set(file.leaves.map(({ path }) => path[0]));
  const others = columns.others.filter((name) => present.has(name) && !columns.texts.includes(name));
  const chosen = [
    ...columns.texts.map((name) => column(name, file.flatLeaf(name), textConversion)),
    ...others.map((name) => column(name, file.flatLeaf(name), plainConversion)),
  ];
  function column(
    name: string,
    leaf: ParquetLeaf,
    conversion: (file: ParquetFile, leaf: ParquetLeaf) => Convert,
  ): { name: string; leaf: ParquetLeaf; convert: Convert } {
    return { name, leaf, convert: conversion(file, leaf) };
  }
  for (const group of file.groups) {
    signal?.throwIfAborted();
    const streams = await Promise.all(
      chosen.map(async ({ name, leaf, convert }) => ({
        name,
        convert,
        values: await flatValues(file, group, leaf),
      })),
    );
    for (let index = 0; index < group.rows; index += 1) {
      const row = group.start + index;
      if (row % ROWS_PER_TURN === 0) {
        // Decoding is synchronous: let a signal in.
        await nextTurn();
        signal?.throwIfAborted();
      }
      const entries = streams.map(({ name, convert, values }): [string, unknown] => {
        const next = values.next();
        if (next.done === true) throw parquetError(file.path, "a column has too few rows", name);
        return [name, next.value === undefined ? null : convert(next.value, row)];
      });
      // Not by assignment, which would take a column `__proto__` for the prototype.
      yield Object.fromEntries(entries);
    }
    // Drained to the end, so that surplus rows are noticed too.
    for (const { name, values } of streams) {
      if (values.next().done !== true) throw parquetError(file.path, "a column has too many rows", name);
    }
  }
}

/** Whether a file has a column of this name whose values can serve as id or preference. */
export function isPlainColumn(file: ParquetFile, name: string): boolean {
  const leaf = file.leaves.find(({ path }) => path[0] === name);
  return leaf?.path.length === 1 && leaf.repetitionMax === 0 && kindOfColumn(leaf.element) !== "other";
}

/** One value a row, `undefined` for a null. */
async function flatValues(file: ParquetFile, group: ParquetGroup, leaf: ParquetLeaf): Promise<Generator> {
  const pages = await file.pages(group, leaf, () => true);
  return (function* (): Generator {
    for (const { count, definition, values } of pages) {
      const dense: DecodedArray = values ?? [];
      if (definition === undefined) yield* dense;
      else {
        let used = 0;
        for (let index = 0; index < count; index += 1) {
          yield definition[index] === leaf.definitionMax ? dense[used++] : undefined;
        }
      }
    }
  })();
}

function textConversion(file: ParquetFile, leaf: ParquetLeaf): Convert {
  // Old writers leave the annotation of a string out.
  if (leaf.element.type !== "BYTE_ARRAY" || !["bytes", "text"].includes(kindOfColumn(leaf.element))) {
    throw new SluiceError("COLUMN_NOT_TEXT", `The column ${leaf.name} does not hold text.`, {
      field: leaf.name,
      path: file.path,
      expected: "a column of strings",
      received: describe(leaf.element),
    });
  }
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (value, row) => {
    try {
      // The type of the column was checked above: its values are bytes.
      return decoder.decode(value as Uint8Array);
    } catch (cause) {
      throw new SluiceError(
        "INPUT_ENCODING",
        `The column ${leaf.name} is not valid UTF-8.`,
        { position: row, field: leaf.name, path: file.path },
        { cause },
      );
    }
  };
}

function plainConversion(file: ParquetFile, leaf: ParquetLeaf): Convert {
  const { element } = leaf;
  switch (kindOfColumn(element)) {
    case "text":
      return textConversion(file, leaf);
    case "unsigned":
      // The type of the column was looked at: its values are numbers or bigints, both of which `BigInt` takes.
      return (value) =>
        safeInteger(BigInt.asUintN(element.type === "INT32" ? 32 : 64, BigInt(value as number)));
    case "decimal": {
      const scale = 10 ** (element.scale ?? 0);
      return (value) => (value instanceof Uint8Array ? bigEndian(value) : Number(value)) / scale;
    }
    case "uuid":
      // As above: its values are sixteen bytes.
      return (value) =>
        Buffer.from(value as Uint8Array)
          .toString("hex")
          .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    case "plain":
      return (value) => {
        if (typeof value === "bigint") return safeInteger(value);
        // JSON has no NaN and no infinity.
        return typeof value === "number" && !Number.isFinite(value) ? null : value;
      };
    case "bytes":
      return textConversion(file, leaf);
    case "other":
      throw parquetError(
        file.path,
        `values of type ${describe(element)} cannot serve as id or preference`,
        leaf.name,
      );
  }
}

type ColumnKind = "text" | "unsigned" | "decimal" | "uuid" | "plain" | "bytes" | "other";

function kindOfColumn({ type, converted_type, logical_type }: SchemaElement): ColumnKind {
  const logical = logical_type?.type;
  if (converted_type === "DECIMAL" || logical === "DECIMAL") return "decimal";
  if (type === "BYTE_ARRAY") {
    const names = ["STRING", "ENUM", "JSON"];
    if (names.includes(logical ?? "") || ["UTF8", "ENUM", "JSON"].includes(converted_type ?? ""))
      return "text";
    return logical === undefined && converted_type === undefined ? "bytes" : "other";
  }
  if (logical === "UUID") return "uuid";
  if (type === "FIXED_LEN_BYTE_ARRAY" || type === "INT96") return "other";
  const unsigned = logical_type?.type === "INTEGER" && !logical_type.isSigned;
  return unsigned || converted_type?.startsWith("UINT") === true ? "unsigned" : "plain";
}

function describe({ type, converted_type, logical_type }: SchemaElement): string {
  return logical_type?.type ?? converted_type ?? type ?? "group";
}

function safeInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function bigEndian(bytes: Uint8Array): number {
  const magnitude = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
  return Number(BigInt.asIntN(bytes.length * 8, magnitude));
}
