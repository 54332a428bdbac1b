import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { UpstreamTlsContext } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import {
  type HttpProtocolOptions,
  HttpProtocolOptionsSchema,
} from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { acceptedNames } from "../accepted-names.ts";
import type { EnvoyConfig } from "../envoy-config.ts";
import type { Decider, Explanation, RequestOutcome } from "../explanation.ts";
import { missingSecret } from "../missing-secret.ts";
import { requestHostname, type SimulatedRequest } from "../simulated-request.ts";
import { isDoubt, tlsFilesOf, trustOf } from "../trust.ts";
import type { PeerAt, ProxiedPeer } from "./endpoint-peer.ts";
import type { UpstreamSocket } from "./upstream-socket.ts";

/** A connection that a cluster opens to an endpoint. */
export interface Dialled {
  readonly cluster: Cluster;
  readonly socket: UpstreamSocket;
  readonly address: string;
  readonly port: number;
}

/** The carried request, and the known facts about the proxies at both ends. */
export interface Carried {
  readonly request: SimulatedRequest;
  /** Whether the proxy routes HTTP requests. Otherwise it forwards bytes. */
  readonly routed: boolean;
  readonly config: EnvoyConfig;
  readonly peerAt: PeerAt | undefined;
  /** Explains a connection at the proxy on the other end. */
  readonly follow: (config: EnvoyConfig, request: SimulatedRequest) => Explanation;
}

/** The result of a connection to an endpoint. */
export interface Reached {
  /**
   * Why it fails: the rest of a sentence that begins with the endpoint. Absent when it succeeds, or when the result is
   * unknown.
   */
  readonly problem?: string | undefined;
  /** The status with which the proxy at the endpoint rejects the request. Absent if it rejects the connection. */
  readonly status?: number | undefined;
  /** The policies that decided at the endpoint. */
  readonly decidedBy?: readonly Decider[];
  /** Notes about trust that cannot be decided. */
  readonly doubts: readonly string[];
}

/** The connection fails when the proxy lacks a secret, or when the receiver refuses it. */
export function reachEndpoint(dialled: Dialled, carried: Carried): Reached {
  const { tls, transport, introduced } = dialled.socket;
  const secret = missingSecret(tls?.commonTlsContext, carried.config);
  if (secret !== undefined)
    return fails(`is never called: TLS needs secret ${secret}, which this proxy does not receive`);
  const peer = carried.peerAt?.(dialled.address);
  // Binnacle configures no reader of the PROXY protocol, so the result is unknown.
  if (peer?.type === "proxy" && !introduced) return reachProxy(peer, dialled, carried);
  if (peer?.type === "workload" && !introduced && tls !== undefined && isMeshTls(tls)) {
    return fails(`fails the handshake: ${transport} of the mesh is sent, and ${peer.because}`);
  }
  return { doubts: doubtsOf(tls) };
}

function fails(problem: string): Reached {
  return { problem, doubts: [] };
}

/** The certificate at the other end is unknown. */
function doubtsOf(tls: UpstreamTlsContext | undefined): readonly string[] {
  const trust = tls && !isMeshTls(tls) ? trustOf(tlsFilesOf(tls.commonTlsContext), {}, {}) : undefined;
  return trust === undefined ? [] : [trust.text];
}

function reachProxy(peer: ProxiedPeer, dialled: Dialled, carried: Carried): Reached {
  const { steps, outcome, decidedBy } = carried.follow(peer.config, requestTo(peer, dialled, carried));
  const [listener] = steps;
  // If the proxy does not listen, another process at its address may.
  if (listener === undefined) return { doubts: doubtsOf(dialled.socket.tls) };
  if (outcome.type === "refused") {
    const by = decidedBy.length === 0 ? "" : ` (${decidedBy.map(({ object }) => object.replace("/", " ")).join(", ")})`;
    const { status } = outcome;
    return { ...fails(`is refused by ${peer.name}: ${outcome.reason}${by}`), status, decidedBy };
  }
  const problem = peer.identity === undefined ? undefined : nameProblem(peer.identity, dialled, carried.request);
  return {
    problem,
    decidedBy,
    doubts: [...steps.flatMap(({ notes }) => notes.filter(isDoubt)), ...openQuestion(outcome, peer)],
  };
}

/** A result at the other end that depends on facts which explain was not told. */
function openQuestion(outcome: RequestOutcome, { name }: ProxiedPeer): readonly string[] {
  return outcome.type === "unknown" ? [`unknown: what ${name} does: ${outcome.reason}`] : [];
}

/** Why the client rejects the name in the server's certificate. */
function nameProblem(identity: string, { cluster, socket }: Dialled, request: SimulatedRequest): string | undefined {
  if (socket.tls === undefined) return undefined;
  const problem = (accepted: string) =>
    `fails the handshake: its certificate is for ${identity}, and only ${accepted} is accepted`;
  if (optionsOf(cluster)?.upstreamHttpProtocolOptions?.autoSanValidation === true)
    return problem(requestHostname(request));
  const names = acceptedNames(socket.tls.commonTlsContext);
  return names === undefined || names.accepts(identity) ? undefined : problem(names.text);
}

/** The connection as the other end sees it. */
function requestTo(peer: ProxiedPeer, { cluster, socket, address, port }: Dialled, carried: Carried): SimulatedRequest {
  const { request, routed } = carried;
  const { sni: _sni, alpn: _alpn, clientCertificate: _shown, tlsFiles: _files, protocol = "http", ...rest } = request;
  const arriving: SimulatedRequest = { ...asForwarded(rest), address, port, direction: peer.direction };
  const http2 = speaksHttp2(cluster, protocol === "http2");
  if (socket.tls === undefined) {
    // TLS that is not terminated yet is forwarded unchanged.
    if (!routed) return { ...request, address, port, direction: peer.direction };
    return { ...arriving, protocol: http2 ? "http2" : "http" };
  }
  const offered = socket.tls.commonTlsContext?.alpnProtocols ?? [];
  const usual = routed ? [http2 ? "h2" : "http/1.1"] : [];
  return {
    ...arriving,
    protocol: "tls",
    sni: socket.tls.sni || (namesFromRequest(cluster) ? requestHostname(request) : ""),
    alpn: offered.length > 0 ? offered : usual,
    clientCertificate: socket.transport === "mutual TLS",
    tlsFiles: { ...tlsFilesOf(socket.tls.commonTlsContext), ofMesh: isMeshTls(socket.tls) },
  };
}

/**
 * A sidecar calls under the name and from the address of its workload. A router has a name and an address of its own,
 * which are unknown, and tells the address of its client.
 */
function asForwarded(request: SimulatedRequest): SimulatedRequest {
  if (request.direction !== "gateway") return request;
  const { principal: _client, sourceAddress, headers, ...rest } = request;
  if (sourceAddress === undefined) return { ...rest, headers };
  const before = headers["x-forwarded-for"];
  const forwardedFor = before === undefined ? sourceAddress : `${before},${sourceAddress}`;
  return { ...rest, headers: { ...headers, "x-forwarded-for": forwardedFor } };
}

/** Mesh clients are recognised by their ALPN protocols. */
function isMeshTls({ commonTlsContext }: UpstreamTlsContext): boolean {
  return commonTlsContext?.alpnProtocols.some((name) => name.startsWith("istio")) === true;
}

function speaksHttp2(cluster: Cluster, clientDoes: boolean): boolean {
  const options = optionsOf(cluster)?.upstreamProtocolOptions;
  if (options?.case === "explicitHttpConfig") return options.value.protocolConfig.case === "http2ProtocolOptions";
  return options?.case === "useDownstreamProtocolConfig" && clientDoes;
}

function namesFromRequest(cluster: Cluster): boolean {
  return optionsOf(cluster)?.upstreamHttpProtocolOptions?.autoSni === true;
}

function optionsOf({ typedExtensionProtocolOptions }: Cluster): HttpProtocolOptions | undefined {
  const options = typedExtensionProtocolOptions[HttpProtocolOptionsSchema.typeName];
  return options === undefined ? undefined : anyUnpack(options, HttpProtocolOptionsSchema);
}
