import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { peerPath } from "../../../scripts/peer.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { TempTree } from "../../../src/testing/temp-tree.ts";
import { Child } from "../support/child.ts";
import { freePort } from "../support/free-port.ts";
import { get } from "../support/http.ts";

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

export interface PendingAlert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Questions at a time. Prometheus answers twenty at once. */
const concurrency = 8;

/** A real Prometheus that scrapes servers every second. */
export class Prometheus implements AsyncDisposable {
  readonly #child: Child;
  readonly #files: TempTree;
  readonly #port: number;

  private constructor(child: Child, files: TempTree, port: number) {
    this.#child = child;
    this.#files = files;
    this.#port = port;
  }

  static start(metricsPort: number, ruleFiles: readonly string[]): Promise<Prometheus> {
    return Prometheus.startWith([metricsPort], "/metrics", ruleFiles);
  }

  /** Scrapes this path of several ports. */
  static async startWith(
    ports: readonly number[],
    path: string,
    ruleFiles: readonly string[] = [],
  ): Promise<Prometheus> {
    const files = await TempTree.create();
    const targets = ports.map((each) => `127.0.0.1:${each}`);
    const target = { job_name: "binnacle", metrics_path: path, static_configs: [{ targets }] };
    const global = { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" };
    const settings = { global, rule_files: ruleFiles, scrape_configs: [target] };
    // JSON is YAML, too.
    await writeFile(files.path("prometheus.yaml"), JSON.stringify(settings));
    const port = await freePort();
    const child = new Child(join(await peerPath("prometheus"), "prometheus"), [
      `--config.file=${files.path("prometheus.yaml")}`,
      `--storage.tsdb.path=${files.path("data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    const prometheus = new Prometheus(child, files, port);
    try {
      await child.line(/Server is ready to receive web requests/u, { seconds: 60 });
    } catch (cause) {
      await prometheus[Symbol.asyncDispose]();
      throw cause;
    }
    return prometheus;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The values of a query. Fails if Prometheus does not understand it. */
  async query(expr: string): Promise<readonly number[]> {
    const { body } = await get(this.#port, `/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { status, error, data } = JSON.parse(body) as Answer;
    if (status !== "success") throw new Error(`${expr}: ${error}`);
    return data.result.map(({ value }) => Number(value[1]));
  }

  /** The queries without an answer, asked a few at a time. */
  async unanswered(queries: readonly string[]): Promise<readonly string[]> {
    const missing: string[] = [];
    const rest = queries.values();
    const work = async () => {
      for (const expr of rest) if ((await this.query(expr)).length === 0) missing.push(expr);
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return missing;
  }

  /** The number of scrapes that succeeded. A busy server may miss some. */
  async scrapes(): Promise<number> {
    const [count = 0] = await this.query("sum(sum_over_time(up[1h]))");
    return count;
  }

  /** Waits until so many scrapes have succeeded from now on. The scrape that runs now does not count. */
  async moreScrapes(count: number): Promise<void> {
    const until = (await this.scrapes()) + count + 1;
    await eventually(`${count} more scrapes`, async () => (await this.scrapes()) >= until, { seconds: 60 });
  }

  /** Alerts that fire, and those that will fire unless their condition ends. */
  async alerts(): Promise<readonly PendingAlert[]> {
    const { body } = await get(this.#port, "/api/v1/alerts");
    return (JSON.parse(body) as { readonly data: { readonly alerts: readonly PendingAlert[] } }).data.alerts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop();
    await this.#files.close();
  }
}
