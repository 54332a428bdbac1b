import { type DescMessage, isMessage } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { kinds } from "../../config/kinds.ts";
import { toRaw } from "../../config/proto-json/to-raw.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { compareTexts } from "../../lib/compare.ts";
import { json } from "../route.ts";
import { type Html, html } from "./html.ts";
import type { Topic } from "./topic.ts";

type Snapshots = () => ReadonlyMap<string, Snapshot>;

/** One collection of a snapshot, in the words of Galley's own page. */
interface Shown {
  readonly Collection: string;
  readonly Version: string;
  readonly Names: readonly string[];
  /** By peer, whether it has this version. There are none yet. */
  readonly Synced: Readonly<Record<string, boolean>>;
}

/** What was published last, group by group. */
export function configTopic(snapshots: Snapshots): Topic {
  return {
    prefix: "config",
    title: "Snapshots",
    doc: "what was published last; ?group=GROUP, else the first one",
    data: (query) => snapshotOf(snapshots(), query),
    body: (query) => bodyOf(snapshotOf(snapshots(), query), groupOf(snapshots(), query)),
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

/** The one that was asked for, else the first; empty while nothing was published. */
function groupOf(snapshots: ReadonlyMap<string, Snapshot>, query: URLSearchParams): string {
  return query.get("group") || (groupsOf(snapshots)[0] ?? "");
}

function snapshotOf(snapshots: ReadonlyMap<string, Snapshot>, query: URLSearchParams) {
  const snapshot = snapshots.get(groupOf(snapshots, query));
  return { Snapshots: snapshot === undefined ? [] : shownCollections(snapshot), Groups: groupsOf(snapshots) };
}

function shownCollections(snapshot: Snapshot): readonly Shown[] {
  const shown = Array.from(snapshot.collections, ([name, view]) => ({
    Collection: name,
    Version: snapshot.version(name),
    Names: Array.from(view.entries(), ([key]) => key).toSorted(compareTexts),
    Synced: {},
  }));
  return shown.toSorted((a, b) => compareTexts(a.Collection, b.Collection));
}

function resourceOf(snapshots: ReadonlyMap<string, Snapshot>, query: URLSearchParams) {
  const view = snapshots.get(query.get("group") ?? "")?.collections.get(query.get("collection") ?? "");
  const config = view?.get(query.get("name") ?? "");
  return config === undefined ? null : { metadata: metadataOf(config), body: specOf(config) };
}

function metadataOf(config: Config) {
  const { namespace, name, version, createdAt, labels, origin } = config;
  const createTime = createdAt === 0 ? null : new Date(createdAt).toISOString();
  const annotations = isSecret(config) ? {} : config.annotations;
  return { namespace, name, version, createTime, labels, annotations, reference: origin.reference };
}

/** What is no message, as our own services are not, is shown as it is. */
function specOf(config: Config): unknown {
  if (isSecret(config)) return null;
  const { spec } = config;
  const schema = kinds.map((kind): DescMessage => kind.schema).find((each) => isMessage(spec, each));
  return schema === undefined || !isMessage(spec, schema) ? spec : toRaw(schema, spec);
}

/** Secrets stay what they are; annotations may repeat them as they were applied. */
function isSecret({ kind }: Config): boolean {
  return kind === "Secret";
}

function bodyOf({ Snapshots, Groups }: ReturnType<typeof snapshotOf>, group: string): Html {
  if (Groups.length === 0) return html`<p>Nothing has been published yet.</p>`;
  const content = Groups.includes(group)
    ? html`${Snapshots.map((shown) => collectionSection(shown, group))}`
    : html`<p>There is no such group.</p>`;
  return html`<p>Groups: ${Groups.map((each) => html`<a href="/configz/?${query({ group: each })}">${each}</a>`)}</p>
<h2>${group}</h2>
${content}`;
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
