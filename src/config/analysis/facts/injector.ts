import type { ConfigMap } from "#gen/k8s/core/v1/data_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { oncePer } from "../../../lib/memo.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import { configMap } from "../../kinds/secret.ts";
import type { AnalysisInput } from "../analyzer.ts";

/** The settings of an installed injector. */
export interface Injector {
  /** The image of the injected sidecars; "" if it is not set. */
  readonly image: string;
  /** Whether namespaces without a label get sidecars. */
  readonly enabledByDefault: boolean;
}

/** Finds the injector of a revision by its ConfigMap; undefined if there is none. Reads ConfigMap. */
export function injectors(input: AnalysisInput): (revision: string) => Injector | undefined {
  const configs = input.all(configMap).filter(({ name }) => name.startsWith(injectorName));
  // The first ConfigMap of a name wins.
  const byName = new Map(configs.toReversed().map((config) => [config.name, config.spec]));
  const read = oncePer((spec: ConfigMap) => readInjector(spec.data["values"] ?? ""));
  return (revision) => {
    const name = revision === "" || revision === "default" ? injectorName : `${injectorName}-${revision}`;
    const spec = byName.get(name);
    return spec && read(spec);
  };
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
