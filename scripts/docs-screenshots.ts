/**
 * `npm run docs:screenshots`: takes the pictures of the desk for the documentation, in both themes and for a phone, from a
 * live mesh with virtual proxies. Fails if they become too large together.
 */
import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { openPage, startBrowser } from "../test/e2e/desk/support/browser.ts";
import { binnacle } from "../test/e2e/support/binnacle/command.ts";
import { startBinnacle } from "../test/e2e/support/binnacle/server.ts";
import { MeshDir } from "../test/e2e/support/mesh-dir.ts";
import { brokenRoute, moreNamespaces } from "./docs/pictured-mesh.ts";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "docs/pictures/desk");
const maxBytes = 1_300_000;
const sizes = { desk: { width: 1280, height: 700 }, phone: { width: 390, height: 780 } } as const;

interface Screen {
  readonly name: string;
  readonly size?: keyof typeof sizes;
  readonly path: string;
  /** Acts on the page before the picture, as an operator does. */
  readonly act?: (page: Page) => Promise<void>;
  /** A text that is there when the page is complete. */
  readonly text: RegExp;
}

const openNewest = async (page: Page) => await page.locator("ol.changes > li a").first().click();

/** While the mesh is well. */
const calm: readonly Screen[] = [
  { name: "overview", path: "/", text: /The mesh is well/u },
  { name: "changes", path: "/changes", text: /VirtualService bookinfo\/reviews updated/u },
  { name: "change", path: "/changes", act: openNewest, text: /^Acknowledged by all/u },
  { name: "phone-change", size: "phone", path: "/changes", act: openNewest, text: /^Acknowledged by all/u },
  { name: "proxies", path: "/proxies", text: /in sync/u },
  { name: "mesh", path: "/mesh", text: /^Namespaces$/u },
  { name: "control-plane", path: "/control-plane", text: /^Time by phase$/u },
  { name: "explain", path: "/explain", act: explain, text: /^Decisions$/u },
];

/** After a mistake. */
const troubled: readonly Screen[] = [
  {
    name: "configuration",
    path: "/configuration/VirtualService/bookinfo/ratings",
    text: /host\+subset .* was not found/u,
  },
  { name: "phone-overview", size: "phone", path: "/", text: /What to do next/u },
];

const files = ["gateway.yaml", "reviews.yaml", "services.yaml", "workloads.yaml"];
const texts = files.map((name) => [name, readFileSync(join(root, "examples/bookinfo", name), "utf8")] as const);
using mesh = new MeshDir({ ...Object.fromEntries(texts), "payments.yaml": moreNamespaces });
// Pages show the path as the server was given it.
process.chdir(dirname(mesh.path));
await using server = await startBinnacle({ dir: basename(mesh.path) });
const namespaces = ["bookinfo", "payments", "reports"].flatMap((name) => ["--namespace", name]);
const shares = ["--delta", "50%", "--routers", "10%", "--router-label", "app=gateway"];
const xds = `127.0.0.1:${server.xdsPort}`;
await using _fleet = binnacle([
  "fleet",
  "--proxies",
  "24",
  "--duration",
  "10m",
  "--xds",
  xds,
  ...shares,
  ...namespaces,
]);
const origin = `http://127.0.0.1:${server.httpPort}`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await using browser = await startBrowser();
const pages = {
  light: (await openPage(browser, origin, { theme: "light", width: 1280 })).page,
  dark: (await openPage(browser, origin, { theme: "dark", width: 1280 })).page,
};
await edit(pages.light);
for (const screen of calm) await take(screen);
mesh.write("ratings.yaml", brokenRoute);
for (const screen of troubled) await take(screen);

const taken = [...calm, ...troubled].flatMap(({ name }) => [`${name}-light.png`, `${name}-dark.png`]);
const total = taken.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
process.stdout.write(`${taken.length} pictures, ${Math.round(total / 1000)} kB\n`);
if (total > maxBytes) throw new Error(`the pictures have ${total} bytes, more than ${maxBytes}`);

/** Edits a weight three times, and waits for each change at the desk. */
async function edit(page: Page): Promise<void> {
  await page.getByText(/^24 proxies have the current configuration/u).waitFor();
  await page.goto(`${origin}/changes`);
  const routes = texts.find(([name]) => name === "reviews.yaml")?.[1] ?? "";
  for (const [index, weight] of [70, 60, 50].entries()) {
    const edited = routes.replace("weight: 80", `weight: ${weight}`).replace("weight: 20", `weight: ${100 - weight}`);
    mesh.write("reviews.yaml", edited);
    await page
      .getByText(/VirtualService bookinfo\/reviews updated/u)
      .nth(index)
      .waitFor();
  }
}

/** A request from the network to a gateway. */
async function explain(page: Page): Promise<void> {
  await page.getByLabel("The request arrives at the proxy").fill("router~");
  const router = page.locator("datalist option").first();
  await router.waitFor({ state: "attached" });
  await page.getByLabel("The request arrives at the proxy").fill((await router.getAttribute("value")) ?? "");
  await page.getByLabel("It comes from").selectOption("network");
  await page.getByLabel("URL").fill("http://reviews.localhost:18080/");
  await page.getByRole("button", { name: "Explain" }).click();
}

async function take({ name, size = "desk", path, act, text }: Screen): Promise<void> {
  for (const [theme, page] of Object.entries(pages)) {
    await page.setViewportSize(sizes[size]);
    await page.goto(`${origin}${path}`);
    await act?.(page);
    await page.getByText(text).filter({ visible: true }).first().waitFor();
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  }
}
