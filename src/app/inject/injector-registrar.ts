import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { Led } from "../kube/lease/leader-election.ts";
import { keepWatching } from "../kube/webhook/keep-watching.ts";
import { type WebhookConfiguration, webhookPatch } from "../kube/webhook/webhook-patch.ts";
import { WorkQueue } from "../kube/work-queue.ts";
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

/** A watch may miss something. */
const resyncMs = 60_000;
const paceMs = 100;

/** There is one thing to do. */
const all = "all";

/** Webhooks of the injection. A configuration may have others, which are not ours. */
const ourSuffix = "sidecar-injector.istio.io";

/**
 * Keeps the CA bundle of the injection's webhooks up to date while it is started. Everything else in a configuration
 * (selectors, failure policy, address) is the installer's.
 */
export class InjectorRegistrar implements Led {
  readonly #options: InjectorRegistrarOptions;
  readonly #queue: WorkQueue;
  #run: AbortController | undefined;
  #watching: Promise<void> = Promise.resolve();
  #isMissing = false;
  #cancelLook: Cancel = () => undefined;

  constructor(options: InjectorRegistrarOptions) {
    this.#options = options;
    const { clock, onError } = options;
    const work = () => this.#reconcile();
    this.#queue = new WorkQueue({ clock, paceMs, work, onFailure: (_, error) => onError(error) });
  }

  start(): void {
    const { configurations, clock, onError } = this.#options;
    const run = new AbortController();
    this.#run = run;
    this.#queue.start();
    this.look();
    const watch = configurations.watch.bind(configurations);
    const watching = { watch, clock, look: () => this.look(), onError, longestPauseMs: resyncMs };
    this.#watching = keepWatching(watching, run.signal);
  }

  async stop(): Promise<void> {
    this.#run?.abort();
    this.#run = undefined;
    await Promise.all([this.#watching, this.#queue.stop()]);
    this.#cancelLook();
  }

  /** Something may have changed: the certificates, or a configuration. */
  look(): void {
    if (this.#run !== undefined) this.#queue.add(all);
  }

  async #reconcile(): Promise<void> {
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
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(resyncMs, () => this.look());
  }
}

function oursIn({ metadata, webhooks = [] }: WebhookConfiguration): WebhookConfiguration {
  return { metadata, webhooks: webhooks.filter(({ name }) => name.endsWith(ourSuffix)) };
}
