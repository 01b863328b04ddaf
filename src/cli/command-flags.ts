/**
 * The flags of a command as one table: what the help says, and which word of the library each stands for.
 */
import { Option, type Command } from "commander";

/** A flag. */
export interface Flag {
  /** As commander takes it: `--name <value>`. */
  readonly usage: string;
  readonly meaning: string;
  /** The option of the library that it stands for. */
  readonly option?: string;
}

/** Which flags stand for each option of the library. */
export type FlagsByOption = ReadonlyMap<string, readonly string[]>;

/** Adds the flags to the command, in the order of the help. */
export function addFlags(command: Command, flags: readonly Flag[]): Command {
  for (const { usage, meaning } of flags) command.addOption(new Option(usage, meaning));
  return command;
}

/** The table read the other way. */
export function flagsByOption(table: readonly Flag[]): FlagsByOption {
  const flags = new Map<string, readonly string[]>();
  for (const { usage, option } of table) {
    const [name = usage] = usage.split(" ");
    if (option !== undefined) flags.set(option, [...(flags.get(option) ?? []), name]);
  }
  return flags;
}
