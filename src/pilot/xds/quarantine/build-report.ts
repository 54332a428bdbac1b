import type { Connection } from "../../../xds/connection.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { ProxyClass } from "../../model/proxy/proxy-class.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import type { Refusal, RefusingScope } from "./refusals.ts";
import { classScope, covers, type Scope } from "./scope.ts";
import type { QuarantineReport, RefusalState, ReportedClass, ReportedRefusal, ReportedReplacement } from "./report.ts";

/** The parts of the quarantine that a report shows. */
export interface ReportInputs extends Pick<QuarantineReport, "released" | "search" | "untrusted"> {
  readonly connections: readonly Connection<Proxy>[];
  readonly scopes: readonly RefusingScope[];
  readonly stateOf: (scope: Scope, refusal: Refusal) => RefusalState;
  /** Whether a proxy of a class gets the object already. */
  readonly hasAlready: (scope: Scope, refusal: Refusal, node: string) => boolean;
}

export function buildReport(inputs: ReportInputs): QuarantineReport {
  const { released, search, untrusted } = inputs;
  const classes = classesIn(inputs);
  const refusals = inputs.scopes.flatMap(({ scope, refusals: all }) => {
    const clients = Array.from(inputs.connections, ({ client }) => client).filter((client) => covers(scope, client));
    return Array.from(all.values(), (refusal): ReportedRefusal => {
      const { id, version, reason, rejected, since, node, confirmedBy, probes, instead } = refusal;
      const facts = { classId: scope.id, id, version, reason, rejected, since, node, confirmedBy, probes };
      const nodes = clients.map(({ nodeId }) => nodeId);
      const arrivedAt = nodes.filter((each) => inputs.hasAlready(scope, refusal, each));
      const keptFrom = nodes.length - arrivedAt.length;
      return { ...facts, keptFrom, arrivedAt, instead: replacementIn(instead), state: inputs.stateOf(scope, refusal) };
    });
  });
  return {
    classes: [...classes.values()].toSorted((a, b) => compareTexts(a.description, b.description)),
    refusals: refusals.toSorted((a, b) => a.since - b.since),
    released,
    search,
    untrusted,
  };
}

function classesIn({ connections, scopes }: ReportInputs): ReadonlyMap<string, ReportedClass> {
  const found = new Map<string, { readonly scope: ProxyClass; proxies: number }>();
  for (const { scope } of scopes) found.set(scope.id, { scope, proxies: 0 });
  const alone = scopes.map(({ scope }) => scope).filter(({ node }) => node !== undefined);
  for (const { client } of connections) {
    for (const scope of [classScope(client), ...alone.filter((each) => covers(each, client))]) {
      const entry = found.get(scope.id) ?? { scope, proxies: 0 };
      found.set(scope.id, entry);
      entry.proxies += 1;
    }
  }
  return new Map(Array.from(found, ([id, { scope, proxies }]) => [id, { id, description: scope.name, proxies }]));
}

function replacementIn({ type, objects }: Replacement): ReportedReplacement {
  if (type !== "earlier version") return { type };
  const version = [...objects.values()].find((config) => config !== undefined)?.version;
  return { type, version: version ?? "" };
}
