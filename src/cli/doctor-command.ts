/**
 * `sluice doctor`: what this installation is made of, and whether it works on this machine.
 */
import { totalmem } from "node:os";
import { Command } from "commander";
import { loadEmbedder } from "../embed/native-embedder.js";
import type { SluiceError } from "../errors.js";
import { defaultThreads, native } from "../native.js";
import { VERSION } from "../package.js";
import { asSluiceError } from "./error-line.js";
import { StandardOutput } from "./standard-output.js";

/** Names of the models that ship with the package. */
const SHIPPED_MODELS = ["static-en"] as const;

/** A model that was looked for. */
type ModelFinding =
  | {
      readonly status: "ok";
      readonly name: string;
      readonly id: string;
      readonly dimension: number;
      readonly load_ms: number;
    }
  | { readonly status: "failed"; readonly name: string; readonly code: string; readonly message: string };

/** The native core, or why there is none. */
type CoreFinding =
  | {
      readonly status: "ok";
      readonly version: string;
      readonly target: string;
      readonly instructions: string;
      readonly instructions_available: readonly string[];
    }
  | { readonly status: "failed"; readonly code: string; readonly message: string };

/** What `doctor --json` prints. */
interface DoctorFindings {
  readonly version: string;
  readonly node: string;
  readonly platform: string;
  readonly core: CoreFinding;
  readonly models: readonly ModelFinding[];
  readonly threads: number;
  /** Memory that the process may use: the bound of its container, else that of the machine. */
  readonly memory_bytes: number;
}

/** The command, ready to be added to the program. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .summary("show what is installed and whether it works here")
    .description("Shows versions, the native core, the instruction set in use, models, threads and memory.")
    .option("--json", "print one JSON object")
    .action(async ({ json }: { json?: boolean }) => {
      const { findings, failure } = await examine();
      const text = json === true ? JSON.stringify(findings, null, 2) : findingLines(findings).join("\n");
      await new StandardOutput().write(Buffer.from(`${text}\n`));
      if (failure !== undefined) throw failure;
    });
}

/** Looks at everything; the first failure is told apart, so that the command can end with it. */
async function examine(): Promise<{ findings: DoctorFindings; failure: SluiceError | undefined }> {
  let failure: SluiceError | undefined;
  const failed = (error: unknown): { status: "failed"; code: string; message: string } => {
    const known = asSluiceError(error);
    failure ??= known;
    return { status: "failed", code: known.code, message: known.message };
  };
  let core: CoreFinding;
  try {
    const { version, target, instructions, available } = native().info();
    core = { status: "ok", version, target, instructions, instructions_available: available };
  } catch (error) {
    core = failed(error);
  }
  const models: ModelFinding[] = [];
  for (const name of core.status === "ok" ? SHIPPED_MODELS : []) {
    const started = performance.now();
    try {
      const { id, dimension } = await loadEmbedder(name);
      const load_ms = Math.round((performance.now() - started) * 10) / 10;
      models.push({ status: "ok", name, id, dimension, load_ms });
    } catch (error) {
      models.push({ name, ...failed(error) });
    }
  }
  const findings: DoctorFindings = {
    version: VERSION,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    core,
    models,
    threads: defaultThreads(),
    memory_bytes: memoryBytes(),
  };
  return { findings, failure };
}

/** Without a bound the system reports 0 or a number beyond any memory. */
function memoryBytes(): number {
  const bound = process.constrainedMemory();
  return bound > 0 && bound < totalmem() ? bound : totalmem();
}

function findingLines(findings: DoctorFindings): string[] {
  const { core } = findings;
  const line = (name: string, value: string): string => `${name.padEnd(14)}${value}`;
  return [
    line("sluice", findings.version),
    line("node", `${findings.node} on ${findings.platform}`),
    ...(core.status === "ok"
      ? [
          line("native core", `${core.version} for ${core.target}`),
          line("instructions", `${core.instructions} (this CPU: ${core.instructions_available.join(", ")})`),
        ]
      : [line("native core", `missing: ${core.message}`)]),
    ...findings.models.map((model) =>
      line(
        "model",
        model.status === "ok"
          ? `${model.name}: ${model.dimension} components, loaded in ${model.load_ms} ms (${model.id})`
          : `${model.name}: ${model.code}: ${model.message}`,
      ),
    ),
    line("threads", String(findings.threads)),
    line("memory", `${(findings.memory_bytes / 2 ** 30).toFixed(1)} GiB`),
  ];
}
