/**
 * The payload of an item: what filters see of it.
 *
 * An item may be anything that `structuredClone` copies, so that its JSON form is what is checked, by the rule of the payloads
 * of a store: a filter that means the same on every store must see the same here.
 */
import { SluiceError } from "../errors.js";

/** Deepest nesting of a payload, as in the stores. */
const DEPTH_MAX = 64;
/** JSON writes half of a surrogate pair as an escape, and nothing else of these; an even number of signs before it escapes those. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/;

/** The JSON text of every item that is an object; `null` for any other, which only a search without a filter finds. */
export function payloadTexts(items: readonly unknown[]): string[] {
  return items.map((item, position) => {
    if (typeof item !== "object" || item === null) return "null";
    const text = textOf(item, position);
    // The first look is for speed: hardly any text has one.
    if (text.includes("\\ud") && LONE_SURROGATE.test(text)) {
      throw refusal(position, "an object of well-formed texts", "a lone surrogate");
    }
    if (isDeeper(text, DEPTH_MAX)) {
      throw refusal(position, `an object of at most ${DEPTH_MAX} levels`, "more levels");
    }
    return text;
  });
}

function textOf(item: object, position: number): string {
  try {
    // A `toJSON` may give nothing; the types do not say so.
    const text: unknown = JSON.stringify(item);
    return typeof text === "string" ? text : "null";
  } catch (cause) {
    const received =
      cause instanceof RangeError ? "too many levels, or too long a text" : "a cycle or a bigint";
    throw refusal(position, "an object that JSON can hold", received, cause);
  }
}

function refusal(position: number, expected: string, received: string, cause?: unknown): SluiceError {
  return new SluiceError(
    "RECORD_INVALID",
    "An item is an object without a JSON form that filters can see.",
    { position, field: "items", expected, received },
    { cause },
  );
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = ['"', "\\", "[{", "]}"];

/** Whether a JSON text nests deeper than `most` levels. */
function isDeeper(text: string, most: number): boolean {
  // So many levels take an opening and a closing sign each.
  if (text.length <= 2 * most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === QUOTE) at = endOfText(text, at);
    else if (OPEN.includes(sign) && ++depth > most) return true;
    else if (CLOSE.includes(sign)) depth--;
  }
  return false;
}

/** Where a text that begins with a quote ends. */
function endOfText(json: string, begin: number): number {
  for (let at = begin + 1; ; at++) {
    at = json.indexOf(QUOTE, at);
    let escapes = 0;
    while (json.charAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
}
