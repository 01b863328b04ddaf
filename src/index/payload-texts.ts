/**
 * The payload of an item: what filters see of it.
 */
import { SluiceError } from "../errors.js";

/** The JSON text of every item that is an object; `null` for any other, which only a search without a filter finds. */
export function payloadTexts(items: readonly unknown[]): string[] {
  return items.map((item, position) => {
    if (typeof item !== "object" || item === null) return "null";
    try {
      // A `toJSON` may give nothing; the types do not say so.
      const text: unknown = JSON.stringify(item);
      return typeof text === "string" ? text : "null";
    } catch (cause) {
      throw new SluiceError(
        "RECORD_INVALID",
        "An item is an object without a JSON form.",
        { position, expected: "an object that JSON can hold", received: "a cycle or a bigint" },
        { cause },
      );
    }
  });
}
