import { setMaxListeners } from "node:events";
import type { Kind } from "../../../config/kind.ts";
import type { KubeClient } from "../../../kube/kube-client.ts";
import type { kubeLimits } from "../../../kube/kube-limits.ts";
import type { KubeAccess } from "../../../kube/kubeconfig.ts";
import type { Limits } from "../../../lib/bounded/limit.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { Pauses } from "../../../lib/time/pauses.ts";
import { EmptyGuard } from "../empty-guard.ts";
import type { SourceSession } from "../session-source.ts";
import type { SourceEvent, SourceHandler } from "../source.ts";
import { FollowedKind } from "./followed-kind.ts";
import { KindContent } from "./kind-content.ts";
import { reflectedNames } from "./reflected-names.ts";
import { Reflector, type ReflectorContext } from "./reflector.ts";
import { ServedKinds } from "./served-kinds.ts";
import { UnreadableResources } from "./unreadable-resources.ts";

export interface KubeSourceOptions {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly access: KubeAccess;
  /** The namespaces to read. Empty for all. Cluster-scoped objects are always read. */
  readonly namespaces: readonly string[];
  /** Restricts the namespaces by labels, in the syntax of `kubectl get --selector`. */
  readonly namespaceSelector: string | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits<typeof kubeLimits>>;
}

/** A kind and its reported objects. */
interface Followed {
  readonly scope: Kind["scope"];
  readonly content: KindContent;
  readonly kind: FollowedKind;
}

/** Lives from one start of the source to its stop. */
export class KubeSession implements SourceSession {
  readonly #options: KubeSourceOptions;
  readonly #client: KubeClient;
  readonly #handler: SourceHandler;
  readonly #reflecting: ReflectorContext;
  readonly #unreadable: UnreadableResources;
  readonly #kinds: readonly Followed[];
  /** The namespaces that match the selector. Undefined without a selector. */
  readonly #selected: Set<string> | undefined;
  readonly #end = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #work = new Set<Promise<unknown>>();

  constructor(options: KubeSourceOptions, client: KubeClient, handler: SourceHandler) {
    this.#options = options;
    this.#client = client;
    this.#handler = handler;
    const { clock, random, kinds, namespaceSelector } = options;
    // Every watch adds a listener.
    setMaxListeners(0, this.#end.signal);
    const outage = new Pauses(clock, this.#end.signal);
    this.#reflecting = { client, clock, random, server: { watchList: true }, outage };
    this.#unreadable = new UnreadableResources(clock, (events) => this.#emit(events));
    this.#selected = namespaceSelector === undefined ? undefined : new Set();
    const served = new ServedKinds(client, clock, kinds);
    this.#kinds = kinds.map((kind) => this.#follow(kind, served));
    this.#run(namespaceSelector);
  }

  /** Does not wait: later events are ignored. */
  close(): void {
    this.#end.abort();
    this.#ended.resolve();
    this.#unreadable.close();
    this.#client[Symbol.dispose]();
  }

  /** Resolves when every kind has answered and all answers are reported. */
  async idle(): Promise<void> {
    while (this.#work.size > 0 && !this.#end.signal.aborted) {
      await Promise.race([this.#ended.promise, Promise.allSettled(this.#work)]);
    }
  }

  #follow(kind: Kind, served: ServedKinds): Followed {
    const emit = (events: readonly SourceEvent[]) => this.#emit(events);
    const isSelected = (namespace: string) => namespace === "" || (this.#selected?.has(namespace) ?? true);
    const { name: source, clock } = this.#options;
    const content = new KindContent({
      kind,
      source,
      isSelected,
      emit,
      clock,
      maxObjects: this.#client.limits.listObjects,
    });
    const followed = new FollowedKind({
      kind,
      content,
      served,
      namespaces: this.#options.namespaces,
      vital: this.#isVital(kind),
      unreadable: this.#unreadable,
      reflecting: this.#reflecting,
      signal: this.#end.signal,
      emit,
      work: (going) => this.#track(going),
    });
    return { scope: kind.scope, content, kind: followed };
  }

  /**
   * The mesh works without the kinds of analysis, and mostly without Secrets. A user with access to some namespaces may
   * not read cluster-scoped kinds.
   */
  #isVital({ snapshot, requiredForServiceDiscovery, scope }: Kind): boolean {
    if (scope === "cluster" && this.#options.namespaces.length > 0) return false;
    const isOptional = snapshot === "localAnalysis" || snapshot === "credentials";
    return !isOptional || requiredForServiceDiscovery === true;
  }

  /** The namespace selection must be known before the objects in the namespaces. */
  #run(namespaceSelector: string | undefined): void {
    this.#reflectDefinitions();
    for (const { kind, scope } of this.#kinds) if (scope === "cluster") kind.run();
    const runOthers = once(() => {
      for (const { kind, scope } of this.#kinds) if (scope === "namespace") kind.run();
    });
    if (namespaceSelector === undefined) runOthers();
    else this.#reflectSelection(namespaceSelector, runOthers);
  }

  /**
   * Custom kinds appear and disappear with their CRDs. Without permission to read CRDs, new kinds are noticed a little
   * later.
   */
  #reflectDefinitions(): void {
    const byName = new Map(this.#kinds.map(({ kind }) => [kind.name, kind]));
    const reflection = reflectedNames({
      maxNames: this.#client.limits.listObjects,
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      changed: (name) => byName.get(name)?.nudge(),
      following: () => {},
      failed: () => {},
    });
    void new Reflector(reflection, this.#reflecting, this.#end.signal).run();
  }

  #reflectSelection(labelSelector: string, selected: () => void): void {
    const resource = { group: "", plural: "namespaces", namespace: undefined };
    const guard = new EmptyGuard(this.#options.clock);
    const reflection = reflectedNames({
      maxNames: this.#client.limits.listObjects,
      path: "/api/v1/namespaces",
      labelSelector,
      check: (held, found) => guard.check("the API server", held, found),
      changed: (namespace, there) => this.#select(namespace, there),
      following: () => {
        this.#unreadable.recovered(resource);
        selected();
      },
      failed: (error) => this.#unreadable.failed(resource, error),
    });
    void new Reflector(reflection, this.#reflecting, this.#end.signal).run();
  }

  #select(namespace: string, there: boolean): void {
    if (this.#selected === undefined || this.#selected.has(namespace) === there) return;
    if (there) this.#selected.add(namespace);
    else this.#selected.delete(namespace);
    this.#emit(this.#kinds.flatMap(({ content }) => content.select(namespace, there)));
  }

  #emit(events: readonly SourceEvent[]): void {
    if (!this.#end.signal.aborted && events.length > 0) this.#handler(events);
  }

  async #track<T>(going: Promise<T>): Promise<T> {
    this.#work.add(going);
    try {
      return await going;
    } finally {
      this.#work.delete(going);
    }
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    run();
  };
}
