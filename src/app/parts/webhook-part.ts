import { MeshError } from "../../lib/errors.ts";
import { webhookRegistration } from "../kube/webhook/registration.ts";
import type { Ground, Part } from "./part.ts";
import { webhookFrom } from "./webhook.ts";

/**
 * The admission webhook, which works without any source, and its registration with Kubernetes; nothing when it is off.
 * Throws `bad-option`, and `source-unavailable` without a cluster to register it with.
 */
export function webhookParts(ground: Ground): readonly Part[] {
  const { options, clock, logs, metrics, listeners } = ground;
  if (options.webhook === "off") {
    if (options.webhookConfig === undefined) return [];
    throw new MeshError("bad-option", "--webhook-config needs --webhook");
  }
  const webhook = webhookFrom(options, { clock, logger: logs.logger("validation"), metrics });
  return [
    {
      components: [listeners.component("webhook", webhook), ...webhookRegistration(ground)],
      emitter: { name: "validation", awaited: () => (listeners.addresses.webhook === "" ? ["listener"] : []) },
      pages: [],
      topics: [],
      graphs: new Map(),
    },
  ];
}
