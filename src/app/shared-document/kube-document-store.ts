import type { KubeClient } from "../../kube/kube-client.ts";
import { openWatch } from "../../kube/watch.ts";
import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { ask, fieldManager, isRefusal, mergePatch, unlessMissing } from "../kube/kube-calls.ts";
import { repeatedWatch } from "./repeated-watch.ts";

/** The texts of an object's `data`, by key. Those of a Secret are decoded. */
type DataTexts = ReadonlyMap<string, string>;

/** How a document becomes the `data` of an object. */
export interface DataFormat<Content> {
  readonly kind: "ConfigMap" | "Secret";
  /** The type of a new Secret. */
  readonly type?: string;
  readonly encode: (content: Content) => DataTexts;
  /** Undefined if the object has no content yet. Throws `bad-config` if the content cannot be read. */
  readonly decode: (texts: DataTexts) => Content | undefined;
}

export interface KubeDocumentStoreOptions<Content> {
  /** Belongs to the store, which closes it. */
  readonly client: KubeClient;
  readonly clock: SupervisedClock;
  readonly namespace: string;
  /** The name of the object. */
  readonly name: string;
  readonly format: DataFormat<Content>;
}

/** An object as the API server returns it. The API server has validated it. */
interface DataObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** Longer than the API server lets pass between two bookmarks. */
const silenceMs = 150_000;
const query = { fieldManager };

/** A document in a ConfigMap or Secret. Its revision is the resource version, so the API server refuses a stale write. */
export function kubeDocumentStore<Content>(options: KubeDocumentStoreOptions<Content>): DocumentStore<Content> {
  const { client, clock, namespace, name, format } = options;
  const { kind, type } = format;
  const encoding = kind === "Secret" ? "base64" : "utf8";
  const objects = `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
  const path = `${objects}/${name}`;

  async function find(): Promise<DataObject | undefined> {
    return (await unlessMissing(ask(client, { path }))) as DataObject | undefined;
  }

  async function create(data: DataObject["data"]): Promise<unknown> {
    const body = { apiVersion: "v1", kind, metadata: { name, namespace }, ...(type && { type }), data };
    return await ask(client, { method: "POST", path: objects, query, body });
  }

  async function update(resourceVersion: string, data: DataObject["data"]): Promise<unknown> {
    const body = { metadata: { resourceVersion }, data };
    return await ask(client, { method: "PATCH", path, query, body, contentType: mergePatch });
  }

  async function write(previous: string | undefined, next: Content): Promise<StoredDocument<Content> | undefined> {
    const texts = Array.from(
      format.encode(next),
      ([key, text]) => [key, Buffer.from(text).toString(encoding)] as const,
    );
    const data = Object.fromEntries(texts);
    if (previous !== undefined) return storedIn((await update(previous, data)) as DataObject);
    const found = await find();
    const stored = found && storedIn(found);
    if (stored !== undefined) return stored;
    // An installer may have made an empty object.
    const written = found ? await update(found.metadata.resourceVersion, data) : await create(data);
    return storedIn(written as DataObject);
  }

  async function replace(previous: string | undefined, next: Content): Promise<StoredDocument<Content>> {
    try {
      const stored = await write(previous, next);
      if (stored !== undefined) return stored;
      throw new MeshError("unavailable", "the API server dropped the content");
    } catch (thrown) {
      // Another replica wrote, created or deleted the object. A 404 on creation means that the namespace is missing.
      if (!isRefusal(thrown, 409) && !isRefusal(thrown, 404)) throw thrown;
      const found = await find();
      const stored = found && storedIn(found);
      if (stored !== undefined) return stored;
      if (previous === undefined) throw thrown;
      return await replace(undefined, next);
    }
  }

  function storedIn({ metadata, data = {} }: DataObject): StoredDocument<Content> | undefined {
    const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding).toString()] as const);
    const content = format.decode(new Map(texts));
    return content === undefined ? undefined : { content, revision: metadata.resourceVersion };
  }

  async function watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    const filter = { fieldSelector: `metadata.name=${name}` };
    const watching = { path: objects, query: filter, signal, clock, silenceMs: () => silenceMs };
    const events = await openWatch(client, watching);
    changed();
    for await (const _ of events) changed();
  }

  /** Failures name the object, unless they are about its content. */
  async function named<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof MeshError && thrown.code === "bad-config") throw thrown;
      const problem = `${kind} ${namespace}/${name}: ${networkReason(thrown)}`;
      throw new MeshError("unavailable", problem, { cause: thrown });
    }
  }

  return {
    read: () => named(find().then((found) => found && storedIn(found))),
    replace: (previous, next) => named(replace(previous, next)),
    watch: (onChange, onError) => repeatedWatch({ clock, watch: watchOnce, onChange, onError }),
    close: async () => client[Symbol.dispose](),
  };
}
