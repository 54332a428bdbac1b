import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Led } from "../kube/lease/leader-election.ts";
import { Reconciler, resyncMs } from "../kube/webhook/reconciler.ts";
import { type WebhookConfiguration, webhookPatch } from "../kube/webhook/webhook-patch.ts";
import type { InjectorConfigurations } from "./injector-configurations.ts";

export interface InjectorRegistrarOptions {
  readonly configurations: InjectorConfigurations;
  readonly clock: SupervisedClock;
  /** CA certificates of the webhook (PEM); empty before they were read. */
  readonly authorities: () => string;
  readonly onUpdate: (configuration: string) => void;
  /** There is no configuration of this revision. Called once until there is one. */
  readonly onMissing: () => void;
  readonly onError: (error: unknown) => void;
}

/** Webhooks of the injection. A configuration may have others, which are not ours. */
const ourSuffix = "sidecar-injector.istio.io";

/**
 * Keeps the CA bundle of the injection's webhooks up to date while it is started. Everything else in a configuration
 * (selectors, failure policy, address) is the installer's.
 */
export class InjectorRegistrar implements Led {
  readonly #options: InjectorRegistrarOptions;
  readonly #reconciler: Reconciler;
  #isMissing = false;

  constructor(options: InjectorRegistrarOptions) {
    this.#options = options;
    const { configurations, clock, onError } = options;
    const watch = configurations.watch.bind(configurations);
    this.#reconciler = new Reconciler({ clock, watch, reconcile: () => this.#reconcile(), onError });
  }

  start(): void {
    this.#reconciler.start();
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  /** Something may have changed: the certificates, or a configuration. */
  look(): void {
    this.#reconciler.look();
  }

  async #reconcile(): Promise<number> {
    const { configurations, authorities, onUpdate, onMissing } = this.#options;
    const found = await configurations.list();
    if (found.length === 0 && !this.#isMissing) onMissing();
    this.#isMissing = found.length === 0;
    for (const configuration of found) {
      const patch = webhookPatch(oursIn(configuration), { authorities: authorities() });
      if (patch === undefined) continue;
      await configurations.patch(configuration.metadata.name, patch);
      onUpdate(configuration.metadata.name);
    }
    return resyncMs;
  }
}

function oursIn({ metadata, webhooks = [] }: WebhookConfiguration): WebhookConfiguration {
  return { metadata, webhooks: webhooks.filter(({ name }) => name.endsWith(ourSuffix)) };
}
