import type { ProxyConfig } from "#gen/istio/networking/v1beta1/proxy_config_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { ownValue } from "../../../lib/own-value.ts";
import type { Config } from "../../config.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { proxyConfig } from "../../kinds/proxy-config.ts";
import { parseDocuments } from "../../yaml/yaml.ts";
import type { AnalysisInput } from "../analyzer.ts";
import { meshSettings } from "./mesh-settings.ts";
import { SelectorIndex } from "./selector-index.ts";

/** The kinds that {@link imageTypes} reads. */
export const imageTypeKinds = [meshConfig, proxyConfig];

type Labelled = Pick<Config, "namespace" | "labels" | "annotations">;

/**
 * Finds the image variant of the proxy in a pod, such as `distroless`; "" for the default. The pod itself wins, then
 * the object that selects it, its namespace, the root namespace, and the mesh.
 */
export function imageTypes(input: AnalysisInput): (pod: Labelled) => string {
  const { rootNamespace, defaultConfig } = meshSettings(input);
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
