import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { root } from "./support/checkout.ts";
import { get } from "./support/http.ts";

/** The code in backquotes at the beginning of each cell. */
function cellsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(join(root, "docs/reference", page), "utf8");
  return new Set(Array.from(text.matchAll(/\| `([^`]+)`/gu), ([, cell = ""]) => cell));
}

/** The pages of a port, as its answer to an unknown path lists them. */
async function pagesAt(port: number): Promise<readonly string[]> {
  const { status, body } = await get(port, "/no-such-page");
  expect(status).toBe(404);
  return Array.from(body.matchAll(/^(\/\S*)/gmu), ([, path = ""]) => path);
}

test("a server has exactly the pages and metrics of the reference", async () => {
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const authority = [
    "--xds-tls",
    "127.0.0.1:0",
    "--ca",
    "self-signed",
    "--ca-state",
    state.path("ca"),
    "--xds-auth",
    "off",
  ];
  const args = ["--profiling", "--allow-disconnect", "--ctrlz", "127.0.0.1:0", ...authority];
  await using binnacle = await startBinnacle({ dir: join(root, "examples/bookinfo"), args });
  const { httpPort, metricsPort, ctrlzPort } = binnacle;

  const pages = (await Promise.all([httpPort, metricsPort, ctrlzPort].map(pagesAt))).flat();
  const told = [...cellsOf("introspection.md"), ...cellsOf("ports.md")].filter((cell) => cell.startsWith("/"));
  // A page of ctrlz has subpages.
  const served = pages.filter((path) => !/^\/\w+j\/\w+$/u.test(path));
  expect(new Set(served)).toEqual(new Set(told));

  const { body } = await get(metricsPort, "/metrics");
  const names = Array.from(body.matchAll(/^# TYPE (\S+)/gmu), ([, name = ""]) => name);
  // The page describes metrics of the process, and gauges per collection, only as groups.
  const ours = names.filter((name) => !/^(?:process|nodejs|galley_istio|galley_k8s)_/u.test(name));
  const metrics = cellsOf("metrics.md");
  expect(ours.filter((name) => !metrics.has(name))).toEqual([]);
});
