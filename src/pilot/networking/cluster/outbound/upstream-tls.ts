import { Memo } from "../../../../lib/memo.ts";
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
import { clusterClientId } from "../cluster-client.ts";
import { sniName } from "../cluster-name.ts";
import type { NamesFromRequest } from "../http-protocol-options.ts";
import type { DiscoveryType } from "./discovery-type.ts";

/** How connections to a cluster's endpoints are secured. */
export type UpstreamTls =
  | { readonly type: "plain" }
  | { readonly type: "always"; readonly socket: Uint8Array; readonly names: NamesFromRequest | undefined }
  /** With the endpoints that are marked for it; the others get plain text. */
  | { readonly type: "where-marked"; readonly socket: Uint8Array }
  /** It must be TLS and cannot be: nothing may be sent. */
  | { readonly type: "impossible" };

/** All that it depends on. */
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
  /** What the service's namespace says of mesh mTLS. */
  readonly mtls: MtlsMode;
  /** The rule is for selected workloads: those may have secrets that others must not. */
  readonly selected: boolean;
}

const decided = new Memo<UpstreamTls>();
const absent = {};

/** Remembered apart from the cluster, whose other settings change more often. */
export function upstreamTlsOf(inputs: UpstreamTlsInputs, writer: ProtoWriter): UpstreamTls {
  const { service, port, subset, peers, policy, discovery, http2, client, mesh, mtls, selected } = inputs;
  const facts = [port.number, subset, discovery, passesThrough(inputs), http2, mtls, selected];
  const id = JSON.stringify([...facts, clusterClientId(client)]);
  const objects = [service, policy.tls ?? absent, peers ?? absent, mesh, writer];
  return decided.get(objects, id, () => decide(inputs, writer));
}

function decide(inputs: UpstreamTlsInputs, writer: ProtoWriter): UpstreamTls {
  const { tls } = inputs.policy;
  if (tls === undefined) return automaticTls(inputs, writer);
  if (tls.mode === "disable") return { type: "plain" };
  const istio = tls.mode === "istio-mutual";
  const socket = istio ? meshSocket(inputs, tls, writer) : ruledSocket(inputs, tls, writer);
  if (socket === undefined) return { type: "impossible" };
  return { type: "always", socket, names: istio ? meshNames(inputs) : namesFromRequest(tls) };
}

/** Where nobody says anything: mutual TLS with every endpoint that can, if the mesh wants it and the proxy can. */
function automaticTls(inputs: UpstreamTlsInputs, writer: ProtoWriter): UpstreamTls {
  const { service, port, peers, discovery, mesh, mtls } = inputs;
  if (!mesh.autoMtls || service.meshExternal || mtls === "disable") return { type: "plain" };
  // Where connections go straight to an address there is no endpoint to be marked: it is all or nothing.
  if (passesThrough(inputs) && peers?.mutualPorts.includes(port.name) !== true) return { type: "plain" };
  const socket = meshSocket(inputs, undefined, writer);
  if (socket === undefined) return { type: "plain" };
  return discovery === "original-dst" ? { type: "always", socket, names: undefined } : { type: "where-marked", socket };
}

function passesThrough({ service, policy }: UpstreamTlsInputs): boolean {
  return service.resolution === "passthrough" || policy.loadBalancer?.algorithm === "passthrough";
}

function meshSocket(inputs: UpstreamTlsInputs, tls: ClientTls | undefined, writer: ProtoWriter) {
  const { service, port, subset, peers, discovery, http2, client, mesh } = inputs;
  const named = tls?.subjectAltNames ?? [];
  return meshClientSocket(
    {
      certificates: client.certificates,
      names: named.length > 0 ? named : peerNames(service, peers, mesh),
      // What is resolved per request is also named per request.
      sni: tls?.sni || (discovery === "forward-proxy" ? "" : sniName(port.number, subset, service.hostname)),
      http2,
      exchangesMetadata: client.capabilities.tcpMetadataExchange,
    },
    writer,
  );
}

function ruledSocket(inputs: UpstreamTlsInputs, tls: ClientTls, writer: ProtoWriter) {
  const { service, peers, http2, client, mesh, selected } = inputs;
  const named = tls.subjectAltNames.length > 0 || service.registry !== "External";
  const names = named ? tls.subjectAltNames : peerNames(service, peers, mesh);
  const defaults = mesh.tlsDefaults;
  const credentials = client.type === "router" || selected;
  return originationSocket({ tls, names, certificates: client.certificates, http2, defaults, credentials }, writer);
}

/** Within the mesh names are known beforehand, except of what is resolved per request. */
function meshNames({ discovery }: UpstreamTlsInputs): NamesFromRequest | undefined {
  return discovery === "forward-proxy" ? { autoSni: true, autoSanValidation: true } : undefined;
}

/** A rule that names nothing leaves it to each request: its host is what the server must prove to be. */
function namesFromRequest({ sni, subjectAltNames, insecureSkipVerify }: ClientTls): NamesFromRequest | undefined {
  if (sni !== "") return undefined;
  return { autoSni: true, autoSanValidation: subjectAltNames.length === 0 && !insecureSkipVerify };
}
