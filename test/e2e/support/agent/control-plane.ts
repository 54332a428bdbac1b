import { main } from "../checkout.ts";
import type { Child } from "../child.ts";
import type { Pod } from "../pod/pod.ts";

const ports = { xds: 15_010, http: 8080 };

/** One proxy in the answer of `/debug/syncz`, as Istio's tools read it. */
interface SyncStatus {
  readonly proxy: string;
  readonly mode: string;
  readonly resources: Readonly<Record<string, { readonly type: string; readonly state: string }>>;
}

/** `binnacle serve` in a pod, on the ports of istiod. */
export class ControlPlane {
  readonly #pod: Pod;
  readonly #flags: readonly string[];
  #child: Child | undefined;

  constructor(pod: Pod, ...flags: readonly string[]) {
    this.#pod = pod;
    this.#flags = flags;
  }

  get address(): string {
    return this.#pod.address;
  }

  /** Where it serves xDS in plain text. */
  get plaintextAddress(): string {
    return `${this.address}:${ports.xds}`;
  }

  /** Resolves when it serves proxies. */
  async start(): Promise<this> {
    const addresses = ["--xds", `0.0.0.0:${ports.xds}`, "--http", `127.0.0.1:${ports.http}`, "--ctrlz", "off"];
    const args = [main, "serve", ...this.#flags, ...addresses, "--metrics", "127.0.0.1:15014"];
    this.#child = this.#pod.start(process.execPath, args);
    await this.#child.line(/^ready: /u, { seconds: 60 });
    return this;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.exited;
  }

  async page(path: string): Promise<string> {
    return await this.#pod.page(ports.http, path);
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.page(path)) as T;
  }

  /** The encoding of a proxy's stream, and the state of each type, as `CDS SYNCED`. */
  async syncOf(proxy: string): Promise<{ readonly mode: string; readonly states: readonly string[] } | undefined> {
    const found = (await this.json<readonly SyncStatus[]>("/debug/syncz")).find((each) => each.proxy === proxy);
    if (found === undefined) return undefined;
    const states = Object.values(found.resources).map(({ type, state }) => `${type} ${state}`);
    return { mode: found.mode, states: states.toSorted() };
  }

  log(): string {
    return this.#child?.log() ?? "";
  }
}
