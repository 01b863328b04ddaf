/** A folder for one test, removed after it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh folder. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), "sluice-test-"));

  constructor() {
    onTestFinished(() => {
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  /** Path of a file in the folder. */
  file(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.file(name), content);
    return this.file(name);
  }

  /** Names of everything in the folder, hidden files too, in order. */
  names(): string[] {
    return readdirSync(this.path).sort();
  }
}
