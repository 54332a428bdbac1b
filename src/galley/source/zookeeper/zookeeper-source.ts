import { warningAbout } from "../../../config/issue.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { append } from "../../../lib/append.ts";
import type { Limits } from "../../../lib/bounded/limit.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { emptyGraceMs } from "../empty-guard.ts";
import { Freshness } from "../freshness.ts";
import { type RegistryPart, RegistryState, type Retention } from "../registry/registry-state.ts";
import type { Conversion } from "../registry/service-entry-of.ts";
import { SessionSource, type SourceSession } from "../session-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { Activity } from "./activity.ts";
import type { Layout, Members, NodePath } from "./layout.ts";
import type { ReadLimiter } from "./read-limiter.ts";
import type { OpenSession } from "./session.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { Tree } from "./tree.ts";
import { TreeWatch } from "./tree-watch.ts";
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
  /** Whether one watch covers all nodes. Servers before 3.6 cannot do that, and get one watch for each node. */
  readonly recursive: boolean;
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
  readonly #watch: TreeWatch;
  readonly #keeper: SessionKeeper;
  readonly #cancelRefresh: Cancel;
  /** The readers of folders, by their reference. */
  readonly #readers = new Map<string, ReturnType<Layout["openFolder"]>>();
  /** Changes that are not reported yet. */
  readonly #changed = new Map<string, RegistryPart>();
  readonly #handler: SourceHandler;
  readonly #freshness = new Freshness();
  /** The number of instances by part, as last reported. */
  readonly #instances = new Map<string, number>();
  /** Ends the doubt about services that lost instances. Undefined if there is none. */
  #cancelDoubt: Cancel | undefined;
  #events: SourceEvent[] = [];
  #synced = false;
  /** From a new connection until everything was read through it: an ensemble may come back without its registry. */
  #resuming = false;
  #updating = false;
  #open = true;

  constructor(options: ZooKeeperOptions, handler: SourceHandler) {
    const { clock, root, layout, mode } = options;
    this.#options = options;
    this.#handler = handler;
    this.#state = new RegistryState({ ...options, source: options.name, emit: (events) => this.#onEvents(events) });
    const activity = this.#activity;
    this.#watch = new TreeWatch({
      ...options,
      activity,
      watch: mode === "polling" ? "none" : options.recursive ? "tree" : "nodes",
      onReady: (limiter) => this.#tree.follow(limiter),
      onChanges: (changes) => this.#tree.apply(changes),
    });
    this.#tree = new Tree({
      root,
      layout,
      ...(options.limits && { limits: options.limits }),
      pace: { ...options, activity, watches: () => this.#watch.isByNode },
      onChange: (nodePath, members) => this.#change(nodePath, members),
      onRefusal: (path, reason) => this.#refusal(path, reason),
      onAnswer: () => this.#emit(),
    });
    this.#keeper = new SessionKeeper({
      ...options,
      probe: root,
      onLimiter: (limiter) => this.#follow(limiter),
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
    this.#cancelDoubt?.();
    this.#keeper.close();
    this.#watch.close();
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

  #follow(limiter: ReadLimiter | undefined): void {
    this.#resuming = this.#synced;
    this.#endDoubt();
    this.#watch.follow(limiter);
  }

  #change(nodePath: NodePath, members: Members | undefined): void {
    const { layout, root } = this.#options;
    const reference = `${root}/${nodePath.join("/")}`;
    if (members === undefined) {
      this.#readers.delete(reference);
      this.#changed.set(reference, { services: [] });
      return;
    }
    const reader = this.#readers.get(reference) ?? layout.openFolder(nodePath, reference);
    this.#readers.set(reference, reader);
    this.#changed.set(reference, reader(members));
  }

  #refusal(path: string, reason: string | undefined): void {
    if (path === this.#options.root && reason !== undefined) {
      // Other nodes can still be followed.
      this.#resuming = false;
      this.#fail(`${path} cannot be listed: ${reason}`);
    }
    const message = `${path} cannot be read (${reason}); its last content stays in use`;
    const issues = reason === undefined ? [] : [warningAbout("", { code: "unreadable", message })];
    this.#events.push({ type: "issues", part: path, issues });
  }

  #fail(reason: string): void {
    append(this.#events, this.#freshness.stale(reason));
    this.#emit();
  }

  /**
   * Reports no services before the first full read. A partial registry would look like the loss of many services. The
   * same holds for the first full read through a new connection.
   */
  #emit(): void {
    const { caughtUp } = this.#tree;
    if (caughtUp && this.#resuming) this.#resume();
    if (caughtUp || (this.#synced && !this.#resuming)) this.#update();
    if (caughtUp && !this.#synced) this.#events.push({ type: "fullSync", collection });
    if (caughtUp) {
      if (this.#cancelDoubt === undefined) append(this.#events, this.#freshness.fresh());
      this.#synced = true;
    }
    const events = this.#events;
    this.#events = [];
    if (events.length > 0 && this.#open) this.#handler(events);
  }

  /**
   * Everything was read through a new connection. An ensemble that lost its sessions, or is set up anew, has few
   * instances until the providers register again, one after the other. Services with fewer instances keep theirs meanwhile,
   * so that the first provider does not get the traffic of all.
   */
  #resume(): void {
    this.#resuming = false;
    const now = new Map([...this.#instances, ...Array.from(this.#changed, countOf)]);
    const [held, found] = [sum(this.#instances.values()), sum(now.values())];
    const isEmptied = [...this.#changed].some((part) => this.#instances.has(part[0]) && countOf(part)[1] === 0);
    if (found >= held / 2 || !isEmptied) return;
    const reason = `the registry lists ${found} of the ${held} instances that it had; services with fewer instances keep theirs for ${emptyGraceMs / 1000} s`;
    append(this.#events, this.#freshness.stale(reason));
    this.#cancelDoubt = this.#options.clock.after(emptyGraceMs, () => {
      this.#endDoubt();
      this.#emit();
    });
  }

  #endDoubt(): void {
    this.#cancelDoubt?.();
    this.#cancelDoubt = undefined;
  }

  #update(): void {
    const isDoubtful = this.#cancelDoubt !== undefined;
    const due = new Map([...this.#changed].filter(([name, part]) => !isDoubtful || !this.#shrinks(name, part)));
    if (isDoubtful && due.size === this.#changed.size) this.#endDoubt();
    if (due.size === 0) return;
    for (const [part, count] of Array.from(due, countOf)) {
      this.#changed.delete(part);
      if (count === 0) this.#instances.delete(part);
      else this.#instances.set(part, count);
    }
    this.#updating = true;
    this.#state.update(due);
    this.#updating = false;
  }

  /** Whether the part has fewer instances than before. */
  #shrinks(name: string, part: RegistryPart): boolean {
    return countOf([name, part])[1] < (this.#instances.get(name) ?? 0);
  }

  /** The state also reports by itself, when it sweeps. */
  #onEvents(events: readonly SourceEvent[]): void {
    for (const event of events) this.#events.push(event);
    if (!this.#updating) this.#emit();
  }
}

function countOf([name, { services }]: readonly [string, RegistryPart]): readonly [string, number] {
  return [name, sum(services.map(({ instances }) => instances.length))];
}

function sum(counts: Iterable<number>): number {
  return Iterator.from(counts).reduce((total, count) => total + count, 0);
}

function every(clock: Clock, ms: number, run: () => void): Cancel {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    run();
  });
  return () => cancel();
}
