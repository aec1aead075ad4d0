// What a browser without a cache fetches for the login page and for the dashboard, as it goes over the wire.
// Prints rows of the table in README.md. USER:PASSWORD is somebody who is no administrator.
//   node first-load.mjs ORIGIN ADMIN:PASSWORD USER:PASSWORD
import { launch, load, signedIn, stranger } from "./browser.mjs";

const [origin, ...people] = process.argv.slice(2);
const [admin, user] = people.map((one) => one.split(":"));
const kB = (bytes) => (bytes / 1000).toFixed(0);

/** As in a lab that has had cards: without any there is no chart. This machine has no engine with cards to be measured. */
const withCards = (page) =>
  page.route("**/api/dashboard/gpus?*", (route) =>
    route.fulfill({ json: { span: 300, items: [{ time: new Date().toISOString(), cards: 8, used: 5, utilization: 60 }] } }),
  );

const browser = await launch();
try {
  for (const [name, path, aim, visitor, prepare] of [
    ["登录页", "/login", 250, stranger()],
    ["首页，普通用户", "/", 400, await signedIn(browser, origin, ...user)],
    ["首页，管理员，还没有显卡", "/", 400, await signedIn(browser, origin, ...admin)],
    ["首页，管理员，有显卡的图表（ECharts）", "/", 400, await signedIn(browser, origin, ...admin), withCards],
  ]) {
    const { requests, bytes, script } = await load(browser, origin, path, visitor, prepare);
    console.log(`| ${name} | ${requests} | ${kB(bytes)} | ${kB(script)} | ${aim} |`);
  }
} finally {
  await browser.close();
}
