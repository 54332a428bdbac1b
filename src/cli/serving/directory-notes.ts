import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Addresses } from "../../admin/state.ts";

type NotedAddresses = Pick<Addresses, "xds" | "http" | "metrics">;

/**
 * The notes of the served directories for the user: their NOTES.txt, as in Helm charts. The placeholders `{xds}`,
 * `{http}` and `{metrics}` become addresses. Notes are optional.
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

/** An unreadable file must not prevent serving. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
