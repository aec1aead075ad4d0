// Tests in Chromium against the real binary. Every test starts a server of its own (e2e/fixtures/server.ts), so they
// share nothing and run side by side. `npm run e2e` is the project `pages`, `npm run e2e:engines` and `npm run
// screenshots` the others; `npx playwright test --project=clients` drives File Browser's pages over the product.
import { defineConfig } from "@playwright/test";

const pictures = ["screenshots.spec.ts", "screenshots-engine.spec.ts"];
// Those that start container engines: whenever a bridge comes or goes, Chromium breaks off all that is under way in its
// network (ERR_NETWORK_CHANGED), so they run apart from the others and one after the other.
const engines = [
  "compute.spec.ts",
  "first-shell.spec.ts",
  "frozen.spec.ts",
  "images.spec.ts",
  "terminal.spec.ts",
  "watch.spec.ts",
];
const clients = ["filebrowser*.spec.ts"];

/** Inside an ignored folder: nothing of a run shows up in the repository. Each run empties its own. */
const output = (project: string) => `node_modules/.cache/playwright/${project}`;

export default defineConfig({
  testDir: "e2e",
  reporter: [["list"]],
  fullyParallel: true,
  workers: 2,
  // A test that passes only on another try is printed as flaky; it is to be mended, but does not hold others up.
  retries: process.env.CI ? 2 : 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  // Generous, because debug builds on a busy machine are slow; nothing waits for it in vain.
  expect: { timeout: 15_000 },
  use: {
    locale: "zh-CN",
    timezoneId: "Asia/Shanghai",
    viewport: { width: 1440, height: 900 },
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    screenshot: "only-on-failure",
    // As for people who want nothing to fly in: what opens is there at once. `frame.spec.ts` opens menus with motion too.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      // Chromium without its own windows and bars: the same pages for half of the processor's time.
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    { name: "pages", outputDir: output("pages"), testIgnore: [...pictures, ...engines, ...clients] },
    { name: "clients", outputDir: output("clients"), testMatch: clients },
    { name: "engines", outputDir: output("engines"), testMatch: engines, workers: 1 },
    {
      name: "screenshots",
      outputDir: output("screenshots"),
      testMatch: pictures,
      timeout: 1_800_000,
    },
  ],
});
