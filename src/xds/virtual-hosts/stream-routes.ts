import { sameElements } from "../../lib/same-elements.ts";
import { oncePer } from "../../lib/memo.ts";
import type { Lease } from "../resource-source.ts";
import { type NameSet, type NameSets, noNames } from "../resources/name-set.ts";
import { find, type Target } from "../resources/target.ts";
import type { WarmingRules } from "../stream/warming.ts";
import type { Answer, AnswerOptions } from "../subscription/answer.ts";
import type { Subscription } from "../subscription/subscription.ts";
import { routeType, virtualHostType } from "../type-urls.ts";
import { isShellVersion, noHostOf, routesOfHost } from "./host-name.ts";
import type { RouteSplits, SplitClass, SplitTarget } from "./route-splits.ts";
import { isLarge } from "./split-routes.ts";

/** State that the streams of a server share, and the limit of this client. */
export interface StreamRoutesContext {
  readonly splits: RouteSplits;
  readonly nameSets: NameSets;
  readonly warmingRules: Pick<WarmingRules, "hostsFollowRoutes">;
  /** Route configurations with at least so many virtual hosts are split. */
  readonly minHosts: number;
}

/**
 * The route configurations of one delta stream, and their virtual hosts as resources (VHDS). A client keeps the form in
 * which it got a route configuration, until it unsubscribes: Envoy would serve the catch-all alone between a whole
 * route configuration and the hosts of its shell. After a reconnect the versions that the client holds show the form.
 */
export class StreamRoutes {
  readonly #context: StreamRoutesContext;
  #lease: RoutesLease | undefined;
  /** The subscribed names whose form is decided, and those among them that are shells. */
  #decided: NameSet = noNames;
  #shells: NameSet = noNames;
  /** Shells that the client has, on this stream or from an earlier one. */
  readonly #held = new Set<string>();
  /** The last form of the routes, and what it was made from. A stream asks for it after every event. */
  #made: { readonly from: Target; readonly asked: NameSet | "all"; readonly target: SplitTarget } | undefined;
  /** Undefined until the client requests virtual hosts. */
  #hosts: Subscription | undefined;
  /** Shells that were sent before the client requested virtual hosts. */
  readonly #awaited = new Set<string>();

  constructor(context: StreamRoutesContext) {
    this.#context = context;
  }

  /**
   * Leases the resources of a type: routes in the form of this client, their virtual hosts, others as they are. Returns
   * the lease from before where it is prolonged.
   */
  lease(subscription: Subscription, leaseWhole: (before?: Lease) => Lease, before?: Lease): Lease {
    const { typeUrl } = subscription.type;
    if (typeUrl === routeType) return this.#leaseRoutes(subscription, leaseWhole, before);
    return typeUrl === virtualHostType ? this.#leaseHosts(subscription, before) : leaseWhole(before);
  }

  #leaseRoutes(subscription: Subscription, leaseWhole: (before?: Lease) => Lease, before?: Lease): Lease {
    const known = before instanceof RoutesLease ? before : undefined;
    const inner = leaseWhole(known?.inner);
    if (known !== undefined && inner === known.inner) return known;
    const { splits } = this.#context;
    const { id } = inner;
    const lease = new RoutesLease(inner, splits.hold(id), {
      split: (target, split) => this.#split(target, split, subscription),
      onEnd: () => {
        splits.release(id);
        if (this.#lease === lease) this.#forgetAll();
      },
    });
    this.#lease = lease;
    this.#made = undefined;
    return lease;
  }

  /** The virtual hosts of the route configurations that the client has as shells. */
  #leaseHosts(subscription: Subscription, before?: Lease): Lease {
    this.#hosts = subscription;
    if (!subscription.answered) subscription.forceSend(this.#emptyOf(this.#awaited), "routes_sent");
    return before instanceof HostsLease && before.routes === this.#lease ? before : new HostsLease(() => this.#lease);
  }

  /**
   * A response has left. If it has route configurations: Envoy drops virtual hosts that arrive before their route
   * configuration, and holds back a new listener until virtual hosts of its routes arrive. So hosts of shells that are
   * new to the client, or that leave again, are owed once more.
   */
  sent({ resources, changed }: Answer, { type, rejected }: Subscription): void {
    if (type.typeUrl === virtualHostType) this.#awaited.clear();
    if (type.typeUrl !== routeType) return;
    const changedNames = new Set(changed.map(({ name }) => name));
    const owed = new Set<string>();
    for (const { name, version } of resources) {
      if (!isShellVersion(version)) continue;
      const hasHosts = this.#held.has(name) && changedNames.has(name) && !rejected.has(name);
      this.#held.add(name);
      if (!hasHosts) owed.add(name);
    }
    if (owed.size === 0) return;
    if (this.#hosts === undefined) for (const name of owed) this.#awaited.add(name);
    else if (this.#context.warmingRules.hostsFollowRoutes) {
      this.#hosts.forceSend([...this.#hostsOf(owed), ...this.#emptyOf(owed)], "routes_sent");
    }
  }

  /** Selects the versions from an earlier stream that do not count in the first answer with virtual hosts. */
  mustResend(typeUrl: string): AnswerOptions["mustResend"] {
    if (typeUrl !== virtualHostType || this.#awaited.size === 0 || !this.#context.warmingRules.hostsFollowRoutes)
      return undefined;
    return (name) => this.#awaited.has(routesOfHost(name));
  }

  #split(from: Target, split: SplitClass, subscription: Subscription): SplitTarget {
    const { asked } = subscription;
    const made = this.#made;
    if (made?.asked === asked && sameElements(made.from, from)) return made.target;
    this.#decide(from, subscription);
    const target =
      this.#shells.size === 0
        ? { routes: from, hosts: noHosts }
        : split.targetFor(from, this.#shells, (name) => subscription.type.absent?.(name));
    this.#made = { from, asked, target };
    return target;
  }

  /** Decides the form of names that the client newly subscribed to, and forgets those that it left. */
  #decide(target: Target, subscription: Subscription): void {
    // Envoys name their routes. Other clients get them whole.
    const names = subscription.asked === "all" ? noNames : subscription.asked;
    if (names === this.#decided) return;
    const { heldVersions } = subscription;
    const shells = [...names].filter((name) => {
      if (this.#decided.has(name)) return this.#shells.has(name);
      const held = heldVersions.get(name);
      if (held === undefined) return isLarge(find(target, name), this.#context.minHosts);
      if (isShellVersion(held)) this.#held.add(name);
      return isShellVersion(held);
    });
    for (const name of this.#decided.difference(names)) this.#held.delete(name);
    this.#decided = names;
    this.#shells = this.#context.nameSets.intern(shells);
  }

  /** The client unsubscribed from all routes, or the stream ended. It drops all hosts. */
  #forgetAll(): void {
    this.#lease = undefined;
    this.#made = undefined;
    this.#decided = noNames;
    this.#shells = noNames;
    this.#held.clear();
  }

  #hostsOf(shells: ReadonlySet<string>): readonly string[] {
    const hosts = hostsByRoutes(this.#lease?.split?.hosts ?? noHosts);
    return [...shells].flatMap((name) => hosts.get(name) ?? []);
  }

  /** Stand-ins for the hosts of shells without hosts: Envoy waits for a response that names the route configuration. */
  #emptyOf(shells: ReadonlySet<string>): readonly string[] {
    const hosts = hostsByRoutes(this.#lease?.split?.hosts ?? noHosts);
    return [...shells].filter((name) => !hosts.has(name)).map(noHostOf);
  }
}

/** The names of virtual hosts by the name of their route configuration. Streams of one class share their hosts. */
const hostsByRoutes = oncePer((hosts: Target): ReadonlyMap<string, readonly string[]> => {
  const names = hosts.flatMap((set) => Array.from(set, ({ name }) => name));
  return Map.groupBy(names, routesOfHost);
});

interface RoutesLeaseOptions {
  readonly split: (target: Target, split: SplitClass) => SplitTarget;
  readonly onEnd: () => void;
}

/** A lease on whole route configurations that gives them in the form of one client. */
class RoutesLease implements Lease {
  readonly inner: Lease;
  readonly #class: SplitClass;
  readonly #options: RoutesLeaseOptions;

  constructor(inner: Lease, split: SplitClass, options: RoutesLeaseOptions) {
    this.inner = inner;
    this.#class = split;
    this.#options = options;
  }

  get id(): string {
    return this.inner.id;
  }

  get split(): SplitTarget | undefined {
    const { target } = this.inner;
    return target && this.#options.split(target, this.#class);
  }

  get target(): Target | undefined {
    return this.split?.routes;
  }

  get madeMs(): number {
    return this.inner.madeMs ?? 0;
  }

  get isTrial(): boolean {
    return this.inner.isTrial === true;
  }

  end(): void {
    this.inner.end();
    this.#options.onEnd();
  }
}

const noHosts: Target = [];

/** A lease on the virtual hosts of the route configurations that a client has now. */
class HostsLease implements Lease {
  /** The routes when the lease was taken. Undefined before the client requests routes, and after it left them. */
  readonly routes: RoutesLease | undefined;
  readonly #current: () => RoutesLease | undefined;

  constructor(current: () => RoutesLease | undefined) {
    this.routes = current();
    this.#current = current;
  }

  get id(): string {
    return `${virtualHostType} ${this.routes?.id ?? ""}`;
  }

  get target(): Target | undefined {
    const routes = this.#current();
    return routes === undefined ? noHosts : routes.split?.hosts;
  }

  get isTrial(): boolean {
    return this.#current()?.isTrial === true;
  }

  end(): void {
    // The lease on the routes holds everything.
  }
}
