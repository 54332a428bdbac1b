import fc from "fast-check";
import { type Action, actions } from "./action.ts";
import type { SiteCall } from "./call.ts";
import { type Criterion, criteria } from "./criterion.ts";

/** A host with random routes, and requests to it that are close to what its routes match. */
export interface RandomSite {
  readonly host: string;
  readonly routes: readonly Route[];
  readonly calls: readonly SiteCall[];
}

interface Route {
  readonly name: string;
  readonly matches: readonly (readonly Criterion[])[];
  readonly action: Action;
}

const match = fc.uniqueArray(criteria, { minLength: 1, maxLength: 3, selector: ({ field }) => field });
const matches = fc.array(match, { maxLength: 2 });
const some = fc.array(fc.record({ matches, action: actions }), { minLength: 1, maxLength: 6 });
/** Most sites have a route for all that is left. */
const rest = fc.option(actions, { nil: undefined, freq: 3 });
const routes = fc.tuple(some, rest).map(([list, action]) => {
  const all = action === undefined ? list : [...list, { matches: [], action }];
  return all.map((route, index): Route => ({ name: `r${index}`, ...route }));
});

/** A host of the site: as it is written, with a port, in capitals, or one that nobody has. */
const spelling = fc.oneof(
  { weight: 12, arbitrary: fc.constant((host: string) => host) },
  { weight: 1, arbitrary: fc.constant((host: string) => `${host}:1234`) },
  { weight: 1, arbitrary: fc.constant((host: string) => host.toUpperCase()) },
  { weight: 1, arbitrary: fc.constant((host: string) => `no-${host}`) },
);

/** A request that some match of the site takes, and in every third case something of it changed. */
function callsTo(host: string, all: readonly Route[]): fc.Arbitrary<SiteCall> {
  const wanted = all.flatMap((route) => (route.matches.length === 0 ? [[]] : route.matches));
  return fc
    .record({
      wanted: fc.constantFrom(...wanted),
      changed: fc.option(criteria, { nil: undefined, freq: 1 }),
      isChanged: fc.nat(2).map((dice) => dice === 0),
      spelling,
    })
    .map(({ wanted: all, changed, isChanged, spelling: spell }) => {
      const base: SiteCall = { method: "GET", host: spell(host), path: "/", query: "", headers: {} };
      const satisfied = all.reduce((call, { satisfy }) => satisfy(call), base);
      return isChanged && changed !== undefined ? changed.satisfy(satisfied) : satisfied;
    });
}

export function randomSites(count: number, callsEach: number, seed: number): readonly RandomSite[] {
  const lists = fc.sample(routes, { seed, numRuns: count });
  return lists.map((list, index) => {
    const host = `site-${index}.example.com`;
    return { host, routes: list, calls: fc.sample(callsTo(host, list), { seed: seed + index, numRuns: callsEach }) };
  });
}

/** The HTTP routes of a site's VirtualService. */
export function httpOf({ routes: list }: RandomSite): readonly object[] {
  return list.map(({ name, matches: any, action }) => ({
    name,
    ...(any.length > 0 && { match: any.map((all) => Object.assign({}, ...all.map(({ spec }) => spec))) }),
    ...action.spec,
  }));
}
