import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { bodyOf, generateFor, loadEnvironment, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const goldens = join(import.meta.dirname, "../../../shared/data/goldens/istiod-1.29.6");
const scenarios = [
  "01-empty",
  "02-http-static",
  "03-tcp-vip",
  "04-dns",
  "05-subsets",
  "06-weighted",
  "07-uri-match",
  "08-header-match",
  "09-resilience",
  "10-gateway-http",
  "12-traffic-policy",
  "13-sidecar-egress",
  "14-export-to",
];
const types = ["CDS", "EDS", "LDS", "RDS"];

interface Recording {
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

function read(...path: readonly string[]): { readonly file: string; readonly text: string } {
  const file = join(goldens, ...path);
  return { file: basename(file), text: readFileSync(file, "utf8") };
}

function nodesOf(scenario: string): readonly { readonly name: string; readonly id: string }[] {
  const nodes = JSON.parse(read(scenario, "nodes.json").text) as { readonly name: string; readonly id: string }[];
  return nodes.filter(({ name }) => name.startsWith("router-"));
}

const present = existsSync(goldens);
const place = present ? "" : " (skipped: shared/data/goldens is not beside this checkout)";

describe.skipIf(!present)(`routers get what istiod 1.29.6 sends${place}`, () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  describe.each(present ? scenarios : [])("%s", (scenario) => {
    test.each(nodesOf(scenario))("$name", (node) => {
      const conf = globSync("*.yaml", { cwd: join(goldens, scenario, "conf") }).toSorted();
      const environment = loadEnvironment(
        conf.map((file) => read(scenario, "conf", file)),
        read(scenario, "mesh.yaml"),
      );
      const generated = generateFor(proxyFrom({ ...node }), environment);
      for (const type of types) {
        const recording = JSON.parse(read(scenario, "expect", node.name, `${type}.json`).text) as Recording;
        const expected = recording.resources.map(({ body }) => normalise(body));
        const actual = (generated.get(type) ?? []).map((resource) => normalise(bodyOf(resource, registry)));
        expect({ type, resources: actual }).toEqual({ type, resources: expected });
      }
    });
  });
});
