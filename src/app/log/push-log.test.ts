import { expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import { ScenarioMesh } from "../../testing/mesh/scenario-mesh.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { createXdsObserver } from "../xds/xds-observer.ts";

const service = (address: string, port = 80) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: reviews, namespace: shop}
spec:
  hosts: [reviews.shop.svc.cluster.local]
  resolution: STATIC
  ports: [{number: ${port}, name: http, protocol: HTTP}]
  endpoints: [{address: ${address}}]
`;

const node = { nodeId: "router~10.0.8.1~gw.istio-system~istio-system.svc.cluster.local", metadata: {} };

/** A mesh with one proxy, and the lines that tell of responses to it. */
async function logged() {
  const logger = new RecordingLogger();
  const metrics = new Metrics();
  const observer = createXdsObserver({ metrics: new PilotMetrics(metrics), logger, originOf: () => undefined });
  const mesh = await ScenarioMesh.serving(service("10.0.0.1"), { observer });
  const proxy = mesh.connect("delta", node);
  await mesh.settle([proxy]);
  const pushes = () => logger.lines.filter(({ message }) => message === "push");
  const edit = async (yaml: string) => {
    logger.lines.length = 0;
    mesh.apply(yaml);
    await mesh.settle([proxy]);
    return pushes();
  };
  return { pushes, edit, observer, logger, metrics };
}

test("every response is one line, with who got how much of what, and why", async () => {
  const { pushes, edit } = await logged();
  expect(pushes().map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ type: "CDS", node: node.nodeId, cause: ["request"] }),
  );
  const lines = await edit(service("10.0.0.1", 81));
  const fields = { type: "CDS", node: node.nodeId, resources: 1, removed: 1, cause: ["service", "endpoint"] };
  expect(lines).toContainEqual({ level: "info", message: "push", fields: expect.objectContaining(fields) });
  for (const { fields: each } of lines) expect(each).toMatchObject({ bytes: expect.any(Number) });
});

test("responses with nothing but endpoints are for those who look closely", async () => {
  const { edit } = await logged();
  expect((await edit(service("10.0.0.2"))).map(({ level, fields }) => ({ level, fields }))).toEqual([
    { level: "debug", fields: expect.objectContaining({ type: "EDS", resources: 1, cause: ["endpoint"] }) },
  ]);
});

test("a push that cannot be made is counted, and told at once", async () => {
  const { observer, logger, metrics } = await logged();
  observer.pushFailed(new Error("planted"));
  expect(logger.messages("error")).toEqual(["push failed"]);
  expect(await metrics.registry.metrics()).toContain("pilot_xds_push_context_errors 1");
});
