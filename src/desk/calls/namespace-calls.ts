import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Service } from "../../pilot/model/service/service.ts";
import type { NamespaceCalls } from "../api/model/mesh.ts";
import { CallClasses } from "./call-classes.ts";
import type { Decision, Verdict } from "./verdict.ts";

/** Services between two pauses for other work. */
const stride = 100;

/** The calls between these namespaces, counted. It takes a while in a large mesh, so it pauses for other work. */
export async function namespaceCalls(
  namespaces: readonly string[],
  push: PushContext,
  turn: () => Promise<void>,
): Promise<readonly NamespaceCalls[]> {
  const classes = new CallClasses(push);
  const wanted = new Set(namespaces);
  const callees = [];
  for (const service of push.services.values()) {
    if (!wanted.has(service.namespace)) continue;
    callees.push(classes.callee(service));
    if (callees.length % stride === 0) await turn();
  }
  const found: NamespaceCalls[] = [];
  for (const from of namespaces) {
    const caller = classes.caller(from);
    const counts = new Map(namespaces.map((to) => [to, { allowed: 0, depends: 0, denied: 0 }]));
    for (const [index, callee] of callees.entries()) {
      const count = counts.get(callee.service.namespace);
      if (count !== undefined) count[classes.decide(caller, callee).verdict]++;
      if (index % stride === 0) await turn();
    }
    for (const [to, count] of counts) found.push({ from, to, ...count });
  }
  return found;
}

/** Services that all callers may call alike. */
export interface AlikeServices {
  readonly services: readonly Service[];
  readonly callers: readonly AlikeCallers[];
}

/** Callers with the same verdict for the same reasons. */
export interface AlikeCallers extends Decision {
  readonly namespaces: readonly string[];
  readonly verdict: Verdict;
}

/** The services in groups, the largest first. */
export async function groupByCallers(
  services: readonly Service[],
  namespaces: readonly string[],
  push: PushContext,
  turn: () => Promise<void>,
): Promise<readonly AlikeServices[]> {
  const classes = new CallClasses(push);
  const callers = [];
  for (const namespace of namespaces) {
    callers.push(classes.caller(namespace));
    await turn();
  }
  const groups = new Map<string, { readonly services: Service[]; readonly callers: readonly AlikeCallers[] }>();
  for (const service of services) {
    const callee = classes.callee(service);
    const decisions = callers.map((caller) => ({ namespace: caller.namespace, ...classes.decide(caller, callee) }));
    const key = JSON.stringify(decisions.map((each) => each.key));
    const group = groups.get(key) ?? { services: [], callers: alikeCallers(decisions) };
    group.services.push(service);
    groups.set(key, group);
    await turn();
  }
  return [...groups.values()].toSorted((a, b) => b.services.length - a.services.length);
}

const order: readonly Verdict[] = ["allowed", "depends", "denied"];

function alikeCallers(decisions: readonly (Decision & { readonly namespace: string })[]): readonly AlikeCallers[] {
  const groups = Map.groupBy(decisions, ({ verdict, reasons }) => JSON.stringify([verdict, reasons]));
  return Array.from(groups.values(), (group) => {
    const [{ verdict, reasons } = { verdict: "allowed" as const, reasons: [] }] = group;
    return { namespaces: group.map(({ namespace }) => namespace), verdict, reasons };
  }).toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
}
