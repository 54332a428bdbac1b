import { createKubeSource } from "../../galley/source/kube/kube-source.ts";
import { isInClusters } from "../kube/is-in-clusters.ts";
import { singleText } from "../options/option-values.ts";
import type { MakeSource } from "./make-source.ts";
import { readQuery } from "./source-url.ts";

/** `kube:`, or `kube:CONTEXT` of the kubeconfig; `?namespaces=a,b` and `?namespace-selector=env=prod` read less of it. */
export const kubeSource: MakeSource = (url, { kinds, clock, options }) => {
  const { namespaces = "", "namespace-selector": namespaceSelector } = readQuery<KubeQuery>(url, {
    namespaces: singleText("NAMESPACES"),
    "namespace-selector": singleText("SELECTOR"),
  });
  return createKubeSource({
    name: url.name,
    kinds: kinds.filter(isInClusters),
    clock,
    access: { kubeconfig: options.kubeconfig, context: url.rest || undefined },
    namespaces: [...new Set(namespaces.split(",").filter((namespace) => namespace !== ""))],
    namespaceSelector,
    random: Math.random,
  });
};

interface KubeQuery {
  readonly namespaces: string;
  readonly "namespace-selector": string;
}
