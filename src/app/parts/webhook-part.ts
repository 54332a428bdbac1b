import { webhookFrom } from "../webhook.ts";
import type { Ground, Part } from "./part.ts";

/** The admission webhook, which works without any source; nothing when it is off. */
export function webhookParts({ options, clock, logs, metrics, listeners }: Ground): readonly Part[] {
  if (options.webhook === "off") return [];
  const webhook = webhookFrom(options, { clock, logger: logs.logger("validation"), metrics });
  return [
    {
      components: [listeners.component("webhook", webhook)],
      emitter: { name: "validation", awaited: () => (listeners.addresses.webhook === "" ? ["listener"] : []) },
      pages: [],
      topics: [],
      graphs: new Map(),
    },
  ];
}
