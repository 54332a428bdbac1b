import { setTimeout as pause } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { openPage } from "../../test/e2e/desk/support/browser.ts";
import { editedHost } from "../../test/e2e/desk/support/large-mesh.ts";
import { benchTable } from "../bench-table.ts";

const runs = 5;

interface Screen {
  readonly name: string;
  readonly path: string;
  /** There when the content is. */
  readonly content: string;
}

const screens: readonly Screen[] = [
  { name: "Overview", path: "/", content: ".grid" },
  { name: "Changes", path: "/changes", content: "ol.changes > li" },
  { name: "Proxies", path: "/proxies", content: "tr[aria-rowindex]" },
  { name: "Mesh", path: "/mesh", content: ".graph .node" },
  { name: "Configuration", path: "/configuration", content: "tr[aria-rowindex]" },
  { name: "Explain", path: "/explain", content: "form.question" },
  { name: "Control plane", path: "/control-plane", content: "main .card" },
];

interface Load {
  readonly paintMs: number;
  readonly contentMs: number;
  readonly blockedMs: number;
  readonly requests: number;
  readonly bytes: number;
  readonly nodes: number;
}

/** The first visit of every screen, with an empty cache. */
export async function firstVisits(browser: Browser, origin: string): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const screen of screens) {
    process.stderr.write(`first visit: ${screen.name} …\n`);
    const loads: Load[] = [];
    for (let run = 0; run < runs; run++) loads.push(await visit(browser, origin, screen));
    const middle = (of: (load: Load) => number) => Math.round(median(loads.map(of)));
    rows.push([
      screen.name,
      `${middle(({ paintMs }) => paintMs)} ms`,
      `${middle(({ contentMs }) => contentMs)} ms`,
      `${middle(({ blockedMs }) => blockedMs)} ms`,
      String(middle(({ requests }) => requests)),
      `${(middle(({ bytes }) => bytes) / 1_000).toFixed(1)} kB`,
      String(middle(({ nodes }) => nodes)),
    ]);
  }
  const heading = ["screen", "first paint", "interactive", "long tasks", "requests", "received", "DOM nodes"];
  return benchTable(heading, rows);
}

async function visit(browser: Browser, origin: string, { path, content }: Screen): Promise<Load> {
  const { page } = await openPage(browser, "about:blank", { theme: "light", width: 1280 });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const received = { requests: 0, bytes: 0 };
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    received.requests++;
    received.bytes += encodedDataLength;
  });
  await page.addInitScript(watchContent, content);
  await page.goto(`${origin}${path}`);
  // The policy of the page forbids to wait by a script in it.
  for (let tries = 0; tries < 1_000 && !(await page.evaluate("globalThis.contentAt > 0")); tries++) await pause(20);
  const times = await page.evaluate<{ paint: number; content: number; blocked: number }>(
    `({ paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
        content: globalThis.contentAt, blocked: globalThis.blockedMs })`,
  );
  const nodes = await nodesIn(session);
  await page.context().close();
  return { paintMs: times.paint, contentMs: times.content, blockedMs: times.blocked, ...received, nodes };
}

/** Runs in the page: notes when the content is drawn and the script is free again, and the time of long tasks. */
function watchContent(selector: string): void {
  const noted = globalThis as unknown as { contentAt: number; blockedMs: number };
  noted.contentAt = 0;
  noted.blockedMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.blockedMs += duration;
    // The types of Node know no pages.
  }).observe({ type: "longtask" as "measure", buffered: true });
  const page = (globalThis as unknown as { document: { querySelector(text: string): unknown } }).document;
  const look = () => {
    if (page.querySelector(selector) === null) setTimeout(look, 4);
    else noted.contentAt = performance.now();
  };
  look();
}

async function nodesIn(session: CDPSession): Promise<number> {
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "Nodes")?.value ?? 0;
}

interface Action {
  readonly name: string;
  readonly start: string;
  readonly act: (page: Page) => Promise<void>;
  /** There when the answer is drawn. */
  readonly answer: string;
}

/** Number 1 234 of the fleet. */
const sidecar = "sidecar~10.240.4.210~fleet-1234.team-34~team-34.svc.cluster.local";

const actions: readonly Action[] = [
  {
    name: "search 2 000 proxies",
    start: "/proxies",
    act: (page) => page.getByLabel("Search by name").fill("fleet-1234"),
    answer: 'tr[aria-rowindex="2"] a[title*="fleet-1234"]',
  },
  {
    name: "search 10 000 objects",
    start: "/configuration",
    act: (page) => page.getByLabel("Search").fill("service-42 team-17"),
    answer: 'tr[aria-rowindex="2"] a[href*="/team-17/service-42"]',
  },
  {
    name: "open a proxy",
    start: "/proxies?search=fleet-1234",
    act: (page) => page.locator('tr[aria-rowindex="2"] a').first().click(),
    answer: 'h1:has-text("fleet-1234")',
  },
  {
    name: "open a resource of it as a tree",
    start: `/proxies/${encodeURIComponent(sidecar)}?type=RDS`,
    act: (page) => page.locator('tr[aria-rowindex="2"] button').first().click(),
    answer: ".tree .leaf",
  },
  {
    name: "open an object",
    start: "/configuration?search=shared%20VirtualService%20service-00",
    act: (page) => page.locator('tr[aria-rowindex="2"] a').first().click(),
    answer: `text=${editedHost}`,
  },
];

/** The time from an action to its answer on the screen. A search includes the 200 ms that the page waits for more typing. */
export async function interactions(browser: Browser, origin: string): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const { name, start, act, answer } of actions) {
    process.stderr.write(`action: ${name} …\n`);
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const { page } = await openPage(browser, `${origin}${start}`, { theme: "light", width: 1280 });
      await page.locator("tr[aria-rowindex]").first().waitFor();
      const startedAt = performance.now();
      await act(page);
      await page.locator(answer).first().waitFor();
      times.push(performance.now() - startedAt);
      await page.context().close();
    }
    rows.push([name, `${Math.round(median(times))} ms`, `${Math.round(Math.max(...times))} ms`]);
  }
  return benchTable(["action", "median", "longest"], rows);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
