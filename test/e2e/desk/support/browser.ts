import axe, { type AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { peerPath } from "../../../../scripts/peer.ts";

/** Debian's Chromium, headless. One serves all tests of a file. */
export async function startBrowser(): Promise<Browser> {
  // There is no graphics card, and to look for one takes a second.
  return await chromium.launch({ executablePath: await peerPath("chromium"), args: ["--disable-gpu"] });
}

export interface Look {
  readonly theme: "light" | "dark";
  readonly width: number;
}

/** Every screen is looked at in each of these. The colours of a theme are the same on a phone. */
export const looks: readonly Look[] = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 1280 },
  { theme: "light", width: 390 },
];

/** Complaints of the browser: errors in the console, exceptions, requests to other hosts, violations of the policy. */
export class Complaints {
  readonly #list: string[] = [];
  #lenient = false;
  #busy = false;

  constructor(page: Page, origin: string) {
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      // The browser reports every attempt while the server is away.
      if (this.#lenient && message.text().includes("net::ERR_")) return;
      if (this.#busy && message.text().includes("status of 503")) return;
      this.#list.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.#list.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:" && host !== new URL(origin).host) this.#list.push(`request: ${request.url()}`);
    });
  }

  get list(): readonly string[] {
    return this.#list;
  }

  /** The mesh is so large that the server may refuse pages for a while. The browser reports every refusal. */
  expectOverload(): void {
    this.#busy = true;
  }

  /** The server goes away now, on purpose. */
  expectOutage(): void {
    this.#lenient = true;
  }
}

/** A page of its own session, with its complaints. */
export async function openPage(
  browser: Browser,
  url: string,
  look: Look,
): Promise<{ page: Page; complaints: Complaints }> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 860 },
    colorScheme: look.theme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  // For a busy machine: only a test that fails waits so long.
  page.setDefaultTimeout(120_000);
  const complaints = new Complaints(page, url);
  await page.goto(url);
  return { page, complaints };
}

/** Violations of the accessibility rules, in a line each. The policy of the page forbids scripts in it, so axe is given to the debugger. */
export async function axeViolations(page: Page, rules: "all" | "colours" = "all"): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(rules === "colours" && { runOnly: ["color-contrast"] }) };
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
  );
}
