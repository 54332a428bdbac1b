import { warningAbout } from "../../../config/issue.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { append } from "../../../lib/append.ts";
import type { Limits } from "../../../lib/bounded/limit.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Freshness } from "../freshness.ts";
import { type RegistryPart, RegistryState, type Retention } from "../registry/registry-state.ts";
import type { Conversion } from "../registry/service-entry-of.ts";
import { SessionSource, type SourceSession } from "../session-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { Activity } from "./activity.ts";
import type { Layout, Members, NodePath } from "./layout.ts";
import type { OpenSession } from "./session.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { Tree } from "./tree.ts";
import type { zooKeeperLimits } from "./zookeeper-limits.ts";

const { collection } = serviceEntry;

export interface ZooKeeperOptions extends Omit<Conversion, "source">, Retention {
  readonly name: string;
  readonly clock: Clock;
  readonly open: OpenSession;
  /** The number of servers that `open` knows. */
  readonly addresses: number;
  readonly sessionTimeoutMs: number;
  /** Path of the registry's root, as in `/dubbo`. */
  readonly root: string;
  readonly layout: Layout;
  /** Whether to watch nodes, or to read all of them regularly. */
  readonly mode: "watching" | "polling";
  /** The interval of full reads: always used when polling, and when watching only if above 0. */
  readonly refreshMs: number;
  /** The delay before a changed interface is read again. One read covers all changes meanwhile. 0 for at once. */
  readonly debounceMs: number;
  /** The most parallel reads. */
  readonly parallel: number;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits<typeof zooKeeperLimits>>;
}

/** The services of a registry in ZooKeeper, as ServiceEntries. */
export function createZooKeeperSource(options: ZooKeeperOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: [collection],
    open: (handler) => new Run(options, handler),
  });
}

/** Lives from one start to its stop. Other sources call this a session, which is a different thing in ZooKeeper. */
class Run implements SourceSession {
  readonly #options: ZooKeeperOptions;
  readonly #activity = new Activity();
  readonly #state: RegistryState;
  readonly #tree: Tree;
  readonly #keeper: SessionKeeper;
  readonly #cancelRefresh: Cancel;
  /** Changes that are not reported yet. */
  readonly #changed = new Map<string, RegistryPart>();
  readonly #handler: SourceHandler;
  readonly #freshness = new Freshness();
  #events: SourceEvent[] = [];
  #synced = false;
  #updating = false;
  #open = true;

  constructor(options: ZooKeeperOptions, handler: SourceHandler) {
    const { clock, root, layout, mode } = options;
    this.#options = options;
    this.#handler = handler;
    this.#state = new RegistryState({ ...options, source: options.name, emit: (events) => this.#onEvents(events) });
    this.#tree = new Tree({
      root,
      layout,
      ...(options.limits && { limits: options.limits }),
      pace: { ...options, watching: mode === "watching", activity: this.#activity },
      onChange: (nodePath, members) => this.#change(nodePath, members),
      onRefusal: (path, reason) => this.#refusal(path, reason),
      onAnswer: () => this.#emit(),
    });
    this.#keeper = new SessionKeeper({
      ...options,
      probe: root,
      onLimiter: (limiter) => this.#tree.follow(limiter),
      onTrouble: (reason) => this.#fail(reason),
    });
    this.#cancelRefresh =
      options.refreshMs > 0 ? every(clock, options.refreshMs, () => this.#tree.refresh()) : () => {};
  }

  async reload(): Promise<void> {
    this.#tree.refresh();
    await this.idle();
  }

  close(): void {
    this.#open = false;
    this.#cancelRefresh();
    this.#keeper.close();
    this.#tree.close();
    this.#state.close();
  }

  /** The server delivers fired watches before later answers, so one answer works as a fence. */
  async idle(): Promise<void> {
    for (let before = -1; before !== this.#activity.begun; ) {
      before = this.#activity.begun;
      await this.#keeper.heard();
      await this.#activity.idle();
    }
  }

  #change(nodePath: NodePath, members: Members | undefined): void {
    const { layout, root } = this.#options;
    const reference = `${root}/${nodePath.join("/")}`;
    this.#changed.set(
      reference,
      members === undefined ? { services: [] } : layout.partOf(nodePath, members, reference),
    );
  }

  #refusal(path: string, reason: string | undefined): void {
    if (path === this.#options.root && reason !== undefined) this.#fail(`${path} cannot be listed: ${reason}`);
    const message = `${path} cannot be read (${reason}); its last content stays in use`;
    const issues = reason === undefined ? [] : [warningAbout("", { code: "unreadable", message })];
    this.#events.push({ type: "issues", part: path, issues });
  }

  #fail(reason: string): void {
    append(this.#events, this.#freshness.stale(reason));
    this.#emit();
  }

  /** Reports no services before the first full read. A partial registry would look like the loss of many services. */
  #emit(): void {
    const { caughtUp } = this.#tree;
    if (this.#synced || caughtUp) this.#update();
    if (caughtUp && !this.#synced) this.#events.push({ type: "fullSync", collection });
    if (caughtUp) {
      append(this.#events, this.#freshness.fresh());
      this.#synced = true;
    }
    const events = this.#events;
    this.#events = [];
    if (events.length > 0 && this.#open) this.#handler(events);
  }

  #update(): void {
    if (this.#changed.size === 0) return;
    this.#updating = true;
    this.#state.update(new Map(this.#changed));
    this.#updating = false;
    this.#changed.clear();
  }

  /** The state also reports by itself, when it sweeps. */
  #onEvents(events: readonly SourceEvent[]): void {
    for (const event of events) this.#events.push(event);
    if (!this.#updating) this.#emit();
  }
}

function every(clock: Clock, ms: number, run: () => void): Cancel {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    run();
  });
  return () => cancel();
}
