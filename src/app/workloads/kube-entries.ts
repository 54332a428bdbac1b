import { type Config, configKey } from "../../config/config.ts";
import { workloadEntry } from "../../config/kinds/workload-entry.ts";
import type { WorkloadHealth } from "../../config/mesh/workload-health.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import type { Source, SourceHandler } from "../../galley/source/source.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { EntryChange } from "../../pilot/xds/workloads/workload-store.ts";
import { ask, isRefusal, type KubeCalls, objectPath, unlessMissing } from "../kube/kube-calls.ts";
import type { LeaseStore } from "../kube/lease/lease.ts";
import { WorkQueue } from "../kube/work-queue.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { applyEntry, leaseLabel, patchHealth, release, type StoredEntry } from "./kube-entry.ts";
import { LostReplicas } from "./lost-replicas.ts";
import type { EntryKeeper } from "./shared-entries.ts";

export interface KubeEntriesOptions {
  readonly name: string;
  readonly calls: KubeCalls;
  /** Closes idle connections. */
  readonly closeCalls: () => void;
  /** The API root of WorkloadEntries, as `/apis/networking.istio.io/v1`. Undefined if the API server has none. */
  readonly rootOf: () => Promise<string | undefined>;
  /** The Lease of this process. */
  readonly lease: { readonly namespace: string; readonly name: string; readonly store: LeaseStore };
  readonly supervisor: Pick<ProcessContext["supervisor"], "clockFor" | "guard">;
  /** The time of day, for other control planes and for people. */
  readonly now: () => Date;
  /** Time that entries outlive their server, unless their machines connect to another one. */
  readonly ttlMs: number;
}

/** The content of an entry that this process answers for. */
type Content =
  /** The machine registered itself: the whole entry. */
  | { readonly type: "registered"; readonly config: Config; readonly text: string }
  /** A person wrote the entry: only the health that its machine reports. */
  | { readonly type: "checked"; readonly health: WorkloadHealth };

/** A machine that is connected to this process, and whether the API server knows that. */
interface Wanted {
  readonly content: Content;
  readonly connectedAt: string;
  written: boolean;
}

/** Kubernetes counts whole seconds. */
const shortestTtlMs = 3_000;
const paceMs = 10;
/** A mesh without machines needs no rights for them. It asks rarely whether it has them. */
const forbiddenMs = 5 * 60_000;

/**
 * WorkloadEntries of registered machines in Kubernetes, next to the other objects of the mesh. Every server reads them
 * there, including this one. A label names the Lease of the server that a machine is connected to. An entry belongs to
 * its last writer, and ends after its server: see {@link LostReplicas}. While the API server refuses an entry, this
 * process keeps it in memory for its own proxies.
 */
export class KubeEntries implements EntryKeeper, Source {
  readonly name: string;
  readonly collections: readonly string[] = [workloadEntry.collection];
  readonly #options: KubeEntriesOptions;
  readonly #clock: SupervisedClock;
  readonly #ttlMs: number;
  readonly #memory: MemorySource;
  readonly #queue: WorkQueue;
  readonly #lost: LostReplicas;
  readonly #wanted = new Map<string, Wanted>();
  #handler: SourceHandler = () => {};
  #trouble: string | undefined;
  #renewedAtMs: number | undefined;
  #working: Promise<void> | undefined;
  #cancel: Cancel = () => {};

  constructor(options: KubeEntriesOptions) {
    const { name, calls, supervisor, lease, ttlMs } = options;
    const clock = supervisor.clockFor("registrations");
    this.#clock = clock;
    this.name = name;
    this.#options = options;
    this.#ttlMs = Math.max(shortestTtlMs, ttlMs);
    this.#memory = new MemorySource({ name, collections: this.collections });
    this.#lost = new LostReplicas({ calls, clock, namespace: lease.namespace, own: lease.name });
    const work = (key: string) => this.#write(key);
    const onFailure = supervisor.guard("registrations", (key: string, error: unknown) => this.#refused(key, error));
    this.#queue = new WorkQueue({ clock, paceMs, work, onFailure });
  }

  get source(): Source {
    return this;
  }

  async start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
    this.#queue.start();
    this.#cancel();
    this.#cancel = this.#clock.after(0, () => this.#beat());
    await this.#memory.start(handler);
  }

  /** Entries stay until the Lease ends, because their machines may be moving to another server. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#queue.stop();
    await this.#working;
    this.#cancel();
    await this.#memory.stop();
    this.#options.closeCalls();
  }

  async idle(): Promise<void> {
    await this.#working;
  }

  put(config: Config, text: string, change: EntryChange): void {
    this.#want(configKey(config), { type: "registered", config, text }, change);
  }

  report(namespace: string, name: string, health: WorkloadHealth, change: EntryChange): void {
    this.#want(configKey({ namespace, name }), { type: "checked", health }, change);
  }

  /** A new connection takes the entry over. A report does not, because its machine may have moved meanwhile. */
  #want(key: string, content: Content, change: EntryChange): void {
    const known = change === "connected" ? undefined : this.#wanted.get(key);
    const connectedAt = known?.connectedAt ?? this.#options.now().toISOString();
    this.#wanted.set(key, { content, connectedAt, written: known?.written ?? false });
    this.#queue.add(key);
  }

  remove(namespace: string, name: string): void {
    const key = configKey({ namespace, name });
    this.#wanted.delete(key);
    this.#memory.delete(workloadEntry.collection, key);
    this.#queue.add(key);
  }

  async #write(key: string): Promise<void> {
    const root = await this.#root();
    const [namespace = "", name = ""] = key.split("/");
    const { calls, lease } = this.#options;
    const path = objectPath(root, { kind: workloadEntry, namespace, name });
    const stored = (await unlessMissing(ask(calls, { path }))) as StoredEntry | undefined;
    const isOurs = stored?.metadata.labels?.[leaseLabel] === lease.name;
    const wanted = this.#wanted.get(key);
    if (wanted === undefined) {
      if (stored !== undefined && isOurs) await release(calls, path, stored);
      return;
    }
    // Its machine has moved to another server since our first write.
    if (wanted.written && stored !== undefined && !isOurs) return;
    await this.#renew();
    const { content, connectedAt } = wanted;
    const { resourceVersion } = stored?.metadata ?? {};
    const mark = { lease: lease.name, connectedAt, resourceVersion };
    if (content.type === "registered") await applyEntry(calls, { path, root, text: content.text }, mark);
    else if (stored !== undefined) await patchHealth(calls, path, content.health, mark);
    wanted.written = true;
    this.#memory.delete(workloadEntry.collection, key);
    this.#say(undefined);
  }

  #refused(key: string, error: unknown): void {
    const wanted = this.#wanted.get(key);
    if (wanted?.content.type === "registered") this.#memory.set(workloadEntry.collection, wanted.content.config);
    this.#say(errorFrom(error).message);
  }

  #beat(): void {
    let pauseMs = this.#ttlMs / 3;
    const failed = (thrown: unknown) => {
      if (this.#wanted.size > 0) this.#say(errorFrom(thrown).message);
      else if (isRefusal(thrown, 403)) pauseMs = forbiddenMs;
    };
    this.#working = this.#renewAndSweep()
      .catch(failed)
      .finally(() => {
        this.#cancel = this.#clock.after(pauseMs, () => this.#beat());
      });
  }

  async #renewAndSweep(): Promise<void> {
    if (this.#wanted.size > 0) await this.#renew();
    const root = await this.#options.rootOf();
    if (root === undefined) return;
    await this.#lost.sweep(objectPath(root, { kind: workloadEntry, namespace: "", name: "" }));
  }

  /** Others may have removed our entries when the Lease was not renewed for its whole time. So all are written again. */
  async #renew(): Promise<void> {
    const { lease, now } = this.#options;
    const before = this.#renewedAtMs;
    if (before !== undefined && this.#clock.now() - before < this.#ttlMs / 4) return;
    const stored = await lease.store.read();
    const renewedAt = now().toISOString();
    const acquiredAt = stored?.acquiredAt || renewedAt;
    const record = { holder: lease.name, durationMs: Math.ceil(this.#ttlMs / 1000) * 1000, acquiredAt, renewedAt };
    if (!(await lease.store.write({ ...record, transitions: 0 }, stored?.version))) return;
    this.#renewedAtMs = this.#clock.now();
    const isGap = before !== undefined && (stored === undefined || this.#renewedAtMs - before > this.#ttlMs);
    if (isGap) for (const key of this.#wanted.keys()) this.#queue.add(key);
  }

  async #root(): Promise<string> {
    const root = await this.#options.rootOf();
    if (root === undefined) throw new Error(`the API server has no ${workloadEntry.plural}`);
    return root;
  }

  #say(reason: string | undefined): void {
    if (reason === this.#trouble) return;
    this.#trouble = reason;
    const text = `cannot write WorkloadEntries to Kubernetes, other servers do not see them: ${reason}`;
    this.#handler([reason === undefined ? { type: "fresh" } : { type: "stale", reason: text }]);
  }
}
