// Every page, drawer and dialogue under axe, wide, on a phone, and in the dark: nothing serious or critical.
import AxeBuilder from "@axe-core/playwright";
import type { BrowserContextOptions, Page } from "@playwright/test";
import type { Links } from "./fixtures/lab";
import { settled, show, shownFailures, views } from "./fixtures/pages";
import { shareViews } from "./fixtures/share-views";
import { arrive, expect, phone, test } from "./fixtures/test";
import type { View } from "./fixtures/view";

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
    faults: (page) => seriousFaults(page, (axe) => axe.disableRules(colourRules)),
  },
];

/** Opening a view takes longer than looking at it twice. */
async function inBothSchemes(page: Page): Promise<string[]> {
  const light = await seriousFaults(page, (axe) => axe);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveCSS("color-scheme", "dark");
  await page.evaluate(() => Reflect.deleteProperty(window, "stillSince"));
  const dark = await seriousFaults(page, (axe) => axe.withRules(colourRules));
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
}

async function seriousFaults(page: Page, rules: (axe: AxeBuilder) => AxeBuilder): Promise<string[]> {
  // What is still fading in would be measured with its colours half way.
  await settled(page);
  // Without a full account of what is right, and on this page instead of another one made for the sum: either takes
  // longer than the looking. No page shows a frame of another origin, which is what that leaves out.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
  const { violations } = await rules(axe).analyze();
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
