import type { Issue } from "../../../config/issue.ts";
import type { Kind } from "../../../config/kind.ts";
import type { SourceEvent } from "../source.ts";
import type { KindContent } from "./kind-content.ts";
import { type Reflection, Reflector, type ReflectorContext } from "./reflector.ts";
import type { ServedKinds } from "./served-kinds.ts";
import {
  forbiddenIssue,
  isForbidden,
  type KubeResource,
  kubeResourceName,
  type UnreadableResources,
} from "./unreadable-resources.ts";

export interface FollowedKindOptions {
  readonly kind: Kind;
  readonly content: KindContent;
  readonly served: ServedKinds;
  /** The namespaces to read one by one. Empty if all are read together. */
  readonly namespaces: readonly string[];
  /** Whether the mesh depends on this kind. If not, sync does not wait for a kind that we may not read. */
  readonly vital: boolean;
  readonly unreadable: UnreadableResources;
  readonly reflecting: ReflectorContext;
  readonly signal: AbortSignal;
  readonly emit: (events: readonly SourceEvent[]) => void;
  /** Tracks work in progress, and returns it. */
  readonly work: <T>(going: Promise<T>) => Promise<T>;
}

/** Follows one kind at the path where it is served. Reports `fullSync` once, when the initial objects are complete. */
export class FollowedKind {
  readonly #options: FollowedKindOptions;
  readonly #reflectors: readonly Reflector[];
  readonly #awaited: Set<string | undefined>;
  /** The reported server messages for resources that we may not read. */
  readonly #forbidden = new Map<string, string>();
  readonly #heard = Promise.withResolvers<void>();

  constructor(options: FollowedKindOptions) {
    this.#options = options;
    const { kind, namespaces, reflecting, signal } = options;
    const places = kind.scope === "namespace" && namespaces.length > 0 ? namespaces : [undefined];
    this.#awaited = new Set(places);
    this.#reflectors = places.map((namespace) => new Reflector(this.#reflection(namespace), reflecting, signal));
  }

  /** The name of the CRD of a custom kind: `gateways.networking.istio.io`. */
  get name(): string {
    return kubeResourceName(this.#resource(undefined));
  }

  run(): void {
    void this.#options.work(this.#heard.promise);
    for (const reflector of this.#reflectors) void reflector.run();
  }

  nudge(): void {
    for (const reflector of this.#reflectors) reflector.nudge();
  }

  #reflection(namespace: string | undefined): Reflection {
    const { kind, content, served, work } = this.#options;
    return {
      fieldSelector: kind.fieldSelector,
      async locate() {
        const root = await served.find(kind);
        return root && `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${kind.plural}`;
      },
      begin: () => {
        const pass = content.begin(namespace);
        return { take: (events) => work(pass.take(events)), end: () => pass.end() };
      },
      change: (events) => work(content.change(events)),
      absent: () => {
        content.clear(namespace);
        this.#heardOf(namespace);
      },
      following: () => this.#heardOf(namespace),
      failed: (error) => this.#failed(namespace, error),
    };
  }

  #heardOf(namespace: string | undefined): void {
    const resource = this.#resource(namespace);
    this.#options.unreadable.recovered(resource);
    if (this.#forbidden.delete(kubeResourceName(resource))) this.#report(resource, []);
    this.#sync(namespace);
    this.#heard.resolve();
  }

  #failed(namespace: string | undefined, error: Error): void {
    const { vital, unreadable } = this.#options;
    const resource = this.#resource(namespace);
    const forbidden = isForbidden(error);
    if (forbidden && this.#forbidden.get(kubeResourceName(resource)) !== error.message) {
      this.#forbidden.set(kubeResourceName(resource), error.message);
      this.#report(resource, [forbiddenIssue(resource, error, vital ? "error" : "warning")]);
    }
    if (forbidden && !vital) {
      unreadable.recovered(resource);
      this.#sync(namespace);
    } else unreadable.failed(resource, error);
    this.#heard.resolve();
  }

  #sync(namespace: string | undefined): void {
    const { kind, emit } = this.#options;
    if (this.#awaited.delete(namespace) && this.#awaited.size === 0) {
      emit([{ type: "fullSync", collection: kind.collection }]);
    }
  }

  #report(resource: KubeResource, issues: readonly Issue[]): void {
    this.#options.emit([{ type: "issues", part: kubeResourceName(resource), issues }]);
  }

  #resource(namespace: string | undefined): KubeResource {
    const { group, plural } = this.#options.kind;
    return { group, plural, namespace };
  }
}
