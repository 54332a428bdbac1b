import type { Labels } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { split } from "./provider-url.ts";

const methods = "methods";
const tag = "dubbo.tag";

/** The parameters of a provider as labels, but for those that are ignored. Which of them can be labels others decide. */
export function providerLabels(parameters: ReadonlyMap<string, string>, ignored: ReadonlySet<string>): Labels {
  const labels = new Map<string, string>();
  for (const [key, value] of parameters) {
    if (ignored.has(key)) continue;
    if (key === tag) for (const [name, text] of tagLabels(value)) labels.set(name, labelText(text));
    else labels.set(key, labelText(key === methods ? value.split(",").toSorted(compareTexts).join() : value));
  }
  return Object.fromEntries(labels);
}

/** `gray` is the tag itself; `env=gray,lane=7` are labels of their own. */
function tagLabels(value: string): readonly (readonly [string, string])[] {
  if (!value.includes("=")) return [["dubboTag", value]];
  return value.split(",").flatMap((pair) => (pair.includes("=") ? [split(pair, "=")] : []));
}

/** Lists and addresses are common in parameters, and cannot be in labels. */
function labelText(value: string): string {
  return value.replaceAll(/[,:]/gu, "_");
}

/** What all providers of a service agree on tells nobody apart, and is long: the methods they have. */
export function withoutCommonMethods<T extends { readonly labels: Labels }>(instances: readonly T[]): readonly T[] {
  const [first] = instances;
  const common = first?.labels[methods];
  if (common === undefined || instances.some(({ labels }) => labels[methods] !== common)) return instances;
  return instances.map((instance) => {
    const { [methods]: _common, ...labels } = instance.labels;
    return { ...instance, labels };
  });
}
