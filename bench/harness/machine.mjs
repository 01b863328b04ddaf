/** The machine that a record was made on: a figure without it says nothing. */
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";

import { firstLineOf } from "./execute.mjs";
import { SYSTEM_PYTHON } from "./places.mjs";

/** Instruction sets that decide which kernel runs. */
const INSTRUCTION_SETS = ["avx2", "avx512f", "avx512_vnni", "avx_vnni", "asimd", "asimddp"];

/** Describes this machine and its tools. Nothing in it names a person, a host or a path. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    instructionSets: instructionSets(),
    memoryBytes: totalmem(),
    kernel: release().split(".", 2).join("."), // the rest names a build, not a behaviour
    node: process.version,
    python: firstLineOf(SYSTEM_PYTHON, "--version"),
    rust: firstLineOf("rustc", "--version"),
    commit: firstLineOf("git", "rev-parse", "--short=12", "HEAD"),
    uncommitted: firstLineOf("git", "status", "--porcelain", "--", "crates", "bindings", "src") !== "",
  };
}

function instructionSets() {
  try {
    const flags =
      /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(" ") ?? [];
    return INSTRUCTION_SETS.filter((name) => flags.includes(name));
  } catch {
    return [];
  }
}
