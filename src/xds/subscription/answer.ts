import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { difference } from "../resources/difference.ts";
import type { NameSet } from "../resources/name-set.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import { digestOfAll, digestOfNamed, find, type Target } from "../resources/target.ts";
import type { HeldVersions } from "../wire/held-versions.ts";

/** What a response has to say. SotW and delta are two encodings of it. */
export interface Answer {
  readonly target: Target;
  /** True: everything in the target is sent, and `resources` come on top. False: `resources` are all. */
  readonly whole: boolean;
  readonly resources: readonly Resource[];
  /** Names to take away, sorted. A SotW answer takes away by leaving out. */
  readonly removed: readonly string[];
  /** What is new to this client or differs from what it had: the clusters that Envoy will warm. */
  readonly changed: readonly Resource[];
  /** What did not change but was in an answer that the client rejected or passed over: it may be new to it, too. */
  readonly resent: readonly Resource[];
  /** Names that changed and do not go along, because the client rejected them before: they go next, alone. */
  readonly postponed: readonly string[];
  /** True for names of rejected answers that are tried again. Nothing that changed meanwhile is in it. */
  readonly again: boolean;
  /** Removals that are held back; the bytes are unknown after a resume. */
  readonly retained: Retained;
  /** False when the client has had all of it before, as far as it said. */
  readonly news: boolean;
}

/** Resources that are gone from the target but that the client may still refer to. */
export type Retained = ReadonlyMap<string, Resource | undefined>;

export const nothingRetained: Retained = new Map();

/** What is known of a client, for one type. */
export interface ClientState {
  readonly type: ResourceType;
  readonly mode: Mode;
  readonly wildcard: boolean;
  readonly names: NameSet;
  /** False before the first response of this stream. */
  readonly answered: boolean;
  readonly sent: Target;
  readonly retained: Retained;
  /** What it kept from an earlier stream. */
  readonly held: HeldVersions;
  /** Names to send although they did not change. */
  readonly owed: ReadonlySet<string> | "all";
  /** What it was to have when no removal was held back last. */
  readonly inStep: Target;
  /** What it was to have when it last said yes. */
  readonly acked: Target;
  /** It left all and came back: what it was sent before, it may have dropped, but for what it names. */
  readonly holdsUnknown: boolean;
  /** Names that it has not accepted as they were last sent. */
  readonly rejected: { has(name: string): boolean };
}

/** True where a SotW answer lists everything that is asked for: what is left out is gone. */
export function isComplete({ type, mode }: Pick<ClientState, "type" | "mode">): boolean {
  return mode === "sotw" && type.sotw === "whole";
}

/** What decides about an answer beside the client and its target: the order of things on the stream. */
export interface AnswerOptions {
  /** False while something the client holds may still refer to what is gone. Asked only when something is. */
  readonly mayRemove: () => boolean;
  /** Envoy waits for this resource to arrive again: a version held from an earlier stream does not count. */
  readonly mustResend?: (name: string) => boolean;
}

/** The next response, or `undefined` when the client has, as far as we know, what it should have. */
export function answerFor(client: ClientState, target: Target, options: AnswerOptions): Answer | undefined {
  if (holdsAll(client, target, options)) return { ...nothing, target };
  const { changed, gone, differs } = compare(client, target, options);
  const retained = gone.size > 0 && !options.mayRemove() ? bounded(client, gone) : nothingRetained;
  const released = [...gone.keys()].filter((name) => !retained.has(name)).toSorted();
  const { resources, removed } = collect(client, target, options, { changed, released, retained });
  const complete = isComplete(client);
  const says = resources.length > 0 || (removed.length > 0 && (complete || client.mode === "delta"));
  if (client.answered && !says && client.owed !== "all") return undefined;
  const news = differs || removed.length > 0;
  const answer = { ...nothing, target, removed, changed, retained, news };
  if (!complete) return { ...answer, resources };
  const kept = [...retained.values()].filter((resource) => resource !== undefined);
  if (client.wildcard) return { ...answer, whole: true, resources: kept };
  const wanted = [...client.names].map((name) => find(target, name)).filter((resource) => resource !== undefined);
  return { ...answer, resources: [...wanted, ...kept] };
}

const nothing = {
  whole: false,
  resources: [],
  removed: [],
  changed: [],
  resent: [],
  postponed: [],
  again: false,
  retained: nothingRetained,
  news: false,
};

/** How many removals may be held back of what a client got after it was last in step. */
export const maxLateRemovals = 1024;

/**
 * While listeners or routes stay rejected, removals are held back for as long. All that the client had when it was last
 * in step is kept, because what it rejected since may refer to it. Of what came later and went again only the newest
 * are kept: what referred to the others has long been replaced. Names that were asked for one by one are bounded already.
 */
function bounded(client: ClientState, gone: Retained): Retained {
  if (!client.wildcard || gone.size <= maxLateRemovals) return gone;
  const isLate = (name: string) => gone.get(name) !== undefined && find(client.inStep, name) === undefined;
  const late = [...gone.keys()].filter((name) => isLate(name) && !client.names.has(name));
  const released = new Set(late.slice(0, Math.max(0, late.length - maxLateRemovals)));
  return new Map([...gone].filter(([name]) => !released.has(name)));
}

/**
 * A client that comes back and holds the very thing: told by two sums, without reading what it said. Not so when Envoy
 * waits for something to arrive again.
 */
function holdsAll(client: ClientState, target: Target, { mustResend }: AnswerOptions): boolean {
  const { answered, held, names, wildcard, owed } = client;
  if (answered || held.size === 0 || mustResend !== undefined || owed === "all" || owed.size > 0) return false;
  if (wildcard && names.size > 0) return false;
  const { size, digest } = wildcard ? digestOfAll(target) : digestOfNamed(client.type, names, target);
  return size === held.size && digest === held.digest;
}

/** What separates the client from the target. */
function compare(client: ClientState, target: Target, { mustResend }: AnswerOptions) {
  const held = client.held.versions;
  const changed: Resource[] = [];
  let differs = false;
  const gone = new Map(client.retained);
  for (let part = 0; part < Math.max(client.sent.length, target.length); part++) {
    const step = difference(client.sent[part] ?? ResourceSet.empty, target[part] ?? ResourceSet.empty);
    for (const resource of step.changed) {
      if (!wants(client, resource.name)) continue;
      // What only moved to another part, or whose part moved, is no news.
      const had = heldVersion(client, resource.name) ?? find(client.sent, resource.name)?.version;
      const isNew = had !== resource.version;
      if (isNew || mustResend?.(resource.name) === true) changed.push(resource);
      differs ||= isNew;
    }
    for (const resource of step.removed) gone.set(resource.name, acceptedOf(client, resource));
  }
  for (const name of held.keys()) gone.set(name, undefined);
  for (const name of gone.keys()) if (!wants(client, name) || find(target, name) !== undefined) gone.delete(name);
  return { changed, gone, differs };
}

/**
 * The resource as the client holds it, as far as that is known. It does not hold what it rejected: a SotW answer that
 * kept on listing that would be rejected for it, although it is gone.
 */
export function acceptedOf(client: ClientState, resource: Resource): Resource | undefined {
  if (client.holdsUnknown && !client.names.has(resource.name)) return undefined;
  if (!client.rejected.has(resource.name)) return resource;
  return isComplete(client) ? find(client.acked, resource.name) : undefined;
}

interface Comparison {
  readonly changed: readonly Resource[];
  readonly released: readonly string[];
  readonly retained: Retained;
}

/** The changes, what is owed beside them, and a word on every name that is asked for but not there. */
function collect(client: ClientState, target: Target, options: AnswerOptions, comparison: Comparison) {
  const held = client.held.versions;
  const resources = new Map(comparison.changed.map((resource) => [resource.name, resource]));
  const removed = new Set<string>();
  const owed = client.owed === "all" ? everyName(client, target) : client.owed;
  const asked = client.answered ? [] : client.names;
  for (const name of new Set([...owed, ...asked, ...comparison.released])) {
    if (resources.has(name)) continue;
    const waitsFor = owed.has(name) || options.mustResend?.(name) === true;
    // It is about to go, and the client brought it along from an earlier stream: let it be until it may go.
    if (!waitsFor && comparison.retained.has(name) && held.has(name)) continue;
    // What is asked for is answered, also when it is about to go: Envoy may be waiting for it.
    const resource = find(target, name) ?? comparison.retained.get(name) ?? client.type.absent?.(name);
    if (resource === undefined && !comparison.retained.has(name)) removed.add(name);
    const due = waitsFor || heldVersion(client, name) !== resource?.version;
    if (resource !== undefined && due) resources.set(name, resource);
  }
  return { resources: [...resources.values()], removed: client.type.neverRemoved ? [] : [...removed].toSorted() };
}

/** Known of what it brought from an earlier stream, and of what went without its being told. */
function heldVersion({ held, retained }: ClientState, name: string): string | undefined {
  return held.versions.get(name) ?? retained.get(name)?.version;
}

function everyName(client: ClientState, target: Target): ReadonlySet<string> {
  if (!client.wildcard) return client.names;
  return new Set([...client.names, ...target.flatMap((set) => Array.from(set, (resource) => resource.name))]);
}

function wants(client: ClientState, name: string): boolean {
  return client.wildcard || client.names.has(name);
}
