import { destinationRule } from "../../../kinds/destination-rule.ts";
import { namespace } from "../../../kinds/kubernetes.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import { sidecar } from "../../../kinds/sidecar.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import { meshDefaults } from "../../../mesh/mesh-defaults.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";
import type { Reference } from "./reference.ts";

export const namespaces: Analyzer = {
  name: "references.NamespaceAnalyzer",
  description: "Objects that are exported to, or imported from, namespaces that are not there",
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
      return { config, reference, path: `spec.exportTo[${index}]`, instead: "nobody sees it there" };
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
    return [{ config, reference, path: "spec.rootNamespace", instead: "nothing holds for the whole mesh" }];
  });
}
