import { customResourceDefinition } from "../../kinds/kubernetes.ts";
import type { Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";

/** The oldest Gateway API bundles whose definitions Istio of mid-2026 reads. */
const minimums: ReadonlyMap<string, string> = new Map([
  ["backendtlspolicies.gateway.networking.k8s.io", "1.4.0"],
  ["grpcroutes.gateway.networking.k8s.io", "1.1.0"],
  ["tlsroutes.gateway.networking.k8s.io", "1.5.0"],
]);

const bundleVersion = "gateway.networking.k8s.io/bundle-version";

export const crdVersionAnalyzer: Analyzer = {
  name: "k8sgateway.CRDVersionAnalyzer",
  description: "CRDs of the Gateway API that are too old for Istio",
  inputs: [customResourceDefinition],
  analyze(context) {
    for (const config of context.all(customResourceDefinition)) {
      const minimum = minimums.get(config.name);
      const installed = /^v?(?<version>\d+\.\d+\.\d+)/u.exec(config.annotations[bundleVersion] ?? "")?.groups?.[
        "version"
      ];
      if (minimum === undefined || installed === undefined || !isOlder(installed, minimum)) continue;
      const about = { config, path: `metadata.annotations["${bundleVersion}"]` };
      context.report(messages.crdBelowMinimum, about, { crd: config.name, installed, minimum });
    }
  },
};

function isOlder(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split(".").map(Number));
  const difference = (a ?? []).map((part, index) => part - (b?.[index] ?? 0)).find((each) => each !== 0);
  return difference !== undefined && difference < 0;
}
