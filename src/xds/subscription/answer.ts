import { memoize } from "../../lib/memo.ts";
import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { difference } from "../resources/difference.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import type { Resource } from "../resources/resource.ts";
import { ResourceSet } from "../resources/resource-set.ts";
import { digestOfAll, digestOfNamed, find, type Target } from "../resources/target.ts";
import { HeldVersions } from "../wire/held-versions.ts";

/** The content of a response. SotW and delta are two encodings of an answer. */
export interface Answer {
  readonly target: Target;
  /** True: the response has the whole target plus `resources`. False: the response has only `resources`. */
  readonly whole: boolean;
  readonly resources: readonly Resource[];
  /** Names to remove, sorted. A SotW answer removes a resource by leaving it out (xDS protocol: Deleting Resources). */
  readonly removed: readonly string[];
  /** Resources that are new or changed for this client. Envoy warms these clusters. */
  readonly changed: readonly Resource[];
  /**
   * Unchanged resources of an answer that the client rejected or did not acknowledge. They may be new to the client
   * too.
   */
  readonly resent: readonly Resource[];
  /** Changed names that this answer leaves out because the client rejected them before. They leave next, alone. */
  readonly postponed: readonly string[];
  /** True for a retry of names from rejected answers. A retry has no newer changes. */
  readonly isRetry: boolean;
  /** Removals that are held back. After a resume the bytes are unknown. */
  readonly retained: Retained;
  /** False when the client already has all of it, according to its own reports. */
  readonly hasChanges: boolean;
}

/** Resources that are removed from the target but that the client may still refer to. */
export type Retained = ReadonlyMap<string, Resource | undefined>;

export const nothingRetained: Retained = new Map();

/** The known state of a client, for one type. */
export interface ClientState {
  readonly type: ResourceType;
  readonly mode: Mode;
  readonly wildcard: boolean;
  readonly names: NameSet;
  /** False before the first response of this stream. */
  readonly answered: boolean;
  readonly sent: Target;
  readonly retained: Retained;
  /** Versions that the client kept from an earlier stream. */
  readonly held: HeldVersions;
  /** Names to send although they did not change. */
  readonly forced: ReadonlySet<string> | "all";
  /** The last target that left without a held-back removal. */
  readonly sentInFull: Target;
  /** The target at the last ACK. */
  readonly acked: Target;
  /**
   * The client unsubscribed from the wildcard. It may have dropped earlier resources, except the named ones (xDS
   * protocol: Unsubscribing From Resources).
   */
  readonly holdsUnknown: boolean;
  /** Names whose last sent version the client has not accepted. */
  readonly rejected: { has(name: string): boolean };
}

/**
 * True where a SotW answer must list every subscribed resource, because absence deletes (xDS protocol: Grouping
 * Resources into Responses).
 */
export function isComplete({ type, mode }: Pick<ClientState, "type" | "mode">): boolean {
  return mode === "sotw" && type.sotw === "whole";
}

/** Inputs of an answer beside the client and its target: the order of responses on the stream. */
export interface AnswerOptions {
  /** False while the client's resources may still refer to removed ones. Called only when something is removed. */
  readonly mayRemove: () => boolean;
  /**
   * Envoy needs this resource again for warming. A version held from an earlier stream does not count (xDS protocol:
   * Resource warming).
   */
  readonly mustResend?: (name: string) => boolean;
}

/** The next response, or `undefined` when the client has its target, as far as the server knows. */
export function answerFor(client: ClientState, target: Target, options: AnswerOptions): Answer | undefined {
  const { type, mode, wildcard, names } = client;
  if (!isNew(client)) return ownAnswer(client, target, options);
  return firstAnswer([type, wildcard ? undefined : names, ...target], { mode });
}

/**
 * A new client that holds nothing and requests either names or everything. It gets all of it, so nothing is sent again
 * for warming.
 */
function isNew(client: ClientState): boolean {
  const { answered, wildcard, names, held, retained, forced, holdsUnknown } = client;
  const asksForNames = names.size > 0;
  if (answered || wildcard === asksForNames) return false;
  return held.size === 0 && retained.size === 0 && forced !== "all" && forced.size === 0 && !holdsUnknown;
}

/** The first answer to clients that request the same: made once, and kept once, however many clients there are. */
const firstAnswer = memoize(
  (
    [type, names, ...target]: readonly [ResourceType, NameSet | undefined, ...Target],
    { mode }: { readonly mode: Mode },
  ): Answer | undefined => {
    const asked = { type, mode, names: names ?? noNames, wildcard: names === undefined };
    const sentNothing = { answered: false, sent: [], acked: [], sentInFull: [] };
    const holdsNothing = { retained: nothingRetained, held: HeldVersions.none, forced: noNames, rejected: noNames };
    const client = { ...asked, ...sentNothing, ...holdsNothing, holdsUnknown: false };
    return ownAnswer(client, target, { mayRemove: () => true });
  },
);

function ownAnswer(client: ClientState, target: Target, options: AnswerOptions): Answer | undefined {
  if (holdsAll(client, target, options)) return { ...nothing, target };
  const { changed, gone, differs } = compare(client, target, options);
  const retained = gone.size > 0 && !options.mayRemove() ? bounded(client, gone) : nothingRetained;
  const released = [...gone.keys()].filter((name) => !retained.has(name)).toSorted();
  const { resources, removed } = collect(client, target, options, { changed, released, retained });
  const complete = isComplete(client);
  const dropsRejected = complete && [...retained].some((entry) => wasRejected(client, entry));
  const says = resources.length > 0 || dropsRejected || (removed.length > 0 && (complete || client.mode === "delta"));
  if (client.answered && !says && client.forced !== "all") return undefined;
  const hasChanges = differs || dropsRejected || removed.length > 0;
  const answer = { ...nothing, target, removed, changed, retained, hasChanges };
  if (!complete) return { ...answer, resources };
  const kept = [...retained.values()].filter((resource) => resource !== undefined);
  if (client.wildcard) return { ...answer, whole: true, resources: kept };
  const wanted = [...client.names].map((name) => find(target, name)).filter((resource) => resource !== undefined);
  return { ...answer, resources: [...wanted, ...kept] };
}

const nothing: Omit<Answer, "target"> = {
  whole: false,
  resources: [],
  removed: [],
  changed: [],
  resent: [],
  postponed: [],
  isRetry: false,
  retained: nothingRetained,
  hasChanges: false,
};

/** The limit of held-back removals among resources that were added since {@link ClientState.sentInFull}. */
export const maxLateRemovals = 1024;

/**
 * Limits held-back removals, which wait as long as listeners or routes stay rejected. All resources of
 * `sentInFull` stay, because the rejected resources may refer to them. Of later additions only the newest stay: resources
 * that referred to the older ones have been replaced. Names of a client without wildcard need no limit, because its
 * subscription bounds them.
 */
function bounded(client: ClientState, gone: Retained): Retained {
  if (!client.wildcard || gone.size <= maxLateRemovals) return gone;
  const isLate = (name: string) => gone.get(name) !== undefined && find(client.sentInFull, name) === undefined;
  const late = [...gone.keys()].filter((name) => isLate(name) && !client.names.has(name));
  const released = new Set(late.slice(0, Math.max(0, late.length - maxLateRemovals)));
  return new Map([...gone].filter(([name]) => !released.has(name)));
}

/**
 * True for a reconnecting client that holds exactly its target. Compares two sums without decoding the client's
 * versions. False when Envoy needs a resource again for warming.
 */
function holdsAll(client: ClientState, target: Target, { mustResend }: AnswerOptions): boolean {
  const { answered, held, names, wildcard, forced } = client;
  if (answered || held.size === 0 || mustResend !== undefined || forced === "all" || forced.size > 0) return false;
  if (wildcard && names.size > 0) return false;
  const { size, digest } = wildcard ? digestOfAll(target) : digestOfNamed(client.type, names, target);
  return size === held.size && digest === held.digest;
}

/** A new client: each resource that it wants is a change, whatever else is known. */
function holdsNothing({ sent, held, retained }: ClientState): boolean {
  return sent.length === 0 && held.size === 0 && retained.size === 0;
}

/** The difference between the client and the target. */
function compare(client: ClientState, target: Target, { mustResend }: AnswerOptions) {
  if (holdsNothing(client)) {
    const all = target.flatMap((set) => [...set]);
    const changed = client.wildcard ? all : all.filter(({ name }) => client.names.has(name));
    return { changed, gone: new Map<string, undefined>(), differs: changed.length > 0 };
  }
  const held = client.held.versions;
  const changed: Resource[] = [];
  let differs = false;
  const gone = new Map(client.retained);
  for (let part = 0; part < Math.max(client.sent.length, target.length); part++) {
    const step = difference(client.sent[part] ?? ResourceSet.empty, target[part] ?? ResourceSet.empty);
    for (const resource of step.changed) {
      if (!wants(client, resource.name)) continue;
      // A resource that only moved to another part, or whose part moved, has not changed.
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
 * The version that the client holds, if known. The client does not hold a rejected version. If a SotW answer still
 * listed that version after its removal, the client would reject the answer again.
 */
export function acceptedOf(client: ClientState, resource: Resource): Resource | undefined {
  if (client.holdsUnknown && !client.names.has(resource.name)) return undefined;
  if (!client.rejected.has(resource.name)) return resource;
  return isComplete(client) ? find(client.acked, resource.name) : undefined;
}

/** The removal is held back, but a complete answer can no longer list the resource. The last answer listed it. */
function wasRejected(client: ClientState, [name, kept]: readonly [string, Resource | undefined]): boolean {
  return kept === undefined && find(client.sent, name) !== undefined;
}

interface Comparison {
  readonly changed: readonly Resource[];
  readonly released: readonly string[];
  readonly retained: Retained;
}

/** Collects the changes, the forced names, and an answer for every subscribed name that does not exist. */
function collect(client: ClientState, target: Target, options: AnswerOptions, comparison: Comparison) {
  const forced = client.forced === "all" ? everyName(client, target) : client.forced;
  const asked = client.answered ? noNames : client.names;
  const { changed, released } = comparison;
  if (forced.size + asked.size + released.length === 0) return { resources: changed, removed: [] };
  const held = client.held.versions;
  const resources = new Map(changed.map((resource) => [resource.name, resource]));
  const removed = new Set<string>();
  for (const name of new Set([...forced, ...asked, ...released])) {
    if (resources.has(name)) continue;
    // The resource waits for removal, and the client holds it from an earlier stream: leave it until the removal may
    // go. An empty answer, in case that Envoy needs it for warming, would end traffic that still refers to it.
    if (!forced.has(name) && comparison.retained.has(name) && held.has(name)) continue;
    const waitsFor = forced.has(name) || options.mustResend?.(name) === true;
    // A requested resource is sent even if it waits for removal, because Envoy may need it for warming.
    const resource = find(target, name) ?? comparison.retained.get(name) ?? client.type.absent?.(name);
    if (resource === undefined && !comparison.retained.has(name)) removed.add(name);
    const due = waitsFor || heldVersion(client, name) !== resource?.version;
    if (resource !== undefined && due) resources.set(name, resource);
  }
  return { resources: [...resources.values()], removed: client.type.neverRemoved ? [] : [...removed].toSorted() };
}

/** Known for versions from an earlier stream, and for held-back removals. */
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
