// Every page, drawer and dialogue under axe, wide, on a phone, and in the dark: nothing serious or critical.
import type { BrowserContextOptions, Page } from "@playwright/test";
import axe, { type RunOptions } from "axe-core";
import type { Links } from "./fixtures/lab";
import { settled, show, shownFailures, views } from "./fixtures/pages";
import { shareViews } from "./fixtures/share-views";
import { arrive, expect, phone, test } from "./fixtures/test";
import type { View } from "./fixtures/view";

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** What depends on the colours: these are two sets, light and dark, and the rest is the same in both. */
const colourRules = ["color-contrast", "link-in-text-block"];

interface Looks {
  name: string;
  options: BrowserContextOptions;
  faults: (page: Page) => Promise<string[]>;
}

const looks: readonly Looks[] = [
  { name: "wide", options: { viewport: { width: 1440, height: 900 } }, faults: inBothSchemes },
  {
    name: "phone",
    options: phone,
    faults: (page) =>
      seriousFaults(page, {
        rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])),
      }),
  },
];

/** Opening a view takes longer than looking at it twice. */
async function inBothSchemes(page: Page): Promise<string[]> {
  const light = await seriousFaults(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveCSS("color-scheme", "dark");
  await page.evaluate(() => Reflect.deleteProperty(window, "stillSince"));
  const dark = await seriousFaults(page, { runOnly: colourRules });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
}

async function seriousFaults(page: Page, rules: RunOptions = {}): Promise<string[]> {
  // What is still fading in would be measured with its colours half way.
  await settled(page);
  // A page that is looked at twice keeps the program from the first time: to hand it over takes as long as the looking.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  // Without a full account of what is right. No page shows a frame of another origin, which would take more than this.
  const options: RunOptions = { resultTypes: ["violations"], ...rules };
  const violations = await page.evaluate(
    (given) => window.axe.run(document, given).then((results) => results.violations),
    options,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)} — ${node.failureSummary?.split("\n")[1]}`),
    );
}

const who: Record<View["who"], string> = { admin: "administrators", zhangmin: "users", nobody: "visitors" };

test.use({ beginning: "furnished" });

/** Few enough for a test's time. */
const atOnce = 16;

const viewsOf = (person: View["who"], links: Links) =>
  [...views, ...shareViews(links)].filter((one) => one.who === person);

/** How many views there are is known before there are links. */
const noLinks: Links = { folder: "", file: "", locked: "" };

for (const { name, options, faults: seen } of looks) {
  for (const person of ["admin", "zhangmin", "nobody"] as const) {
    for (let from = 0; from < viewsOf(person, noLinks).length; from += atOnce) {
      test(`${who[person]}' pages are accessible: ${name}, from ${from + 1} on`, async ({
        visitor,
        links,
        faults,
      }) => {
        test.setTimeout(360_000);
        faults.expectStatus(...shownFailures);
        const page = await visitor(options);
        if (person !== "nobody") await arrive(page, person);
        for (const view of viewsOf(person, links).slice(from, from + atOnce)) {
          await test.step(view.name, async () => {
            await show(page, view);
            expect.soft(await seen(page), view.name).toEqual([]);
          });
        }
      });
    }
  }
}
