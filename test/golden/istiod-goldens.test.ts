import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { describeWithData, goldenScenarios, istiodGoldens, policyScenarios } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, recordedMesh, recordingOf } from "./recordings.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];

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
