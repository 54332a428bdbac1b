import { expect, test } from "vitest";
import { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { nodeBytes } from "../../testing/mcp-over-xds/config-rig.ts";
import { ConfigWorld } from "../../testing/mcp-over-xds/config-world.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { streamPair } from "../../testing/stream/stream-pair.ts";
import { LogScopes } from "../log/log-scopes.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import { mcpOverXds } from "./mcp-over-xds.ts";

/** The status with which the stream of a client that is no operator ends, if it ends. */
function statusWithoutRights(settings: Partial<Options>) {
  const options = { ...defaultOptions(), ...settings };
  const logs = new LogScopes(new RecordingLogger(), options.logLevel);
  const { cache } = new ConfigWorld();
  const metrics = new McpMetrics(new Metrics());
  const context = { options, clock: new FakeClock(), logs, supervisor: new FailingParts() };
  const clients = mcpOverXds(context, { cache, metrics, isOperator: () => false });
  cache.distribute({ group: "default", collections: new Map() });
  cache.distribute({ group: "syntheticServiceEntry", collections: new Map() });
  const { server, client } = streamPair();
  clients(nodeBytes({ GENERATOR: "api" }))?.(server, { mode: "sotw" });
  expect(clients(nodeBytes({ GENERATOR: "grpc" }))).toBeUndefined();
  return client.status?.code;
}

test("only operators may read configuration, unless anyone may", () => {
  expect(statusWithoutRights({})).toBe(GrpcStatus.UNAUTHENTICATED);
  expect(statusWithoutRights({ configOverXds: "anyone" })).toBeUndefined();
});
