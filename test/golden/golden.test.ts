import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { decodedResource } from "../../src/testing/envoy/decoded-resource.ts";
import { generateFor, loadEnvironment, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";

/** Every folder with an `input.yaml` is a case: a mesh, a proxy, and what that proxy gets. */
const features = globSync("*/input.yaml", { cwd: import.meta.dirname })
  .map(dirname)
  .toSorted();
const updating = process.env["UPDATE_GOLDEN"] === "1";
const update = "UPDATE_GOLDEN=1 npx vitest run test/golden/golden.test.ts";
const files = { CDS: "clusters", EDS: "endpoints", LDS: "listeners", RDS: "routes" } as const;

describe.each(features)("%s", (feature) => {
  const folder = join(import.meta.dirname, feature);
  const text = (name: string) => readFileSync(join(folder, name), "utf8");

  test.each(Object.entries(files))("%s equals expect/%s.yaml", (type, name) => {
    const environment = loadEnvironment([{ file: "input.yaml", text: text("input.yaml") }]);
    const resources = generateFor(proxyFrom(parse(text("proxy.yaml")) as JsonValue), environment).get(type) ?? [];
    const actual = resources.length === 0 ? undefined : render(resources.map(decodedResource));
    const path = join(folder, "expect", `${name}.yaml`);
    if (updating) write(path, actual);
    const expected = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (actual !== expected) process.stderr.write(`${basename(path)} differs; if that is right: ${update}\n`);
    expect(actual).toBe(expected);
  });
});

function render(bodies: readonly JsonValue[]): string {
  return stringify(bodies.map(normalise), { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Nothing generated means no file: an empty file would look intended. */
function write(path: string, content: string | undefined): void {
  mkdirSync(dirname(path), { recursive: true });
  if (content === undefined) rmSync(path, { force: true });
  else writeFileSync(path, content);
}
