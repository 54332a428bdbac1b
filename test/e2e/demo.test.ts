import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { directoryNotes } from "../../src/cli/serving/directory-notes.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { root } from "./support/checkout.ts";
import { Child, type ChildOptions } from "./support/child.ts";
import { freePort } from "./support/free-port.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const example = join(root, "examples/bookinfo");
const describeWithEnvoy = await describeWith("envoy");

/** A copy of the example with free ports. */
async function copyOfExample(): Promise<MeshDir> {
  const texts = readdirSync(example)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, readFileSync(join(example, name), "utf8")] as const);
  const used = new Set(texts.flatMap(([, text]) => text.match(/\b(?:9080|1[89]08\d)\b/gu) ?? []));
  const ports = new Map<string, string>();
  for (const port of used) ports.set(port, String(await freePort()));
  const renumbered = (text: string) => text.replaceAll(/\d{4,5}/gu, (number) => ports.get(number) ?? number);
  return new MeshDir(Object.fromEntries(texts.map(([name, text]) => [name, renumbered(text)])));
}

function startDemo(args: readonly string[], options: ChildOptions = {}): Child {
  return new Child(process.execPath, ["scripts/demo.ts", ...args], { cwd: root, ...options });
}

/** The demo's output for the calls of one user in one second. */
interface Second {
  readonly calls: number;
  readonly by: ReadonlyMap<string, number>;
}

function secondsOf(user: string, lines: readonly string[]): readonly Second[] {
  return lines
    .filter((line) => line.startsWith(`${user}: `))
    .map((line) => ({
      calls: Number(/(\d+) calls/u.exec(line)?.[1]),
      by: new Map(Array.from(line.matchAll(/([\w-]+) (\d+) \(/gu), ([, name = "", count]) => [name, Number(count)])),
    }));
}

/** A demo whose printed lines are read in order. */
class Reader {
  readonly #demo: Child;
  #read = 0;

  constructor(demo: Child) {
    this.#demo = demo;
  }

  /** Reads until the first matching line. */
  async until(pattern: RegExp): Promise<void> {
    const find = () => {
      const found = this.#unread().findIndex((line) => pattern.test(line));
      return found < 0 ? undefined : found;
    };
    const index = await eventually(`a line like ${pattern}`, find, { seconds: 60 }).catch((cause: unknown) => {
      throw new Error(`no line like ${pattern} in:\n${this.#demo.log()}`, { cause });
    });
    this.#read += index + 1;
  }

  /** Reads until the user has made this many more calls, and counts the workloads that answered. */
  async calls(user: string, atLeast: number): Promise<Second> {
    const seconds = await eventually(`${atLeast} calls of ${user}`, () => this.#secondsWith(user, atLeast), {
      seconds: 60,
    });
    const by = new Map<string, number>();
    for (const second of seconds) for (const [name, count] of second.by) by.set(name, (by.get(name) ?? 0) + count);
    return { calls: seconds.reduce((sum, { calls }) => sum + calls, 0), by };
  }

  /** Skips the second of a change, which proves nothing. The next one is safe. */
  async settled(): Promise<void> {
    await this.until(/^everybody: /u);
    await this.until(/^everybody: /u);
  }

  #secondsWith(user: string, atLeast: number): readonly Second[] | undefined {
    const seconds = secondsOf(user, this.#unread());
    return seconds.reduce((sum, { calls }) => sum + calls, 0) < atLeast ? undefined : seconds;
  }

  #unread(): readonly string[] {
    return this.#demo.linesLike(/^/u).slice(this.#read);
  }
}

/** Requests go to v1 with this chance and otherwise to v2. Allows six standard deviations on either side. */
async function expectSplit(reader: Reader, chanceOfV1: number): Promise<void> {
  const { calls, by } = await reader.calls("everybody", 300);
  const v1 = by.get("reviews-v1") ?? 0;
  expect(v1 + (by.get("reviews-v2") ?? 0)).toBe(calls);
  expect(Math.abs(v1 - calls * chanceOfV1)).toBeLessThan(6 * Math.sqrt(calls * chanceOfV1 * (1 - chanceOfV1)));
}

/** Plays the whole demo, and returns how it ends on a signal. */
async function play(args: readonly string[]): Promise<number | string> {
  using mesh = await copyOfExample();
  await using demo = startDemo([mesh.path, ...args]);
  const reader = new Reader(demo);
  const original = readFileSync(join(mesh.path, "reviews.yaml"), "utf8");
  await reader.until(/^everybody: /u);
  await reader.until(/^jason: /u);
  await expectSplit(reader, 0.8);

  mesh.write("reviews.yaml", original.replace("weight: 80", "weight: 20"));
  await reader.until(/^pushed: RDS routes, .*: config/u);
  await reader.settled();
  await expectSplit(reader, 0.5);

  const line = original.split("\n").findIndex((text) => text.includes("weight: 80")) + 1;
  mesh.write("reviews.yaml", original.replace("weight: 80", "weight: lots"));
  await reader.until(
    new RegExp(`^problem: .*/reviews\\.yaml:${line}:11: error .* expected a number, found "lots"$`, "u"),
  );
  await reader.until(/^ +\d+ \| +weight: lots$/u);
  await reader.settled();
  await expectSplit(reader, 0.5);

  mesh.write("reviews.yaml", original);
  await reader.until(new RegExp(`^mended: .*/reviews\\.yaml:${line}:11$`, "u"));
  await reader.settled();
  await expectSplit(reader, 0.8);

  const jason = secondsOf("jason", demo.linesLike(/^/u));
  expect(jason.filter(({ calls, by }) => by.get("reviews-v3") !== calls)).toEqual([]);
  demo.kill("SIGINT");
  return await demo.exited;
}

describe("npm run demo", () => {
  test("sends calls where the YAML says, follows an edit, and survives a broken one", async () => {
    expect(await play([])).toBe(0);
  });

  test("ends by itself after the configured time", async () => {
    using mesh = await copyOfExample();
    await using demo = startDemo([mesh.path, "--for", "1s"]);
    expect(await demo.exited).toBe(0);
  });

  test.each([
    [["--fr", "1s"], 2, "unknown flag --fr; did you mean --for?"],
    [["--for", "ages"], 2, "--for: expected a duration"],
    [["src/lib"], 1, "src/lib lacks what the demo plays with"],
  ] as const)("with %j it ends with %i and one sentence", async (args, code, sentence) => {
    await using demo = startDemo(args);
    expect(await demo.exited).toBe(code);
    expect(demo.log()).toContain(sentence);
  });
});

describeWithEnvoy("npm run demo:envoy", () => {
  test("sends requests where the YAML says, follows an edit, and survives a broken one", async () => {
    expect(await play(["--envoy"])).toBe(0);
  });
});

test("npm run demo:envoy reports that Envoy is missing", async () => {
  using cleanup = new DisposableStack();
  const empty = mkdtempSync(join(tmpdir(), "binnacle-no-peers-"));
  cleanup.defer(() => rmSync(empty, { recursive: true }));
  const env = { ...process.env, BINNACLE_CACHE: empty, PATH: dirname(process.execPath) };
  await using demo = startDemo(["--envoy"], { env });
  expect(await demo.exited).toBe(1);
  expect(demo.log()).toContain("there is no Envoy for this machine: python3 is not installed");
});

describe("npm start", () => {
  test("prints three commands that work when they are pasted", async () => {
    using cleanup = new DisposableStack();
    const checkout = mkdtempSync(join(tmpdir(), "binnacle-checkout-"));
    cleanup.defer(() => rmSync(checkout, { recursive: true }));
    for (const name of ["src", "node_modules"]) symlinkSync(join(root, name), join(checkout, name));
    cpSync(example, join(checkout, "examples/bookinfo"), { recursive: true });
    await using binnacle = await startBinnacle({ dir: join(checkout, "examples/bookinfo") });
    const addresses = { xds: "", http: `127.0.0.1:${binnacle.httpPort}`, metrics: "", webhook: "", ctrlz: "" };
    const [notes = ""] = directoryNotes([`file:${example}`], addresses);
    const [ask = "", level = "", wreck = "", look = ""] = commandsIn(notes);
    const paste = async (command: string) =>
      (await promisify(execFile)("sh", ["-c", command], { cwd: checkout })).stdout;

    expect(await paste(ask)).toContain("80% to outbound|9080|v1|reviews.bookinfo.svc.cluster.local");
    await paste(level);
    expect(await paste(ask)).toContain("50% to outbound|9080|v1|reviews.bookinfo.svc.cluster.local");
    await paste(wreck);
    const place = /"reference": ".*reviews\.yaml:20"/u;
    await eventually("the page names the place", async () => (await paste(look)).match(place) ?? undefined, {
      seconds: 20,
    });
  });
});

/** The lines that are indented by five columns. A line that ends with a backslash continues on the next. */
function commandsIn(notes: string): readonly string[] {
  return Array.from(notes.matchAll(/^ {5}(\S[^\\\n]*(?:\\\n[^\\\n]*)*)$/gmu), ([, command = ""]) => command);
}
