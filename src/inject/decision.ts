import { ownValue } from "../lib/own-value.ts";
import { selectsLabels } from "./label-selector.ts";
import { injectLabel, revisionLabel } from "./names.ts";
import type { Pod } from "./pod.ts";
import type { InjectionSettings } from "./settings/injection-settings.ts";

/** Why a pod gets no proxy. */
type SkipReason = "host-network" | "namespace" | "label" | "never-inject" | "policy" | "revision";

export type Decision =
  | { readonly type: "inject" }
  | { readonly type: "skip"; readonly reason: SkipReason; readonly sentence: string };

/** Namespaces of Kubernetes itself. */
const systemNamespaces = new Set(["kube-system", "kube-public", "kube-node-lease", "local-path-storage"]);

export interface DecisionOptions {
  /** Of the pod: its own metadata may lack it. */
  readonly namespace: string;
  /**
   * The revision and its tags, if the pod's own label must name one of them. Absent in the webhook, where selectors of
   * its configuration decide.
   */
  readonly revisions?: readonly string[];
}

/** Decides whether a pod gets a proxy. The order of the rules is Istio's. */
export function decide(pod: Pod, settings: InjectionSettings, { namespace, revisions }: DecisionOptions): Decision {
  const { labels = {}, annotations = {} } = pod.metadata;
  if (pod.spec["hostNetwork"] === true) {
    return skip("host-network", "it uses the network of its node, whose traffic must not be redirected");
  }
  if (systemNamespaces.has(namespace)) return skip("namespace", `${namespace} is a namespace of Kubernetes itself`);
  const revision = ownValue(labels, revisionLabel);
  if (revisions !== undefined && revision !== undefined && !revisions.includes(revision)) {
    return skip("revision", `its label ${revisionLabel} names the revision ${revision}`);
  }
  const wish = ownValue(labels, injectLabel) ?? ownValue(annotations, injectLabel);
  if (wish === "true") return { type: "inject" };
  if (wish === "false") return skip("label", `${injectLabel} is "false"`);
  if (settings.neverInject.some((selector) => selectsLabels(selector, labels))) {
    return skip("never-inject", "its labels match neverInjectSelector");
  }
  if (settings.alwaysInject.some((selector) => selectsLabels(selector, labels))) return { type: "inject" };
  return settings.policy === "enabled" ? { type: "inject" } : skip("policy", "the policy is disabled");
}

function skip(reason: SkipReason, sentence: string): Decision {
  return { type: "skip", reason, sentence };
}
