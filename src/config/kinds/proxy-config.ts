import { ProxyConfigSchema } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import type { Kind } from "../kind.ts";
import { notNegative } from "../rules/amount.ts";
import { workloadSelector } from "../rules/attachment.ts";

export const proxyConfig: Kind<typeof ProxyConfigSchema> = {
  kind: "ProxyConfig",
  group: "networking.istio.io",
  versions: ["v1beta1"],
  plural: "proxyconfigs",
  scope: "namespace",
  collection: "k8s/networking.istio.io/v1beta1/proxyconfigs",
  schema: ProxyConfigSchema,
  validate: ({ spec: { selector, concurrency } }) => [
    ...workloadSelector(selector),
    ...notNegative(concurrency, "spec.concurrency"),
  ],
};
