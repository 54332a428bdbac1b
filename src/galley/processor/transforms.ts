import { PolicySchema } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import { type Kind, outputOf, type SnapshotGroup } from "../../config/kind.ts";
import type { Transformer } from "./transformer.ts";
import { authPolicyTransformer } from "./transforms/auth-policy.ts";
import { direct } from "./transforms/direct.ts";
import { ingressTransformer } from "./transforms/ingress.ts";
import { legacyAuthenticationTransformer } from "./transforms/legacy-authentication.ts";
import { legacyAuthorizationTransformer } from "./transforms/legacy-authorization.ts";
import { oldIngressTransformer } from "./transforms/old-ingress.ts";
import { receivedServiceTransformer, serviceTransformer } from "./transforms/services.ts";

/** Settings of transformers that come from no collection. */
export interface TransformSettings {
  /** The DNS domain of the cluster, which is the suffix of its service names. */
  readonly domain: string;
}

/**
 * All transformers. User-written objects come before generated ones: if two transformers make an object of one name,
 * the earlier wins. Istio's own kinds pass unchanged, so a new kind needs no line here.
 */
export function transformsFor(
  kinds: readonly Kind[],
  { domain }: TransformSettings = { domain: "cluster.local" },
): readonly Transformer[] {
  return [
    ...kinds.flatMap(passThrough),
    ingressTransformer(domain),
    oldIngressTransformer(domain),
    legacyAuthenticationTransformer(domain),
    legacyAuthorizationTransformer(domain),
    serviceTransformer(domain),
    receivedServiceTransformer(),
  ];
}

/** The collections of one group, in the order of the transformers. Analysis sees all outputs and more. */
export function collectionsOf(group: SnapshotGroup, transforms: readonly Transformer[]): readonly string[] {
  const outputs = transforms.flatMap((transformer) => transformer.outputs);
  return [
    ...new Set(
      outputs
        .filter((output) => output.group === group || group === "localAnalysis")
        .map(({ collection }) => collection),
    ),
  ];
}

/** The collections from which the outputs of these groups are made. Sources need not watch any others. */
export function inputsOf(groups: readonly SnapshotGroup[], transforms: readonly Transformer[]): ReadonlySet<string> {
  const made = transforms.filter(({ outputs }) => outputs.some(({ group }) => groups.includes(group)));
  return new Set(made.flatMap(({ inputs }) => inputs));
}

function passThrough(kind: Kind): readonly Transformer[] {
  const output = outputOf(kind);
  if (output === undefined) return [];
  const transform = kind.schema === PolicySchema ? authPolicyTransformer : direct;
  return [transform(kind.collection, { collection: output, group: kind.snapshot ?? "default" })];
}
