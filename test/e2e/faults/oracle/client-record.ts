import type { FleetMember } from "../../../../src/fleet/connected-proxy.ts";
import { type FleetResourceType, fleetResourceTypes, perType } from "../../../../src/fleet/fleet-resource-type.ts";
import type { PooledResource } from "../../../../src/fleet/resource-pool.ts";
import type { VirtualProxy } from "../../../../src/fleet/virtual-proxy.ts";
import { type MergedRoutes, mergedRoutes } from "./merged-routes.ts";
import type { KnownMarks, ResourceMarks } from "./resource-marks.ts";

type Held = ReadonlyMap<string, PooledResource>;

/** More are of no use to a reader. */
const maxFindings = 20;

/** The history of one client: after each response it is compared with the state before. */
export class ClientRecord {
  readonly findings: string[] = [];
  readonly #member: FleetMember;
  readonly #known: KnownMarks;
  readonly #before = perType((): Held => new Map());
  #routesBefore: ReadonlyMap<string, MergedRoutes> = new Map();
  /** The newest generation that each resource ever had. Names of several generations count as one. */
  readonly #newest = new Map<string, number>();
  #synced = false;

  constructor(member: FleetMember, known: KnownMarks) {
    this.#member = member;
    this.#known = known;
  }

  /** The client has applied a response. */
  applied(proxy: Pick<VirtualProxy, "held" | "synced">): void {
    this.#synced ||= proxy.synced;
    for (const type of fleetResourceTypes) {
      const held = proxy.held(type);
      const before = this.#before[type];
      for (const resource of held.values()) if (before.get(resource.name) !== resource) this.#changed(resource, before);
      for (const { name } of before.values()) {
        if (!held.has(name) && isConstant(name) && type !== "VHDS") this.#find(`${name} went`);
      }
      if (this.#synced && before.size > 0 && held.size === 0) this.#find(`all resources of ${type} went`);
      this.#before[type] = new Map(held);
    }
    this.#routesApplied(mergedRoutes(proxy.held.bind(proxy), (resource) => this.#marksOf(resource)));
  }

  /** The types in which the client does not hold this generation, or still holds an older one, with those it holds. */
  lacks(generation: number): readonly string[] {
    const types: readonly FleetResourceType[] = this.#isSidecar ? ["CDS", "EDS", "LDS", "RDS"] : ["CDS", "EDS", "RDS"];
    return types.flatMap((type) => {
      const shown = this.#generationsOf(type);
      const isNewest = shown.size === 1 && shown.has(generation);
      return isNewest ? [] : [`${this.#name} holds generations ${listed(shown)} of ${type}`];
    });
  }

  get #name(): string {
    return `${this.#member.mode} ${this.#member.node.id}`;
  }

  get #isSidecar(): boolean {
    return this.#member.node.id.startsWith("sidecar~");
  }

  /** Virtual hosts count for their route configurations, also those that are resources. */
  #generationsOf(type: FleetResourceType): ReadonlySet<number> {
    if (type === "RDS") return new Set(this.#routesBefore.values().flatMap(({ generations }) => generations));
    return new Set(this.#before[type].values().flatMap((resource) => this.#marksOf(resource).generations));
  }

  /** The rules for route configurations with their virtual hosts, which may be resources of the type VHDS. */
  #routesApplied(routes: ReadonlyMap<string, MergedRoutes>): void {
    for (const [name, { generations, hosts }] of routes) {
      this.#checkAge(`RDS ${name}`, generations);
      const before = this.#routesBefore.get(name)?.hosts;
      if (before !== undefined && before.size > 0 && hosts.size === 0)
        this.#find(`RDS ${name} has no virtual hosts any more`);
    }
    const hostsNow = new Map(routes.values().flatMap(({ hosts }) => hosts));
    for (const [host, content] of this.#routesBefore.values().flatMap(({ hosts }) => hosts)) {
      if (!isConstant(host)) continue;
      const now = hostsNow.get(host);
      if (now === undefined) this.#find(`virtual host ${host} went`);
      else if (now !== content) this.#find(`virtual host ${host} changed`);
    }
    this.#routesBefore = routes;
  }

  #changed(resource: PooledResource, before: Held): void {
    const { name, type, content } = resource;
    const old = before.get(name);
    const marks = this.#marksOf(resource);
    if (old?.content === content) return;
    if (old !== undefined && type !== "VHDS" && isConstant(name)) this.#find(`${type} ${name} changed`);
    if (old !== undefined && marks.hasNoEndpoints && !this.#marksOf(old).hasNoEndpoints && !this.#mayBeGone(old)) {
      this.#find(`${type} ${name} has no endpoints any more`);
    }
    if (type !== "RDS") this.#checkAge(`${type} ${name}`, marks.generations);
    if (type === "LDS" && this.#isSidecar) this.#checkPolicies(resource, marks);
  }

  /** A SotW client cannot tell a new stream what it holds. So a cluster that is gone may go before its routes. */
  #mayBeGone({ name }: PooledResource): boolean {
    return this.#member.mode === "sotw" && /gen-\d+/u.test(name);
  }

  #checkAge(resource: string, generations: ReadonlySet<number>): void {
    if (generations.size === 0) return;
    const key = resource.replaceAll(/gen-\d+/gu, "gen");
    const newest = this.#newest.get(key) ?? -1;
    const generation = Math.max(...generations);
    if (generation < newest) this.#find(`${key} went back from generation ${newest} to ${generation}`);
    this.#newest.set(key, Math.max(newest, generation));
  }

  /** A guarded listener has both policies of one generation: no state between two states, and none without a policy. */
  #checkPolicies({ name }: PooledResource, { denied, allowed }: ResourceMarks): void {
    if (name !== "virtualInbound") return;
    const isOne = denied.size === 1 && allowed.size === 1 && denied.isSubsetOf(allowed);
    if (!isOne) this.#find(`${name} denies for generations ${listed(denied)} and allows for ${listed(allowed)}`);
  }

  #marksOf({ content, type, name }: PooledResource): ResourceMarks {
    const marks = this.#known.get(content);
    if (marks === undefined) throw new Error(`the content of ${type} ${name} never arrived`);
    return marks;
  }

  #find(sentence: string): void {
    if (this.findings.length < maxFindings) this.findings.push(`${this.#name}: ${sentence}`);
  }
}

function isConstant(name: string): boolean {
  return name.includes("stays-");
}

function listed(generations: ReadonlySet<number>): string {
  return `[${[...generations].join(", ")}]`;
}
