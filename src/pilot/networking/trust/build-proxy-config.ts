import { ProxyConfigSchema } from "#gen/istio/mesh/v1alpha1/proxy_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";

/** The roots of the mesh for an agent. It is the only resource of its type and has no name. */
export function buildProxyConfig(caCertificatesPem: readonly string[], writer: ProtoWriter): Resource {
  return makeResource({ name: "", any: writer.any(ProxyConfigSchema, { caCertificatesPem }), owners: [] });
}
