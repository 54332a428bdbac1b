import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { get } from "../http.ts";
import { adsBootstrap, type Bootstrap, type EnvoyNode, gatewayNode } from "./bootstrap.ts";

export interface EnvoyOptions {
  readonly xdsPort: number;
  readonly mode: "sotw" | "delta";
  /** Default: a gateway. */
  readonly node?: EnvoyNode;
  /** Leaves out the runtime settings of our bootstrap. Then Envoy accepts regular expressions of 100 instructions. */
  readonly stockRuntime?: boolean;
  readonly extraArgs?: readonly string[];
  /** Default: the current Envoy. */
  readonly peer?: "envoy" | "envoy-old";
}

interface ServerInfo {
  readonly state: string;
  readonly version: string;
}

interface ConfigDump {
  readonly configs: readonly Readonly<Record<string, unknown>>[];
}

/** Starts a real Envoy that gets everything from our server. Resolves when its admin interface answers. */
export async function startEnvoy(options: EnvoyOptions): Promise<EnvoyProcess> {
  const { xdsPort, mode, node = gatewayNode, stockRuntime, extraArgs = [], peer } = options;
  const bootstrap = adsBootstrap(xdsPort, mode, node);
  return startEnvoyWith(stockRuntime ? { ...bootstrap, layered_runtime: {} } : bootstrap, extraArgs, peer);
}

/** Starts a real Envoy with a bootstrap of the test. The admin address is added. */
export async function startEnvoyWith(
  bootstrap: Bootstrap,
  extraArgs: readonly string[] = [],
  peer: "envoy" | "envoy-old" = "envoy",
): Promise<EnvoyProcess> {
  const executable = await peerPath(peer);
  const folder = mkdtempSync(join(tmpdir(), "binnacle-envoy-"));
  const file = join(folder, "bootstrap.json");
  const adminFile = join(folder, "admin");
  const admin = { address: { socket_address: { address: "127.0.0.1", port_value: 0 } } };
  writeFileSync(file, JSON.stringify({ ...bootstrap, admin }));
  const fixed = "--use-dynamic-base-id --disable-hot-restart --concurrency 1 --drain-time-s 1 -l warning";
  const strict = ["--reject-unknown-dynamic-fields", "--admin-address-path", adminFile];
  const child = new Child(executable, ["-c", file, ...fixed.split(" "), ...strict, ...extraArgs]);
  try {
    const adminPort = await eventually("Envoy's admin address", () => portIn(adminFile), { seconds: 20 });
    return new EnvoyProcess(child, adminPort, folder);
  } catch (cause) {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`Envoy did not start:\n${child.log()}`, { cause });
  }
}

/** Envoy writes its admin address once it listens. Until then the file is missing or empty. */
function portIn(file: string): number | undefined {
  return Number(/:(\d+)$/.exec(readFileSync(file, "utf8").trim())?.[1]) || undefined;
}

export class EnvoyProcess {
  readonly #child: Child;
  readonly #folder: string;
  readonly adminPort: number;

  constructor(child: Child, adminPort: number, folder: string) {
    this.#child = child;
    this.#folder = folder;
    this.adminPort = adminPort;
  }

  /** Counters and gauges whose name matches the regular expression, without histograms. */
  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const path = `/stats?format=json&filter=${encodeURIComponent(filter)}`;
    const { stats } = await this.#admin<{ stats: readonly { name?: string; value?: number }[] }>(path);
    return new Map(stats.flatMap(({ name, value }) => (name && value !== undefined ? [[name, value]] : [])));
  }

  /** One counter or gauge. 0 while Envoy has not created it. */
  async stat(name: string): Promise<number> {
    return (await this.stats(`^${RegExp.escape(name)}$`)).get(name) ?? 0;
  }

  serverInfo(): Promise<ServerInfo> {
    return this.#admin("/server_info");
  }

  configDump(): Promise<ConfigDump> {
    return this.#admin("/config_dump?include_eds");
  }

  /** The problems that this Envoy has with its control plane. Empty when there are none. */
  async troubles(): Promise<string[]> {
    const rejected = Array.from(await this.stats("update_rejected$")).filter(([, count]) => count > 0);
    const expected = [
      ["control_plane.connected_state", 1],
      ["cluster_manager.warming_clusters", 0],
      ["listener_manager.total_listeners_warming", 0],
    ] as const;
    const troubles = rejected.map(([name, count]) => `${name} is ${count}`);
    for (const [name, wanted] of expected) {
      const found = await this.stat(name);
      if (found !== wanted) troubles.push(`${name} is ${found}`);
    }
    const { state } = await this.serverInfo();
    return state === "LIVE" ? troubles : [...troubles, `state is ${state}`];
  }

  /** Repeats a check until it holds, or fails with Envoy's troubles and log. */
  async waitFor(
    claim: (envoy: EnvoyProcess) => boolean | Promise<boolean>,
    bound: Bound = { seconds: 20 },
  ): Promise<void> {
    try {
      await eventually(String(claim), async () => await claim(this), bound);
    } catch (cause) {
      const troubles = await this.troubles().catch(String);
      throw new Error(`Envoy: ${String(troubles)}\n${this.log()}`, { cause });
    }
  }

  /** Live, connected, nothing warming, nothing rejected. */
  settled(bound?: Bound): Promise<void> {
    return this.waitFor(async () => (await this.troubles()).length === 0, bound);
  }

  log(): string {
    return this.#child.log();
  }

  /** The first line of the log with these words, now or soon. */
  logged(words: string | RegExp): Promise<string> {
    return this.#child.logged(words);
  }

  /** Freezes the process. Its sockets stay open. */
  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#child.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #admin<T>(path: string): Promise<T> {
    const { status, body } = await get(this.adminPort, path);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    return JSON.parse(body) as T;
  }
}
