import type { Browser, CDPSession } from "playwright-core";
import type { ChangeSummary } from "../../src/desk/api/model/changes.ts";
import { openPage } from "../../test/e2e/desk/support/browser.ts";
import { FakeDesk } from "../../test/e2e/desk/support/fake-desk.ts";
import { change, fakeMesh } from "../../test/e2e/desk/support/fake-mesh.ts";
import { benchTable } from "../bench-table.ts";

/** One edit per second. */
const editsPerHour = 3_600;
/** An edit is on its way for a second, and desks hear four times a second. */
const eventsPerEdit = 4;
const quarters = 4;

const screens = ["/", "/changes", "/proxies", "/configuration", "/mesh", "/control-plane"];

interface Memory {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/**
 * The memory of the page after each quarter of an hour's events, which arrive as fast as the page takes them. The mesh is
 * fake, so that an hour fits into minutes; the page cannot tell.
 */
export async function pageMemory(browser: Browser): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const path of screens) {
    process.stderr.write(`an hour of events: ${path} …\n`);
    const found = await hourAt(browser, path);
    const heaps = found.map(({ heapBytes }) => `${(heapBytes / 1e6).toFixed(2)} MB`);
    const [first, last] = [found[0], found.at(-1)];
    rows.push([path, ...heaps, `${first?.nodes} → ${last?.nodes}`, `${first?.listeners} → ${last?.listeners}`]);
  }
  return benchTable(["screen", "before", "¼ h", "½ h", "¾ h", "1 h", "DOM nodes", "listeners"], rows);
}

async function hourAt(browser: Browser, path: string): Promise<readonly Memory[]> {
  await using fake = new FakeDesk(fakeMesh);
  const { page } = await openPage(browser, `${await fake.start()}${path}`, { theme: "light", width: 1280 });
  await page.getByText("Live", { exact: true }).waitFor();
  await page.waitForSelector("main h1");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // The timeline is full before the first figure: it shows the last 50 changes.
  await churn(fake, 0, 100);
  const found = [await memoryOf(session)];
  for (let quarter = 0; quarter < quarters; quarter++) {
    const edits = editsPerHour / quarters;
    await churn(fake, 100 + quarter * edits, edits);
    found.push(await memoryOf(session));
  }
  await page.context().close();
  return found;
}

async function churn(fake: FakeDesk, first: number, edits: number): Promise<void> {
  const overview = fakeMesh("/overview", new URLSearchParams()) as never;
  for (let edit = first; edit < first + edits; edit++) {
    const at = new Date(Date.now() + edit).toISOString();
    for (let step = 1; step <= eventsPerEdit; step++) {
      const state: ChangeSummary["state"] = step === eventsPerEdit ? { type: "acknowledged" } : { type: "sending" };
      fake.emit({ type: "changes", changes: [change(`e-${edit}`, { at, state })] });
    }
    fake.emit({ type: "overview", overview });
    fake.emit({ type: "proxies" });
    fake.emit({ type: "configuration" });
    await fake.drained();
  }
}

async function memoryOf(session: CDPSession): Promise<Memory> {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return { heapBytes: of("JSHeapUsedSize"), nodes: of("Nodes"), listeners: of("JSEventListeners") };
}
