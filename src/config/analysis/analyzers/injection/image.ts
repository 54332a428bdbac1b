import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import { ownValue } from "../../../../lib/own-value.ts";
import type { Config } from "../../../config.ts";
import { configMap, namespace, pod } from "../../../kinds/kubernetes.ts";
import type { Analyzer } from "../../analyzer.ts";
import { imageTypeKinds, imageTypes } from "../../facts/image-types.ts";
import { injectionLabel, proxyOf, revisionLabel } from "../../facts/injection.ts";
import { injectors } from "../../facts/injector.ts";
import { listedTexts } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const image: Analyzer = {
  name: "injection.ImageAnalyzer",
  description: "Pods whose sidecar is not the one that is injected today",
  inputs: [namespace, pod, configMap, ...imageTypeKinds],
  needs: [configMap],
  analyze(context) {
    const typeOf = imageTypes(context);
    const injectorOf = injectors(context);
    const pods = Map.groupBy(context.all(pod), (each) => each.namespace);
    for (const config of context.all(namespace)) {
      const { [injectionLabel]: legacy, [revisionLabel]: revision } = config.labels;
      if (legacy !== "enabled" && revision === undefined) continue;
      const image = injectorOf(revision ?? "")?.image ?? "";
      if (image === "") continue;
      // The tag of a variant ends with its name. Older pods of such a namespace have the default image.
      const isWanted = (each: Config<Pod>, found: string) => found === image || found === `${image}-${typeOf(each)}`;
      const others = (pods.get(config.name) ?? []).filter((each) => hasOther(each, isWanted));
      if (others.length === 0) continue;
      const names = listedTexts(others.map(({ name }) => name));
      context.report(messages.imageMismatch, { config, path: "metadata.name" }, { pods: names });
    }
  },
};

/** An image that the pod itself requests is no mistake. */
function hasOther(config: Config<Pod>, isWanted: (config: Config<Pod>, image: string) => boolean): boolean {
  if ((ownValue(config.annotations, "sidecar.istio.io/proxyImage") ?? "") !== "") return false;
  const found = proxyOf(config.spec.spec);
  return found !== undefined && !isWanted(config, found.image);
}
