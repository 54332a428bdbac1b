import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import type { Port, Service } from "../../../model/service/service.ts";
import type { ServicePeers } from "../../../model/service/service-peers.ts";
import type { ClientTls, PortPolicy } from "../../../model/traffic/destination-rule.ts";
import { meshClientSocket } from "../../secret/mesh-client-socket.ts";
import { originationSocket } from "../../secret/origination-socket.ts";
import { peerNames } from "../../secret/peer-names.ts";
import type { ClusterClient } from "../cluster-client.ts";
import { sniName } from "../cluster-name.ts";
import type { NamesFromRequest } from "../http-protocol-options.ts";
import type { DiscoveryType } from "./discovery-type.ts";

/** How connections to a cluster's endpoints are secured. */
export type UpstreamTls =
  | { readonly type: "plain" }
  | { readonly type: "always"; readonly socket: Uint8Array; readonly names: NamesFromRequest | undefined }
  /** For endpoints with TLS mode `istio`, which `setTlsModes` sets; other endpoints get plain text. */
  | { readonly type: "where-marked"; readonly socket: Uint8Array }
  /** The required TLS is impossible, so nothing may be sent. */
  | { readonly type: "impossible" };

/** All inputs of the decision. */
export interface UpstreamTlsInputs {
  readonly service: Service;
  readonly port: Port;
  readonly subset: string;
  readonly peers: ServicePeers | undefined;
  readonly policy: PortPolicy;
  readonly discovery: DiscoveryType;
  /** HTTP/2 without negotiation. */
  readonly http2: boolean;
  readonly client: ClusterClient;
  readonly mesh: MeshSettings;
  /** The mTLS mode of the service's namespace. */
  readonly mtls: MtlsMode;
  /** The rule is for selected workloads: those may have secrets that others must not. */
  readonly selected: boolean;
}

/** Cached apart from the cluster: an edit of a rule that keeps its TLS settings encodes no socket again. */
export function upstreamTlsOf(inputs: UpstreamTlsInputs, writer: ProtoWriter): UpstreamTls {
  const { service, port, subset, peers, policy, discovery, http2, client, mesh, mtls, selected } = inputs;
  const passesThrough = service.resolution === "passthrough" || policy.loadBalancer?.algorithm === "passthrough";
  const facts = { subset, discovery, passesThrough, http2, client, mtls, selected };
  return decideTls([service, port, policy.tls, peers, mesh, writer], facts);
}

type Held = readonly [Service, Port, ClientTls | undefined, ServicePeers | undefined, MeshSettings, ProtoWriter];
type Facts = Pick<UpstreamTlsInputs, "subset" | "discovery" | "http2" | "client" | "mtls" | "selected"> & {
  readonly passesThrough: boolean;
};

/** The inputs of the TLS decision. Of a policy only its TLS settings count. */
type TlsInputs = Facts & Pick<UpstreamTlsInputs, "service" | "port" | "peers" | "mesh">;

const decideTls = memoize(
  ([service, port, tls, peers, mesh, writer]: Held, facts: Facts): UpstreamTls =>
    decide(tls, { ...facts, service, port, peers, mesh }, writer),
);

function decide(tls: ClientTls | undefined, inputs: TlsInputs, writer: ProtoWriter): UpstreamTls {
  if (tls === undefined) return automaticTls(inputs, writer);
  if (tls.mode === "disable") return { type: "plain" };
  const istio = tls.mode === "istio-mutual";
  const socket = istio ? meshSocket(inputs, tls, writer) : ruledSocket(inputs, tls, writer);
  if (socket === undefined) return { type: "impossible" };
  return { type: "always", socket, names: istio ? meshNames(inputs) : namesFromRequest(tls) };
}

/**
 * Without a rule: mTLS with every endpoint that supports it, if the mesh enables auto mTLS and the proxy has
 * certificates.
 */
function automaticTls(inputs: TlsInputs, writer: ProtoWriter): UpstreamTls {
  const { service, port, peers, discovery, passesThrough, mesh, mtls } = inputs;
  if (!mesh.autoMtls || service.meshExternal || mtls === "disable") return { type: "plain" };
  // Original destinations have no endpoint metadata, so all connections use mTLS or none does.
  if (passesThrough && peers?.mutualPorts.includes(port.name) !== true) return { type: "plain" };
  const socket = meshSocket(inputs, undefined, writer);
  if (socket === undefined) return { type: "plain" };
  return discovery === "original-dst" ? { type: "always", socket, names: undefined } : { type: "where-marked", socket };
}

function meshSocket(inputs: TlsInputs, tls: ClientTls | undefined, writer: ProtoWriter) {
  const { service, port, subset, peers, discovery, http2, client, mesh } = inputs;
  const named = tls?.subjectAltNames ?? [];
  return meshClientSocket(
    {
      certificates: client.certificates,
      names: named.length > 0 ? named : peerNames(service, peers, mesh),
      // A cluster that resolves hosts per request also sets the SNI per request.
      sni: tls?.sni || (discovery === "forward-proxy" ? "" : withinSni(sniName(port.number, subset, service.hostname))),
      http2,
      exchangesMetadata: client.capabilities.tcpMetadataExchange,
    },
    writer,
  );
}

/** Envoy rejects a longer SNI, which a host of 253 characters leads to. Only gateways between networks need the SNI. */
const maxSniBytes = 255;

function withinSni(name: string): string {
  return Buffer.byteLength(name) <= maxSniBytes ? name : "";
}

function ruledSocket(inputs: TlsInputs, tls: ClientTls, writer: ProtoWriter) {
  const { service, peers, http2, client, mesh, selected } = inputs;
  const named = tls.subjectAltNames.length > 0 || service.registry !== "External";
  const names = named ? tls.subjectAltNames : peerNames(service, peers, mesh);
  const defaults = mesh.tlsDefaults;
  const credentials = client.type === "router" || selected;
  return originationSocket({ tls, names, certificates: client.certificates, http2, defaults, credentials }, writer);
}

/** Mesh mTLS knows the names in advance, except for hosts that are resolved per request. */
function meshNames({ discovery }: TlsInputs): NamesFromRequest | undefined {
  return discovery === "forward-proxy" ? { autoSni: true, autoSanValidation: true } : undefined;
}

/** A rule without names uses the host of each request as SNI and SAN. */
function namesFromRequest({ sni, subjectAltNames, insecureSkipVerify }: ClientTls): NamesFromRequest | undefined {
  if (sni !== "") return undefined;
  return { autoSni: true, autoSanValidation: subjectAltNames.length === 0 && !insecureSkipVerify };
}
