import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Led } from "../lease/leader-election.ts";
import { Reconciler, resyncMs } from "./reconciler.ts";
import type { WebhookRegistry } from "./registry.ts";
import { type FailurePolicy, webhookPatch } from "./webhook-patch.ts";

export interface RegistrarOptions {
  readonly registry: WebhookRegistry;
  readonly clock: SupervisedClock;
  /** PEM of who signed the certificate that is served now. */
  readonly authorities: () => string;
  /** The configuration was not as it should be, and is now. */
  readonly onUpdate: (failurePolicy: FailurePolicy) => void;
  /** The configuration does not exist yet. The registrar waits for it. */
  readonly onMissing: () => void;
  /** The webhook refuses nothing yet, for this reason: objects pass unchecked. Called when the reason changes. */
  readonly onUnasked: (reason: string) => void;
  readonly onError: (error: unknown) => void;
}

const probeMs = 1_000;

/**
 * Keeps a ValidatingWebhookConfiguration in line while it is started: the authority of our certificate, and what happens
 * when we cannot be asked. Nothing is refused for want of an answer before the webhook was seen to work; from then on
 * everything is. The configuration itself is the installer's: it is neither made nor removed.
 */
export class WebhookRegistrar implements Led {
  readonly #options: RegistrarOptions;
  readonly #reconciler: Reconciler;
  /** Once it was, it stays so: a webhook that is down later must not open the door. */
  #asked = false;
  #unasked: string | undefined;

  constructor(options: RegistrarOptions) {
    this.#options = options;
    const { registry, clock, onError } = options;
    const watch = registry.watch.bind(registry);
    this.#reconciler = new Reconciler({ clock, watch, reconcile: () => this.#reconcile(), onError });
  }

  start(): void {
    this.#reconciler.start();
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  /** Something may have changed: the authorities, or the configuration. */
  look(): void {
    this.#reconciler.look();
  }

  async #reconcile(): Promise<number> {
    const { registry, authorities, onUpdate, onMissing } = this.#options;
    const configuration = await registry.read();
    if (configuration === undefined) {
      onMissing();
      return resyncMs;
    }
    await this.#probe((configuration.webhooks ?? []).map(({ name }) => name));
    const failurePolicy = this.#asked ? "Fail" : "Ignore";
    const patch = webhookPatch(configuration, { authorities: authorities(), failurePolicy });
    if (patch !== undefined) {
      await registry.patch(patch);
      onUpdate(failurePolicy);
    }
    return this.#asked ? resyncMs : probeMs;
  }

  async #probe(webhooks: readonly string[]): Promise<void> {
    if (this.#asked) return;
    const reason = await this.#options.registry.whyUnasked(webhooks);
    this.#asked = reason === undefined;
    if (reason !== undefined && reason !== this.#unasked) this.#options.onUnasked(reason);
    this.#unasked = reason;
  }
}
