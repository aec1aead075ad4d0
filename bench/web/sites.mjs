// The two products as pages: where their folders are, and how somebody works with them.
import { stranger, withPage } from "../browser.mjs";

/** What the works need to know of a product's pages. `row` finds the entries of a listing, `scroller` what scrolls. */
class Site {
  constructor(server, how) {
    Object.assign(this, { name: server.name, origin: server.origin, ...how });
  }

  /** A browser without a cache that stands in a folder below the bench's data. */
  in(browser, folder, work) {
    return withPage(browser, this.visitor, async (page, session) => {
      await page.goto(this.origin + this.path(folder));
      await page.waitForSelector(this.row);
      return work(page, session);
    });
  }

  /** The first entry of this name, or of one like it. */
  entry(page, name) {
    return page.locator(this.row).filter({ has: page.getByText(name, { exact: true }) }).first();
  }
}

export const yunlabSite = (server, visitor) =>
  new Site(server, {
    visitor,
    path: (folder) => `/netdisk/files/share${folder}`,
    row: '[role="row"][id]',
    scroller: '[role="rowgroup"]',
    /** The question that Delete asks. */
    question: '[role="dialog"]',
    async uploadFolder(page, folder) {
      await page.getByRole("button", { name: "上传", exact: true }).first().click();
      const choosing = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: /^选择文件夹/ }).click();
      await (await choosing).setFiles(folder);
    },
  });

export const filebrowserSite = (server) =>
  new Site(server, {
    visitor: stranger(),
    path: (folder) => `/files${folder}`,
    row: "#listing .item:not(.header)",
    scroller: "html",
    question: ".card.floating",
    async uploadFolder(page, folder) {
      await page.locator("#upload-button").click();
      const choosing = page.waitForEvent("filechooser");
      await page.locator(".card-action .action").nth(1).click();
      await (await choosing).setFiles(folder);
    },
  });
