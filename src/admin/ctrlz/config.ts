import type { Config } from "../../config/config.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { compareTexts } from "../../lib/compare.ts";
import type { JournalEntry } from "../../mcp/journal.ts";
import type { HeldStatus } from "../../mcp/sink/sink.ts";
import type { StreamStatus } from "../../mcp/source/stream-status.ts";
import { contentOf } from "../galley/object-content.ts";
import { json } from "../route.ts";
import { type Html, html } from "./html.ts";
import type { Topic } from "./topic.ts";

/** A remote Galley, as its sink sees it. */
export interface RemoteGalley {
  readonly name: string;
  /** Whether a stream to it is open. */
  readonly attached: boolean;
  readonly collections: readonly HeldStatus[];
  /** The last requests, oldest first. */
  readonly requests: readonly JournalEntry[];
}

/** The data of the page. */
export interface Published {
  readonly snapshots: () => ReadonlyMap<string, Snapshot>;
  /** The MCP sinks that receive it. */
  readonly sinks?: () => readonly StreamStatus[];
  /** The remote Galleys that it comes from over MCP. */
  readonly galleys?: () => readonly RemoteGalley[];
}

/** One collection of a snapshot, in the format of Galley's own page. */
interface Shown {
  readonly Collection: string;
  readonly Version: string;
  readonly Names: readonly string[];
  /** By peer, whether the peer acknowledged this version. */
  readonly Synced: Readonly<Record<string, boolean>>;
}

/** The last published snapshot per group with its sinks, and the received configuration with its Galleys. */
export function configTopic(published: Published): Topic {
  const { snapshots } = published;
  return {
    prefix: "config",
    title: "Snapshots",
    doc: "the last published snapshots, and the sinks that have them; ?group=GROUP, default is the first group",
    data: (query) => dataOf(published, query),
    body: (query) => bodyOf(dataOf(published, query), groupOf(snapshots(), query)),
    more: [
      {
        path: "/configj/resource",
        doc: "one object of a snapshot; ?group=GROUP&collection=COLLECTION&name=NAME",
        answer: (query) => json(resourceOf(snapshots(), query)),
      },
    ],
  };
}

function groupsOf(snapshots: ReadonlyMap<string, Snapshot>): readonly string[] {
  return [...snapshots.keys()].toSorted(compareTexts);
}

/** The requested group, else the first one. Empty before the first snapshot. */
function groupOf(snapshots: ReadonlyMap<string, Snapshot>, query: URLSearchParams): string {
  return query.get("group") || (groupsOf(snapshots)[0] ?? "");
}

function dataOf({ snapshots, sinks = () => [], galleys = () => [] }: Published, query: URLSearchParams) {
  const all = snapshots();
  const snapshot = all.get(groupOf(all, query));
  const connected = sinks();
  return {
    Snapshots: snapshot === undefined ? [] : shownCollections(snapshot, connected),
    Groups: groupsOf(all),
    Sinks: connected.map(shownSink),
    Galleys: galleys().map(shownGalley),
  };
}

function shownCollections(snapshot: Snapshot, sinks: readonly StreamStatus[]): readonly Shown[] {
  const shown = Array.from(snapshot.collections, ([name, view]) => ({
    Collection: name,
    Version: snapshot.version(name),
    Names: Array.from(view.entries(), ([key]) => key).toSorted(compareTexts),
    Synced: syncedPeers(name, sinks),
  }));
  return shown.toSorted((a, b) => compareTexts(a.Collection, b.Collection));
}

/** A peer is synced when nothing newer waits for it and it accepted the last sent version. */
function syncedPeers(name: string, sinks: readonly StreamStatus[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    sinks.flatMap(({ peer, collections, queue }) => {
      const held = collections.find(({ collection }) => collection === name);
      if (held === undefined) return [];
      const waits = queue.queued_set.includes(name) || held.pendingNonce !== undefined;
      return [[peer, !waits && held.ackedVersion !== undefined && held.ackedVersion === held.sentVersion]];
    }),
  );
}

function shownSink({ id, peer, identity, nodeId, collections, recentRequests }: StreamStatus) {
  return {
    Stream: id,
    Peer: peer,
    Identity: identity,
    ID: nodeId,
    Collections: collections.map(({ collection, sentVersion, ackedVersion, lastNack }) => ({
      Collection: collection,
      Sent: sentVersion ?? null,
      Acked: ackedVersion ?? null,
      LastNack: lastNack ?? null,
    })),
    LatestRequests: recentRequests.map(shownRequest),
  };
}

function shownGalley({ name, attached, collections, requests }: RemoteGalley) {
  return {
    Source: name,
    Attached: attached,
    ID: "",
    Metadata: {},
    Collections: collections.map(({ collection }) => collection).toSorted(compareTexts),
    Versions: Object.fromEntries(collections.map((each) => [each.collection, each.systemVersion ?? null])),
    LatestRequests: requests.map(shownRequest),
  };
}

/** `Time` is in milliseconds of the process's own clock. */
function shownRequest({ at, ...request }: JournalEntry) {
  return { Time: at, Request: request };
}

function resourceOf(snapshots: ReadonlyMap<string, Snapshot>, query: URLSearchParams) {
  const view = snapshots.get(query.get("group") ?? "")?.collections.get(query.get("collection") ?? "");
  const config = view?.get(query.get("name") ?? "");
  return config === undefined ? null : { metadata: metadataOf(config), body: contentOf(config).spec };
}

function metadataOf(config: Config) {
  const { namespace, name, version, createdAt, origin } = config;
  const { labels, annotations } = contentOf(config);
  const createTime = createdAt === 0 ? null : new Date(createdAt).toISOString();
  return { namespace, name, version, createTime, labels, annotations, reference: origin.reference };
}

function bodyOf({ Snapshots, Groups, Sinks, Galleys }: ReturnType<typeof dataOf>, group: string): Html {
  if (Groups.length === 0) return html`<p>Nothing has been published yet.</p>`;
  const content = Groups.includes(group)
    ? html`${Snapshots.map((shown) => collectionSection(shown, group))}`
    : html`<p>There is no such group.</p>`;
  return html`<p>Groups: ${Groups.map((each) => html`<a href="/configz/?${query({ group: each })}">${each}</a>`)}</p>
<h2>${group}</h2>
${content}
<h2>Sinks</h2>
<ul>${Sinks.map(({ Peer, Identity, Collections }) => html`<li>${Peer} ${Identity}: ${Collections.length} collections</li>`)}</ul>
<h2>Remote Galleys</h2>
<ul>${Galleys.map(({ Source, Attached }) => html`<li>${Source}: ${Attached ? "connected" : "not connected"}</li>`)}</ul>`;
}

function collectionSection({ Collection: collection, Version, Names }: Shown, group: string): Html {
  return html`<details>
<summary>${collection} (${Names.length}), version <code>${Version}</code></summary>
<ul>${Names.map((name) => html`<li><a href="/configj/resource?${query({ group, collection, name })}">${name}</a></li>`)}</ul>
</details>`;
}

function query(parameters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(parameters).toString();
}
