import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vite.config.ts";

export default mergeConfig(
  base,
  defineConfig({
    test: {
      environment: "happy-dom",
      environmentOptions: { happyDOM: { url: "http://lab.test/" } },
      setupFiles: ["./src/test-setup.ts"],
      include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
      restoreMocks: true,
      unstubGlobals: true,
      testTimeout: 30_000,
      // Most of the time would go into loading the same modules anew; test-setup.ts leaves a clean window.
      isolate: false,
      // Two cores are what the smallest build machine has; more workers only fight for them.
      maxWorkers: 2,
    },
  }),
);
