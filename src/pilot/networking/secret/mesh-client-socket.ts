import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import { meshIdentity } from "./mesh-identity.ts";
import { exactNames } from "./peer-names.ts";
import { meshTlsVersions, tlsSocket } from "./tls-socket.ts";

/** All inputs of the client's side of mesh mTLS. */
export interface MeshClientInputs {
  readonly certificates: Certificates;
  /** SANs that the server's certificate may have; an empty list accepts every workload of the mesh. */
  readonly names: readonly string[];
  readonly sni: string;
  /** HTTP/2 without negotiation. */
  readonly http2: boolean;
  /** The client can exchange workload metadata at the start of a connection. */
  readonly exchangesMetadata: boolean;
}

/** The encoded transport socket that starts mesh mTLS; undefined when the proxy has no certificates. */
export function meshClientSocket(inputs: MeshClientInputs, writer: ProtoWriter): Uint8Array | undefined {
  const identity = meshIdentity(inputs.certificates, "client", exactNames(inputs.names));
  if (identity === undefined) return undefined;
  const context = writer.any(UpstreamTlsContextSchema, {
    commonTlsContext: {
      tlsParams: meshTlsVersions,
      alpnProtocols: offered(inputs),
      ...identity,
    },
    sni: inputs.sni,
  });
  return tlsSocket(context, writer);
}

/** Servers do not negotiate `istio`. It marks a mesh client. */
function offered({ http2, exchangesMetadata }: MeshClientInputs): readonly string[] {
  const mesh = exchangesMetadata ? ["istio-peer-exchange", "istio"] : ["istio"];
  return http2 ? [...mesh, "h2"] : mesh;
}
