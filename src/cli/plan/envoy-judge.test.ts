import { chmod, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { TempTree } from "../../testing/temp-tree.ts";
import { EnvoyJudge } from "./envoy-judge.ts";

/** A program in the place of Envoy. `$file` is the bootstrap. */
async function program(script: string): Promise<string> {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  await tree.write("envoy", `#!/bin/sh\nfor file; do :; done\n${script}\n`);
  const path = `${tree.directory}/envoy`;
  await chmod(path, 0o755);
  return path;
}

/** Accepts what is smaller than 1 000 bytes, such as an empty configuration. */
const refusingLarge = (words: string) => `[ $(stat -c %s "$file") -lt 1000 ] && exit 0\n${words}\nexit 1`;
const large = new Uint8Array(1_000);
const now = () => 0;
const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("binnacle-plan-"));

describe("an Envoy that judges", () => {
  test("gives its own words, without the path of the file", async () => {
    const judge = await EnvoyJudge.start(
      await program(refusingLarge(`echo "error initializing configuration '$file': duplicate\n  cluster" >&2`)),
      { now },
    );
    expect(await judge.ask(large)).toEqual({ type: "refused", words: "duplicate cluster" });
    expect(await judge.ask(new Uint8Array(8))).toEqual({ type: "accepted" });
  });

  test("reads a file that only its owner can read, gets no environment, and leaves nothing behind", async () => {
    const judge = await EnvoyJudge.start(
      await program(refusingLarge(`stat -c '%a' "$file" "$(dirname "$file")" >&2; echo "\${HOME-none}" >&2`)),
      { now },
    );
    const before = await folders();
    expect(await judge.ask(large)).toEqual({ type: "refused", words: "600 700 none" });
    expect(await folders()).toEqual(before);
  });

  test("is not read to the end of a long log", async () => {
    const path = await program(refusingLarge("head -c 3000000 /dev/zero | tr '\\0' x >&2"));
    const judge = await EnvoyJudge.start(path, { now, limits: { wordsBytes: 100 } });
    expect(await judge.ask(large)).toEqual({ type: "refused", words: "x".repeat(100) });
  });

  test("is not asked beyond the limits of count and time", async () => {
    const path = await program("exit 0");
    const counted = await EnvoyJudge.start(path, { now, limits: { runs: 2 } });
    expect([await counted.ask(large), await counted.ask(large)]).toEqual([{ type: "accepted" }, { type: "unknown" }]);
    let time = 0;
    const timed = await EnvoyJudge.start(path, { now: () => time, limits: { allMs: 10 } });
    time = 10;
    expect(await timed.ask(large)).toEqual({ type: "unknown" });
  });

  test("is killed if it does not answer", async () => {
    const judge = await EnvoyJudge.start(await program(refusingLarge("exec sleep 100")), {
      now,
      limits: { runMs: 50 },
    });
    await expect(judge.ask(large)).rejects.toThrow(/no answer within 50 ms/u);
  });

  test("names the directory that takes no files", async () => {
    const path = await program("exit 0");
    const started = EnvoyJudge.start(path, { now, directory: "/nowhere" });
    await expect(started).rejects.toThrow("--envoy: a temporary file in /nowhere: ENOENT");
  });

  test("must exist and accept an empty configuration", async () => {
    await expect(EnvoyJudge.start("/nowhere/envoy", { now })).rejects.toThrow(/--envoy \/nowhere\/envoy: .*ENOENT/u);
    const path = await program("echo 'not an Envoy' >&2; exit 1");
    await expect(EnvoyJudge.start(path, { now })).rejects.toThrow(/refuses an empty configuration: not an Envoy/u);
  });
});
