import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { analysisPage } from "./reference/analysis.ts";
import { commandsPage } from "./reference/commands.ts";
import { errorsPage } from "./reference/errors.ts";
import { flagsPage } from "./reference/flags.ts";
import { introspectionPage } from "./reference/introspection.ts";
import { kindsPage } from "./reference/kinds.ts";
import { metricsPage } from "./reference/metrics.ts";

const folder = join(import.meta.dirname, "../docs/reference");

/** Pages that are made from tables in the code, and so never differ from it. */
test.each([
  ["analysis.md", analysisPage],
  ["commands.md", commandsPage],
  ["errors.md", errorsPage],
  ["flags.md", flagsPage],
  ["introspection.md", introspectionPage],
  ["kinds.md", kindsPage],
  ["metrics.md", metricsPage],
])("docs/reference/%s says what the code says (UPDATE_DOCS=1 npm test -- test/reference.test.ts)", (file, render) => {
  const path = join(folder, file);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, render());
  expect(readFileSync(path, "utf8")).toBe(render());
});
