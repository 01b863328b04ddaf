/** A core that cannot be loaded: told apart are one that is not there and one that is there and cannot be opened. */
import { expect, onTestFinished, test, vi } from "vitest";
import { native } from "../../src/native.js";
import { TemporaryFolder } from "../support/temporary-folder.js";

test.each([
  {
    title: "is not there",
    binary: (folder: TemporaryFolder): string => folder.file("core.node"),
    message:
      /^There is no native core for \S+ in this package\. In a clone run `npm start`; elsewhere .* this platform\.$/,
    details: { expected: expect.stringMatching(/^a binary for /) as string },
  },
  {
    title: "is no binary of this platform",
    binary: (folder: TemporaryFolder): string => folder.write("core.node", "no binary"),
    message: /^The native core is there and could not be opened on \S+: .*core\.node.*[^.]\.$/,
    details: { received: expect.stringContaining("core.node") as string },
  },
])("a core that $title", ({ binary, message, details }) => {
  vi.stubEnv("NAPI_RS_NATIVE_LIBRARY_PATH", binary(new TemporaryFolder()));
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect(native).toThrow(
    expect.objectContaining({
      code: "NATIVE_UNAVAILABLE",
      message: expect.stringMatching(message) as string,
      details: expect.objectContaining(details) as object,
    }),
  );
});
