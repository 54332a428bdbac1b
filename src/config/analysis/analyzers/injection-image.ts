import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { ownValue } from "../../../lib/own-value.ts";
import type { Config } from "../../config.ts";
import { namespace, pod } from "../../kinds/kubernetes.ts";
import { configMap } from "../../kinds/secret.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { proxyConfig } from "../../kinds/proxy-config.ts";
import { parseDocuments } from "../../yaml/yaml.ts";
import type { AnalysisInput, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { injectors } from "../facts/injector.ts";
import { listedTexts } from "../facts/listed-names.ts";
import { SelectorIndex } from "../facts/selector-index.ts";
import { findProxyContainer, injectionLabel, revisionLabel } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

/** The kinds that {@link imageTypes} reads. */
const imageTypeKinds = [meshConfig, proxyConfig];

export const imageAnalyzer: Analyzer = {
  name: "injection.ImageAnalyzer",
  description: "Pods whose sidecar differs from the version that is injected now",
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
  const found = findProxyContainer(config.spec.spec);
  return found !== undefined && !isWanted(config, found.image);
}

type Labelled = Pick<Config, "namespace" | "labels" | "annotations">;

/**
 * Finds the image variant of the proxy in a pod, such as `distroless`; "" for the default. The pod itself wins, then
 * the object that selects it, its namespace, the root namespace, and the mesh.
 */
function imageTypes(input: AnalysisInput): (pod: Labelled) => string {
  const { rootNamespace, defaultConfig } = currentMeshConfig(input);
  const settings = Map.groupBy(input.all(proxyConfig), ({ namespace }) => namespace);
  const byNamespace = new Map(Array.from(settings, ([namespace, all]) => [namespace, settingsOf(all)]));
  const ofNamespace = (namespace: string) => byNamespace.get(namespace)?.unselective?.spec.image?.imageType;
  const ofWorkload = ({ namespace, labels }: Labelled) =>
    byNamespace.get(namespace)?.selective.first(labels)?.spec.image?.imageType;
  return (pod) => {
    const said =
      annotated(pod) ||
      ofWorkload(pod) ||
      ofNamespace(pod.namespace) ||
      ofNamespace(rootNamespace) ||
      defaultConfig?.image?.imageType ||
      "";
    return said === "default" ? "" : said;
  };
}

/** The settings of a namespace: for all its workloads, and for selected ones. */
function settingsOf(all: readonly Config<ProxyConfig>[]) {
  const selective = all.filter(({ spec }) => spec.selector !== undefined);
  return {
    unselective: all.find(({ spec }) => spec.selector === undefined),
    selective: new SelectorIndex(selective, ({ spec }) => spec.selector?.matchLabels ?? {}),
  };
}

/** The proxy settings in an annotation of the pod, as YAML. */
function annotated({ annotations }: Labelled): string {
  const [document] = parseDocuments(ownValue(annotations, "proxy.istio.io/config") ?? "", "");
  const image = isMapping(document?.value) ? document.value["image"] : undefined;
  return isMapping(image) && typeof image["imageType"] === "string" ? image["imageType"] : "";
}
