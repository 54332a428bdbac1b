import type { TrafficPolicy } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { destinationRule } from "../../../kinds/destination-rule.ts";
import { secret } from "../../../kinds/kubernetes.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

/** The namespace of a secret depends on the requesting proxy, so a secret in any namespace is accepted. */
export const credentials: Analyzer = {
  name: "references.CredentialAnalyzer",
  description: "Destination rules whose credentials are in no namespace",
  inputs: [destinationRule, secret],
  needs: [secret],
  analyze(context) {
    const known = new Set(context.all(secret).flatMap(({ name }) => [name, `${name}-cacert`]));
    for (const config of context.all(destinationRule)) {
      const { trafficPolicy, subsets } = config.spec;
      const named = [
        ...credentialsOf(trafficPolicy, "spec.trafficPolicy"),
        ...subsets.flatMap((subset, index) =>
          credentialsOf(subset.trafficPolicy, `spec.subsets[${index}].trafficPolicy`),
        ),
      ];
      for (const { reference, path } of named) {
        if (known.has(reference)) continue;
        const instead = "connections that need it fail";
        context.report(messages.danglingReference, { config, path }, { what: "credential", reference, instead });
      }
    }
  },
};

interface PlacedCredential {
  readonly reference: string;
  readonly path: string;
}

/** The credentials that are secrets. Other credentials name certificates that the proxy already has. */
function credentialsOf(policy: TrafficPolicy | undefined, path: string): readonly PlacedCredential[] {
  const ofPorts =
    policy?.portLevelSettings.map(({ tls }, index) => ({ tls, at: `portLevelSettings[${index}].` })) ?? [];
  return [{ tls: policy?.tls, at: "" }, ...ofPorts].flatMap(({ tls, at }) => {
    const reference = (tls?.credentialName ?? "").replace(/^kubernetes:\/\//u, "");
    return reference === "" || reference.includes(":") ? [] : [{ reference, path: `${path}.${at}tls.credentialName` }];
  });
}
