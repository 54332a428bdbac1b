import type { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { MeshError } from "../../lib/errors.ts";
import type { GrpcStream, Metadata } from "../../lib/grpc/grpc-stream.ts";
import { ResourceSourceServer } from "../../mcp/source/resource-source-server.ts";
import type { StreamStatus } from "../../mcp/source/stream-status.ts";
import { sourceVersionKey } from "../../mcp/source-version.ts";
import { createGrpcClient } from "../../transport/client/grpc-client.ts";
import { installMcpGauges } from "../gauges/mcp-gauges.ts";
import { Callout } from "../mcp/callout.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { resourceSourcePath } from "../mcp/mcp-paths.ts";
import { certificateFiles, mcpServer } from "../mcp/mcp-server.ts";
import { sourceObserver } from "../mcp/observers.ts";
import { parseSinkMeta } from "../mcp/sink-meta.ts";
import { streamGate } from "../mcp/stream-gate.ts";
import { type Component, component, withFlagNamed } from "../process/lifecycle.ts";
import { watchedFiles } from "../process/watched-files.ts";
import type { ProcessPart, ProcessContext } from "./process-part.ts";

/** The components that serve sinks, and the connected sinks. */
export interface McpParts {
  readonly parts: readonly ProcessPart[];
  readonly sinks: () => readonly StreamStatus[];
}

/** Serves snapshots to sinks: those that connect to us, and the one that we call. Empty if neither is configured. */
export function mcpParts(context: ProcessContext, mcp: Pick<Mcp, "cache" | "metrics" | "watched">): McpParts {
  const { options, listeners } = context;
  if (options.mcp === "off" && options.mcpSink === undefined) return { parts: [], sinks: () => [] };
  const { source, components } = mcpServing(context, mcp);
  const part: ProcessPart = {
    components,
    emitter: { name: "mcp", awaited: () => (listeners.addresses.mcp === "" ? ["listener mcp"] : []) },
  };
  return { parts: [part], sinks: () => source.status };
}

function mcpServing(context: ProcessContext, { cache, metrics, watched }: Pick<Mcp, "cache" | "metrics" | "watched">) {
  const { options, clock, logs, listeners, supervisor, version } = context;
  const logger = logs.logger("mcp");
  const source = new ResourceSourceServer({
    cache,
    clock,
    observer: supervisor.guardAll("mcp log", sourceObserver(metrics, logger)),
    settings: {
      unknownCollections: options.mcpUnknownCollections,
      requestsPerSecond: 1000 / options.mcpRequestIntervalMs,
      requestBurst: options.mcpRequestBurst,
    },
  });
  installMcpGauges(context.metrics, () => source.status);
  const metadata = { [sourceVersionKey]: version, ...parseSinkMeta(options.mcpSinkMeta) };
  const server = mcpServer({
    address: options.mcp,
    path: resourceSourcePath,
    callers: "sink",
    files: certificateFiles(options),
    accessList: options.mcpAccessList,
    maxMessageBytes: options.mcpMaxRequestBytes,
    settings: options,
    clock,
    logger,
    metadata,
    gate: streamGate({ options, clock, serve: (stream) => source.serve(watched(stream)) }),
    onRefused: supervisor.guard("mcp log", () => metrics.refusedClients.inc()),
    onCertificate: supervisor.guard("desk", context.certificates.reporterFor("mcp")),
  });
  const stop = { graceMs: options.drainMs };
  const served = listeners.component("mcp", { start: () => server.start(), stop: () => server.stop(stop) });
  const ending = component("mcp source", { start: () => undefined, stop: () => source.stop() });
  const serveDialled = (stream: GrpcStream) => source.serve(watched(stream), { trigger: true });
  return { source, components: [ending, served, ...callouts(context, metadata, metrics, serveDialled)] };
}

/** The callout to `--mcp-sink`; empty without that flag. */
function callouts(
  { options, clock, logs, supervisor }: ProcessContext,
  metadata: Metadata,
  metrics: McpMetrics,
  serve: (stream: GrpcStream) => void,
): readonly Component[] {
  const { mcpSink: address, mcpSinkAuth: auth } = options;
  const files = authFiles(options);
  if (address === undefined) return [];
  const client = createGrpcClient({
    address: address.replace(/^mcps?:\/\//, ""),
    logger: logs.logger("mcp"),
    metadata,
    maxMessageBytes: options.mcpMaxRequestBytes,
    ...(files && { tls: { shown: files, authorities: files.authorities ?? [], ...watchedFiles(clock) } }),
  });
  const onTaken = supervisor.guard("mcp log", () => metrics.reconnections.inc({ component: "galley" }));
  const callout = new Callout({ client, clock, random: Math.random, serve, onTaken });
  logs.logger("mcp").debug({ address, auth }, "calling mcp sink");
  return [withFlagNamed(component("mcp-sink", { start: () => callout.start(), stop: () => callout.stop() }))];
}

function authFiles(options: ProcessContext["options"]) {
  const { mcpSinkAuth: auth } = options;
  if (auth === "NONE") return undefined;
  if (auth === "GOOGLE") {
    throw new MeshError(
      "bad-option",
      "--mcp-sink-auth: GOOGLE is not supported; use MUTUAL, or a proxy that adds tokens",
    );
  }
  if (auth !== "MUTUAL") {
    throw new MeshError("bad-option", `--mcp-sink-auth: expected one of NONE, MUTUAL, found ${JSON.stringify(auth)}`);
  }
  const files = certificateFiles(options);
  if (files === undefined) throw new MeshError("bad-option", "--mcp-sink-auth: MUTUAL needs --mcp-tls-cert");
  return files;
}
