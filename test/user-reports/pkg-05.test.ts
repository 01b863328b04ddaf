/** PKG-05: a binary built for a newer CPU died of an illegal instruction when it was loaded. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { native } from "../../src/native.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("PKG-05", () => {
  it("the instruction set is chosen at run time, and the baseline is always there", () => {
    const { available, instructions, target } = native().info();
    expect(available).toContain("scalar");
    expect(available).toContain(instructions);
    expect(target).toMatch(process.arch === "x64" ? /x86_64/ : /aarch64/);
  });

  it("nothing in the build asks for more than the baseline CPU", () => {
    const places = [
      ".cargo/config.toml",
      "Cargo.toml",
      "package.json",
      "bindings/node/build.rs",
      "bindings/node/Cargo.toml",
    ];
    const ci = existsSync(`${root}/.ci`) ? readdirSync(`${root}/.ci`).map((name) => `.ci/${name}`) : [];
    const asking = [...places, ...ci]
      .filter((path) => existsSync(`${root}/${path}`))
      .filter((path) => /target-cpu|target-feature/.test(readFileSync(`${root}/${path}`, "utf8")));
    expect(asking).toEqual([]);
  });
});
