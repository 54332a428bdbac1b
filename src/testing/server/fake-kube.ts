import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenLocally, portOfServer } from "./listen-locally.ts";

/** An object as an API server has it. */
export interface FakeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** A fault that replaces the answer to a request. */
export type KubeFault =
  | { readonly type: "status"; readonly code: number; readonly retryAfter?: number; readonly status?: object }
  /** The watch begins, and this line is its first event. */
  | { readonly type: "event"; readonly line: string }
  | { readonly type: "hang" }
  /** The test writes the answer. */
  | { readonly type: "answer"; readonly answer: (response: ServerResponse, request: IncomingMessage) => void }
  | { readonly type: "cut" };

export interface FakeRequest {
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
}

interface Change {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: string;
  readonly object: FakeObject;
}

interface Watcher {
  readonly resource: string;
  readonly response: ServerResponse;
}

/**
 * An API server that does on demand what a real one does seldom. It serves the given kinds, each as the last part of a
 * path (`/apis/networking.istio.io/v1/serviceentries`). It keeps a history and can forget it.
 */
export class FakeKube implements AsyncDisposable {
  /** The requests received. */
  readonly requests: FakeRequest[] = [];
  /** Called before every answer. */
  fault: (request: FakeRequest) => KubeFault | undefined = () => undefined;
  /** True if it can send the existing objects at the start of a watch (watch list). */
  watchList = true;
  ready = true;
  readonly #server: Server;
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-fake-kube-"));
  readonly #resources: Set<string>;
  readonly #objects = new Map<string, Map<string, FakeObject>>();
  #history: Change[] = [];
  #version = 100;
  #forgotten = 0;
  readonly #watchers = new Set<Watcher>();
  readonly #pages = new Map<string, { readonly version: number; readonly items: readonly FakeObject[] }>();

  private constructor(resources: readonly string[]) {
    this.#resources = new Set(resources);
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(resources: readonly string[]): Promise<FakeKube> {
    const fake = new FakeKube(resources);
    await listenLocally(fake.#server);
    return fake;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  /** The path of a kubeconfig for it, or for a proxy in between. */
  kubeconfig(token = "token", port = this.port): string {
    const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    const config = {
      clusters: [{ name: "fake", cluster }],
      users: [{ name: "test", user: { token } }],
      contexts: [{ name: "fake", context: { cluster: "fake", user: "test" } }],
      "current-context": "fake",
    };
    const file = join(this.#folder, "kubeconfig");
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /** Adds or removes a kind. Removal deletes the objects of the kind and ends their watches. */
  define(resource: string, there: boolean): void {
    if (there) this.#resources.add(resource);
    else {
      this.#resources.delete(resource);
      this.#objects.delete(resource);
      for (const watcher of this.#watchers) if (watcher.resource === resource) this.#end(watcher, "properly");
    }
  }

  put(resource: string, object: FakeObject): void {
    const objects = this.#objects.get(resource) ?? new Map<string, FakeObject>();
    this.#objects.set(resource, objects);
    const key = keyOf(object);
    const type = objects.has(key) ? "MODIFIED" : "ADDED";
    const stored = this.#stamped(object);
    objects.set(key, stored);
    this.#tell({ version: this.#version, type, resource, object: stored });
  }

  remove(resource: string, key: string): void {
    const object = this.#objects.get(resource)?.get(key);
    if (object === undefined) return;
    this.#objects.get(resource)?.delete(key);
    this.#tell({ version: this.#version + 1, type: "DELETED", resource, object: this.#stamped(object) });
  }

  /** Forgets the history: rejects watches and pages from before. */
  forget(): void {
    this.#history = [];
    this.#forgotten = this.#version;
    this.#pages.clear();
  }

  /** Goes back to an old version, like a server restored from a backup. */
  restore(version: number): void {
    this.#version = version;
    this.forget();
    this.#forgotten = 0;
  }

  bookmark(): void {
    for (const { response } of this.#watchers) response.write(line("BOOKMARK", this.#bookmark()));
  }

  /** Writes to all watches. */
  write(text: string): void {
    for (const { response } of this.#watchers) response.write(text);
  }

  /** Ends all watches: properly, or as a failing machine does. */
  endWatches(how: "properly" | "broken"): void {
    for (const watcher of this.#watchers) this.#end(watcher, how);
  }

  /** The objects of a resource, sorted by name. */
  objects(resource: string): readonly FakeObject[] {
    return [...this.#all(resource)].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  /** The list and watch requests for a resource. */
  asked(resource: string): readonly FakeRequest[] {
    return this.requests.filter(({ path }) => path === resource);
  }

  get watches(): number {
    return this.#watchers.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://fake");
    const asked = { path: url.pathname, query: url.searchParams, authorization: request.headers.authorization ?? "" };
    this.requests.push(asked);
    const fault = this.fault(asked);
    if (fault?.type === "answer") fault.answer(response, request);
    else if (fault !== undefined) this.#fail(fault, asked, response);
    else if (asked.path === "/readyz") answer(response, this.ready ? 200 : 500, {});
    else if (asked.query.get("watch") === "true") this.#watch(asked, response);
    else if (this.#resources.has(asked.path)) this.#list(asked, response);
    else this.#discover(asked.path, response);
  }

  #fail(fault: Exclude<KubeFault, { readonly type: "answer" }>, { path }: FakeRequest, response: ServerResponse): void {
    switch (fault.type) {
      case "status":
        if (fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
        return answer(response, fault.code, fault.status ?? kubeStatus(fault.code, `no, with ${fault.code}`));
      case "event":
        response.writeHead(200).write(fault.line);
        return this.#keep(path, response);
      case "hang":
        return this.#keep(path, response);
      case "cut":
        response.writeHead(200).write('{"kind":"List","meta');
        response.destroy();
    }
  }

  #discover(path: string, response: ServerResponse): void {
    const inside = [...this.#resources].filter((resource) => resource.startsWith(`${path}/`));
    if (inside.length === 0) return answer(response, 404, kubeStatus(404, "the server could not find it"));
    return answer(response, 200, { resources: inside.map((each) => ({ name: each.slice(path.length + 1) })) });
  }

  #list({ path, query }: FakeRequest, response: ServerResponse): void {
    const page = this.#pages.get(query.get("continue") ?? "");
    if (query.has("continue") && page === undefined) {
      return answer(response, 410, kubeStatus(410, "the provided continue parameter is too old", "Expired"));
    }
    const { version, items } = page ?? { version: this.#version, items: [...this.#all(path)] };
    const limit = Number(query.get("limit") ?? 0) || items.length;
    const rest = items.slice(limit);
    const token = `${this.#pages.size}-${version}`;
    if (rest.length > 0) this.#pages.set(token, { version, items: rest });
    const metadata = { resourceVersion: `${version}`, ...(rest.length > 0 && { continue: token }) };
    // Items of lists carry neither kind nor apiVersion.
    const bare = items.slice(0, limit).map(({ apiVersion: _version, kind: _kind, ...item }) => item);
    return answer(response, 200, { kind: "List", metadata, items: bare });
  }

  #watch({ path, query }: FakeRequest, response: ServerResponse): void {
    if (!this.#resources.has(path)) return answer(response, 404, kubeStatus(404, "the server could not find it"));
    const initial = query.get("sendInitialEvents") === "true";
    if (initial && !this.watchList) return answer(response, 422, kubeStatus(422, "sendInitialEvents is forbidden"));
    const from = Number(query.get("resourceVersion"));
    if (!initial && from > this.#version) return answer(response, 504, tooLarge);
    response.writeHead(200);
    if (!initial && from < this.#forgotten) {
      response.end(line("ERROR", kubeStatus(410, `too old resource version: ${from}`, "Expired")));
      return undefined;
    }
    if (initial) {
      for (const object of this.#all(path)) response.write(line("ADDED", object));
      response.write(line("BOOKMARK", this.#bookmark({ "k8s.io/initial-events-end": "true" })));
    } else {
      const missed = this.#history.filter(({ version, resource }) => version > from && resource === path);
      for (const { type, object } of missed) response.write(line(type, object));
    }
    response.flushHeaders();
    return this.#keep(path, response);
  }

  #keep(resource: string, response: ServerResponse): void {
    const watcher = { resource, response };
    this.#watchers.add(watcher);
    response.on("close", () => this.#watchers.delete(watcher));
  }

  #end(watcher: Watcher, how: "properly" | "broken"): void {
    this.#watchers.delete(watcher);
    if (how === "properly") watcher.response.end();
    else watcher.response.destroy();
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const { resource, response } of this.#watchers) {
      if (resource === change.resource) response.write(line(change.type, change.object));
    }
  }

  *#all(resource: string): Iterable<FakeObject> {
    yield* this.#objects.get(resource)?.values() ?? [];
  }

  #stamped(object: FakeObject): FakeObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: `${this.#version}` } };
  }

  #bookmark(annotations: object = {}): object {
    return { kind: "Bookmark", metadata: { resourceVersion: `${this.#version}`, annotations } };
  }
}

const tooLarge = {
  ...kubeStatus(504, "Too large resource version", "Timeout"),
  details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
};

export function kubeStatus(code: number, message: string, reason = ""): object {
  return { kind: "Status", code, reason, message };
}

/** One event of a watch. */
export function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function keyOf({ metadata: { name, namespace = "" } }: FakeObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
