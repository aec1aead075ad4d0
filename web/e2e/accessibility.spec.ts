// Every page, drawer and dialogue under axe, light and dark, wide and on a phone: nothing serious or critical.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { furnish } from "./fixtures/lab";
import { settled, show, type View, views } from "./fixtures/pages";
import { expect, phone, signIn, test } from "./fixtures/test";

/** What depends on the colours; the rest is the same in both schemes. */
const colourRules = ["color-contrast", "link-in-text-block"];

async function seriousFaults(page: Page, rules: readonly string[]): Promise<string[]> {
  // What is still fading in would be measured with its colours half way.
  await settled(page);
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules.length > 0 ? axe.withRules([...rules]) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)} — ${node.failureSummary?.split("\n")[1]}`),
    );
}

const who: Record<View["who"], string> = { admin: "administrators", zhangmin: "users", nobody: "visitors" };

for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, options] of [
    ["wide", { viewport: { width: 1440, height: 900 } }],
    ["phone", phone],
  ] as const) {
    for (const person of ["admin", "zhangmin", "nobody"] as const) {
      test(`${who[person]}' pages are accessible: ${colorScheme}, ${size}`, async ({
        visitor,
        api,
        apiOf,
      }) => {
        test.setTimeout(180_000);
        if (person !== "nobody") await furnish(api, apiOf);
        const page = await visitor({ ...options, colorScheme });
        if (person !== "nobody") await signIn(page, person);
        for (const view of views.filter((one) => one.who === person)) {
          await test.step(view.name, async () => {
            await show(page, view);
            expect
              .soft(await seriousFaults(page, colorScheme === "dark" ? colourRules : []), view.name)
              .toEqual([]);
          });
        }
      });
    }
  }
}
