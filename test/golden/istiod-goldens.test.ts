import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithData, goldenScenarios, istiodGoldens } from "../../src/testing/shared-data.ts";
import { bodyOf, generateFor, loadEnvironment, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];

/** What istio-proxy can do beyond a stock Envoy. */
const istioExtensions = [
  "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig",
  "io.istio.http.peer_metadata.Config",
  "envoy.tcp.metadataexchange.config.MetadataExchange",
];

interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

interface Peer {
  /** Below the scenario. */
  readonly recordings: string;
  /** What the Envoy was built with. */
  readonly typeUrls?: readonly string[];
}

interface RecordedNode {
  readonly name: string;
  readonly id: string;
}

function read(...path: readonly string[]): { readonly file: string; readonly text: string } {
  const file = join(istiodGoldens, ...path);
  return { file: basename(file), text: readFileSync(file, "utf8") };
}

function nodesOf(scenario: string): readonly RecordedNode[] {
  return JSON.parse(read(scenario, "nodes.json").text) as readonly RecordedNode[];
}

function environmentOf(scenario: string) {
  const conf = globSync("*.yaml", { cwd: join(istiodGoldens, scenario, "conf") }).toSorted();
  const sources = conf.map((file) => read(scenario, "conf", file));
  return loadEnvironment(sources, read(scenario, "mesh.yaml"));
}

describeWithData(istiodGoldens, "proxies get what istiod 1.29.6 sends", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  describe.each(goldenScenarios)("%s", (scenario) => {
    test.each(types)("%s", (type) => {
      const { ours, theirs } = answersOf(scenario, type, { recordings: "expect" });
      expect(ours).toEqual(theirs);
      expect(theirs.size).toBeGreaterThan(0);
    });
  });

  test("16-peer-authentication, by what workloads accept: LDS", () => {
    const { ours, theirs } = answersOf("16-peer-authentication", "LDS", { recordings: "expect" });
    expect(ours).toEqual(theirs);
  });

  test("15-authorization, but for what is refused: LDS", () => {
    const { ours, theirs } = answersOf("15-authorization", "LDS", { recordings: "expect" });
    const open = Array.from(theirs, ([node, bodies]) => [node, bodies.map(withoutAuthorization)] as const);
    expect(ours).toEqual(new Map(open));
  });

  test.each(types)("06-weighted, to an Envoy with Istio's own extensions: %s", (type) => {
    const peer = { recordings: "expect-istio-filters", typeUrls: istioExtensions };
    const { ours, theirs } = answersOf("06-weighted", type, peer);
    expect(ours).toEqual(theirs);
    expect(theirs.size).toBeGreaterThan(0);
  });

  /** By node: what we generate, and what was recorded. */
  function answersOf(scenario: string, type: string, { recordings, typeUrls = [] }: Peer) {
    const environment = environmentOf(scenario);
    const ours = new Map<string, readonly JsonValue[]>();
    const theirs = new Map<string, readonly JsonValue[]>();
    for (const node of nodesOf(scenario)) {
      const proxy = proxyFrom({ ...node, extensions: [{ typeUrls: [...typeUrls] }] });
      const generated = generateFor(proxy, environment).get(type) ?? [];
      const recording = read(scenario, recordings, node.name, `${type}.json`).text;
      const { request, resources } = JSON.parse(recording) as Recording;
      // Where a client asks by name, the recording holds what it asked for; an empty list there means nothing.
      const byName = type === "EDS" || type === "RDS";
      const asked = byName ? generated.filter(({ name }) => request.names.includes(name)) : generated;
      ours.set(
        node.name,
        asked.map((resource) => normalise(bodyOf(resource, registry))),
      );
      theirs.set(
        node.name,
        resources.map(({ body }) => normalise(body)),
      );
    }
    return { ours, theirs };
  }
});

/** Who may do what is not sent yet. */
function withoutAuthorization(body: JsonValue): JsonValue {
  const text = JSON.stringify(body, (_, value: unknown) =>
    Array.isArray(value) ? value.filter((each: unknown) => !isAuthorization(each)) : value,
  );
  return JSON.parse(text) as JsonValue;
}

function isAuthorization(filter: unknown): boolean {
  return typeof filter === "object" && filter !== null && "name" in filter && String(filter.name).endsWith(".rbac");
}
