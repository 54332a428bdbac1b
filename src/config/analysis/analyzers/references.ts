import type { TrafficPolicy } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Config } from "../../config.ts";
import { fullHostname, isWildcard } from "../../grammar/hostname.ts";
import { destinationRule } from "../../kinds/destination-rule.ts";
import { namespace, service } from "../../kinds/kubernetes.ts";
import { secret } from "../../kinds/secret.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { sidecar } from "../../kinds/sidecar.ts";
import { virtualService } from "../../kinds/virtual-service.ts";
import { meshDefaults } from "../../mesh/mesh-defaults.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { askedWildcards, HostIndex } from "../facts/host-index.ts";
import { messages } from "../messages.ts";

/**
 * A reference of an object to another, and the path of its field. Pilot checks the references of the objects that it
 * serves itself (`pilot/model/traffic/dangling-references.ts`). It has the whole mesh, but no fields to point at.
 */
export interface Reference {
  readonly config: Config;
  readonly reference: string;
  readonly path: string;
}

export const namespaceAnalyzer: Analyzer = {
  name: "references.NamespaceAnalyzer",
  description: "Objects that are exported to, or imported from, missing namespaces",
  inputs: [destinationRule, meshConfig, namespace, serviceEntry, sidecar, virtualService],
  needs: [namespace],
  analyze(context) {
    const known = new Set(context.all(namespace).map(({ name }) => name));
    // Without any Namespace, the files leave namespaces out, so this check would only guess.
    if (known.size === 0) return;
    for (const { config, reference, path, instead } of [...exported(context), ...imported(context), ...root(context)]) {
      if (/^[*.~]$/u.test(reference) || known.has(reference)) continue;
      context.report(messages.danglingReference, { config, path }, { what: "namespace", reference, instead });
    }
  },
};

interface NamespaceReference extends Reference {
  readonly instead: string;
}

function exported(context: AnalysisContext): readonly NamespaceReference[] {
  const all = [...context.all(destinationRule), ...context.all(serviceEntry), ...context.all(virtualService)];
  return all.flatMap((config) =>
    config.spec.exportTo.map((reference, index) => {
      return { config, reference, path: `spec.exportTo[${index}]`, instead: "the export has no effect" };
    }),
  );
}

function imported(context: AnalysisContext): readonly NamespaceReference[] {
  return context.all(sidecar).flatMap((config) =>
    config.spec.egress.flatMap(({ hosts }, index) =>
      hosts.map((host, at) => {
        const [reference = ""] = host.split("/", 1);
        return { config, reference, path: `spec.egress[${index}].hosts[${at}]`, instead: "nothing is imported" };
      }),
    ),
  );
}

/** Files seldom contain the default namespace of the control plane. */
function root(context: AnalysisContext): readonly NamespaceReference[] {
  return context.all(meshConfig).flatMap((config) => {
    const reference = config.spec.rootNamespace;
    if (reference === "" || reference === meshDefaults().rootNamespace) return [];
    return [{ config, reference, path: "spec.rootNamespace", instead: "no object applies to the whole mesh" }];
  });
}

export const delegateAnalyzer: Analyzer = {
  name: "references.DelegateAnalyzer",
  description: "Routes that delegate to missing virtual services",
  inputs: [virtualService],
  analyze(context) {
    for (const config of context.all(virtualService)) {
      for (const [index, { delegate }] of config.spec.http.entries()) {
        if (delegate === undefined) continue;
        const key = `${delegate.namespace || config.namespace}/${delegate.name}`;
        if (context.find(virtualService, key) !== undefined) continue;
        const about = { config, path: `spec.http[${index}].delegate.name` };
        const instead = "the route is ignored";
        context.report(messages.danglingReference, about, { what: "delegate", reference: key, instead });
      }
    }
  },
};

/** Checks single names only. Imports of whole domains and namespaces may be for future services. */
export const egressHostAnalyzer: Analyzer = {
  name: "references.EgressHostAnalyzer",
  description: "Sidecars that import missing hosts",
  inputs: [service, serviceEntry, sidecar, virtualService],
  needs: [service],
  analyze(context) {
    const known = knownHosts(context);
    for (const config of context.all(sidecar)) {
      for (const [index, { hosts }] of config.spec.egress.entries()) {
        for (const [at, reference] of hosts.entries()) {
          const hostname = reference.slice(reference.indexOf("/") + 1);
          if (isWildcard(hostname) || known.groups(hostname).length > 0) continue;
          const about = { config, path: `spec.egress[${index}].hosts[${at}]` };
          const instead = "nothing is imported";
          context.report(messages.danglingReference, about, { what: "host", reference, instead });
        }
      }
    }
  },
};

/** Virtual services are imported by their hosts, too. */
function knownHosts(context: AnalysisContext): HostIndex<string> {
  const known = new HostIndex<string>(askedWildcards([]));
  const services = context.all(service).map(({ name, namespace }) => fullHostname(name, namespace, context.domain));
  const written = [...context.all(serviceEntry), ...context.all(virtualService)].flatMap(({ namespace, spec }) =>
    spec.hosts.map((host) => fullHostname(host, namespace, context.domain)),
  );
  for (const host of [...services, ...written]) known.add(host, host);
  return known;
}

/** The namespace of a secret depends on the requesting proxy, so a secret in any namespace is accepted. */
export const credentialAnalyzer: Analyzer = {
  name: "references.CredentialAnalyzer",
  description: "Destination rules whose credentials exist in no namespace",
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
