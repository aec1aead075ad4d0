import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vite.config.ts";

/** Test files that replace modules: what another file loaded before them would not be replaced. */
const replacing = readdirSync(join(import.meta.dirname, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => /\.test\.tsx?$/.test(path))
  .map((path) => join("src", path))
  .filter((path) => /^vi\.mock\(/m.test(readFileSync(join(import.meta.dirname, path), "utf8")));

export default mergeConfig(
  base,
  defineConfig({
    test: {
      environment: "happy-dom",
      environmentOptions: { happyDOM: { url: "http://lab.test/" } },
      setupFiles: ["./src/test-setup.ts"],
      restoreMocks: true,
      unstubGlobals: true,
      testTimeout: 30_000,
      // Two cores are what the smallest build machine has; more workers only fight for them.
      maxWorkers: 2,
      projects: [
        {
          extends: true,
          test: {
            name: "together",
            include: ["src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
            exclude: replacing,
            // Most of the time would go into loading the same modules anew; test-setup.ts leaves a clean window.
            isolate: false,
          },
        },
        { extends: true, test: { name: "alone", include: replacing, isolate: true } },
      ],
    },
  }),
);
