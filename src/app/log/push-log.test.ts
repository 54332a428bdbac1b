import { describe, expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { ScenarioMesh } from "../../testing/mesh/scenario-mesh.ts";
import { breakMetric } from "../../testing/recording/break-metric.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import type { SentResponse } from "../../xds/stream-observer.ts";
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
  const clock = new FakeClock();
  const supervisor = new FailingParts(clock);
  const observer = createXdsObserver({
    metrics: new PilotMetrics(metrics),
    logger,
    originOf: () => undefined,
    supervisor,
  });
  const mesh = await ScenarioMesh.serving(service("10.0.0.1"), { observer });
  const proxy = mesh.connect("delta", node);
  await mesh.settle([proxy]);
  const pushes = () => logger.lines.filter(({ message }) => message === "push");
  clock.advance(1_000);
  const edit = async (yaml: string) => {
    logger.lines.length = 0;
    mesh.apply(yaml);
    await mesh.settle([proxy]);
    clock.advance(1_000);
    return pushes();
  };
  return { pushes, edit, observer, logger, metrics, clock };
}

test("the only response of a type is one line with type, proxy, size and cause", async () => {
  const { pushes, edit } = await logged();
  expect(pushes().map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ type: "CDS", node: node.nodeId, cause: ["request"] }),
  );
  const lines = await edit(service("10.0.0.1", 81));
  const fields = { type: "CDS", node: node.nodeId, resources: 1, removed: 1, cause: ["service", "endpoint"] };
  expect(lines).toContainEqual({ level: "info", message: "push", fields: expect.objectContaining(fields) });
  for (const { fields: each } of lines) expect(each).toMatchObject({ bytes: expect.any(Number) });
});

function sent(node: string, more: Partial<SentResponse> = {}): SentResponse {
  const response = { type: "CDS", typeUrl: "", resources: 1, removed: 0, bytes: 100, cause: ["config"], repeats: [] };
  return { ...response, node, ms: 1, ...more };
}

/** The fields of the lines about responses, without those for single proxies. */
function infoLines({ logger }: { readonly logger: RecordingLogger }): readonly object[] {
  const lines = logger.lines.filter(({ level, message }) => level === "info" && message === "push");
  return lines.map(({ fields }) => fields);
}

describe("responses to many proxies", () => {
  test("are one line per type and cause, and a debug line each", async () => {
    const rig = await logged();
    rig.logger.lines.length = 0;
    for (let proxy = 0; proxy < 500; proxy++) {
      rig.observer.responseSent(sent(`proxy-${proxy}`));
      rig.observer.responseSent(sent(`proxy-${proxy}`, { type: "RDS", bytes: 50 }));
      if (proxy % 100 === 99) rig.clock.advance(50);
    }
    rig.observer.responseSent(sent("proxy-0", { cause: ["request"] }));
    rig.clock.advance(1_000);
    expect(infoLines(rig)).toEqual([
      { type: "CDS", proxies: 500, responses: 500, bytes: 50_000, cause: ["config"], ms: 200 },
      { type: "RDS", proxies: 500, responses: 500, bytes: 25_000, cause: ["config"], ms: 200 },
      expect.objectContaining({ type: "CDS", node: "proxy-0", cause: ["request"] }),
    ]);
    expect(rig.logger.lines.filter(({ level }) => level === "debug")).toHaveLength(1_001);
  });

  test("are another line after a quiet time, and at the latest after a second", async () => {
    const rig = await logged();
    rig.logger.lines.length = 0;
    for (let proxy = 0; proxy < 30; proxy++) {
      rig.observer.responseSent(sent(`proxy-${proxy}`));
      rig.clock.advance(50);
    }
    expect(infoLines(rig)).toHaveLength(1);
    rig.clock.advance(200);
    expect(infoLines(rig)).toHaveLength(2);
    rig.observer.responseSent(sent("proxy-0"));
    rig.clock.advance(200);
    expect(infoLines(rig)).toHaveLength(3);
  });
});

test("responses with endpoints only are debug lines", async () => {
  const { edit } = await logged();
  expect((await edit(service("10.0.0.2"))).map(({ level, fields }) => ({ level, fields }))).toEqual([
    { level: "debug", fields: expect.objectContaining({ type: "EDS", resources: 1, cause: ["endpoint"] }) },
  ]);
});

test("a failed push is counted and logged at once", async () => {
  const { observer, logger, metrics } = await logged();
  observer.pushFailed(new Error("planted"));
  expect(logger.messages("error")).toEqual(["push failed"]);
  expect(await metrics.registry.metrics()).toContain("pilot_xds_push_context_errors 1");
});

test("a rejection after a push is a warning again, even if the log was paused when the push began", async () => {
  const { observer, logger, metrics, clock } = await logged();
  observer.rejected("LDS", "a", "bad", undefined);
  observer.rejected("LDS", "b", "bad", undefined);
  expect(logger.messages("warn")).toEqual(["proxy rejected a response"]);
  breakMetric(metrics, "pilot_proxy_queue_time");
  observer.dequeued(1);
  observer.pushStarted({ number: 1, commits: [], debouncedMs: 0, durationMs: 0, reasons: new Map() });
  clock.advance(1_000);
  observer.rejected("LDS", "a", "bad", undefined);
  expect(logger.messages("warn")).toEqual(["proxy rejected a response", "proxy rejected a response"]);
});

test("unsent responses are counted by type, and time-outs separately", async () => {
  const { observer, metrics } = await logged();
  observer.sendFailed("CDS", "a", false);
  observer.sendFailed("CDS", "b", true);
  const text = await metrics.registry.metrics();
  expect(text).toContain('pilot_xds_pushes{type="cds_senderr"} 2');
  expect(text).toContain("pilot_xds_write_timeout 1");
});

test("pushes that wait for an ACK are debug lines", async () => {
  const { observer, logger } = await logged();
  logger.lines.length = 0;
  observer.delayed("LDS", "a");
  observer.released("LDS", "a");
  const fields = { type: "LDS", node: "a" };
  expect(logger.lines).toEqual([
    { level: "debug", message: "push queued", fields },
    { level: "debug", message: "push dequeued", fields },
  ]);
});
