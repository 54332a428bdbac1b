import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/testing/eventually.ts";
import { Child } from "../test/e2e/support/child.ts";
import { elapsedText } from "./peer.ts";

const script = resolve(import.meta.dirname, "peer.ts");
const fetchAllScript = resolve(import.meta.dirname, "peers/fetch-all.ts");
const patience = { seconds: 30 };

/** A machine with an empty cache and a fake Go. The fake records its calls, and builds when the test opens the gate. */
class ColdMachine implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-cold-"));
  readonly cache = join(this.#folder, "cache");
  readonly #calls = join(this.#folder, "calls");
  readonly #gate = join(this.#folder, "gate");

  constructor() {
    const tools = join(this.#folder, "bin");
    mkdirSync(tools);
    // Called as `nice go build … -o EXECUTABLE tool`.
    const build = `echo call >> ${this.#calls}; until [ -e ${this.#gate} ]; do sleep 0.05; done; shift 4; : > "$1"`;
    for (const [name, body] of [
      ["nice", build],
      ["go", "exit 1"],
    ] as const) {
      writeFileSync(join(tools, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(tools, name), 0o755);
    }
  }

  fetch(name: string): Child {
    const tools = [join(this.#folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"];
    return this.#start(name, tools.join(":"));
  }

  fetchWithoutTools(name: string): Child {
    return this.#start(name, dirname(process.execPath));
  }

  calls(): number {
    return existsSync(this.#calls) ? readFileSync(this.#calls, "utf8").trim().split("\n").length : 0;
  }

  openGate(): void {
    writeFileSync(this.#gate, "");
  }

  [Symbol.dispose](): void {
    this.openGate();
    rmSync(this.#folder, { recursive: true });
  }

  /** Fetches all peers, and prints the unavailable ones as JSON. */
  fetchAllWithoutTools(...names: readonly string[]): Child {
    const program = `const { fetchAll } = await import(${JSON.stringify(fetchAllScript)});
      console.log(JSON.stringify(await fetchAll(${JSON.stringify(names)}, console.log)));`;
    return this.#run(["--input-type=module", "-e", program], dirname(process.execPath));
  }

  #start(name: string, path: string): Child {
    return this.#run([script, name], path);
  }

  #run(args: readonly string[], path: string): Child {
    return new Child(process.execPath, args, {
      env: { PATH: path, BINNACLE_CACHE: this.cache },
      group: true,
    });
  }
}

describe("a peer", () => {
  test("is fetched once for two processes that need it at the same time", async () => {
    using machine = new ColdMachine();
    await using first = machine.fetch("fortio");
    await eventually("a build", () => machine.calls() === 1, patience);
    await using second = machine.fetch("fortio");
    await second.line(/^fortio: another process fetches it, waiting$/u, patience);
    machine.openGate();
    expect(await Promise.all([first.exited, second.exited])).toEqual([0, 0]);
    await first.line(/^fortio: fetched in \d+ s$/u, patience);
    const paths = await Promise.all([first, second].map((child) => child.line(/^\/.*fortio$/u, patience)));
    expect(new Set(paths.map(([path]) => path)).size).toBe(1);
    expect(machine.calls()).toBe(1);
  });

  test("is fetched by the next process when the first one is killed, and leaves no partial files", async () => {
    using machine = new ColdMachine();
    await using first = machine.fetch("fortio");
    await eventually("a build", () => machine.calls() === 1, patience);
    await using second = machine.fetch("fortio");
    await second.line(/another process fetches it/u, patience);
    first.kill("SIGKILL");
    await eventually("a second build", () => machine.calls() === 2, patience);
    machine.openGate();
    expect(await second.exited).toBe(0);
    const [folder, ...others] = readdirSync(machine.cache).filter((name) => !name.startsWith(".lock-"));
    expect(folder).toMatch(/^fortio-/u);
    expect(others).toEqual([]);
  });

  test("is not available without its tools, and no fetch starts", async () => {
    using machine = new ColdMachine();
    await using child = machine.fetchWithoutTools("fortio");
    expect(await child.exited).toBe(3);
    await child.line(/^fortio is not available: go is not installed$/u, patience);
    expect(existsSync(machine.cache)).toBe(false);
  });
});

test("unavailable peers are named, each with its reason, before the tests that need them", async () => {
  using machine = new ColdMachine();
  await using child = machine.fetchAllWithoutTools("envoy", "kube");
  expect(await child.exited).toBe(0);
  await child.logged("kube: not available: go is not installed");
  expect(JSON.parse(await child.logged("{"))).toEqual({
    envoy: "python3 is not installed",
    kube: "go is not installed",
  });
});

test.each([
  [0.4, "0 s"],
  [59.4, "59 s"],
  [59.6, "1 min 0 s"],
  [185, "3 min 5 s"],
])("%d seconds read as %s", (seconds, text) => {
  expect(elapsedText(seconds)).toBe(text);
});
