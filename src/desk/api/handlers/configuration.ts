import type { Viewer } from "../../../admin/viewer.ts";
import { documentationUrl, type Message, messageLocation } from "../../../config/analysis/message.ts";
import { type ConfigId, configId, configKey } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { kindNameOf, namespaceOf } from "../../../pilot/model/config-id.ts";
import { distributionOf } from "../../../pilot/xds/status/distribution.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../endpoint.ts";
import { findingsWithoutObject, referenceOf, severityOf, worstIssue } from "../findings.ts";
import type {
  ConfigurationListing,
  GeneratedFrom,
  ObjectDetail,
  ObjectMessage,
  ObjectRefusal,
  PrecedenceEntry,
  ReachedProxy,
} from "../model/configuration.ts";
import { findObject, type ObjectRow, objectRows, searchTextOf, summaryOf } from "../objects/object-rows.ts";
import { acceptedText, newestDocument, type ObjectText } from "../objects/object-text.ts";
import { filterBy, paginate } from "../paginate.ts";
import { quarantinedIds } from "../quarantined-ids.ts";
import { visibleProxies } from "../proxy-facts.ts";

const shownUnreadable = 20;
const shownMessages = 200;
const shownResources = 100;

export function listObjects(state: DeskState, { viewer, query }: ApiRequest): ApiAnswer {
  const words = (query.get("search") ?? "").toLowerCase().split(/\s+/u);
  const searched = objectRows(state).filter(
    (row) => maySee(viewer, namespaceOf(row.id)) && words.every((word) => searchTextOf(row).includes(word)),
  );
  const { matching, facets } = filterBy(searched, query, {
    kind: ({ id }) => kindNameOf(id),
    namespace: ({ id }) => namespaceOf(id),
    source: ({ config }) => config?.origin.source ?? "",
    severity: ({ messages: [worst] }) => (worst === undefined ? "none" : severityOf(worst.type.level)),
  });
  const page = paginate(matching, query, { keyOf: ({ id }) => id, compare: compareTexts });
  const quarantined = quarantinedIds(state);
  const unreadable = viewer.type === "system" ? findingsWithoutObject(state) : [];
  const listing: ConfigurationListing = {
    ...page,
    items: page.items.map((row) => summaryOf(row, quarantined)),
    facets,
    unreadable: {
      items: unreadable.slice(0, shownUnreadable).map((message) => worstIssue(message, state)),
      total: unreadable.length,
    },
  };
  return found(listing);
}

export async function oneObject(state: DeskState, { viewer, values }: ApiRequest): Promise<ApiAnswer> {
  const row = visibleObject(state, viewer, values);
  if (row === undefined) return unknownObject(values);
  const { config, messages } = row;
  const newest = await newestText(row, state);
  const accepted = config && acceptedText(config);
  const { yaml, firstLine, written } = newest ?? accepted ?? { yaml: "", firstLine: 1, written: false };
  const detail: ObjectDetail = {
    ...summaryOf(row, quarantinedIds(state)),
    yaml,
    firstLine,
    written,
    ...(newest !== undefined && accepted !== undefined && newest.yaml !== accepted.yaml && { inUse: accepted.yaml }),
    messages: messages.slice(0, shownMessages).map(messageOf),
    labels: config?.labels ?? {},
    precedence: precedenceOf(row, viewer, state),
    quarantine: refusalsOf(row.id, viewer, state),
    generated: generatedFrom(row.id, viewer, state),
  };
  return found(detail);
}

/** The proxies that an object reaches. */
export function listReached(state: DeskState, { viewer, values, query }: ApiRequest): ApiAnswer {
  const row = visibleObject(state, viewer, values);
  if (row === undefined) return unknownObject(values);
  const search = (query.get("search") ?? "").toLowerCase();
  const { proxies } = distributionOf(row.id, visibleProxies(state, viewer));
  const matching = proxies.filter(({ node }) => node.toLowerCase().includes(search));
  const page = paginate(matching, query, { keyOf: ({ node }) => node, compare: compareTexts });
  const items = page.items.map(
    ({ node, namespace, upToDate, resources }): ReachedProxy => ({
      node,
      namespace,
      upToDate,
      resources: resources.length,
    }),
  );
  return found({ ...page, items });
}

function visibleObject(state: DeskState, viewer: Viewer, values: readonly string[]): ObjectRow | undefined {
  const id = idIn(values);
  return maySee(viewer, namespaceOf(id)) ? findObject(state, id) : undefined;
}

function idIn([kind = "", namespace = "", name = ""]: readonly string[]): ConfigId {
  return configId(kind, namespace === "-" ? "" : namespace, name);
}

function unknownObject(values: readonly string[]): ApiAnswer {
  const [kind, ...key] = idIn(values).split("/");
  return problem(404, `no source has the ${kind} ${key.filter((part) => part !== "").join("/")}`);
}

/** The newest text, if the version in use is an earlier one. */
async function newestText({ id, messages }: ObjectRow, state: DeskState): Promise<ObjectText | undefined> {
  const place = messages.find(({ type }) => type.level === "Error")?.subject?.locate("");
  if (place === undefined) return undefined;
  const text = await state.newestText(place.file);
  return text === undefined ? undefined : newestDocument(place.file, text, place.line, id);
}

function messageOf(message: Message): ObjectMessage {
  const { type, text, path } = message;
  const line = messageLocation(message)?.line;
  const reference = referenceOf(message);
  return {
    severity: severityOf(type.level),
    code: type.code,
    text,
    path,
    ...(line !== undefined && { line }),
    ...(reference !== undefined && { reference }),
    documentation: documentationUrl(type),
  };
}

/** A workload may not see the sources, as on the overview. */
function precedenceOf({ config, collection }: ObjectRow, viewer: Viewer, state: DeskState): readonly PrecedenceEntry[] {
  if (config === undefined || viewer.type !== "system") return [];
  return state.objects
    .definitionsOf(collection, configKey(config))
    .map(({ origin: { source, reference } }, index) => ({ source, reference, wins: index === 0 }));
}

function refusalsOf(id: ConfigId, viewer: Viewer, state: DeskState): readonly ObjectRefusal[] {
  const report = state.quarantine();
  const classes = new Map(report?.classes.map((each) => [each.id, each.description]));
  const ofOperator = (classId: string, keptFrom: number) =>
    viewer.type === "system" ? { class: classes.get(classId) ?? classId, keptFrom } : {};
  return (report?.refusals ?? [])
    .filter((refusal) => refusal.id === id)
    .map(({ classId, reason, since, keptFrom, instead }) => ({
      ...ofOperator(classId, keptFrom),
      reason,
      since: state.timeOf(since).toISOString(),
      instead: instead.type,
    }));
}

function generatedFrom(id: ConfigId, viewer: Viewer, state: DeskState): GeneratedFrom {
  const { proxies, upToDate } = distributionOf(id, visibleProxies(state, viewer));
  const holders = new Map<string, number>();
  for (const { resources } of proxies) {
    for (const { type, name } of resources) {
      const key = `${type} ${name}`;
      holders.set(key, (holders.get(key) ?? 0) + 1);
    }
  }
  const sorted = [...holders].toSorted(([a, most], [b, more]) => more - most || compareTexts(a, b));
  const items = sorted.slice(0, shownResources).map(([key, count]) => {
    const space = key.indexOf(" ");
    return { type: key.slice(0, space), name: key.slice(space + 1), proxies: count };
  });
  return { proxies: proxies.length, upToDate, resources: { items, total: sorted.length } };
}
