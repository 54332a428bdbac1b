import { MutatingWebhookConfigurationSchema } from "#gen/k8s/admissionregistration/v1/webhook_pb.js";
import { CustomResourceDefinitionSpecSchema } from "#gen/k8s/apiextensions/v1/custom_resource_definition_pb.js";
import { DeploymentSchema } from "#gen/k8s/apps/v1/deployment_pb.js";
import { NamespaceSpecSchema, NodeSpecSchema } from "#gen/k8s/core/v1/cluster_pb.js";
import { EndpointsSchema } from "#gen/k8s/core/v1/endpoints_pb.js";
import { PodSchema } from "#gen/k8s/core/v1/pod_pb.js";
import { ServiceSpecSchema } from "#gen/k8s/core/v1/service_pb.js";
import { EndpointSliceSchema } from "#gen/k8s/discovery/v1/endpoint_slice_pb.js";
import { IngressSpecSchema as OldIngressSpecSchema } from "#gen/k8s/extensions/v1beta1/ingress_pb.js";
import { IngressClassSpecSchema } from "#gen/k8s/networking/v1/ingress_class_pb.js";
import { IngressSpecSchema } from "#gen/k8s/networking/v1/ingress_pb.js";
import type { Kind } from "../kind.ts";
import { configMap, secret } from "./secret.ts";

const core = { group: "", versions: ["v1"], builtIn: true } as const;
const discovers = { requiredForServiceDiscovery: true } as const;

export const service: Kind<typeof ServiceSpecSchema> = {
  ...core,
  ...discovers,
  kind: "Service",
  plural: "services",
  scope: "namespace",
  collection: "k8s/core/v1/services",
  output: "k8s/core/v1/services",
  schema: ServiceSpecSchema,
};

export const endpoints: Kind<typeof EndpointsSchema> = {
  ...core,
  ...discovers,
  kind: "Endpoints",
  plural: "endpoints",
  scope: "namespace",
  collection: "k8s/core/v1/endpoints",
  schema: EndpointsSchema,
  body: "object",
};

export const endpointSlice: Kind<typeof EndpointSliceSchema> = {
  ...discovers,
  kind: "EndpointSlice",
  group: "discovery.k8s.io",
  versions: ["v1", "v1beta1"],
  plural: "endpointslices",
  scope: "namespace",
  collection: "k8s/discovery.k8s.io/v1/endpointslices",
  schema: EndpointSliceSchema,
  body: "object",
  builtIn: true,
};

export const pod: Kind<typeof PodSchema> = {
  ...core,
  ...discovers,
  kind: "Pod",
  plural: "pods",
  scope: "namespace",
  collection: "k8s/core/v1/pods",
  output: "k8s/core/v1/pods",
  snapshot: "localAnalysis",
  schema: PodSchema,
  body: "object",
};

export const node: Kind<typeof NodeSpecSchema> = {
  ...core,
  ...discovers,
  kind: "Node",
  plural: "nodes",
  scope: "cluster",
  collection: "k8s/core/v1/nodes",
  schema: NodeSpecSchema,
};

export const namespace: Kind<typeof NamespaceSpecSchema> = {
  ...core,
  ...discovers,
  kind: "Namespace",
  plural: "namespaces",
  scope: "cluster",
  collection: "k8s/core/v1/namespaces",
  output: "k8s/core/v1/namespaces",
  schema: NamespaceSpecSchema,
};

export const ingress: Kind<typeof IngressSpecSchema> = {
  kind: "Ingress",
  group: "networking.k8s.io",
  versions: ["v1"],
  plural: "ingresses",
  scope: "namespace",
  collection: "k8s/networking.k8s.io/v1/ingresses",
  schema: IngressSpecSchema,
  builtIn: true,
};

/** Ingress before v1, with another format of backends. */
export const oldIngress: Kind<typeof OldIngressSpecSchema> = {
  kind: "Ingress",
  group: "extensions",
  versions: ["v1beta1"],
  aliases: ["networking.k8s.io/v1beta1"],
  plural: "ingresses",
  scope: "namespace",
  collection: "k8s/extensions/v1beta1/ingresses",
  schema: OldIngressSpecSchema,
  builtIn: true,
};

export const ingressClass: Kind<typeof IngressClassSpecSchema> = {
  kind: "IngressClass",
  group: "networking.k8s.io",
  versions: ["v1", "v1beta1"],
  plural: "ingressclasses",
  scope: "cluster",
  collection: "k8s/networking.k8s.io/v1/ingressclasses",
  schema: IngressClassSpecSchema,
  builtIn: true,
};

export const deployment: Kind<typeof DeploymentSchema> = {
  kind: "Deployment",
  group: "apps",
  versions: ["v1", "v1beta2", "v1beta1"],
  aliases: ["extensions/v1beta1"],
  plural: "deployments",
  scope: "namespace",
  collection: "k8s/apps/v1/deployments",
  output: "k8s/apps/v1/deployments",
  snapshot: "localAnalysis",
  schema: DeploymentSchema,
  body: "object",
  builtIn: true,
};

export const customResourceDefinition: Kind<typeof CustomResourceDefinitionSpecSchema> = {
  kind: "CustomResourceDefinition",
  group: "apiextensions.k8s.io",
  versions: ["v1", "v1beta1"],
  plural: "customresourcedefinitions",
  scope: "cluster",
  collection: "k8s/apiextensions.k8s.io/v1beta1/customresourcedefinitions",
  output: "k8s/apiextensions.k8s.io/v1beta1/customresourcedefinitions",
  snapshot: "localAnalysis",
  schema: CustomResourceDefinitionSpecSchema,
  builtIn: true,
};

export const mutatingWebhookConfiguration: Kind<typeof MutatingWebhookConfigurationSchema> = {
  kind: "MutatingWebhookConfiguration",
  group: "admissionregistration.k8s.io",
  versions: ["v1", "v1beta1"],
  plural: "mutatingwebhookconfigurations",
  scope: "cluster",
  collection: "k8s/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  output: "k8s/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  snapshot: "localAnalysis",
  schema: MutatingWebhookConfigurationSchema,
  body: "object",
  builtIn: true,
};

/** The fields that we read are the same as in mutating webhooks. */
export const validatingWebhookConfiguration: Kind<typeof MutatingWebhookConfigurationSchema> = {
  ...mutatingWebhookConfiguration,
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
  collection: "k8s/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  output: "k8s/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
};

/** Kubernetes' own kinds: the inputs of services, Ingress, and kinds that only analysis reads. */
export const kubernetesKinds: readonly Kind[] = [
  service,
  endpoints,
  endpointSlice,
  pod,
  node,
  namespace,
  ingress,
  oldIngress,
  ingressClass,
  secret,
  configMap,
  deployment,
  customResourceDefinition,
  mutatingWebhookConfiguration,
  validatingWebhookConfiguration,
];
