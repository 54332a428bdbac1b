import { expect, test } from "vitest";
import { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { sinkObserver, sourceObserver } from "./observers.ts";
import { statusName } from "./status-name.ts";

const collection = "istio/networking/v1alpha3/gateways";
const stream = { id: 1, peer: "10.0.0.1:5", identity: "" };
const request = { ...stream, collection, nonce: "1", bytes: 100 };
const answer = { ...request, version: "v", ms: 20 };
const push = {
  ...stream,
  collection,
  version: "v",
  nonce: "1",
  incremental: false,
  resources: 1,
  removed: 0,
  bytes: 5,
};
const broken = { type: "broken", cause: new Error("the connection was lost") } as const;

function rig() {
  const metrics = new Metrics();
  const logger = new RecordingLogger();
  const counted = new McpMetrics(metrics);
  const series = async (name: string) => {
    const text = await metrics.registry.metrics();
    return text.split("\n").filter((line) => line.startsWith(name));
  };
  return { series, logger, source: sourceObserver(counted, logger), sink: sinkObserver(counted, logger) };
}

test("requests, answers and pushes are counted by collection, under Istio's names", async () => {
  const { source, series } = rig();
  source.requested(request);
  source.acked(answer);
  source.nacked(answer, { code: 3, message: "no" });
  source.nacked(answer, { code: 0, message: "" });
  source.pushed(push);
  const labels = `component="galley",collection="${collection}"`;
  expect(await series("istio_mcp_message_sizes_bytes_sum")).toEqual([
    `istio_mcp_message_sizes_bytes_sum{${labels}} 100`,
  ]);
  expect(await series("istio_mcp_request_acks_total")).toEqual([`istio_mcp_request_acks_total{${labels}} 1`]);
  expect(await series("istio_mcp_request_nacks_total")).toEqual([
    `istio_mcp_request_nacks_total{${labels},code="InvalidArgument"} 1`,
    `istio_mcp_request_nacks_total{${labels},code="OK"} 1`,
  ]);
  expect(await series("binnacle_mcp_push_size_bytes_count")).toHaveLength(1);
  expect(await series("binnacle_mcp_ack_seconds_sum")).toEqual([
    `binnacle_mcp_ack_seconds_sum{collection="${collection}"} 0.02`,
  ]);
});

test("an unknown collection becomes no label", async () => {
  const { source, series } = rig();
  for (const name of ["a", "b", "c"]) {
    source.requested({ ...request, collection: name });
    source.stale({ ...answer, collection: name }, { code: 3, message: "no" });
  }
  expect(await series("istio_mcp_message_sizes_bytes_count")).toHaveLength(1);
  expect(await series("binnacle_mcp_stale_answers_total")).toEqual([
    'binnacle_mcp_stale_answers_total{collection="unknown"} 3',
  ]);
});

test("streams that fail are failures, streams that end are not", async () => {
  const { source, sink, series } = rig();
  source.closed(stream, { type: "client" });
  sink.detached(stream, { type: "server", status: { code: 14, message: "bye" } });
  expect(await series("istio_mcp_recv_failures_total")).toEqual([]);
  source.closed(stream, broken);
  sink.detached(stream, broken);
  expect(await series("istio_mcp_recv_failures_total")).toEqual([
    'istio_mcp_recv_failures_total{component="galley",code="14"} 1',
    'istio_mcp_recv_failures_total{component="pilot",code="14"} 1',
  ]);
});

test("a rejection is a warning with the sink, the collection and the reason", () => {
  const { sink, logger } = rig();
  sink.nacked(push, { code: 3, message: "shop/a: no body" }, [{ name: "shop/a", reason: "no body" }]);
  expect(logger.lines).toMatchObject([
    {
      level: "warn",
      message: "mcp push rejected",
      fields: { collection, code: "InvalidArgument", rejected: [{ name: "shop/a", reason: "no body" }] },
    },
  ]);
});

test.each([
  [0, "OK"],
  [1, "Canceled"],
  [3, "InvalidArgument"],
  [12, "Unimplemented"],
  [99, "Code(99)"],
])("status %s is called %s", (code, name) => {
  expect(statusName(code)).toBe(name);
});
