import { isMapping } from "../../../lib/is-mapping.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import { configMap } from "../../kinds/kubernetes.ts";
import type { AnalysisInput } from "../analyzer.ts";

/** What an injector was installed with. */
export interface Injector {
  /** The image of the sidecars it injects; "" if it does not say. */
  readonly image: string;
  /** Whether namespaces without a label get sidecars. */
  readonly enabledByDefault: boolean;
}

/** The injector of a revision, by its ConfigMap; undefined when there is none. Reads ConfigMap. */
export function injectorOf(revision: string, input: AnalysisInput): Injector | undefined {
  const name = revision === "" || revision === "default" ? injectorName : `${injectorName}-${revision}`;
  const config = input.all(configMap).find((each) => each.name === name);
  return config && readInjector(config.spec.data["values"] ?? "");
}

const injectorName = "istio-sidecar-injector";

function readInjector(values: string): Injector {
  const settings = parseJson(values);
  const hub = textAt(settings, "global", "hub");
  const tag = textAt(settings, "global", "tag");
  const image = textAt(settings, "global", "proxy", "image");
  return {
    image: image === "" || image.includes("/") ? image : `${hub}/${image}:${tag}`,
    enabledByDefault: at(settings, "sidecarInjectorWebhook", "enableNamespacesByDefault") === true,
  };
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isMapping(inner) ? inner[key] : undefined), value);
}

function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = at(value, ...keys);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}
