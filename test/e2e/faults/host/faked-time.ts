import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PeerUnavailable, peerPath } from "../../../../scripts/peer.ts";

/** The reason why this machine cannot change the clock of a process. */
export async function fakedTimeUnavailable(): Promise<string | undefined> {
  try {
    await peerPath("faketime");
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof PeerUnavailable)) throw thrown;
    return `faketime is not available: ${thrown.message}`;
  }
}

/** The clock of a process that a test sets, by libfaketime. */
export class FakedTime implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-time-"));
  readonly #file = join(this.#folder, "offset");
  readonly env: NodeJS.ProcessEnv;

  /** `both`: the monotonic clock jumps as well, as in a virtual machine that was suspended. */
  private constructor(library: string, clocks: "wall" | "both") {
    this.env = {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      ...(clocks === "wall" && { FAKETIME_DONT_FAKE_MONOTONIC: "1" }),
    };
    this.jump(0);
  }

  static async create(clocks: "wall" | "both"): Promise<FakedTime> {
    return new FakedTime(await peerPath("faketime"), clocks);
  }

  /** From now on the clock is so many seconds ahead of that of the machine, or behind. */
  jump(seconds: number): void {
    const draft = join(this.#folder, "draft");
    writeFileSync(draft, `${seconds < 0 ? "" : "+"}${seconds}\n`);
    renameSync(draft, this.#file);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
