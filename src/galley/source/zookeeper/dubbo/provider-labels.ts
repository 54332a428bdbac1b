import type { Labels } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { split } from "./provider-url.ts";

const methods = "methods";
const tag = "dubbo.tag";

/** The parameters of a provider as labels, except ignored ones. The caller drops invalid labels. */
export function providerLabels(parameters: ReadonlyMap<string, string>, ignored: ReadonlySet<string>): Labels {
  const labels = new Map<string, string>();
  for (const [key, value] of parameters) {
    if (ignored.has(key)) continue;
    if (key === tag) for (const [name, text] of tagLabels(value)) labels.set(name, labelText(text));
    else labels.set(key, labelText(key === methods ? value.split(",").toSorted(compareTexts).join() : value));
  }
  return Object.fromEntries(labels);
}

/** `gray` is the tag itself; `env=gray,lane=7` are separate labels. */
function tagLabels(value: string): readonly (readonly [string, string])[] {
  if (!value.includes("=")) return [["dubboTag", value]];
  return value.split(",").flatMap((pair) => (pair.includes("=") ? [split(pair, "=")] : []));
}

/** Parameters often contain lists and addresses, which are invalid in labels. */
function labelText(value: string): string {
  return value.replaceAll(/[,:]/gu, "_");
}

/** Removes the method list if all providers of a service have the same one. It is long and selects nothing. */
export function withoutCommonMethods<T extends { readonly labels: Labels }>(instances: readonly T[]): readonly T[] {
  const [first] = instances;
  const common = first?.labels[methods];
  if (common === undefined || instances.some(({ labels }) => labels[methods] !== common)) return instances;
  return instances.map((instance) => {
    const { [methods]: _common, ...labels } = instance.labels;
    return { ...instance, labels };
  });
}
