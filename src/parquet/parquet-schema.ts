/**
 * The schema of a Parquet file as a list of leaves, and the check that every one of them can be copied.
 *
 * The one idea: whatever is nested, a file holds flat columns, the *leaves*. A leaf is a stream of values with two small
 * numbers each: the repetition level (0 where a row begins) and the definition level (how much of the path is there). Who
 * copies the streams copies every type and every nesting, without knowing what a list or a map is.
 */
import { parquetSchema, type FileMetaData, type SchemaElement, type SchemaTree } from "hyparquet";
import { SluiceError } from "../errors.js";

/** A physical column. */
export interface ParquetLeaf {
  /** Where its column chunk stands in a row group. */
  readonly index: number;
  /** Name with dots, for messages and look-up. */
  readonly name: string;
  /** Path from below the root. */
  readonly path: readonly string[];
  /** Schema elements from the root to the leaf. */
  readonly elements: readonly SchemaElement[];
  /** The leaf itself. */
  readonly element: SchemaElement;
  /** Highest repetition level: the number of lists around a value. */
  readonly repetitionMax: number;
  /** Highest definition level: the number of optional or repeated steps on the path. */
  readonly definitionMax: number;
}

/** A Parquet error: always `INPUT_PARQUET`, always with the path, with the column where one is to blame. */
export function parquetError(path: string, problem: string, column?: string, cause?: unknown): SluiceError {
  const where = column === undefined ? "" : ` (column ${column})`;
  return new SluiceError(
    "INPUT_PARQUET",
    `The Parquet file cannot be used${where}: ${problem}.`,
    { path, ...(column === undefined ? {} : { field: column }) },
    { cause },
  );
}

/** Levels fit in one byte; deeper schemas do not occur outside of damaged files. */
const LEVEL_MAX = 255;

/** The leaves of a file, in the order of their column chunks. */
export function parquetLeaves(path: string, metadata: FileMetaData): ParquetLeaf[] {
  const leaves: ParquetLeaf[] = [];
  const walk = (node: SchemaTree, above: readonly SchemaElement[]): void => {
    const elements = [...above, node.element];
    refuseUnknownType(path, node);
    if (node.element.type === undefined) {
      if (node.children.length === 0 && above.length > 0) {
        throw parquetError(path, "a group without fields is not supported", node.path.join("."));
      }
      for (const child of node.children) walk(child, elements);
      return;
    }
    const below = elements.slice(1);
    const repetitionMax = below.filter(({ repetition_type }) => repetition_type === "REPEATED").length;
    const definitionMax = below.filter(({ repetition_type }) => repetition_type !== "REQUIRED").length;
    if (definitionMax > LEVEL_MAX) throw parquetError(path, "it is nested too deeply", node.path.join("."));
    leaves.push({
      index: leaves.length,
      name: node.path.join("."),
      path: node.path,
      elements,
      element: node.element,
      repetitionMax,
      definitionMax,
    });
  };
  walk(parquetSchema(metadata), []);
  return leaves;
}

/** A type that the writer would drop from the schema is refused: the output must have the same schema. */
function refuseUnknownType(path: string, node: SchemaTree): void {
  const logical = node.element.logical_type;
  if (logical === undefined) return;
  const column = node.path.join(".");
  const versioned = logical.type === "VARIANT" && (logical.specification_version ?? 1) > 1;
  // An annotation that is newer than the reader comes as an object without `type`.
  const { type: name = "of the column" } = logical as { type?: string };
  if (!("type" in logical) || logical.type === "FILE" || versioned) {
    throw parquetError(path, `the logical type ${name} is not supported`, column);
  }
}
