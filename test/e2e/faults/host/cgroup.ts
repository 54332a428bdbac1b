import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorFrom } from "../../../../src/lib/errors.ts";

type Controller = "cpu" | "memory";

const root = "/sys/fs/cgroup";
const periodUs = 100_000;
let groups = 0;

/** The reason why this machine cannot limit processes by this controller. */
export function cgroupUnavailable(controller: Controller): string | undefined {
  try {
    using _group = new Cgroup(controller);
    return undefined;
  } catch (thrown) {
    return `control groups for ${controller} are not writable: ${errorFrom(thrown).message}`;
  }
}

/** A control group below that of this process. Version 1 has a folder per controller, version 2 one for all. */
export class Cgroup implements Disposable {
  readonly #path: string;
  readonly #isV2: boolean;

  constructor(controller: Controller) {
    this.#isV2 = existsSync(join(root, "cgroup.controllers"));
    const own = readFileSync("/proc/self/cgroup", "utf8");
    const line = this.#isV2
      ? /^0::(?<path>.*)$/mu
      : new RegExp(`^\\d+:(?:.*,)?${controller}(?:,.*)?:(?<path>.*)$`, "mu");
    const place = line.exec(own)?.groups?.["path"];
    if (place === undefined) throw new Error(`no control group of ${controller}`);
    this.#path = join(root, this.#isV2 ? "" : controller, place, `binnacle-${process.pid}-${++groups}`);
    mkdirSync(this.#path);
    const limit = join(this.#path, this.#limitFile(controller));
    if (existsSync(limit)) return;
    rmdirSync(this.#path);
    throw new Error(`${limit} does not exist`);
  }

  /** A command that joins the group and becomes the command after it. */
  get within(): readonly string[] {
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', join(this.#path, "cgroup.procs")];
  }

  add(pid: number): void {
    writeFileSync(join(this.#path, "cgroup.procs"), String(pid));
  }

  /** So much of one core. */
  limitCpu(percent: number): void {
    const quotaUs = (periodUs * percent) / 100;
    this.#write(this.#limitFile("cpu"), this.#isV2 ? `${quotaUs} ${periodUs}` : String(quotaUs));
  }

  limitMemory(bytes: number): void {
    this.#write(this.#limitFile("memory"), String(bytes));
  }

  liftCpu(): void {
    this.#write(this.#limitFile("cpu"), this.#isV2 ? `max ${periodUs}` : "-1");
  }

  /** All processes of the group have ended. */
  [Symbol.dispose](): void {
    rmdirSync(this.#path);
  }

  #limitFile(controller: Controller): string {
    if (controller === "cpu") return this.#isV2 ? "cpu.max" : "cpu.cfs_quota_us";
    return this.#isV2 ? "memory.max" : "memory.limit_in_bytes";
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.#path, file), text);
  }
}
