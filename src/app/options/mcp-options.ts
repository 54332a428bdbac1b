import { defaultSourceSettings } from "../../mcp/source/source-settings.ts";
import type { OptionRows } from "./option.ts";
import { address, count, durationMs, oneOf, onOff, periodMs, singleText, texts } from "./option-values.ts";

/** Options for serving MCP: addresses, access and rates. */
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
  readonly mcpTrace: boolean;
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
    doc: "Address that serves configuration to remote Pilots over MCP.",
    example: ":9901",
    of: "galley",
  },
  mcpTlsCert: {
    name: "mcp-tls-cert",
    env: ["BINNACLE_MCP_TLS_CERT"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Certificate chain for --mcp (PEM). Reloaded on change. With it, clients must present a certificate too (mTLS).",
    example: "/etc/certs/cert-chain.pem",
    of: "galley",
  },
  mcpTlsKey: {
    name: "mcp-tls-key",
    env: ["BINNACLE_MCP_TLS_KEY"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Private key of --mcp-tls-cert (PEM). Reloaded on change.",
    example: "/etc/certs/key.pem",
    of: "galley",
  },
  mcpTlsCa: {
    name: "mcp-tls-ca",
    env: ["BINNACLE_MCP_TLS_CA"],
    type: texts("FILE"),
    default: [],
    defaultText: "",
    doc: "CA certificates that verify peers over MCP (PEM). Reloaded on change. May be repeated.",
    example: "/etc/certs/root-cert.pem",
    of: "galley",
  },
  mcpAccessList: {
    name: "mcp-access-list",
    env: ["BINNACLE_MCP_ACCESS_LIST"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Access list (YAML) of MCP clients, by the names in their certificates. Its fields are allowed and isblacklist. Reloaded on change. Without it, every client has access.",
    example: "/etc/config/accesslist.yaml",
    of: "galley",
  },
  mcpSink: {
    name: "mcp-sink",
    env: ["BINNACLE_MCP_SINK"],
    type: singleText("ADDR"),
    default: undefined,
    defaultText: "",
    doc: "Address of an MCP sink to connect to, for sinks that cannot connect to Binnacle.",
    example: "sink.example:9901",
    of: "galley",
  },
  mcpSinkMeta: {
    name: "mcp-sink-meta",
    env: ["BINNACLE_MCP_SINK_META"],
    type: texts("KEY=VALUE"),
    default: [],
    defaultText: "",
    doc: "Metadata sent to sinks with every stream. May be repeated.",
    example: "cluster=east",
    of: "galley",
  },
  mcpSinkAuth: {
    name: "mcp-sink-auth",
    env: ["BINNACLE_MCP_SINK_AUTH"],
    type: singleText("NAME"),
    default: "NONE",
    defaultText: "NONE",
    doc: "Authentication with --mcp-sink. NONE is plaintext, MUTUAL is TLS with the certificates of --mcp-tls-cert.",
    example: "MUTUAL",
    of: "galley",
  },
  mcpDebounceAfterMs: {
    name: "mcp-debounce-after",
    env: ["BINNACLE_MCP_DEBOUNCE_AFTER"],
    type: durationMs,
    default: 100,
    defaultText: "100ms",
    doc: "Sends configuration over MCP after this time without a change. Services and their endpoints do not wait.",
    example: "500ms",
    of: "galley",
  },
  mcpDebounceMaxMs: {
    name: "mcp-debounce-max",
    env: ["BINNACLE_MCP_DEBOUNCE_MAX"],
    type: durationMs,
    default: 1000,
    defaultText: "1s",
    doc: "Maximum time that a change waits before MCP sends it, while more changes arrive.",
    example: "2s",
    of: "galley",
  },
  mcpUnknownCollections: {
    name: "mcp-unknown-collections",
    env: ["BINNACLE_MCP_UNKNOWN_COLLECTIONS"],
    type: oneOf(["empty", "reject"]),
    default: "empty",
    defaultText: "empty",
    doc: "Answers a request for an unknown collection with an empty collection, or rejects it. reject ends the stream, as Istio's Galley does.",
    example: "reject",
    of: "galley",
  },
  mcpRequestIntervalMs: {
    name: "mcp-request-interval",
    env: ["BINNACLE_MCP_REQUEST_INTERVAL", "MCP_SOURCE_REQ_FREQ"],
    type: periodMs,
    default: 20,
    defaultText: "20ms",
    doc: "Minimum time between requests for collections per identity, after --mcp-request-burst is used up. Answers to pushes do not count.",
    example: "1s",
    of: "galley",
  },
  mcpTrace: {
    name: "mcp-trace",
    env: ["BINNACLE_MCP_TRACE"],
    type: onOff,
    default: false,
    defaultText: "off",
    doc: "Logs peer, direction and size of every gRPC message over MCP. Never logs the content.",
    example: "on",
  },
  mcpRequestBurst: {
    name: "mcp-request-burst",
    env: ["BINNACLE_MCP_REQUEST_BURST", "MCP_SOURCE_REQ_BURST_SIZE"],
    type: count,
    default: defaultSourceSettings.requestBurst,
    defaultText: String(defaultSourceSettings.requestBurst),
    doc: "Number of collections that an identity may request at once.",
    example: "100",
    of: "galley",
  },
  mcpStreamIntervalMs: {
    name: "mcp-stream-interval",
    env: ["BINNACLE_MCP_STREAM_INTERVAL", "SOURCE_SERVER_STREAM_FREQ"],
    type: periodMs,
    default: 20,
    defaultText: "20ms",
    doc: "Minimum time between new streams per identity, after --mcp-stream-burst is used up.",
    example: "1s",
    of: "galley",
  },
  mcpStreamBurst: {
    name: "mcp-stream-burst",
    env: ["BINNACLE_MCP_STREAM_BURST", "SOURCE_SERVER_STREAM_BURST_SIZE"],
    type: count,
    default: 100,
    defaultText: "100",
    doc: "Number of streams that an identity may open at once.",
    example: "10",
    of: "galley",
  },
  mcpMaxRequestBytes: {
    name: "mcp-max-request-bytes",
    env: ["BINNACLE_MCP_MAX_REQUEST_BYTES"],
    type: count,
    default: 16 << 20,
    defaultText: "16777216",
    doc: "Maximum size of a sink's request, in bytes. A sink that reconnects with 100 000 resources sends about 6 MB.",
    example: "33554432",
    of: "galley",
  },
};
