import { expect, test } from "vitest";
import { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { streamWatcher, watchedStream } from "./watched-stream.ts";

function rig({ trace = false } = {}) {
  const metrics = new Metrics();
  const logger = new RecordingLogger();
  const { server, client } = streamPair();
  const watcher = streamWatcher(new McpMetrics(metrics), logger, { component: "galley", trace });
  const stream = watchedStream(server, watcher);
  const heard: number[] = [];
  stream.attach({
    onMessage: (bytes) => heard.push(bytes.length),
    onFlushed: () => undefined,
    onClose: () => undefined,
  });
  const failures = async () =>
    (await metrics.registry.metrics()).split("\n").filter((line) => line.startsWith("istio_mcp_send_failures_total{"));
  return { stream, client, logger, heard, failures };
}

test("a stream that fails with unsent bytes counts as a send failure", async () => {
  const { stream, client, failures } = rig();
  client.send(Uint8Array.of(1));
  client.stall();
  stream.send(Uint8Array.of(1, 2), []);
  client.disconnect();
  expect(await failures()).toEqual(['istio_mcp_send_failures_total{component="galley",code="14"} 1']);
});

test("a stream that fails without unsent bytes, or that its peer ends, is no send failure", async () => {
  const flushed = rig();
  flushed.client.send(Uint8Array.of(1));
  flushed.stream.send(Uint8Array.of(1, 2), []);
  await Promise.resolve();
  flushed.client.disconnect();
  expect(await flushed.failures()).toEqual([]);
  const cancelled = rig();
  cancelled.client.send(Uint8Array.of(1));
  cancelled.client.stall();
  cancelled.stream.send(Uint8Array.of(1, 2), []);
  cancelled.client.cancel();
  expect(await cancelled.failures()).toEqual([]);
});

test("a call that the peer never accepted is no send failure", async () => {
  const { stream, client, failures } = rig();
  client.stall();
  stream.send(Uint8Array.of(1, 2), []);
  client.disconnect();
  expect(await failures()).toEqual([]);
});

test("a traced stream has a line per message, in and out, with its size", async () => {
  const { stream, client, logger, heard } = rig({ trace: true });
  client.send(Uint8Array.of(1));
  stream.send(Uint8Array.of(1, 2), [Uint8Array.of(3)]);
  await Promise.resolve();
  client.cancel();
  expect(heard).toEqual([1]);
  const common = { component: "galley", peer: "in-memory" };
  expect(logger.lines.map(({ message, fields }) => ({ message, ...fields }))).toEqual([
    { message: "mcp stream opened", ...common },
    { message: "mcp message", ...common, direction: "in", bytes: 1 },
    { message: "mcp message", ...common, direction: "out", bytes: 3 },
    { message: "mcp stream ended", ...common, reason: "ended by the client", unsent: false },
  ]);
});

test("a stream that is not traced has no lines", () => {
  const { stream, client, logger } = rig();
  stream.send(Uint8Array.of(1, 2), []);
  client.cancel();
  expect(logger.lines).toEqual([]);
});
