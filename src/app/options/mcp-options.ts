import { address, count, durationMs, oneOf, periodMs, text, texts } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** What leaves Galley over MCP, to whom, and how fast. */
export interface McpOptions {
  readonly mcp: string;
  readonly mcpTlsCert: string | undefined;
  readonly mcpTlsKey: string | undefined;
  readonly mcpTlsCa: readonly string[];
  readonly mcpAccessList: string | undefined;
  readonly mcpSink: string | undefined;
  readonly mcpSinkMeta: readonly string[];
  readonly mcpSinkAuth: string;
  readonly mcpDebounceAfterMs: number;
  readonly mcpDebounceMaxMs: number;
  readonly mcpUnknownCollections: "empty" | "reject";
  readonly mcpRequestIntervalMs: number;
  readonly mcpRequestBurst: number;
  readonly mcpStreamIntervalMs: number;
  readonly mcpStreamBurst: number;
  readonly mcpMaxRequestBytes: number;
}

export const mcpOptions: OptionRows<McpOptions> = {
  mcp: {
    name: "mcp",
    env: ["BINNACLE_MCP"],
    type: address,
    default: "off",
    defaultText: "off",
    doc: "configuration for Pilots elsewhere, over MCP",
    example: ":9901",
    of: "galley",
  },
  mcpTlsCert: {
    name: "mcp-tls-cert",
    env: ["BINNACLE_MCP_TLS_CERT"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "our certificate chain there as PEM, watched; with it clients must show one, too",
    example: "/etc/certs/cert-chain.pem",
    of: "galley",
  },
  mcpTlsKey: {
    name: "mcp-tls-key",
    env: ["BINNACLE_MCP_TLS_KEY"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "the key of that certificate as PEM, watched",
    example: "/etc/certs/key.pem",
    of: "galley",
  },
  mcpTlsCa: {
    name: "mcp-tls-ca",
    env: ["BINNACLE_MCP_TLS_CA"],
    type: texts("FILE"),
    default: [],
    defaultText: "",
    doc: "authorities whose certificates are believed there, as PEM, watched; may be repeated",
    example: "/etc/certs/root-cert.pem",
    of: "galley",
  },
  mcpAccessList: {
    name: "mcp-access-list",
    env: ["BINNACLE_MCP_ACCESS_LIST"],
    type: text("FILE"),
    default: undefined,
    defaultText: "",
    doc: "who of those may have configuration, by the names in their certificates: YAML with allowed and isblacklist, watched; everybody without it",
    example: "/etc/config/accesslist.yaml",
    of: "galley",
  },
  mcpSink: {
    name: "mcp-sink",
    env: ["BINNACLE_MCP_SINK"],
    type: text("ADDR"),
    default: undefined,
    defaultText: "",
    doc: "a sink that we call, where it cannot call us",
    example: "sink.example:9901",
    of: "galley",
  },
  mcpSinkMeta: {
    name: "mcp-sink-meta",
    env: ["BINNACLE_MCP_SINK_META"],
    type: texts("KEY=VALUE"),
    default: [],
    defaultText: "",
    doc: "metadata that sinks are told with every stream; may be repeated",
    example: "cluster=east",
    of: "galley",
  },
  mcpSinkAuth: {
    name: "mcp-sink-auth",
    env: ["BINNACLE_MCP_SINK_AUTH"],
    type: text("NAME"),
    default: "NONE",
    defaultText: "NONE",
    doc: "how the sink that we call is spoken to: NONE is plaintext, MUTUAL is TLS with the certificates of --mcp-tls-cert",
    example: "MUTUAL",
    of: "galley",
  },
  mcpDebounceAfterMs: {
    name: "mcp-debounce-after",
    env: ["BINNACLE_MCP_DEBOUNCE_AFTER"],
    type: durationMs,
    default: 100,
    defaultText: "100ms",
    doc: "how long configuration must be quiet before it leaves over MCP; services and their endpoints do not wait",
    example: "500ms",
    of: "galley",
  },
  mcpDebounceMaxMs: {
    name: "mcp-debounce-max",
    env: ["BINNACLE_MCP_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "the longest it waits there while changes keep coming",
    example: "2s",
    of: "galley",
  },
  mcpUnknownCollections: {
    name: "mcp-unknown-collections",
    env: ["BINNACLE_MCP_UNKNOWN_COLLECTIONS"],
    type: oneOf(["empty", "reject"]),
    default: "empty",
    defaultText: "empty",
    doc: "what becomes of a sink that asks for a collection that there is not: it is told that it is empty, or sent away as the real Galley does",
    example: "reject",
    of: "galley",
  },
  mcpRequestIntervalMs: {
    name: "mcp-request-interval",
    env: ["BINNACLE_MCP_REQUEST_INTERVAL", "MCP_SOURCE_REQ_FREQ"],
    type: periodMs,
    default: 20,
    defaultText: "20ms",
    doc: "how often an identity may ask for a collection, once its burst is used up; answers to pushes are free",
    example: "1s",
    of: "galley",
  },
  mcpRequestBurst: {
    name: "mcp-request-burst",
    env: ["BINNACLE_MCP_REQUEST_BURST", "MCP_SOURCE_REQ_BURST_SIZE"],
    type: count,
    default: 500,
    defaultText: "500",
    doc: "how many collections an identity may ask for at once",
    example: "100",
    of: "galley",
  },
  mcpStreamIntervalMs: {
    name: "mcp-stream-interval",
    env: ["BINNACLE_MCP_STREAM_INTERVAL", "SOURCE_SERVER_STREAM_FREQ"],
    type: periodMs,
    default: 20,
    defaultText: "20ms",
    doc: "how often an identity may open a stream, once its burst is used up",
    example: "1s",
    of: "galley",
  },
  mcpStreamBurst: {
    name: "mcp-stream-burst",
    env: ["BINNACLE_MCP_STREAM_BURST", "SOURCE_SERVER_STREAM_BURST_SIZE"],
    type: count,
    default: 100,
    defaultText: "100",
    doc: "how many streams an identity may open at once",
    example: "10",
    of: "galley",
  },
  mcpMaxRequestBytes: {
    name: "mcp-max-request-bytes",
    env: ["BINNACLE_MCP_MAX_REQUEST_BYTES"],
    type: count,
    default: 16 << 20,
    defaultText: "16777216",
    doc: "the largest request of a sink; one that comes back with 100 000 resources sends about 6 MB",
    example: "33554432",
    of: "galley",
  },
};
