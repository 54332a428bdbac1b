import { beforeAll, expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import type { PathStep } from "../../src/config/field-path.ts";
import type { IssueCode } from "../../src/config/issue-codes.ts";
import { apiVersionOf } from "../../src/config/kind.ts";
import { kinds } from "../../src/config/kinds.ts";
import { Random } from "../../src/testing/random/random.ts";
import { runs, steadySeed } from "../../src/testing/random/seed.ts";
import { compareVerdicts, type Judged, judged } from "./differential/compare-verdicts.ts";
import { excuses } from "./differential/explain-difference.ts";
import { judgeWithIstioctl } from "./differential/judge-istioctl.ts";
import { judgeMutations } from "./differential/judge-mutations.ts";
import { knownDifferences } from "./differential/known-differences.ts";
import { originals } from "./differential/originals.ts";
import { describeWith } from "./support/peers.ts";

const route = { route: [{ destination: { host: "a" } }] };
const https = { number: 443, name: "https", protocol: "HTTPS" };
const describeWithIstioctl = await describeWith("istioctl");

/** An object that breaks one rule, which both have. */
const sharedRules: readonly (readonly [kind: string, code: IssueCode, spec: object])[] = [
  ["VirtualService", "bad-host", { hosts: ["a_b"], http: [{ route: [{ destination: { host: "a" } }] }] }],
  [
    "VirtualService",
    "bad-header",
    { hosts: ["a"], http: [{ ...route, headers: { request: { set: { ":path": "b" } } } }] },
  ],
  [
    "DestinationRule",
    "bad-duration",
    { host: "a", trafficPolicy: { connectionPool: { tcp: { connectTimeout: "0s" } } } },
  ],
  [
    "Gateway",
    "missing-certificate",
    { servers: [{ hosts: ["*"], port: https, tls: { mode: "SIMPLE", privateKey: "/a" } }] },
  ],
  ["ServiceEntry", "missing-host", { ports: [https], resolution: "NONE" }],
  ["Sidecar", "unknown-protocol", { egress: [{ hosts: ["*/*"], port: { ...https, protocol: "FOO" } }] }],
  ["AuthorizationPolicy", "bad-address", { rules: [{ from: [{ source: { ipBlocks: ["a"] } }] }] }],
  ["PeerAuthentication", "missing-selector", { portLevelMtls: { 80: {} } }],
  ["RequestAuthentication", "bad-jwks", { jwtRules: [{ issuer: "a", jwks: "a" }] }],
  ["Telemetry", "bad-percentage", { tracing: [{ randomSamplingPercentage: 101 }] }],
  ["WasmPlugin", "bad-checksum", { url: "oci://a/b", sha256: "a" }],
  ["WorkloadGroup", "bad-port", { template: {}, probe: { tcpSocket: { port: 70_000 } } }],
  ["WorkloadEntry", "missing-address", { ports: { http: 80 } }],
  ["EnvoyFilter", "missing-value", { configPatches: [{ applyTo: "CLUSTER" }] }],
  ["TrafficExtension", "too-long", { lua: { inlineCode: "a".repeat(65_537) } }],
];

describeWithIstioctl("mutated documents", () => {
  const count = runs(1000);
  let all: readonly Judged[] = [];

  beforeAll(async () => {
    all = await judgeMutations(await peerPath("istioctl"), count, new Random(steadySeed(7)));
  });

  // `npm run differential` compares 50 000 of them.
  test("get the verdict of istioctl, or a known difference explains why not", () => {
    const { documents, bothAccept, bothRefuse, unexplained } = compareVerdicts(all);
    const lines = unexplained.map(({ document, refusedBy, errors }) => [refusedBy, errors, document.text]);
    expect(lines).toEqual([]);
    expect(documents).toBe(count);
    expect(Math.min(bothAccept, bothRefuse)).toBeGreaterThan(count / 4);
  });

  test("show that we lack a rule which istioctl has", async () => {
    const documents = sharedRules.map(([kind, , spec], index) => {
      const apiVersion = apiVersionOf(kinds.find((row) => row.kind === kind) ?? { group: "", versions: [] });
      const object = { apiVersion, kind, metadata: { name: `d${index}`, namespace: "shop" }, spec };
      return { id: `${kind}/shop/d${index}`, kind, text: JSON.stringify(object) };
    });
    const verdicts = judged(documents, await judgeWithIstioctl(await peerPath("istioctl"), documents));
    expect(verdicts.map(({ document, ours }) => [document.kind, ...ours.map(({ code }) => code)])).toEqual(
      sharedRules.map(([kind, code]) => [kind, code]),
    );
    expect(compareVerdicts(verdicts).bothRefuse).toBe(sharedRules.length);
    const { unexplained } = compareVerdicts(verdicts.map((each) => ({ ...each, ours: [] })));
    expect(unexplained.map(({ document }) => document.kind)).toEqual(sharedRules.map(([kind]) => kind));
  });

  test("start from objects of every kind, which both accept", async () => {
    const documents = originals.map(({ metadata, ...rest }, index) => {
      const name = `d${index}`;
      const id = `${rest.kind}/${metadata.namespace ?? ""}/${name}`;
      return { id, kind: rest.kind, text: JSON.stringify({ ...rest, metadata: { ...metadata, name } }) };
    });
    const verdicts = judged(documents, await judgeWithIstioctl(await peerPath("istioctl"), documents));
    expect(verdicts.filter(({ ours, theirs }) => ours.length + theirs.length > 0)).toEqual([]);
    const groups = new Set(["networking", "security", "telemetry", "extensions"].map((group) => `${group}.istio.io`));
    const expected = kinds.filter(({ group }) => groups.has(group)).map(({ kind }) => kind);
    expect([...new Set(originals.map(({ kind }) => kind))].toSorted()).toEqual(expected.toSorted());
  });
});

test("no known difference excuses an error in a valid object", () => {
  const places = originals.flatMap((object) => Array.from(pathsIn(object), (steps) => ({ object, steps })));
  const excused = places.flatMap(({ object, steps }) =>
    knownDifferences
      .filter((row) => row.type === "ours" && excuses(row, object.kind, object, steps))
      .map((row) => [row.reason, object.kind, steps.join(".")]),
  );
  expect(excused).toEqual([]);
});

function* pathsIn(value: unknown, steps: readonly PathStep[] = []): Generator<readonly PathStep[]> {
  if (steps.length > 0) yield steps;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* pathsIn(part, [...steps, Array.isArray(value) ? Number(key) : key]);
}
