/**
 * Packing to a token budget: best first, never over, and nothing left out without a line about it.
 */
import { wrongArgument } from "../argument.js";
import { SluiceError } from "../errors.js";

/** Bytes that the estimate takes for a token. English prose has about 4.5, code 3, Chinese 3. */
const BYTES_A_TOKEN = 3;

/**
 * An estimate of the tokens of a text: a third of its UTF-8 bytes, rounded up. It is no tokenizer. It lies above the count of
 * the usual tokenizers for prose, but nothing guarantees that: where a budget must hold, give the model's own counter.
 */
export function estimateTokens(text: string): number {
  // What a caller without types may hand us, as below.
  if (typeof text !== "string") throw wrongArgument("text", "a text", text);
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

/** An item by its position in what was handed over, with its tokens. */
export interface Counted<T> {
  readonly position: number;
  readonly item: T;
  readonly tokens: number;
}

/** What fits a budget and what does not; both in the order of the input. */
export interface BudgetFit<T> {
  readonly included: ReadonlyArray<Counted<T>>;
  readonly omitted: ReadonlyArray<Counted<T>>;
  /** Tokens of what is included; never above the budget. */
  readonly tokens: number;
  readonly budgetTokens: number;
}

/**
 * Includes items in order as long as they fit; one that does not is left out, and a later, shorter one may still come in.
 * Tokens that a prompt puts between the items are the caller's: take them off the budget or add them in `countTokens`.
 */
export function fitBudget<T>(
  items: readonly T[],
  budgetTokens: number,
  countTokens: (item: T) => number,
): BudgetFit<T> {
  requireItems(items);
  requireBudget(budgetTokens);
  if (typeof countTokens !== "function") throw wrongArgument("countTokens", "a function", countTokens);
  const included: Array<Counted<T>> = [];
  const omitted: Array<Counted<T>> = [];
  let tokens = 0;
  for (const [position, item] of items.entries()) {
    const counted = { position, item, tokens: requireCount(countTokens(item), position) };
    if (tokens + counted.tokens > budgetTokens) {
      omitted.push(counted);
    } else {
      included.push(counted);
      tokens += counted.tokens;
    }
  }
  return { included, omitted, tokens, budgetTokens };
}

/** A count of tokens as a caller's function gives it. */
export function requireCount(tokens: unknown, position: number): number {
  if (typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
  throw new SluiceError("OPTION_INVALID", "The function countTokens must give a whole number from 0.", {
    position,
    field: "countTokens",
    expected: "a whole number from 0",
    received: typeof tokens === "number" ? String(tokens) : typeof tokens,
  });
}

function requireItems(items: unknown): void {
  if (!Array.isArray(items)) throw wrongArgument("items", "an array", items);
}

function requireBudget(budgetTokens: unknown): void {
  if (typeof budgetTokens === "number" && Number.isSafeInteger(budgetTokens) && budgetTokens >= 0) return;
  throw new SluiceError("OPTION_INVALID", "The budget must be a whole number of tokens from 0.", {
    field: "budgetTokens",
    expected: "a whole number from 0",
    received: typeof budgetTokens === "number" ? String(budgetTokens) : typeof budgetTokens,
  });
}
