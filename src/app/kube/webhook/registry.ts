import { gateway } from "../../../config/kinds/gateway.ts";
import type { ServedKinds } from "../../../galley/source/kube/served-kinds.ts";
import type { KubeClient } from "../../../kube/kube-client.ts";
import { openWatch } from "../../../kube/watch.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { ask, fieldManager, objectPath, unlessMissing } from "../kube-calls.ts";
import type { WebhookConfiguration } from "./webhook-patch.ts";

/** The registration of a webhook, and whether the API server calls it. */
export interface WebhookRegistry {
  /** Undefined when there is no such configuration. */
  read(): Promise<WebhookConfiguration | undefined>;
  patch(patch: object): Promise<void>;
  /** Why one of these webhooks does not reject what every one of ours would; undefined when one does. */
  whyUnasked(webhooks: readonly string[]): Promise<string | undefined>;
  /** Resolves when the watch has ended, for whatever reason. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export interface RegistryOptions {
  readonly client: KubeClient;
  readonly served: ServedKinds;
  readonly clock: Clock;
  /** Of the configuration. */
  readonly name: string;
  /** Where something is proposed that the webhook is to refuse. */
  readonly namespace: string;
}

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Longer than the default webhook timeout of the API server. */
const proposalMs = 12_000;

/** Longer than the API server lets pass between two bookmarks. */
const silenceMs = 150_000;

export function kubeWebhookRegistry(options: RegistryOptions): WebhookRegistry {
  const { client, clock, name } = options;
  const path = `${configurations}/${name}`;
  return {
    read: async () => (await unlessMissing(ask(client, { path }))) as WebhookConfiguration | undefined,
    async patch(body) {
      const contentType = "application/strategic-merge-patch+json";
      await ask(client, { method: "PATCH", path, query: { fieldManager }, body, contentType });
    },
    whyUnasked: (webhooks) => propose(options, webhooks),
    async watch(onChange, signal) {
      const query = { fieldSelector: `metadata.name=${name}` };
      const watching = { path: configurations, query, signal, clock, silenceMs: () => silenceMs };
      for await (const _ of await openWatch(client, watching)) onChange();
    },
  };
}

/** A Gateway without servers, which is never stored. Its way is that of every other object, through the Service. */
async function propose(
  { client, served, namespace }: RegistryOptions,
  webhooks: readonly string[],
): Promise<string | undefined> {
  const root = await served.find(gateway);
  if (root === undefined) return "Gateway is not defined";
  const body = {
    apiVersion: root.replace("/apis/", ""),
    kind: gateway.kind,
    metadata: { name: "invalid-gateway", namespace },
    spec: {},
  };
  const path = objectPath(root, { kind: gateway, namespace, name: "" });
  try {
    await ask(client, { method: "POST", path, query: { dryRun: "All", fieldManager }, body }, proposalMs);
    return "an invalid Gateway is accepted";
  } catch (thrown) {
    const { message } = errorFrom(thrown);
    const isDenied = webhooks.some((each) => message.includes(`admission webhook "${each}" denied the request`));
    return isDenied ? undefined : message;
  }
}
