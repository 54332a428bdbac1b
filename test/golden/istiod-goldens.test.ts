import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { describeWithData, goldenScenarios, istiodGoldens, policyScenarios } from "../../src/testing/shared-data.ts";
import { compareLeaves } from "./leaves.ts";
import { answersTo, nodesOf, recordedMesh, recordingOf } from "./recordings.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];

/** The recorded scenarios of policies, with the fields that istiod changes for proxies which no policy selects. */
const leakyScenarios: readonly { readonly scenario: string; readonly leaks: readonly string[] }[] = [
  // A patch of this field for one workload changes an object that all route configurations of the process share.
  { scenario: "p1-envoyfilter", leaks: ["/maxDirectResponseBodySizeBytes"] },
];

/** The extensions of istio-proxy beyond a stock Envoy. */
const istioExtensions = [
  "istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig",
  "io.istio.http.peer_metadata.Config",
  "envoy.tcp.metadataexchange.config.MetadataExchange",
];

interface Peer {
  /** The folder below the scenario. */
  readonly recordings: string;
  /** The extensions that the Envoy was built with. */
  readonly typeUrls?: readonly string[];
}

/** By node: our resources, and the recorded ones. */
async function answersOf(scenario: string, type: string, { recordings, typeUrls = [] }: Peer) {
  const mesh = await recordedMesh(scenario);
  const ours = new Map<string, readonly JsonValue[]>();
  const theirs = new Map<string, readonly JsonValue[]>();
  for (const node of nodesOf(scenario)) {
    const recording = recordingOf(scenario, node, type, recordings);
    const answers = answersTo({ ...node, extensions: [{ typeUrls: [...typeUrls] }] }, { type, mesh, recording });
    ours.set(node.name, answers.ours);
    theirs.set(node.name, answers.theirs);
  }
  return { ours, theirs };
}

describeWithData(istiodGoldens, "proxies get what istiod 1.29.6 sends", () => {
  describe.each([...goldenScenarios, ...policyScenarios])("%s", (scenario) => {
    test.each(types)("%s", async (type) => {
      const { ours, theirs } = await answersOf(scenario, type, { recordings: "expect" });
      expect(ours).toEqual(theirs);
      expect(theirs.size).toBeGreaterThan(0);
    });
  });

  test.each(leakyScenarios)("$scenario: at least 99.5 % of all fields", async ({ scenario, leaks }) => {
    const counts = { different: 0, all: 0 };
    for (const type of types) {
      const { ours, theirs } = await answersOf(`../istiod-1.29.6-policy/${scenario}`, type, { recordings: "expect" });
      const { different, all } = compareLeaves(ours, theirs);
      expect(different.filter((path) => !leaks.some((leak) => path.endsWith(leak)))).toEqual([]);
      counts.different += different.length;
      counts.all += all;
    }
    expect(counts.all).toBeGreaterThan(0);
    expect(counts.different / counts.all).toBeLessThanOrEqual(0.005);
  });

  test("16-peer-authentication, by the mTLS modes of workloads: LDS", async () => {
    const { ours, theirs } = await answersOf("16-peer-authentication", "LDS", { recordings: "expect" });
    expect(ours).toEqual(theirs);
  });

  test.each(types)("06-weighted, to an Envoy with Istio's own extensions: %s", async (type) => {
    const peer = { recordings: "expect-istio-filters", typeUrls: istioExtensions };
    const { ours, theirs } = await answersOf("06-weighted", type, peer);
    expect(ours).toEqual(theirs);
    expect(theirs.size).toBeGreaterThan(0);
  });
});
