import type { OptionRows } from "./option.ts";
import { singleText, switched } from "./option-values.ts";

/** The mutating webhook, which adds proxies to pods. */
export interface InjectOptions {
  readonly inject: boolean;
  readonly injectValues: string | undefined;
  readonly injectRegister: boolean;
  readonly revision: string;
}

export const injectOptions: OptionRows<InjectOptions> = {
  inject: {
    name: "inject",
    env: ["BINNACLE_INJECT"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Adds proxies to pods: serves the mutating webhook /inject at the address of --webhook.",
    example: "true",
  },
  injectValues: {
    name: "inject-values",
    env: ["BINNACLE_INJECT_VALUES"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Settings of injected proxies, such as image and resources: Istio's Helm values (YAML or JSON). Reloaded on change. Without it, Istio's defaults apply.",
    example: "values.yaml",
  },
  injectRegister: {
    name: "inject-register",
    env: ["BINNACLE_INJECT_REGISTER"],
    type: switched,
    default: false,
    defaultText: "",
    doc: "Keeps the caBundle of every MutatingWebhookConfiguration with the label istio.io/rev of this --revision up to date. Configurations of tags have that label, too. Only the leader writes.",
    example: "true",
  },
  revision: {
    name: "revision",
    env: ["BINNACLE_REVISION", "REVISION"],
    type: singleText("NAME"),
    default: "default",
    defaultText: "default",
    doc: "Revision of this control plane. It is written to injected pods.",
    example: "canary",
  },
};
