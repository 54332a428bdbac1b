import type { KubeClient } from "../../kube/kube-client.ts";
import { openWatch } from "../../kube/watch.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { ask, fieldManager } from "../kube/kube-calls.ts";
import type { WebhookConfiguration } from "../kube/webhook/webhook-patch.ts";

/** The MutatingWebhookConfigurations of one revision, with those of its tags. */
export interface InjectorConfigurations {
  list(): Promise<readonly WebhookConfiguration[]>;
  patch(name: string, patch: object): Promise<void>;
  /** Resolves when the watch has ended, for whatever reason. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
}

const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** Longer than the API server lets pass between two bookmarks. */
const silenceMs = 150_000;

export function injectorConfigurations(client: KubeClient, clock: Clock, revision: string): InjectorConfigurations {
  const query = { labelSelector: `istio.io/rev=${revision}` };
  return {
    async list() {
      const answer = await ask(client, { path: configurations, query });
      const items = isMapping(answer) && Array.isArray(answer["items"]) ? answer["items"] : [];
      return items as readonly WebhookConfiguration[];
    },
    async patch(name, body) {
      const contentType = "application/strategic-merge-patch+json";
      const path = `${configurations}/${name}`;
      await ask(client, { method: "PATCH", path, query: { fieldManager }, body, contentType });
    },
    async watch(onChange, signal) {
      const watching = { path: configurations, query, signal, clock, silenceMs: () => silenceMs };
      for await (const _ of await openWatch(client, watching)) onChange();
    },
  };
}
