/**
 * Which store a hub is for and how it is reached: the options, and the one place that checks them.
 */
import { z } from "zod";
import { checkAgainst } from "../argument.js";
import type { RetryJournal } from "./retry-journal.js";
import type { RetryPolicy, StoreClock } from "./retry.js";
import type { StoreDriver } from "./store-driver.js";

/** Which store, and how to reach it. */
export interface StoreConfig {
  /** `file:./corpus.sluice`, a path, `qdrant://host:6333?replication=3`, `qdrants://`; or a driver of your own. */
  readonly store: string | StoreDriver;
  /** Key of a Qdrant server. Sent over TLS only. Default none. */
  readonly apiKey?: string | undefined;
  /** Sends the key without TLS too, for instance inside a private network. Default false. */
  readonly allowInsecureKey?: boolean | undefined;
  /** Most milliseconds of one request. Default 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** How often and how long to try. Default: `RETRY_DEFAULTS`. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Where unconfirmed points wait. Default: in memory. */
  readonly journal?: RetryJournal | undefined;
  /** Where time and chance come from. Default: the machine. */
  readonly clock?: StoreClock | undefined;
}

const hasMethod = (value: unknown, name: string): boolean =>
  // The value is an object, so it may be asked for any key.
  typeof value === "object" &&
  value !== null &&
  typeof (value as Record<string, unknown>)[name] === "function";

const configSchema = z.strictObject({
  store: z.union([
    z.string().min(1),
    z.custom<StoreDriver>((value) => hasMethod(value, "encode"), "a driver"),
  ]),
  apiKey: z.string().min(1).optional(),
  allowInsecureKey: z.boolean().optional(),
  requestTimeoutMs: z.int().min(1).max(3_600_000).optional(),
  retry: z
    .strictObject({
      attemptsMax: z.int().min(1).max(100).optional(),
      firstDelayMs: z.number().min(0).optional(),
      delayMsMax: z.number().min(0).optional(),
    })
    .optional(),
  journal: z.custom<RetryJournal>((value) => hasMethod(value, "pending"), "a retry journal").optional(),
  clock: z
    .custom<StoreClock>((value) => hasMethod(value, "now"), "a clock with now, sleep and random")
    .optional(),
});

/** The configuration as given, a URL alone or an object; `OPTION_INVALID` for what is neither. */
export function checkConfig(config: StoreConfig | string): StoreConfig {
  const given = typeof config === "string" ? { store: config } : config;
  checkAgainst(configSchema, given);
  return given;
}
