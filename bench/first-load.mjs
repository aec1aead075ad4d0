// What a browser without a cache fetches for the login page and for the dashboard, as it goes over the wire.
// Prints rows of the table in README.md.
import { launch, load, signedIn, stranger } from "./browser.mjs";

const [origin, username, password] = process.argv.slice(2);
const kB = (bytes) => (bytes / 1000).toFixed(0);
const browser = await launch();
try {
  for (const [name, path, aim, visitor] of [
    ["登录页", "/login", 250, stranger()],
    ["首页", "/", 400, await signedIn(browser, origin, username, password)],
  ]) {
    const { requests, bytes, script } = await load(browser, origin, path, visitor);
    console.log(`| ${name} | ${requests} | ${kB(bytes)} | ${kB(script)} | ${aim} |`);
  }
} finally {
  await browser.close();
}
