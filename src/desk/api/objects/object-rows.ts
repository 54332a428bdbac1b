import type { View } from "../../../collection/collection.ts";
import type { Message } from "../../../config/analysis/message.ts";
import { messages } from "../../../config/analysis/messages.ts";
import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import { isSubstitute } from "../../../config/parse/substitute.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { memoize, oncePer } from "../../../lib/memo.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../../pilot/model/config-id.ts";
import type { DeskState } from "../desk-state.ts";
import { findingsById, severityOf } from "../findings.ts";
import type { ObjectState, ObjectSummary } from "../model/configuration.ts";

/** One object of the list. */
export interface ObjectRow {
  readonly id: ConfigId;
  /** Absent for an object that is invalid and has no earlier version. */
  readonly config?: Config;
  /** The collection that holds it; empty without a config. */
  readonly collection: string;
  readonly messages: readonly Message[];
}

/** Every object, by kind, namespace and name: those in use, and those that only findings know. The same list while they stay. */
export function objectRows(state: DeskState): readonly ObjectRow[] {
  return rowsOf([findingsById(state), ...Array.from(state.objects.united.values(), (each) => each.snapshot())]);
}

type RowParts = readonly [ReadonlyMap<ConfigId, readonly Message[]>, ...(readonly View<Config>[])];

/** The findings of objects, then all collections. */
export const rowsOf = memoize(([findings, ...views]: RowParts): readonly ObjectRow[] => {
  const held = views.flatMap(heldIn);
  const known = new Set(held.map(({ id }) => id));
  const refused = [...findings.keys()].filter((id) => !known.has(id)).map((id): Held => ({ id, collection: "" }));
  // The parts are sorted, which makes this a merge.
  return [...held, ...refused]
    .toSorted((a, b) => compareTexts(a.id, b.id))
    .map((each) => ({ ...each, messages: findings.get(each.id) ?? [] }));
});

export function findObject(state: DeskState, id: ConfigId): ObjectRow | undefined {
  const found = findingsById(state).get(id);
  for (const collection of state.objects.united.values()) {
    const held = byId(collection.snapshot()).get(id);
    if (held !== undefined) return { ...held, messages: found ?? [] };
  }
  return found && { id, collection: "", messages: found };
}

type Held = Omit<ObjectRow, "messages">;

/** A view never changes, so each is listed and sorted once. */
const heldIn = oncePer((view: View<Config>): readonly Held[] =>
  Array.from(view.values(), (config) => ({
    id: configId(config.kind, config.namespace, config.name),
    config,
    collection: view.name,
  })).toSorted((a, b) => compareTexts(a.id, b.id)),
);

const byId = oncePer(
  (view: View<Config>): ReadonlyMap<ConfigId, Held> => new Map(heldIn(view).map((held) => [held.id, held])),
);

/** `quarantined` has the objects that are kept away from some proxies. */
export function summaryOf(
  { id, config, messages: about }: ObjectRow,
  quarantined: ReadonlySet<ConfigId>,
): ObjectSummary {
  const [worst] = about;
  return {
    id,
    kind: kindNameOf(id),
    namespace: namespaceOf(id),
    name: nameOf(id),
    ...(config && { source: config.origin.source, reference: config.origin.reference }),
    apiVersion: config?.apiVersion ?? "",
    version: config?.version ?? "",
    state: stateOf(config, about, quarantined.has(id)),
    ...(worst && { severity: severityOf(worst.type.level) }),
    issues: about.length,
  };
}

function stateOf(config: Config | undefined, about: readonly Message[], isQuarantined: boolean): ObjectState {
  if (config === undefined) return "not in use";
  if (isSubstitute(config)) return "replaced";
  if (about.some(({ type }) => type === messages.schemaValidationError)) return "earlier version in use";
  return isQuarantined ? "in quarantine" : "in use";
}

/** The text that a search looks at, made once per object: its id, its place, its labels and its first hosts. */
export function searchTextOf({ id, config }: ObjectRow): string {
  return config === undefined ? id.toLowerCase() : searchText(config);
}

const maxHosts = 20;
const searchText = oncePer(({ kind, namespace, name, origin, labels, spec }: Config): string => {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [configId(kind, namespace, name), origin.reference, ...pairs, ...hostsIn(spec)].join(" ").toLowerCase();
});

/** The hosts of a VirtualService, ServiceEntry, DestinationRule or Gateway. */
function hostsIn(spec: unknown): readonly string[] {
  if (!isMapping(spec)) return [];
  const { host, hosts, servers } = spec;
  const inServers = Array.isArray(servers) ? servers.slice(0, maxHosts).flatMap(hostsIn) : [];
  const own = [host, ...(Array.isArray(hosts) ? hosts.slice(0, maxHosts) : [])];
  return [...own.filter((each) => typeof each === "string"), ...inServers].slice(0, maxHosts);
}
