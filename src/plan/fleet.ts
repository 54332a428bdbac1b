import { append } from "../lib/append.ts";
import { canonicalKey } from "../lib/canonical-key.ts";
import { MeshError } from "../lib/errors.ts";
import { secretClientOf } from "../pilot/model/credential/secret-client.ts";
import type { Proxy } from "../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../pilot/model/push-context.ts";
import { Catalogue, type GeneratorProblem } from "../pilot/xds/catalogue.ts";
import type { Generator } from "../pilot/xds/generator.ts";
import type { Mode } from "../xds/mode.ts";
import type { Lease } from "../xds/resource-source.ts";
import type { ResourceType } from "../xds/resource-type.ts";
import type { Resource } from "../xds/resources/resource.ts";
import type { ResourceSet } from "../xds/resources/resource-set.ts";
import { secretType } from "../xds/type-urls.ts";
import { type Rehearsal, rehearse } from "./rehearsal/rehearse.ts";
import type { OpeningRequest } from "./rehearsal/rehearsed-client.ts";
import { SwitchedSource } from "./rehearsal/switched-source.ts";

/** A proxy for which a change is planned. */
export interface PlannedProxy {
  /** As people know it: the node id, or the id of a connection. */
  readonly name: string;
  readonly proxy: Proxy;
  /** How many equal ones the mesh has. */
  readonly count: number;
  readonly mode: Mode;
  /** The requests of a connected proxy; undefined for one that is assumed. */
  readonly requests: readonly OpeningRequest[] | undefined;
}

export interface FleetOptions {
  readonly before: PushContext;
  readonly after: PushContext;
  readonly generators: readonly Generator[];
  readonly proxies: readonly PlannedProxy[];
  /** From how many virtual hosts on route configurations are split for a proxy. */
  readonly splitFrom: (proxy: Proxy) => number | undefined;
  /** Finds the set of a part that exists already, so that equal resources take no memory. */
  readonly seedOf?: (key: string) => ResourceSet | undefined;
  /** Awaited between the steps of the work. */
  readonly turn: () => Promise<void>;
}

/** Proxies to which the change does the same. */
export interface ProxyClass {
  readonly proxies: readonly PlannedProxy[];
  readonly mode: Mode;
  /** Undefined if nothing changes for them. */
  readonly effect: Effect | undefined;
}

/** The effect of the change on the proxies of a class. */
export interface Effect {
  readonly rehearsal: Rehearsal;
  /** All resources that the proxies could ask for. They are what explain walks. */
  readonly resources: { readonly before: readonly TypedResources[]; readonly after: readonly TypedResources[] };
}

interface TypedResources {
  readonly typeUrl: string;
  readonly resources: readonly Resource[];
}

/**
 * Plays the change for every class of proxies. Classes are those of the server: equal parts before and after, equal
 * requests. Throws `internal` if a generator fails: the server would keep the last good part, and a plan has none.
 */
export async function rehearseFleet(options: FleetOptions): Promise<readonly ProxyClass[]> {
  const { before, after, generators, proxies, seedOf = () => undefined, turn } = options;
  const old = new Catalogue(generators, before, fail, noTime, seedOf);
  const next = new Catalogue(generators, after, fail, noTime, (key) => old.wholeSetOf(key) ?? seedOf(key));
  const classes = new Map<string, { readonly proxies: PlannedProxy[]; readonly effect: Effect | undefined }>();
  // Parts that proxies share stay until the end, so that each is made once.
  const leases: Lease[] = [];
  for (const planned of proxies) {
    const held = leasesOf(planned, old, next);
    append(
      leases,
      held.flatMap(({ was, is }) => [was, is]),
    );
    const key = classKey(planned, held, options);
    const known = classes.get(key);
    if (known !== undefined) known.proxies.push(planned);
    else {
      const isTouched = held.some((pair) => !isSame(pair));
      const rehearsal = isTouched ? play(planned, { old, next, splitFrom: options.splitFrom }) : undefined;
      const resources = {
        before: held.map(({ type, was }) => typed(type, was)),
        after: held.map(({ type, is }) => typed(type, is)),
      };
      classes.set(key, { proxies: [planned], effect: rehearsal?.sent.size ? { rehearsal, resources } : undefined });
    }
    await turn();
  }
  for (const lease of leases) lease.end();
  return Array.from(classes.values(), ({ proxies: all, effect }) => ({
    proxies: all,
    mode: all[0]?.mode ?? "delta",
    effect,
  }));
}

interface Catalogues {
  readonly old: Catalogue;
  readonly next: Catalogue;
  readonly splitFrom: (proxy: Proxy) => number | undefined;
}

function play({ proxy: client, mode, requests }: PlannedProxy, { old, next, splitFrom }: Catalogues): Rehearsal {
  return rehearse({ client, mode, requests }, new SwitchedSource(old, next, splitFrom));
}

function secretNames(proxy: Proxy, { published }: Catalogue): ReadonlySet<string> {
  return new Set(secretClientOf(proxy, published).used);
}

/** The leases of one type, before and after the change. */
interface LeasePair {
  readonly type: ResourceType;
  readonly was: Lease;
  readonly is: Lease;
}

function leasesOf({ proxy, requests }: PlannedProxy, old: Catalogue, next: Catalogue): readonly LeasePair[] {
  return old.types.flatMap((type) => {
    if (type.families.length === 0) return [];
    const request = requests?.find(({ typeUrl }) => typeUrl === type.typeUrl);
    // A type that the proxy does not ask for matters if its resources come to refer to it.
    const asked = request?.asked ?? (type.typeUrl === secretType ? secretNames(proxy, next) : "all");
    return [{ type, was: old.lease(type, proxy, asked), is: next.lease(type, proxy, asked) }];
  });
}

function typed({ typeUrl }: ResourceType, { target = [] }: Lease): TypedResources {
  return { typeUrl, resources: target.flatMap((set) => [...set]) };
}

function isSame({ was, is }: LeasePair): boolean {
  const [before, after] = [was.target, is.target];
  if (before === undefined || after === undefined) return before === after;
  return before.length === after.length && before.every((set, index) => set === after[index]);
}

function classKey(
  { proxy, mode, requests }: PlannedProxy,
  held: readonly LeasePair[],
  { splitFrom }: FleetOptions,
): string {
  const parts = held.flatMap(({ was, is }) => [was.id, is.id]);
  return canonicalKey({ mode, split: splitFrom(proxy), parts, requests: requests?.map((each) => ({ ...each })) });
}

const noTime = () => 0;

function fail({ cause }: GeneratorProblem): never {
  throw new MeshError("internal", `a generator fails: ${cause.message}`, { cause });
}
