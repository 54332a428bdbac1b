import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { quantilesOf } from "../../src/fleet/quantiles.ts";
import { benchTable } from "../bench-table.ts";
import type { LargeServer } from "./large-server.ts";

const desks = 10;
const rounds = 3;
const editsPerRound = 12;
const editMs = 1_500;

interface Round {
  readonly cpuSeconds: number;
  /** From the edit of the file to a proxy that has applied the change, for each proxy. */
  readonly arrivals: readonly number[];
}

/** The server's processor time and the arrival of edits, in turn without and with ten desks. */
export async function deskCost(large: LargeServer): Promise<string> {
  const arrivals: number[] = [];
  let editedAt = 0;
  large.onApplied(() => arrivals.push(performance.now() - editedAt));
  const round = async (): Promise<Round> => {
    await large.settled();
    arrivals.length = 0;
    const before = large.server.cpuSeconds;
    for (let edit = 0; edit < editsPerRound; edit++) {
      editedAt = performance.now();
      large.edit();
      await pause(editMs);
    }
    return { cpuSeconds: large.server.cpuSeconds - before, arrivals: [...arrivals] };
  };
  const without: Round[] = [];
  const withDesks: Round[] = [];
  let asked = { events: 0, requests: 0, refused: 0 };
  for (let index = 0; index < rounds; index++) {
    process.stderr.write(`desks: round ${index + 1} of ${rounds} …\n`);
    without.push(await round());
    const readers = await openDesks(large.origin);
    withDesks.push(await round());
    asked = await readers.close();
  }
  const [none, some] = [medianOf(without), medianOf(withDesks)];
  const rows = [rowOf("no desk", without, ""), rowOf(`${desks} desks`, withDesks, `${percent(some, none)} %`)];
  const seconds = (editsPerRound * editMs) / 1_000;
  const note = `In a round of ${seconds} s, ten desks got ${asked.events} events and asked ${asked.requests} times; the server refused ${asked.refused}.`;
  return `${benchTable(["", "CPU per second (median of rounds)", "more", "arrival p50", "p99", "last"], rows)}\n${note}`;
}

function rowOf(name: string, all: readonly Round[], more: string): readonly string[] {
  const { p50, p99, max } = quantilesOf(all.flatMap(({ arrivals }) => arrivals));
  const cpu = (medianOf(all) / ((editsPerRound * editMs) / 1_000)) * 1_000;
  return [name, `${cpu.toFixed(0)} ms`, more, `${p50.toFixed(0)} ms`, `${p99.toFixed(0)} ms`, `${max.toFixed(0)} ms`];
}

function medianOf(all: readonly Round[]): number {
  const sorted = all.map(({ cpuSeconds }) => cpuSeconds).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function percent(some: number, none: number): string {
  return (((some - none) / none) * 100).toFixed(1);
}

/** In a process of their own, so that they do not delay the proxies of this one. */
async function openDesks(origin: string) {
  const script = join(import.meta.dirname, "readers.ts");
  const child = spawn(process.execPath, [script, origin, String(desks)], { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await pause(2_000);
  return {
    async close() {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
      return JSON.parse(text) as { events: number; requests: number; refused: number };
    },
  };
}
