import { PolicySchema } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { Kind, SnapshotGroup } from "../../config/kind.ts";
import { outputOf } from "../../config/output-of.ts";
import type { Transformer } from "./transformer.ts";
import { authPolicy } from "./transforms/auth-policy.ts";
import { direct } from "./transforms/direct.ts";
import { ingress } from "./transforms/ingress.ts";
import { oldIngress } from "./transforms/old-ingress.ts";
import { services, servicesFromElsewhere } from "./transforms/services.ts";

/** What transformers need to know that no collection tells. */
export interface TransformSettings {
  /** The DNS domain of the cluster: what the names of its services end with. */
  readonly domain: string;
}

/**
 * All transformers, what users wrote before what is made for them: where two make an object of one name, the earlier
 * wins. A kind of Istio's own passes as it is, so a new one needs no line here.
 */
export function transformsFor(
  kinds: readonly Kind[],
  { domain }: TransformSettings = { domain: "cluster.local" },
): readonly Transformer[] {
  return [
    ...kinds.flatMap(passThrough),
    ingress(domain),
    oldIngress(domain),
    services(domain),
    servicesFromElsewhere(),
  ];
}

/** The collections of one group, in the order of the transformers. Analysis sees all that leaves, and more. */
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

/** The collections that something of these groups is made of: nothing else needs to be watched for them. */
export function inputsOf(groups: readonly SnapshotGroup[], transforms: readonly Transformer[]): ReadonlySet<string> {
  const made = transforms.filter(({ outputs }) => outputs.some(({ group }) => groups.includes(group)));
  return new Set(made.flatMap(({ inputs }) => inputs));
}

function passThrough(kind: Kind): readonly Transformer[] {
  const output = outputOf(kind);
  if (output === undefined) return [];
  const transform = kind.schema === PolicySchema ? authPolicy : direct;
  return [transform(kind.collection, { collection: output, group: kind.snapshot ?? "default" })];
}
