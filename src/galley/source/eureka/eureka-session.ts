import { type Issue, warningAbout } from "../../../config/issue.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { errorFrom } from "../../../lib/errors.ts";
import { Backoff } from "../../../lib/time/backoff.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Freshness } from "../freshness.ts";
import { type RegistryPart, RegistryState, type RegistryStateOptions } from "../registry/registry-state.ts";
import type { SourceSession } from "../session-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { type Applications, noApplications } from "./applications.ts";
import { DropGuard } from "./drop-guard.ts";
import { EurekaCluster, type RegistryView } from "./eureka-cluster.ts";
import type { EurekaServer } from "./eureka-server.ts";
import { type EurekaServiceSettings, servicesOf } from "./services-of.ts";

export interface EurekaSourceOptions
  extends EurekaServiceSettings,
    Pick<RegistryStateOptions, "deleteMode" | "emptyProtection" | "selector" | "zombieTtlMs"> {
  /** As the user wrote it, without secrets. */
  readonly name: string;
  /** Replicas of one registry. */
  readonly servers: readonly EurekaServer[];
  readonly clock: Clock;
  readonly refreshMs: number;
  /** Whether to fetch deltas instead of everything each time. */
  readonly deltas: boolean;
  /** The most instances that the source accepts. A registry with more is not used. */
  readonly maxInstances?: number;
  /** The share of instances that may vanish at once, and how long a larger drop is held back. */
  readonly maxDrop: number;
  readonly dropGraceMs: number;
}

/** Issues of the registry as a whole use this name. */
const wholeRegistry = "registry";

/** Lives from one start of a source to its stop. Polls the registry, one request at a time. */
export class EurekaSession implements SourceSession {
  readonly #options: EurekaSourceOptions;
  readonly #handler: SourceHandler;
  readonly #cluster: EurekaCluster;
  readonly #guard: DropGuard;
  readonly #state: RegistryState;
  readonly #closing = new AbortController();
  #cancelNext: Cancel = () => {};
  #looking: Promise<void>;
  #reported: Applications = noApplications;
  #issues: ReadonlyMap<string, readonly Issue[]> = new Map();
  readonly #freshness = new Freshness();
  #synced = false;
  /** Pauses after failed polls, up to the usual interval. */
  readonly #backoff: Backoff;

  constructor(options: EurekaSourceOptions, handler: SourceHandler) {
    const { name: source, servers, clock, maxDrop, dropGraceMs: graceMs } = options;
    this.#options = options;
    this.#handler = handler;
    this.#cluster = new EurekaCluster(servers, options);
    this.#backoff = new Backoff({ firstMs: 1_000, lastMs: options.refreshMs });
    this.#guard = new DropGuard({ clock, maxDrop, graceMs });
    this.#state = new RegistryState({ ...options, source, emit: (events) => this.#emit(events) });
    this.#looking = this.#look();
  }

  /** Resolves after a poll that began after the call. */
  async reload(): Promise<void> {
    await this.#looking;
    if (this.#closing.signal.aborted) return;
    this.#cancelNext();
    this.#looking = this.#look();
    await this.#looking;
  }

  idle(): Promise<void> {
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelNext();
    this.#state.close();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { clock, refreshMs } = this.#options;
    let pauseMs = refreshMs;
    try {
      this.#report(await this.#confirmed(await this.#cluster.look(this.#closing.signal)));
      this.#backoff.reset();
    } catch (thrown) {
      this.#emit(this.#freshness.stale(errorFrom(thrown).message));
      pauseMs = this.#backoff.next();
    }
    if (this.#closing.signal.aborted) return;
    this.#cancelNext = clock.after(pauseMs, () => {
      this.#looking = this.#look();
    });
  }

  /** A large drop needs confirmation: a full fetch in addition to the delta. */
  async #confirmed(look: RegistryView): Promise<RegistryView> {
    if (look.gone.length === 0 || !this.#guard.isDrop(look.applications)) return look;
    const whole = await this.#cluster.lookAtAll(this.#closing.signal);
    return { ...whole, gone: look.gone };
  }

  #report({ applications: listed, gone, issues }: RegistryView): void {
    if (this.#closing.signal.aborted) return;
    const applications = this.#guard.admit(listed, gone);
    const parts = new Map<string, RegistryPart>();
    for (const app of new Set([
      ...this.#reported.keys(),
      ...this.#issues.keys(),
      ...applications.keys(),
      ...issues.keys(),
    ])) {
      const instances = applications.get(app);
      if (instances === this.#reported.get(app) && issues === this.#issues) continue;
      const services = servicesOf(instances?.values() ?? [], this.#options);
      parts.set(app, { services, issues: issues.get(app) ?? [] });
    }
    parts.set(wholeRegistry, { services: [], issues: this.#guard.held === 0 ? [] : [this.#missing()] });
    this.#reported = applications;
    this.#issues = issues;
    this.#state.update(parts);
    this.#emit([...this.#sync(), ...this.#freshness.fresh()]);
  }

  #sync(): readonly SourceEvent[] {
    if (this.#synced) return [];
    this.#synced = true;
    return [{ type: "fullSync", collection: serviceEntry.collection }];
  }

  #emit(events: readonly SourceEvent[]): void {
    if (events.length > 0 && !this.#closing.signal.aborted) this.#handler(events);
  }

  #missing(): Issue {
    const grace = `${this.#options.dropGraceMs / 1000} s`;
    const message = `${this.#guard.held} instances disappeared at once; they stay in use until they have been missing for ${grace}`;
    return warningAbout("", { code: "many-missing", message });
  }
}
