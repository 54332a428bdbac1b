import { create, fromBinary, toJson } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { TypedExtensionConfigSchema } from "#gen/envoy/config/core/v3/extension_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import { allTypes } from "../../admin/resource/all-types.ts";
import { resourceTypeOf } from "../../fleet/fleet-resource-type.ts";
import { readResourceFacts } from "../../fleet/resource-facts.ts";
import { assert } from "../../lib/assert.ts";
import { extensionType, secretType } from "../../xds/type-urls.ts";
import type { ReadResource } from "./model-stream.ts";

/** Reads the resources of our generators, for the model of Envoy. */
export const readEnvoyResource: ReadResource = (typeUrl, value) => {
  if (typeUrl === extensionType) return named(fromBinary(TypedExtensionConfigSchema, value), value);
  if (typeUrl === secretType) return named(fromBinary(SecretSchema, value), value);
  const type = resourceTypeOf(typeUrl);
  assert(type !== undefined, `${typeUrl} is a type that the model asks for`);
  const { name, endpoints, routes, clusters, awaitsHosts = false } = readResourceFacts(type, value);
  if (type === "VHDS") return { name, content: { clusters, text: textOf(value) } };
  const empty = type === "EDS" && fromBinary(ClusterLoadAssignmentSchema, value).endpoints.length === 0;
  return {
    name,
    content: {
      awaitsEndpoints: endpoints !== undefined,
      awaitsHosts,
      routes,
      clusters,
      empty,
      ...((type === "CDS" || type === "LDS") && { beside: namesBeside(typeUrl, value) }),
      text: textOf(value),
    },
  };
};

function named({ name }: { readonly name: string }, value: Uint8Array) {
  return { name, content: { text: textOf(value) } };
}

/** The names that a resource gets over SDS and ECDS from its own stream, wherever they are in it. */
function namesBeside(typeUrl: string, value: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const registry = allTypes();
  const json = toJson(AnySchema, create(AnySchema, { typeUrl, value }), { registry });
  const names = new Map<string, string[]>([
    [secretType, []],
    [extensionType, []],
  ]);
  collectNames(json, (type, name) => names.get(type)?.push(name));
  return names;
}

function collectNames(json: unknown, add: (type: string, name: string) => void): void {
  if (typeof json !== "object" || json === null) return;
  const { name, sdsConfig, configDiscovery } = json as Readonly<Record<string, object | undefined>>;
  if (typeof name === "string" && sdsConfig !== undefined && "ads" in sdsConfig) add(secretType, name);
  if (typeof name === "string" && configDiscovery !== undefined) add(extensionType, name);
  for (const value of Object.values(json)) collectNames(value, add);
}

function textOf(value: Uint8Array): string {
  return Buffer.from(value).toString("base64");
}
