import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Led } from "../lease/leader-election.ts";
import { WorkQueue } from "../work-queue.ts";
import { keepWatching } from "./keep-watching.ts";
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

/** A watch may miss something. */
const resyncMs = 60_000;

const paceMs = 100;

/** There is one thing to do. */
const all = "all";

/**
 * Keeps a ValidatingWebhookConfiguration in line while it is started: the authority of our certificate, and what happens
 * when we cannot be asked. Nothing is refused for want of an answer before the webhook was seen to work; from then on
 * everything is. The configuration itself is the installer's: it is neither made nor removed.
 */
export class WebhookRegistrar implements Led {
  readonly #options: RegistrarOptions;
  readonly #queue: WorkQueue;
  #run: AbortController | undefined;
  #watching: Promise<void> = Promise.resolve();
  /** Once it was, it stays so: a webhook that is down later must not open the door. */
  #asked = false;
  #unasked: string | undefined;
  #cancelLook: Cancel = () => undefined;

  constructor(options: RegistrarOptions) {
    this.#options = options;
    const { clock, onError } = options;
    this.#queue = new WorkQueue({
      clock,
      paceMs,
      work: () => this.#reconcile(),
      onFailure: (_, error) => onError(error),
    });
  }

  start(): void {
    const run = new AbortController();
    this.#run = run;
    this.#queue.start();
    this.look();
    this.#watching = this.#watch(run.signal);
  }

  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    await Promise.all([this.#watching, this.#queue.stop()]);
    this.#cancelLook();
  }

  /** Something may have changed: the authorities, or the configuration. */
  look(): void {
    if (this.#run !== undefined) this.#queue.add(all);
  }

  async #reconcile(): Promise<void> {
    const { registry, authorities, onUpdate, onMissing } = this.#options;
    const configuration = await registry.read();
    if (configuration === undefined) {
      onMissing();
      return this.#lookAfter(resyncMs);
    }
    await this.#probe((configuration.webhooks ?? []).map(({ name }) => name));
    const failurePolicy = this.#asked ? "Fail" : "Ignore";
    const patch = webhookPatch(configuration, { authorities: authorities(), failurePolicy });
    if (patch !== undefined) {
      await registry.patch(patch);
      onUpdate(failurePolicy);
    }
    this.#lookAfter(this.#asked ? resyncMs : probeMs);
  }

  #lookAfter(ms: number): void {
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(ms, () => this.look());
  }

  async #probe(webhooks: readonly string[]): Promise<void> {
    if (this.#asked) return;
    const reason = await this.#options.registry.whyUnasked(webhooks);
    this.#asked = reason === undefined;
    if (reason !== undefined && reason !== this.#unasked) this.#options.onUnasked(reason);
    this.#unasked = reason;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { registry, clock, onError } = this.#options;
    const watch = registry.watch.bind(registry);
    await keepWatching({ watch, clock, look: () => this.look(), onError, longestPauseMs: resyncMs }, signal);
  }
}
