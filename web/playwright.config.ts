// Tests in Chromium against the real binary. Every test starts a server of its own (e2e/fixtures/server.ts), so they
// share nothing and run side by side. `npm run e2e` is the project `pages`, `npm run screenshots` the other one.
import { defineConfig } from "@playwright/test";

const pictures = "screenshots.spec.ts";

export default defineConfig({
  testDir: "e2e",
  // Inside an ignored folder: nothing of a run shows up in the repository.
  outputDir: "node_modules/.cache/playwright",
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
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
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
    { name: "pages", testIgnore: pictures },
    { name: "screenshots", testMatch: pictures, timeout: 600_000 },
  ],
});
