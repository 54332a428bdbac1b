import { describe, expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import type { PilotState } from "../../admin/state.ts";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { Subscription } from "../../xds/subscription/subscription.ts";
import { clusterType } from "../../xds/type-urls.ts";
import { installPilotGauges, type PilotGauged } from "./pilot-gauges.ts";

type Connection = ReturnType<PilotState["connections"]> extends Iterable<infer Each> ? Each : never;

/** The series of one metric when these connections are there. */
async function series(name: string, connections: readonly Partial<Connection>[]): Promise<readonly string[]> {
  const metrics = new Metrics();
  const state = { connections: () => connections, originOf: () => undefined } as unknown as PilotState;
  installPilotGauges(metrics, { state } as PilotGauged);
  const text = (await metrics.registry.getSingleMetricAsString(name)) ?? "";
  return text.split("\n").filter((line) => line.startsWith(`${name}{`));
}

function client(version: string): Partial<Connection> {
  return { client: { metadata: { ISTIO_VERSION: version } } } as unknown as Partial<Connection>;
}

/** A client that rejects a cluster whose name no other client has. */
function rejecting(name: string): Partial<Connection> {
  const subscription = new Subscription(toyGenerator(clusterType), "sotw");
  subscription.subscribeTo({ wildcard: true });
  const answer = subscription.due([setOf(clusterType, { [name]: 1 })], { mayRemove: () => true });
  if (answer !== undefined) subscription.recordSent("1", answer, 0);
  subscription.nack("1", "no");
  return { client: { nodeId: name }, watched: [{ subscription }] } as unknown as Partial<Connection>;
}

describe("labels that clients choose", () => {
  test("of versions are few: rare versions are counted together", async () => {
    const many = Array.from({ length: 30 }, (_, index) => client(`1.${index}`));
    const lines = await series("pilot_xds", [client("1.29"), ...many, client("1.29"), client("")]);
    expect(lines).toHaveLength(21);
    expect(lines).toContain('pilot_xds{version="1.29"} 3');
    expect(lines).toContain('pilot_xds{version="other"} 11');
  });

  test("of rejections have at most a hundred values", async () => {
    const all = Array.from({ length: 150 }, (_, index) => rejecting(`cluster-${index}`));
    const lines = await series("binnacle_rejected_resources", all);
    expect(lines).toHaveLength(100);
    expect(lines[0]).toBe(
      'binnacle_rejected_resources{type="cds",resource="cluster-0",object="Toy/toy/cluster-0",reference=""} 1',
    );
  });
});
