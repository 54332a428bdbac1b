import type { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { GrpcStatus, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import { asksForConfig, type ConfigClient } from "../../mcp/xds/config-client.ts";
import { ConfigServer } from "../../mcp/xds/config-server.ts";
import { configType } from "../../mcp/xds/config-types.ts";
import type { OtherClients } from "../../pilot/xds/discovery-server.ts";
import type { StreamObserver } from "../../xds/stream-observer.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { statusName } from "../mcp/status-name.ts";
import type { ProcessContext } from "../parts/process-part.ts";

/** Maximum time that an update waits for an ACK. Clients of this protocol have no warming. */
const ackTimeoutMs = 10_000;

export interface McpOverXdsOptions extends Pick<Mcp, "cache" | "metrics"> {
  /** Whether a client is an operator. */
  readonly isOperator: (peer: Peer) => boolean;
}

/** Serves configuration to other control planes on the xDS ports. */
export function mcpOverXds(
  { options, clock, logs, supervisor }: Pick<ProcessContext, "options" | "clock" | "logs" | "supervisor">,
  { cache, metrics, isOperator }: McpOverXdsOptions,
): OtherClients {
  const logger = logs.logger("mcp");
  const server = new ConfigServer({
    cache,
    clock,
    domain: options.domain,
    mayRead: options.configOverXds === "anyone" ? () => true : isOperator,
    ackTimeoutMs,
    observer: supervisor.guardAll("mcp log", observerOf(metrics, logger)),
    onRefused: (collection, error) => logger.error({ collection, err: error }, "object not sent over xds"),
  });
  const serve = server.serve.bind(server);
  return (node) => (asksForConfig(node) ? serve : undefined);
}

const component = "xds";

/** Reports requests of clients and responses to them as metrics and log lines, never with a body. */
function observerOf(metrics: McpMetrics, logger: Logger): StreamObserver<ConfigClient> {
  return {
    connected: ({ nodeId: node, revision }) => logger.info({ node, revision }, "config client connected"),
    disconnected: (node, reason) => logger.info({ node, reason }, "config client disconnected"),
    refused: (reason) => logger.warn({ reason }, "config client refused"),
    responseSent(response) {
      metrics.pushSizes.observe({ collection: collectionOf(response.typeUrl) }, response.bytes);
      logger.debug(response, "config push");
    },
    rejected(type, node, reason, subscription) {
      const collection = collectionOf(subscription?.type.typeUrl ?? type);
      metrics.nacks.inc({ component, collection, code: statusName(GrpcStatus.INVALID_ARGUMENT) });
      logger.warn({ type, node, reason }, "config push rejected");
    },
    staleNonce: (type) => logger.debug({ type }, "config answer with stale nonce"),
    ackOverdue: (type, node) => logger.warn({ type, node }, "config acknowledgement overdue"),
    streamFailed: (node, cause) => logger.error({ node, err: cause }, "config stream failed"),
    delayed: () => undefined,
    released: () => undefined,
    sendFailed: () => undefined,
    unknownType: (type, node) => logger.warn({ type, node }, "too many types requested"),
    written: () => undefined,
    converged: () => undefined,
  };
}

/** Clients may ask for anything: they must not be able to fill our memory with labels. */
function collectionOf(typeUrl: string): string {
  return configType(typeUrl)?.collection.name ?? "unknown";
}
