import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";

/** The secret of mesh mTLS that holds the roots. */
export const rootsName = "ROOTCA";

/** The roots of the mesh as a secret, for Envoys that ask us instead of an agent. */
export function buildMeshRoots(pems: readonly string[], writer: ProtoWriter): Resource {
  const trustedCa = { specifier: { case: "inlineBytes", value: new TextEncoder().encode(pems.join("")) } } as const;
  const type = { case: "validationContext", value: { trustedCa } } as const;
  return makeResource({ name: rootsName, any: writer.any(SecretSchema, { name: rootsName, type }), owners: [] });
}
