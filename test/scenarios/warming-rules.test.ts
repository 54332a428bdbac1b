import { describe, expect, test } from "vitest";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { ToyControlPlane, toyEnvoy } from "../../src/testing/envoy/toy-control-plane.ts";
import type { ToyMesh } from "../../src/testing/envoy/toy-mesh.ts";
import type { WarmingRules } from "../../src/xds/stream/warming.ts";

const mesh: ToyMesh = {
  clusters: new Map([
    ["a", 1],
    ["b", 1],
  ]),
  endpoints: new Map([
    ["a", 1],
    ["b", 1],
  ]),
  routes: new Map([["r", ["a"]]]),
};
const clusterChanged = { clusters: new Map([...mesh.clusters, ["a", 2]]) };

type Story = (plane: ToyControlPlane, envoy: EnvoyModel) => Promise<void>;

const edited: Story = async (plane, envoy) => {
  plane.edit(clusterChanged);
  await plane.settle(envoy);
};

const resumedAfterAnEdit: Story = async (plane, envoy) => {
  envoy.disconnect();
  plane.edit(clusterChanged);
  await plane.pushed();
  plane.connect(envoy);
  await plane.settle(envoy);
};

const lostBetweenClustersAndEndpoints: Story = async (plane, envoy) => {
  plane.edit(clusterChanged);
  await plane.pushed();
  envoy.step();
  envoy.disconnect();
  plane.connect(envoy);
  await plane.settle(envoy);
};

/** One edit changes `a` and spoils `b`, so that the client takes neither; then `b` alone is repaired. */
const rejectedAndRepaired: Story = async (plane, envoy) => {
  const clusters = new Map([
    ["a", 2],
    ["b", 2],
  ]);
  plane.edit({ clusters, poison: new Map([["CDS b", "unreadable"]]) });
  await plane.settle(envoy);
  plane.edit({ poison: new Map() });
  await plane.settle(envoy);
};

/** Each rule with a story that hangs without it, as seen with a real Envoy (test/e2e/warming.test.ts). */
const rules: readonly {
  rule: keyof WarmingRules;
  mode: "sotw" | "delta";
  story: Story;
  also?: Partial<WarmingRules>;
}[] = [
  { rule: "endpointsFollowClusters", mode: "delta", story: edited },
  { rule: "rejectedClustersNeedEndpoints", mode: "delta", story: rejectedAndRepaired },
  {
    rule: "rejectedClustersNeedEndpoints",
    mode: "sotw",
    story: rejectedAndRepaired,
    also: { repeatedRequestIsQuestion: false },
  },
  { rule: "endpointsOvertakeAcks", mode: "delta", story: edited },
  { rule: "endpointsOvertakeAcks", mode: "sotw", story: edited },
  { rule: "resentClustersNeedEndpoints", mode: "delta", story: resumedAfterAnEdit },
  { rule: "endpointsFirstMeansWarming", mode: "delta", story: lostBetweenClustersAndEndpoints },
  // Endpoints that follow their clusters make the question unnecessary: it is the second line of defence.
  { rule: "repeatedRequestIsQuestion", mode: "sotw", story: edited, also: { endpointsFollowClusters: false } },
];

async function warmingAfter(story: Story, mode: "sotw" | "delta", off: Partial<WarmingRules>): Promise<number> {
  const plane = new ToyControlPlane(mesh, off);
  const envoy = toyEnvoy(mode);
  plane.connect(envoy);
  await plane.settle(envoy);
  await story(plane, envoy);
  return envoy.warming;
}

describe.each(rules)("$rule, $mode", ({ rule, mode, story, also = {} }) => {
  test("with the rule, every cluster becomes active", async () => {
    expect(await warmingAfter(story, mode, also)).toBe(0);
  });

  test("without the rule, a cluster keeps warming for ever", async () => {
    expect(await warmingAfter(story, mode, { ...also, [rule]: false })).toBeGreaterThan(0);
  });
});

test("an overdue ACK resends the endpoints instead of ending the stream", async () => {
  const plane = new ToyControlPlane(mesh, { endpointsFollowClusters: false });
  const envoy = toyEnvoy("delta");
  plane.connect(envoy);
  await plane.settle(envoy);
  plane.edit(clusterChanged);
  await plane.settle(envoy);
  expect(envoy.warming).toBe(1);
  plane.clock.advance(15_000);
  await plane.settle(envoy);
  expect(envoy.warming).toBe(0);
  expect(plane.observer.overdue).toBe(1);
  expect(plane.observer.open).toBe(1);
});
