import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { serveFolder } from "../../scripts/docs/serve-folder.ts";
import { axeViolations, openPage, startBrowser } from "./desk/support/browser.ts";
import { root } from "./support/checkout.ts";
import { BuiltSite } from "./support/documents/built-site.ts";
import { describeWith } from "./support/peers.ts";

const describeWithChromium = await describeWith("chromium");
const folder = join(root, "site/dist/html");
let printed = "";

beforeAll(async () => {
  // Vitest sets another environment, with which the pages are built for development.
  const env = { ...process.env, NODE_ENV: "production", NO_COLOR: "1" };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["scripts/docs.ts"], { cwd: root, env });
  printed = stdout + stderr;
});

describe("the documentation site", () => {
  test("is built without warnings", () => {
    expect(printed).toContain(`built ${folder}`);
    expect(printed).not.toMatch(/warn|\(!\)/iu);
  });

  test("has no dead link, no dead anchor and no page out of reach, and loads nothing from another host", () => {
    const site = new BuiltSite(folder);
    expect(site.pages.size).toBeGreaterThan(100);
    expect(site.deadLinks()).toEqual([]);
    expect(site.foreignLoads()).toEqual([]);
    expect(site.unreachable()).toEqual([]);
  });
});

describeWithChromium("a browser without a network", () => {
  test("reads pages, searches, and switches the theme", async () => {
    await using browser = await startBrowser();
    await using served = await serveFolder(folder);
    const { page, complaints } = await openPage(browser, `${served.url}start.html`, { theme: "light", width: 1280 });
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("switch").first().click();
    expect(await page.locator("html").getAttribute("class")).toContain("dark");
    expect(await axeViolations(page, "colours")).toEqual([]);

    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("quarantine");
    await page
      .getByRole("option")
      .filter({ hasText: /^\W*Quarantine\W*$/u })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: "Quarantine" }).waitFor();
    expect(await page.locator(".picture svg").count()).toBeGreaterThan(0);
    expect(complaints.list).toEqual([]);
  });

  test("reads pages from the folder, and follows links", async () => {
    await using browser = await startBrowser();
    const start = pathToFileURL(join(folder, "index.html")).href;
    const { page } = await openPage(browser, start, { theme: "dark", width: 1280 });
    await page.getByRole("link", { name: "Start here" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Start here" }).waitFor();
    expect(await page.locator("html").getAttribute("class")).toContain("dark");
    await page.getByRole("link", { name: "The way of a change" }).first().click();
    await page.getByRole("heading", { level: 1, name: "The way of a change" }).waitFor();
    const weight = await page.evaluate("getComputedStyle(document.querySelector('h1')).fontWeight");
    expect(weight, "the style is applied").toBe("600");
  });
});
