import type { Gateway } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import type { Config } from "../../../config.ts";
import { certificatesIn } from "../../../credential/key-material.ts";
import { authoritiesIn, authorityNames, pairIn, pairNames } from "../../../credential/secret-parts.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { secret } from "../../../kinds/secret.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { selectorText } from "../../facts/label-selectors.ts";
import { type SelectableWorkload, workloadKinds, workloads } from "../../facts/selectable-workloads.ts";
import { messages } from "../../messages.ts";

export const secretAnalyzer: Analyzer = {
  name: "gateway.SecretAnalyzer",
  description: "Credentials of gateways that are missing or invalid in the namespace of the workloads",
  inputs: [gateway, secret, ...workloadKinds],
  needs: [secret, ...workloadKinds],
  analyze(context) {
    const candidates = workloads(context);
    const namespacesOf = oncePer((all: readonly SelectableWorkload[]) => [
      ...new Set(all.map(({ namespace }) => namespace)),
    ]);
    for (const config of context.all(gateway)) {
      const { selector } = config.spec;
      const namespaces = namespacesOf(candidates.select(selector));
      if (namespaces.length === 0) {
        const about = { config, path: "spec.selector" };
        context.report(messages.referencedResourceNotFound, about, {
          what: "selector",
          reference: selectorText(selector),
        });
        continue;
      }
      for (const credential of credentialsOf(config.spec)) {
        const about = { config, path: credential.path };
        const found = findSecret(credential.name, namespaces, context);
        const detail = found && secretProblem(found, credential.holds, context.now);
        if (found === undefined) {
          const reference = credential.name;
          context.report(messages.referencedResourceNotFound, about, { what: "credentialName", reference });
        } else if (detail !== undefined) {
          context.report(messages.invalidGatewayCredential, about, { secret: credential.name, detail });
        }
      }
    }
  },
};

function findSecret(name: string, namespaces: readonly string[], context: AnalysisContext): Config | undefined {
  const keys = namespaces.map((namespace) => `${namespace}/${name}`);
  return keys.map((key) => context.find(secret, key)).find((found) => found !== undefined);
}

/**
 * The reason why a secret cannot serve as a credential; undefined if it can. The text never contains data of the
 * secret.
 */
function secretProblem({ sealed }: Config, holds: PlacedCredential["holds"], now: number): string | undefined {
  const parts = sealed?.reveal() ?? {};
  if (holds === "authority") {
    const authorities = authoritiesIn(parts);
    if (authorities !== undefined) return certificateProblem(authorities.certificates, now);
    return `it has no ${authorityNames.map(({ certificates }) => certificates).join(" or ")}`;
  }
  const pair = pairIn(parts);
  if (pair === undefined)
    return `it has neither ${pairNames.map(({ chain, key }) => `${chain} and ${key}`).join(" nor ")}`;
  return certificateProblem(pair.chain, now) ?? keyProblem(pair.key);
}

function certificateProblem(pem: Uint8Array, now: number): string | undefined {
  const [certificate] = certificatesIn(pem) ?? [];
  if (certificate === undefined) return "its certificate cannot be read";
  if (certificate.validToDate.getTime() < now) return `its certificate expired on ${dayOf(certificate.validToDate)}`;
  return certificate.validFromDate.getTime() > now
    ? `its certificate is not valid before ${dayOf(certificate.validFromDate)}`
    : undefined;
}

/** Validation of the Secret itself says whether the key can be read. */
function keyProblem(pem: Uint8Array): string | undefined {
  return /-----BEGIN [A-Z0-9 ]+-----/u.test(Buffer.from(pem).toString("latin1")) ? undefined : "its key is not PEM";
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** A secret that a server of a gateway names. */
interface PlacedCredential {
  readonly name: string;
  readonly path: string;
  readonly holds: "certificate" | "authority";
}

/** Every credential of a gateway that is a secret of its namespace. Other credentials come from elsewhere. */
function credentialsOf({ servers }: Gateway): readonly PlacedCredential[] {
  const named = servers.flatMap(({ tls }, index): readonly PlacedCredential[] => {
    if (tls === undefined) return [];
    const path = `spec.servers[${index}].tls`;
    return [
      { name: tls.credentialName, path: `${path}.credentialName`, holds: "certificate" },
      ...tls.credentialNames.map((name, at) => {
        return { name, path: `${path}.credentialNames[${at}]`, holds: "certificate" } as const;
      }),
      { name: tls.caCertCredentialName, path: `${path}.caCertCredentialName`, holds: "authority" },
    ];
  });
  const local = named.map((credential) => ({ ...credential, name: credential.name.replace(/^kubernetes:\/\//u, "") }));
  return local.filter(({ name }) => name !== "" && !name.includes("/"));
}
