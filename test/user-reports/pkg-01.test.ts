/** PKG-01: package managers no longer run install scripts; what needs one is missing at run time. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../support/temporary-folder.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface LockedPackage {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
}

it("PKG-01: nothing that a user installs has an install script", () => {
  const { packages } = json("package-lock.json") as { packages: Record<string, LockedPackage> };
  const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
  expect(installed.map(([name]) => name)).toEqual(["", "node_modules/undici", "node_modules/zod"]);
  expect(
    installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([name]) => name),
  ).toEqual([]);
});

it("PKG-01: nor does the package itself", () => {
  const { scripts } = json("package.json") as { scripts: Record<string, string> };
  const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
  expect(Object.keys(scripts).filter((name) => hooks.includes(name))).toEqual([]);
});

it.each(["es2020", "es2022"])(
  "PKG-01: the declarations compile for a consumer whose target is %s, all of them checked",
  (target) => {
    const folder = new TemporaryFolder();
    const modules = folder.file("node_modules");
    mkdirSync(join(modules, "@types"), { recursive: true });
    symlinkSync(root, join(modules, "sluice"));
    symlinkSync(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
    folder.write("package.json", '{ "type": "module" }');
    const program = 'import * as sluice from "sluice";\nimport * as testing from "sluice/testing";\n';
    const file = folder.write("consumer.ts", `${program}console.log(sluice.VERSION, testing);\n`);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", target, "--types", "node"];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const run = spawnSync(process.execPath, [tsc, ...flags, file], { cwd: folder.path, encoding: "utf8" });
    expect(run.stdout).toBe("");
    expect(run.status).toBe(0);
  },
);
