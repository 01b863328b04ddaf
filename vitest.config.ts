import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: false },
    testTimeout: 60_000,
    // The native core has its own threads; two workers keep two cores busy.
    maxWorkers: 2,
  },
});
