import { create, type DescMessage, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { GatewaySchema } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Config } from "../../../../config/config.ts";
import { contentVersion } from "../../../../config/content-version.ts";
import { isWildcardDomain } from "../../../../config/grammar/names.ts";
import { classAnnotation } from "./ingress-class.ts";

export const gatewayCollection = "istio/networking/v1alpha3/gateways";
export const virtualServiceCollection = "istio/networking/v1alpha3/virtualservices";

/** Name and metadata of a generated object. It takes its creation time and origin from the Ingress. */
interface GeneratedMetadata extends Pick<Config, "namespace" | "name" | "labels" | "annotations"> {
  readonly ingress: Pick<Config, "createdAt" | "origin">;
}

export function gatewayConfig(metadata: GeneratedMetadata, spec: MessageInitShape<typeof GatewaySchema>) {
  return generatedConfig("Gateway", GatewaySchema, metadata, spec);
}

export function virtualServiceConfig(metadata: GeneratedMetadata, spec: MessageInitShape<typeof VirtualServiceSchema>) {
  return generatedConfig("VirtualService", VirtualServiceSchema, metadata, spec);
}

/** The annotations of an Ingress, without the ingress class annotation. */
export function annotationsOf({ annotations }: Pick<Config, "annotations">): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== classAnnotation));
}

/** The hosts of a TLS block: `*` if it names none, and only hosts that a gateway accepts. */
export function tlsHosts(hosts: readonly string[]): string[] {
  return hosts.length === 0 ? ["*"] : hosts.filter(isWildcardDomain);
}

function generatedConfig<Desc extends DescMessage>(
  kind: string,
  schema: Desc,
  { ingress, namespace, name, labels, annotations }: GeneratedMetadata,
  init: MessageInitShape<Desc>,
): Config<MessageShape<Desc>> {
  const spec = create(schema, init);
  const { createdAt, origin } = ingress;
  const apiVersion = "networking.istio.io/v1alpha3";
  const content = { kind, apiVersion, namespace, name, labels, annotations, createdAt, spec };
  return { ...content, version: contentVersion(content, schema), origin };
}
