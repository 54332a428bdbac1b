import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBinnacle } from "./support/binnacle/server.ts";
import { root } from "./support/checkout.ts";
import { get } from "./support/http.ts";

/** What stands in backquotes at the beginning of a cell. */
function cellsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, "docs/reference", page), "utf8");
  return new Set(Array.from(text.matchAll(/\| `([^`]+)`/gu), ([, cell = ""]) => cell));
}

/** The pages of a port, as it lists them for somebody who asks for another one. */
async function pagesAt(port: number): Promise<readonly string[]> {
  const { status, body } = await get(port, "/no-such-page");
  expect(status).toBe(404);
  return Array.from(body.matchAll(/^(\/\S*)/gmu), ([, path = ""]) => path);
}

test("pages and metrics of a server are those of the reference", async () => {
  const args = ["--profiling", "--allow-disconnect", "--ctrlz", "127.0.0.1:0"];
  await using binnacle = await startBinnacle({ dir: join(root, "examples/bookinfo"), args });
  const { httpPort, metricsPort, ctrlzPort } = binnacle;

  const pages = (await Promise.all([httpPort, metricsPort, ctrlzPort].map(pagesAt))).flat();
  const told = [...cellsOf("introspection.md"), ...cellsOf("ports.md")].filter((cell) => cell.startsWith("/"));
  // The list of topics, and what lies below one of them.
  const served = pages.filter((path) => !/^\/(?:\w+j\/\w+)?$/u.test(path));
  expect(new Set(served)).toEqual(new Set(told));

  const { body } = await get(metricsPort, "/metrics");
  const names = Array.from(body.matchAll(/^# TYPE (\S+)/gmu), ([, name = ""]) => name);
  // The page tells of those of the process, and of the gauges that every collection has, as such.
  const ours = names.filter((name) => !/^(?:process|nodejs|galley_istio|galley_k8s)_/u.test(name));
  const metrics = cellsOf("metrics.md");
  expect(ours.filter((name) => !metrics.has(name))).toEqual([]);
});
