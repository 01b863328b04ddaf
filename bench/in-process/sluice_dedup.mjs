/** Our `dedup` over an array of texts, byte by byte: no normal form. */
import { dedup } from "../../dist/main.js";

/** @param {readonly string[]} texts @param {{method?: "exact" | "lexical"}} options */
export async function keep(texts, { method = "exact" }) {
  const { selectedPositions } = await dedup(texts, { methods: [method], normalize: "none" });
  return selectedPositions;
}
