import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { cutText } from "../../lib/cut-text.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { Verdict } from "../../plan/envoy/find-refused.ts";
import { judgedBootstrap } from "../../plan/envoy/judged-bootstrap.ts";
import { envoyLimits } from "./envoy-limits.ts";

const mostCharacters = 400;

/** The dynamic configuration of a proxy may have fields that an old Envoy ignores, so a static one may, too. */
const settings = [
  "--mode",
  "validate",
  "--allow-unknown-static-fields",
  "--log-level",
  "critical",
  "--log-format",
  "%v",
];

interface JudgeOptions {
  readonly now: () => number;
  readonly limits?: Partial<Limits<typeof envoyLimits>>;
  /** Where temporary files are. Default: that of the system. */
  readonly directory?: string;
}

/**
 * Asks an Envoy on this machine whether it accepts a bootstrap. It listens nowhere and connects to nobody. The files
 * are for their owner alone, and are removed after each run.
 */
export class EnvoyJudge {
  readonly #path: string;
  readonly #limits: Limits<typeof envoyLimits>;
  readonly #directory: string;
  readonly #now: () => number;
  readonly #startedAt: number;
  #runs = 0;

  private constructor(path: string, { now, limits, directory = tmpdir() }: JudgeOptions) {
    this.#path = path;
    this.#limits = limitsOf(envoyLimits, limits);
    this.#directory = directory;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Throws `bad-option` if the program is no Envoy that accepts an empty configuration. */
  static async start(path: string, options: JudgeOptions): Promise<EnvoyJudge> {
    const judge = new EnvoyJudge(path, options);
    const verdict = await judge.ask(judgedBootstrap("plan", []));
    if (verdict.type === "refused") {
      throw new MeshError("bad-option", `--envoy ${path}: it refuses an empty configuration: ${verdict.words}`);
    }
    return judge;
  }

  /** Throws `bad-option` if the program cannot be run, `timeout` if it does not end, and `unavailable` for a full disk. */
  async ask(bootstrap: Uint8Array): Promise<Verdict> {
    const { runs, allMs } = this.#limits;
    if (this.#runs >= runs || this.#now() - this.#startedAt >= allMs) return { type: "unknown" };
    this.#runs += 1;
    const folder = await this.#written(() => mkdtemp(join(this.#directory, "binnacle-plan-")));
    try {
      const file = join(folder, "bootstrap.pb");
      await this.#written(() => writeFile(file, bootstrap, { mode: 0o600 }));
      const { code, log } = await this.#run(file);
      return code === 0 ? { type: "accepted" } : { type: "refused", words: wordsIn(log, file) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #written<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (cause) {
      const message = `--envoy: a temporary file in ${this.#directory}: ${errorFrom(cause).message}`;
      throw new MeshError("unavailable", message, { cause });
    }
  }

  /** The Envoy gets no environment: it needs nothing of it, and could log it. */
  async #run(file: string): Promise<{ readonly code: number | null; readonly log: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; log: string }>();
    const { runMs, wordsBytes } = this.#limits;
    const stdio: ["ignore", "ignore", "pipe"] = ["ignore", "ignore", "pipe"];
    const child = spawn(this.#path, [...settings, "--config-path", file], {
      stdio,
      env: {},
      timeout: runMs,
      killSignal: "SIGKILL",
    });
    let log = Buffer.alloc(0);
    child.stderr.on("data", (chunk: Buffer) => {
      log = Buffer.concat([log, chunk]).subarray(-wordsBytes);
    });
    child.once("error", (thrown) => {
      reject(new MeshError("bad-option", `--envoy ${this.#path}: ${errorFrom(thrown).message}`, { cause: thrown }));
    });
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") reject(new MeshError("timeout", `--envoy ${this.#path}: no answer within ${runMs} ms`));
      else resolve({ code, log: log.toString() });
    });
    return await promise;
  }
}

/** The reason without the path of the file, which only this run had. */
function wordsIn(log: string, file: string): string {
  const prefix = `error initializing configuration '${file}': `;
  const from = log.lastIndexOf(prefix);
  const words = (from === -1 ? log : log.slice(from + prefix.length)).replaceAll(/\s+/gu, " ").trim();
  return cutText(words === "" ? "it gives no reason" : words, mostCharacters);
}
