// Every page, drawer and dialogue under axe, wide, in the dark, and on a phone: nothing serious or critical.
import type { Page } from "@playwright/test";
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
const withoutColours: RunOptions = {
  rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])),
};

async function seriousFaults(page: Page, rules: RunOptions = {}): Promise<string[]> {
  // What is still fading in would be measured with its colours half way.
  await settled(page);
  // A page that is looked at again keeps the program from the first time: to hand it over takes as long as the looking.
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

async function faultsInTheDark(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveCSS("color-scheme", "dark");
  const faults = await seriousFaults(page, { runOnly: colourRules });
  await page.emulateMedia({ colorScheme: "light" });
  return faults;
}

/** The page as it stands, in the hand: as narrow as a phone, with a finger for a pointer. */
async function faultsOnAPhone(page: Page): Promise<string[]> {
  const wide = page.viewportSize();
  const devtools = await page.context().newCDPSession(page);
  // Through Playwright, which manages the viewport itself: a second override would conflict with its own.
  await page.setViewportSize(phone.viewport);
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const held = () => page.evaluate(() => [innerWidth, matchMedia("(pointer: coarse)").matches]);
  await expect.poll(held).toEqual([phone.viewport.width, true]);
  const faults = await seriousFaults(page, withoutColours);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wider > 0) faults.push(`${wider} px wider than the window`);
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await devtools.detach();
  if (wide) await page.setViewportSize(wide);
  return faults;
}

const who: Record<View["who"], string> = { admin: "administrators", zhangmin: "users", nobody: "visitors" };

test.use({ beginning: "furnished" });

/** Few enough for a test's time. */
const atOnce = 16;

/** Each eighth view; all of them with `./test --all`. */
const viewsOf = (person: View["who"], links: Links) =>
  [...views, ...shareViews(links)]
    .filter((_, index) => process.env.E2E_ALL || index % 16 === 0)
    .filter((one) => one.who === person);

/** How many views there are is known before there are links. */
const noLinks: Links = { folder: "", file: "", locked: "", collecting: "" };

const everyView = (title: string, look: (page: Page, view: View) => Promise<void>, options = {}) => {
  for (const person of ["admin", "zhangmin", "nobody"] as const) {
    for (let from = 0; from < viewsOf(person, noLinks).length; from += atOnce) {
      test(`${who[person]}' pages are accessible: ${title}, from ${from + 1} on`, async ({
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
            await look(page, view);
          });
        }
      });
    }
  }
};

// To open a page takes longer than to look at it three times.
everyView("wide, dark, narrow", async (page, { name }) => {
  expect.soft(await seriousFaults(page), name).toEqual([]);
  expect.soft(await faultsInTheDark(page), `${name}, dark`).toEqual([]);
  expect.soft(await faultsOnAPhone(page), `${name}, narrow`).toEqual([]);
});

// Opened on the phone, as it is there from the beginning: what differs is found above too, but for what only opening does.
if (process.env.E2E_ALL) {
  everyView(
    "phone",
    async (page, { name }) => expect.soft(await seriousFaults(page, withoutColours), name).toEqual([]),
    phone,
  );
}
