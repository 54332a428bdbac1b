import type { Config, ConfigId } from "../../../config/config.ts";
import { assert } from "../../../lib/assert.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { covers, type Scope } from "./scope.ts";
import { waveSizes } from "./waves.ts";

/** Versions of refused objects that one proxy has accepted. The other proxies of the class get them in waves. */
export interface Rollout {
  readonly scope: Scope;
  readonly objects: ReadonlyMap<ConfigId, Config | undefined>;
  /** The nodes that get the objects, the first proxy included. */
  readonly nodes: ReadonlySet<string>;
  /** Counted from 1. */
  readonly wave: number;
  readonly waves: number;
}

/** The result of a rollout. */
export type RolloutEnd = "accepted" | "not answered";

export interface RolloutsOptions {
  readonly clock: Clock;
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly isTrusted: (node: string) => boolean;
  /** A search on this proxy may find the cause of its rejection. */
  readonly mayTry: (connection: Connection<Proxy>) => boolean;
  /** A search of this class waits or runs. */
  readonly isSearching: (classId: string) => boolean;
  /** The nodes of a rollout have changed. */
  readonly moved: (rollout: Rollout) => void;
  readonly ended: (rollout: Rollout, end: RolloutEnd) => void;
}

/** A proxy that accepts an object and fails because of it does so within this time. */
const waveMs = 1_000;
/** A wave whose proxies do not accept it in so many times {@link waveMs} ends the rollout. */
const maxWaits = 30;

/**
 * Brings objects that one proxy accepted to the rest of its class. One rollout per class runs at a time. A wave has only
 * trusted proxies, and waits for no others. A proxy that refuses one of the objects is found by a search. One that
 * rejects its resources for another reason says nothing about the objects.
 */
export class Rollouts {
  readonly #options: RolloutsOptions;
  readonly #running = new Map<string, { readonly rollout: Rollout; readonly cancel: Cancel }>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  get all(): readonly Rollout[] {
    return Array.from(this.#running.values(), ({ rollout }) => rollout);
  }

  of(classId: string): Rollout | undefined {
    return this.#running.get(classId)?.rollout;
  }

  has(classId: string, id: ConfigId): boolean {
    return this.of(classId)?.objects.has(id) === true;
  }

  /** The proxy with this node has accepted the objects. No rollout of the class runs. */
  start(scope: Scope, objects: Rollout["objects"], node: string): void {
    assert(this.of(scope.classId) === undefined, "a class has one rollout at a time");
    const { length } = waveSizes(this.#nodesOf(scope).length);
    const rollout = { scope, objects, nodes: new Set([node]), wave: 1, waves: length };
    if (length === 1) this.#end(rollout, "accepted");
    else this.#wait(rollout, 0);
  }

  /** These objects are no matter of the rollout any more: they are refused again, gone, or served to everybody. */
  drop(classId: string, ids: Iterable<ConfigId>): void {
    const running = this.#running.get(classId);
    if (running === undefined) return;
    const dropped = new Set(ids);
    const objects = new Map([...running.rollout.objects].filter(([id]) => !dropped.has(id)));
    if (objects.size === running.rollout.objects.size) return;
    running.cancel();
    this.#running.delete(classId);
    if (objects.size > 0) this.#wait({ ...running.rollout, objects }, 0);
  }

  stop(): void {
    for (const { cancel } of this.#running.values()) cancel();
    this.#running.clear();
  }

  #wait(rollout: Rollout, waits: number): void {
    const { classId } = rollout.scope;
    this.#running.get(classId)?.cancel();
    const cancel = this.#options.clock.after(waveMs, () => this.#look(rollout, waits + 1));
    this.#running.set(classId, { rollout, cancel });
  }

  #look(rollout: Rollout, waits: number): void {
    const { isSearching, isTrusted, mayTry, connections } = this.#options;
    if (isSearching(rollout.scope.classId)) return this.#wait(rollout, waits);
    const trusted = new Set([...rollout.nodes].filter((node) => isTrusted(node)));
    const members = [...connections()].filter(({ client }) => trusted.has(client.nodeId));
    const accepted = members.filter(({ verdict }) => verdict.type === "accepted");
    const rejected = members.filter((each) => each.verdict.type === "rejected" && !mayTry(each));
    const asked = trusted.size - rejected.length;
    if (accepted.length >= asked) return this.#advance(rollout);
    if (waits < maxWaits) return this.#wait(rollout, waits);
    // Proxies that are gone may have failed because of the objects.
    if (accepted.length * 2 > asked) this.#advance(rollout);
    else this.#end(rollout, "not answered");
  }

  #advance(rollout: Rollout): void {
    const all = this.#nodesOf(rollout.scope);
    const sizes = waveSizes(all.length);
    const wave = rollout.wave + 1;
    const size = sizes[wave - 1];
    if (size === undefined || size >= all.length) return this.#end(rollout, "accepted");
    const others = all.filter((node) => !rollout.nodes.has(node));
    const nodes = [...rollout.nodes, ...others.slice(0, size - (all.length - others.length))];
    const next = { ...rollout, nodes: new Set(nodes), wave, waves: sizes.length };
    this.#wait(next, 0);
    this.#options.moved(next);
  }

  #end(rollout: Rollout, end: RolloutEnd): void {
    this.#running.get(rollout.scope.classId)?.cancel();
    this.#running.delete(rollout.scope.classId);
    this.#options.ended(rollout, end);
  }

  /** The trusted nodes of a scope. */
  #nodesOf(scope: Scope): readonly string[] {
    const { connections, isTrusted } = this.#options;
    const nodes = [...connections()].filter(({ client }) => covers(scope, client) && isTrusted(client.nodeId));
    return [...new Set(nodes.map(({ client }) => client.nodeId))];
  }
}
