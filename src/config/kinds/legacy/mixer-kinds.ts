import type { DescMessage } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import {
  AttributeManifestSchema,
  HandlerSchema,
  InstanceSchema,
  RuleSchema,
} from "#gen/istio/policy/v1beta1/cfg_pb.js";
import type { Kind } from "../../kind.ts";
import { mixer, mixerCollection } from "./mixer.ts";

/** Kind and plural, the message, and the output collection of Galley. They are passed on without validation. */
const policyKinds: readonly (readonly [kind: string, plural: string, schema: DescMessage, output: string])[] = [
  ["rule", "rules", RuleSchema, "istio/policy/v1beta1/rules"],
  ["handler", "handlers", HandlerSchema, "istio/policy/v1beta1/handlers"],
  ["instance", "instances", InstanceSchema, "istio/policy/v1beta1/instances"],
  ["attributemanifest", "attributemanifests", AttributeManifestSchema, "istio/policy/v1beta1/attributemanifests"],
  ["adapter", "adapters", StructSchema, "istio/config/v1alpha2/adapters"],
  ["template", "templates", StructSchema, "istio/config/v1alpha2/templates"],
];

/** The adapters and templates with separate kinds, before `handler` and `instance`. */
const oldKinds: Readonly<Record<string, string>> = {
  apikey: "apikeys",
  authorization: "authorizations",
  bypass: "bypasses",
  checknothing: "checknothings",
  circonus: "circonuses",
  cloudwatch: "cloudwatches",
  denier: "deniers",
  dogstatsd: "dogstatsds",
  edge: "edges",
  fluentd: "fluentds",
  kubernetes: "kuberneteses",
  kubernetesenv: "kubernetesenvs",
  listchecker: "listcheckers",
  listentry: "listentries",
  logentry: "logentries",
  memquota: "memquotas",
  metric: "metrics",
  noop: "noops",
  opa: "opas",
  prometheus: "prometheuses",
  quota: "quotas",
  rbac: "rbacs",
  redisquota: "redisquotas",
  reportnothing: "reportnothings",
  signalfx: "signalfxs",
  solarwinds: "solarwindses",
  stackdriver: "stackdrivers",
  statsd: "statsds",
  stdio: "stdios",
  tracespan: "tracespans",
  zipkin: "zipkins",
};

/** The kinds of Mixer as table data. They are read and passed on. */
export const mixerKinds: readonly Kind[] = [
  ...policyKinds.map(([kind, plural, schema, output]) => ({
    ...mixer,
    kind,
    plural,
    schema,
    output,
    collection: mixerCollection(plural),
  })),
  ...Object.entries(oldKinds).map(([kind, plural]) => ({
    ...mixer,
    kind,
    plural,
    schema: StructSchema,
    output: `istio/config/v1alpha2/legacy/${plural}`,
    collection: mixerCollection(plural),
  })),
];
