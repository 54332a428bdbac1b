import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { FuzzTarget } from "../../test/fuzz/target.ts";
import { nodeForJazzer } from "./c-library.ts";

/** The limits of one input: seconds of time, megabytes of memory, bytes. */
const limits = { seconds: 10, megabytes: 2048, bytes: 4096 };

/** How much longer than the run its start and its end may take: on a busy machine the start takes minutes. */
const graceSeconds = 1200;

export interface JazzerRun {
  /** Runs end after this time, or with the first crash. */
  readonly seconds: number;
  readonly seed: number;
  /** The built target. */
  readonly file: string;
  /** Folders with inputs; new ones that reach more are added to the first. */
  readonly inputs: readonly string[];
  /** The folder for inputs that crash. */
  readonly crashes: string;
}

export interface JazzerResult {
  readonly executions: number;
  /** Edges of the code that the inputs to begin with reach, and that all inputs reach in the end. */
  readonly coverage: { readonly before: number; readonly after: number };
  readonly cpuSeconds: number;
  /** The file of an input that crashed, hung or took too much memory, with what was said. */
  readonly crash?: { readonly file: string; readonly text: string };
}

/** Fuzzes a built target in a process of its own. */
export async function runJazzer(target: FuzzTarget, run: JazzerRun): Promise<JazzerResult> {
  const manifest = createRequire(import.meta.url).resolve("@jazzer.js/core/package.json");
  const [command, ...args] = await nodeForJazzer();
  // The target of the pages calls its own server, which a detector would take for a forged request.
  const detectors = ["--disableBugDetectors", "ssrf"];
  const flags = ["--includes", dirname(run.file), "--timeout", String(limits.seconds * 1000), ...detectors];
  const libFuzzer = [
    `-max_total_time=${run.seconds}`,
    `-seed=${run.seed}`,
    `-max_len=${limits.bytes}`,
    `-rss_limit_mb=${limits.megabytes}`,
    `-artifact_prefix=${run.crashes}/`,
    `-dict=${writeWords(target, run.file)}`,
    "-reload=0",
  ];
  const sync = target.mode === "sync" ? ["--sync"] : [];
  const jazzer = [
    join(dirname(manifest), "dist/cli.js"),
    run.file,
    ...run.inputs,
    ...flags,
    ...sync,
    "--",
    ...libFuzzer,
  ];
  const child = spawn(command, [...args, "--max-old-space-size=1500", ...jazzer], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stuck = setTimeout(() => child.kill("SIGKILL"), (run.seconds + graceSeconds) * 1000);
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    // A target may have started a server, which would keep the process alive.
    if (line.startsWith("Done ")) child.kill("SIGTERM");
  }
  clearTimeout(stuck);
  return resultIn(said);
}

/** The words of a target as a dictionary of libFuzzer. */
function writeWords({ words = [] }: FuzzTarget, file: string): string {
  const dictionary = `${file}.dict`;
  writeFileSync(dictionary, words.map((word) => `"${escaped(word)}"\n`).join(""));
  return dictionary;
}

function escaped(word: string): string {
  return word.replaceAll(/[^ !#-[\]-~]/gu, bytesOf);
}

function bytesOf(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}

/** Reads the lines that libFuzzer, Jazzer.js and the built target wrote. */
export function resultIn(said: readonly string[]): JazzerResult {
  const counts = said.flatMap((line) => {
    const found = /^#(?<executions>\d+)\s.*\bcov: (?<edges>\d+)/u.exec(line)?.groups;
    return found === undefined ? [] : [{ executions: Number(found["executions"]), edges: Number(found["edges"]) }];
  });
  const crash = said.map((line) => /Test unit written to (?<file>\S+)/u.exec(line)?.groups?.["file"]).find(Boolean);
  const start = said.findIndex((line) => line.includes("INITED"));
  if (start < 0 && crash === undefined) throw new Error(`Jazzer.js did not start:\n${said.slice(-20).join("\n")}`);
  const initial = Number(/cov: (\d+)/u.exec(said[start] ?? "")?.[1] ?? 0);
  return {
    executions: Math.max(0, ...counts.map(({ executions }) => executions)),
    coverage: { before: initial, after: Math.max(initial, ...counts.map(({ edges }) => edges)) },
    cpuSeconds: Number(said.join("\n").match(/CPU seconds: ([\d.]+)/u)?.[1] ?? 0),
    ...(crash !== undefined && {
      crash: {
        file: crash,
        text: said
          .slice(start + 1)
          .filter(isTelling)
          .slice(0, 12)
          .join("\n"),
      },
    }),
  };
}

/** Lines about a crash, not about progress. */
function isTelling(line: string): boolean {
  return line.trim() !== "" && !/^#\d+\s|^(?:INFO|MS|0x|artifact_prefix|Base64)/u.test(line);
}
