import { describe, expect, test } from "vitest";
import { eventually } from "../../../src/testing/eventually.ts";
import { describeWith } from "../support/peers.ts";
import { shared } from "../support/shared.ts";
import { axeViolations, looks, openPage, startBrowser } from "./support/browser.ts";
import { historyAddress } from "./support/fake-history.ts";
import { type FakeApi, FakeDesk } from "./support/fake-desk.ts";
import { change, envoysWords, fakeMesh, proxies, proxyCount } from "./support/fake-mesh.ts";

const describeWithBrowser = await describeWith("chromium");
const bound = { seconds: 20 };
const wide = { theme: "light", width: 1280 } as const;
const rejecting = proxies.find(({ state }) => state === "rejecting")?.node ?? "";

const screens = {
  overview: "/",
  changes: "/changes",
  "one change": "/changes/c-102",
  history: "/history",
  "two moments of the history": historyAddress,
  proxies: "/proxies",
  "one proxy": `/proxies/${encodeURIComponent(rejecting)}`,
  configuration: "/configuration",
  "one object": "/configuration/VirtualService/shop/reviews",
  explain: "/explain?node=sidecar&url=http%3A%2F%2Freviews%3A9080%2F",
  mesh: "/mesh",
  "the table of calls": "/mesh?view=table",
  "one namespace": "/mesh/namespaces/shop",
  services: "/mesh/services",
  gateways: "/mesh/gateways",
  conflicts: "/mesh/conflicts",
  "one service": "/mesh/services/shop/reviews.shop.svc.cluster.local",
  "the control plane": "/control-plane",
  "an address without a page": "/nowhere",
};

describeWithBrowser("the desk of a mesh with 2 000 proxies", () => {
  const browser = shared(async (resources) => resources.adopt(await startBrowser(), (each) => each.close()));
  const desk = shared(async (resources) => {
    const fake = resources.use(new FakeDesk(fakeMesh));
    return { fake, origin: await fake.start() };
  });

  test.each(Object.entries(screens))(
    "shows %s to everybody: by keyboard, in both themes, on a phone",
    async (_, path) => {
      const { page, complaints } = await openPage(browser(), desk().origin + path, wide);
      await page.waitForSelector("main h1");
      const hasScreen = (await page.locator("main h1").textContent()) !== "No such page";
      expect(hasScreen).toBe(path !== "/nowhere");
      await page.waitForSelector(".loading", { state: "detached" });
      for (const { theme, width } of looks) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height: 860 });
        // Of all rules, only those about colours depend on the theme.
        const violations = await axeViolations(page, theme === "light" ? "all" : "colours");
        expect.soft(violations, `${theme} ${width}`).toEqual([]);
        const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect.soft(excess, `${theme} ${width}: nothing is wider than the screen`).toBe(0);
        const wider = await page.evaluate<string[]>(tablesWiderThanTheirFrame);
        expect.soft(wider, `${theme} ${width}: no cell is cut off`).toEqual([]);
      }
      expect(complaints.list).toEqual([]);
      await page.context().close();
    },
  );

  test("draws only the rows in view, and tells screen readers about all of them", async () => {
    const { page, complaints } = await openPage(browser(), `${desk().origin}/proxies`, wide);
    const table = page.locator("table");
    await table.locator("tbody tr[aria-rowindex]").first().waitFor();
    expect(await table.getAttribute("aria-rowcount")).toBe(String(proxyCount + 1));
    expect(await table.locator("tbody tr").count()).toBeLessThan(60);
    // To the end of a shorter list, page by page.
    await page.getByLabel("State").selectOption("behind");
    const behind = proxies.filter(({ state }) => state === "behind");
    const lastRow = page.locator(`tr[aria-rowindex="${behind.length + 1}"]`);
    await eventually(
      "the last proxy is in view",
      async () => {
        await page.evaluate("document.querySelector('.virtual')?.scrollTo(0, 1e9)");
        return (await lastRow.count()) > 0;
      },
      bound,
    );
    expect(await lastRow.textContent()).toContain(behind.at(-1)?.name);
    expect(await table.locator("tbody tr").count()).toBeLessThan(60);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("lets the server search, and keeps the search in the address", async () => {
    const { page } = await openPage(browser(), `${desk().origin}/proxies`, wide);
    await page.getByLabel("Search").fill("0003");
    await page.waitForURL("**/proxies?search=0003");
    await page.getByText("1 proxy", { exact: true }).waitFor();
    expect(desk().fake.asked.some((asked) => asked.includes("search=0003"))).toBe(true);
    await page.getByLabel("Search").fill("no such proxy");
    await page.getByText("No proxy matches these filters.").waitFor();
    await page.context().close();
  });

  test("shows a new change where it is read, and keeps the focus of the reader", async () => {
    const { page, complaints } = await openPage(browser(), `${desk().origin}/changes`, wide);
    const second = page.locator("ol.changes > li").nth(1).locator("a");
    await second.focus();
    const before = await second.getAttribute("href");
    desk().fake.emit({ type: "changes", changes: [change("c-200", { state: { type: "waiting" }, at: soon() })] });
    await page.getByText("waiting for the push").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(before);
    desk().fake.emit({ type: "changes", changes: [change("c-200", { at: soon() })] });
    await page.getByText("waiting for the push").waitFor({ state: "detached" });
    expect(await page.locator("ol.changes > li").first().textContent()).toContain("acknowledged by all");
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("shows an error of the API in its place, and another attempt succeeds", async () => {
    let broken = true;
    const api: FakeApi = (path, query) => (broken && path === "/overview" ? undefined : fakeMesh(path, query));
    await using fake = new FakeDesk(api);
    const { page } = await openPage(browser(), await fake.start(), wide);
    await page.getByRole("alert").getByText("there is no /api/v1/overview").waitFor();
    broken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The mesh needs attention").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.context().close();
  });

  describe.each([
    { path: "/mesh/conflicts", asks: "/mesh/conflicts", content: "The older one wins." },
    { path: "/proxies", asks: "/proxies?", content: "reviews-v1-0000.shop" },
  ])("of an overloaded server, the page $path", ({ path, asks, content }) => {
    test("asks again after the time that the server names, without an event", async () => {
      await using fake = new FakeDesk(fakeMesh);
      const { page } = await openPage(browser(), `${await fake.start()}${path}`, wide);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByText(content).first().waitFor();
      fake.overloadedSeconds = 1;
      fake.emit({ type: "proxies" });
      fake.emit({ type: "configuration" });
      await page.getByRole("alert").getByText("the server is overloaded").waitFor();
      fake.overloadedSeconds = undefined;
      await page.getByRole("alert").waitFor({ state: "detached" });
      expect(await page.getByText(content).count()).toBeGreaterThan(0);
      await page.context().close();
    });

    test("asks nothing before, also after events", async () => {
      await using fake = new FakeDesk(fakeMesh);
      fake.overloadedSeconds = 3_600;
      const { page } = await openPage(browser(), `${await fake.start()}${path}`, wide);
      await page.getByRole("alert").getByText("the server is overloaded").waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      // Longer than a page waits after an event of a server that is well.
      for (let round = 0; round < 15; round++) {
        fake.emit({ type: "proxies" });
        fake.emit({ type: "configuration" });
        await page.waitForTimeout(100);
      }
      expect(countOf(fake, asks)).toBe(1);
      await page.context().close();
    });
  });

  test("comes back after a lost stream with the id of its last event, and reads its lists again", async () => {
    await using fake = new FakeDesk(fakeMesh);
    const { page, complaints } = await openPage(browser(), `${await fake.start()}/changes`, wide);
    await page.getByText("Live", { exact: true }).waitFor();
    complaints.expectOutage();
    const before = countOf(fake, "/changes");
    fake.dropStreams();
    await eventually("the page reads the list again", () => countOf(fake, "/changes") > before, bound);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(fake.lastIds).toEqual([undefined, "fake-1"]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("shows an error of its own script, and goes on with the next event", async () => {
    await using fake = new FakeDesk(fakeMesh);
    const { page } = await openPage(browser(), `${await fake.start()}/changes`, wide);
    await page.getByText("Live", { exact: true }).waitFor();
    fake.emitText("event: changes\ndata: {\n\n");
    await page.getByRole("alert").getByText("The desk has an error").waitFor();
    fake.emit({ type: "changes", changes: [change("c-300", { state: { type: "waiting" }, at: soon() })] });
    await page.getByText("waiting for the push").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  test("shows an answer that it cannot draw as an error, beside a usable navigation", async () => {
    await using fake = new FakeDesk(withoutOverview);
    const { page } = await openPage(browser(), await fake.start(), wide);
    await page.getByRole("alert").getByText("The screen cannot be drawn").waitFor();
    await page.getByRole("link", { name: "Changes" }).click();
    await page.locator("ol.changes > li").first().waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.context().close();
  });

  test("leads by keyboard from a namespace of the graph to its services, and highlights its calls", async () => {
    const { page, complaints } = await openPage(browser(), `${desk().origin}/mesh`, wide);
    await page.locator(".graph .edge").first().waitFor();
    const limits = await page.locator(".graph .edge").count();
    // `shop` is called by all 25 namespaces, of which the picture draws only those with limits.
    await page.locator('.graph a[aria-label^="shop: 20"]').focus();
    await eventually(
      "all calls to shop are drawn",
      async () => (await page.locator(".graph .edge").count()) === 25,
      bound,
    );
    expect(limits).not.toBe(25);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Namespace shop" }).waitFor();
    await page.locator(".graph").getByRole("link", { name: "reviews.shop.svc.cluster.local" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/mesh/services/shop/reviews.shop.svc.cluster.local");
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("keeps the chosen theme for the next visit", async () => {
    const { page } = await openPage(browser(), desk().origin, wide);
    await page.getByLabel("Theme").selectOption("dark");
    await page.reload();
    await page.waitForSelector("main h1");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    expect(await page.getByLabel("Theme").inputValue()).toBe("dark");
    await page.context().close();
  });

  test("names the proxy's own words where it refuses", async () => {
    const { page } = await openPage(browser(), `${desk().origin}${screens["one change"]}`, wide);
    await page.getByText(envoysWords).first().waitFor();
    await page.getByRole("link", { name: rejecting }).click();
    await page.getByText("The proxy rejects LDS").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    await page.context().close();
  });
});

/** Runs in the page. The matrix of calls has as many columns as there are namespaces. */
const tablesWiderThanTheirFrame = `[...document.querySelectorAll(".table-frame")]
  .filter((frame) => frame.scrollWidth > frame.clientWidth && frame.querySelector(".matrix") === null)
  .map((frame) => frame.querySelector("caption").textContent)`;

/** The overview lacks almost everything. */
const withoutOverview: FakeApi = (path, query) => (path === "/overview" ? { at: "now" } : fakeMesh(path, query));

function countOf(fake: FakeDesk, path: string): number {
  return fake.asked.filter((asked) => asked.includes(path)).length;
}

function soon(): string {
  return new Date(Date.now() + 60_000).toISOString();
}
