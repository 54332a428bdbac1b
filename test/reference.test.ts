import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultRows } from "./e2e/faults/fault-rows.ts";
import { allStories, storyName } from "./e2e/quarantine/stories.ts";
import { analysisPage } from "./reference/analysis.ts";
import { annotationsPage } from "./reference/annotations.ts";
import { commandsPage } from "./reference/commands.ts";
import { deskApiPage, deskEndpoints, modelTypes } from "./reference/desk-api.ts";
import { effectsPage } from "./reference/effects.ts";
import { envoyConstraintsPage } from "./reference/envoy-constraints.ts";
import { errorsPage } from "./reference/errors.ts";
import { faultsPage, recordedFaults } from "./reference/faults.ts";
import { flagsPage } from "./reference/flags.ts";
import { introspectionPage } from "./reference/introspection.ts";
import { issuesPage } from "./reference/issues.ts";
import { kindsPage } from "./reference/kinds.ts";
import { limitsPage } from "./reference/limits.ts";
import { metricsPage } from "./reference/metrics.ts";
import { keysInCode, nodeMetadata, nodeMetadataPage } from "./reference/node-metadata.ts";
import { outputPage } from "./reference/output.ts";
import { performancePage } from "./reference/performance.ts";
import { listeners, portsPage } from "./reference/ports.ts";
import { quarantinePage, recordedStories } from "./reference/quarantine.ts";
import { sizingPage } from "./reference/sizing.ts";
import { sourceSchemes, sourcesPage } from "./reference/sources.ts";
import { supportPage } from "./reference/support.ts";
import { telemetryPage } from "./reference/telemetry.ts";
import { validateDifferencesPage } from "./reference/validate-differences.ts";

const root = join(import.meta.dirname, "..");

/** Pages that are made from tables in the code, and so never differ from it. */
test.each([
  ["analysis.md", analysisPage],
  ["annotations.md", annotationsPage],
  ["commands.md", commandsPage],
  ["desk-api.md", deskApiPage],
  ["effects.md", effectsPage],
  ["envoy-constraints.md", envoyConstraintsPage],
  ["errors.md", errorsPage],
  ["faults.md", faultsPage],
  ["flags.md", flagsPage],
  ["introspection.md", introspectionPage],
  ["issues.md", issuesPage],
  ["kinds.md", kindsPage],
  ["limits.md", limitsPage],
  ["metrics.md", metricsPage],
  ["node-metadata.md", nodeMetadataPage],
  ["output.md", outputPage],
  ["performance.md", performancePage],
  ["ports.md", portsPage],
  ["quarantine.md", quarantinePage],
  ["sizing.md", sizingPage],
  ["sources.md", sourcesPage],
  ["support.md", supportPage],
  ["telemetry.md", telemetryPage],
  ["validate-differences.md", validateDifferencesPage],
])("docs/reference/%s matches the code (UPDATE_DOCS=1 npm test -- test/reference.test.ts)", (file, render) => {
  const path = join(root, "docs/reference", file);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, render());
  expect(readFileSync(path, "utf8")).toBe(render());
});

test("recorded measurements are of rows that exist", () => {
  const faults = faultRows.map(({ name }) => name);
  expect(faults).toEqual(expect.arrayContaining(Object.keys(recordedFaults)));
  expect(allStories.map((story) => storyName(...story))).toEqual(expect.arrayContaining(Object.keys(recordedStories)));
});

test("every endpoint of the desk names types that exist", () => {
  const named = deskEndpoints.flatMap(({ gives, takes = gives }) => `${gives} ${takes}`.match(/\w+/gu) ?? []);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !modelTypes().has(name))).toEqual([]);
});

test("the table of node metadata names the keys that the code reads", () => {
  const used = Object.entries(nodeMetadata).flatMap(([key, row]) => ("use" in row ? [key] : []));
  expect(used).toEqual([...keysInCode()].toSorted());
});

test.each(sourceSchemes)("the recipe of $name explains every setting of its URL", ({ recipe, settings }) => {
  const text = recipe === undefined ? "" : readFileSync(join(root, `docs/recipes/${recipe}.md`), "utf8");
  expect(settings.filter((name) => !new RegExp(`[\`?&]${name}=`, "u").test(text))).toEqual([]);
});

test("SECURITY.md lists the protection and the default address of each listener", () => {
  const text = readFileSync(join(root, "SECURITY.md"), "utf8");
  const rows = text.matchAll(/^\| `--(?<name>[\w-]+)` \| `(?<byDefault>[^`]+)`/gmu);
  const told = Array.from(rows, ({ groups }) => [groups?.["name"], groups?.["byDefault"]]);
  expect(told).toEqual(listeners.map(({ name, defaultText }) => [name, defaultText]));
});
