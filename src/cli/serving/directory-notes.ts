import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Addresses } from "../../admin/state.ts";

type NotedAddresses = Pick<Addresses, "xds" | "http" | "metrics">;

/**
 * What the authors of served directories tell whoever serves them by hand: their NOTES.txt, as Helm's charts have one.
 * In it `{xds}`, `{http}` and `{metrics}` stand for the addresses. A directory without notes is as good.
 */
export function directoryNotes(sources: readonly string[], addresses: NotedAddresses): readonly string[] {
  return sources.flatMap((url) => {
    const notes = url.startsWith("file:") ? textOf(join(url.slice("file:".length), "NOTES.txt")) : undefined;
    return notes === undefined ? [] : [withAddresses(notes, addresses)];
  });
}

function withAddresses(notes: string, { xds, http, metrics }: NotedAddresses): string {
  return notes.trimEnd().replaceAll("{xds}", xds).replaceAll("{http}", http).replaceAll("{metrics}", metrics);
}

/** Whatever is the matter with it, it is no reason not to serve. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
