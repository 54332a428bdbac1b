import { anyUnpack } from "@bufbuild/protobuf/wkt";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import {
  type DownstreamTlsContext,
  DownstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { acceptedNames } from "../accepted-names.ts";
import type { EnvoyConfig } from "../envoy-config.ts";
import { type RequestOutcome, refused } from "../explanation.ts";
import { missingSecret } from "../missing-secret.ts";
import { type SimulatedRequest, showsCertificate } from "../simulated-request.ts";
import { type SignedBy, type TlsFiles, type Trust, tlsFilesOf, trustOf } from "../trust.ts";

/** Whether the proxy terminates the client's TLS, and so sees the content. */
export function endsTls(chain: FilterChain): boolean {
  return tlsOf(chain) !== undefined;
}

/** The refusal of a client whose TLS does not match the chain. Undefined when both agree. */
export function tlsRefusal(
  chain: FilterChain,
  request: SimulatedRequest,
  { config, signedBy }: TlsSurroundings,
): RequestOutcome | undefined {
  const tls = tlsOf(chain);
  if (tls === undefined) return undefined;
  if (request.protocol !== "tls") return refused("the filter chain requires TLS, and the client speaks plaintext");
  const secret = missingSecret(tls.commonTlsContext, config);
  if (secret !== undefined) {
    return refused(`the handshake fails: the filter chain needs secret ${secret}, which this proxy does not receive`);
  }
  if (tls.requireClientCertificate === true && !showsCertificate(request)) {
    return refused("the handshake fails: the filter chain requires a client certificate, and the client presents none");
  }
  const name = nameRefusal(tls, request);
  if (name !== undefined) return name;
  const distrust = trustsOf(tls, request, { config, signedBy }).find(({ type }) => type === "distrusts");
  return distrust === undefined ? undefined : refused(distrust.text);
}

/** The refusal of a client by the name in its certificate. A client without a known name is accepted. */
function nameRefusal(
  { commonTlsContext }: DownstreamTlsContext,
  request: SimulatedRequest,
): RequestOutcome | undefined {
  const { principal } = request;
  const names = acceptedNames(commonTlsContext);
  if (principal === undefined || !showsCertificate(request) || names === undefined || names.accepts(principal)) {
    return undefined;
  }
  return refused(
    `the handshake fails: the client's certificate is for ${principal}, and only ${names.text} is accepted`,
  );
}

/** Notes about trust that depends on certificates which are not known. */
export function trustDoubts(chain: FilterChain, request: SimulatedRequest, around: TlsSurroundings): readonly string[] {
  const tls = tlsOf(chain);
  if (tls !== undefined && request.tlsFiles === undefined && showsCertificate(request)) return [notEvaluated];
  return trustsOf(tls, request, around).flatMap(({ type, text }) => (type === "doubt" ? [text] : []));
}

const notEvaluated =
  "not evaluated: whether the client's certificate is trusted, and not revoked (--client-certificate FILE names it)";

/** The secrets of the proxy, and a comparison of certificates. */
export interface TlsSurroundings {
  readonly config: Pick<EnvoyConfig, "secrets" | "authoritiesOf">;
  readonly signedBy?: SignedBy | undefined;
}

/** The trust of each end in the certificate of the other. Empty if the client's files are unknown. */
function trustsOf(
  tls: DownstreamTlsContext | undefined,
  request: SimulatedRequest,
  { config: { authoritiesOf }, signedBy }: TlsSurroundings,
): readonly Trust[] {
  const { tlsFiles: client } = request;
  if (tls === undefined || client === undefined) return [];
  const server = tlsFilesOf(tls.commonTlsContext);
  const asksClient = showsCertificate(request) && !isSameMesh(client, server);
  const ofClient = client.ofMesh === true ? undefined : trustOf(client, server, { signedBy });
  const ofServer = asksClient ? trustOf(server, client, { signedBy, authoritiesOf }) : undefined;
  return [ofClient, ofServer].filter((trust) => trust !== undefined);
}

/** Proxies of one mesh that read its roots from files trust each other. */
function isSameMesh({ ofMesh, authorities }: TlsFiles, server: TlsFiles): boolean {
  return ofMesh === true && authorities === server.authorities;
}

function tlsOf({ transportSocket }: FilterChain): DownstreamTlsContext | undefined {
  const config = transportSocket?.configType;
  return config?.case === "typedConfig" ? anyUnpack(config.value, DownstreamTlsContextSchema) : undefined;
}
