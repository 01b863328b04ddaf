/** PKG-01: package managers no longer run install scripts; what needs one is missing at run time. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

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
