import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "../../../src/lib/assert.ts";
import type { MutatedDocument } from "./mutated-documents.ts";

const documentsPerFile = 20;

/** The errors of `istioctl validate`, by the id of the document. */
export type Complaints = ReadonlyMap<string, readonly string[]>;

/** Runs `istioctl validate` once for all documents. */
export async function judgeWithIstioctl(istioctl: string, documents: readonly MutatedDocument[]): Promise<Complaints> {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-differential-"));
  try {
    mkdirSync(join(folder, "objects"));
    for (let at = 0; at < documents.length; at += documentsPerFile) {
      const texts = documents.slice(at, at + documentsPerFile).map((document) => document.text);
      writeFileSync(join(folder, "objects", `${at}.yaml`), texts.join("\n---\n"));
    }
    const args = ["validate", "-f", join(folder, "objects")];
    const child = spawn(istioctl, args, { stdio: ["ignore", "pipe", "pipe"], cwd: folder });
    const [, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return complaintsIn(said);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the lines after the warnings, such as `\t* Kind/namespace/name: message`. */
function complaintsIn(said: string): Complaints {
  const all = new Map<string, string[]>();
  const errors = said.slice(said.search(/^Error: /mu));
  assert(!errors.includes("failed to decode file"), "istioctl reads every document as YAML");
  for (const found of errors.matchAll(/^\t\* (?<id>[A-Za-z]+\/[^/\n]*\/d\d+):\s(?<message>.*)$/gmu)) {
    const { id = "", message = "" } = found.groups ?? {};
    const messages = all.get(id) ?? [];
    all.set(id, messages);
    if (!messages.includes(message)) messages.push(message);
  }
  return all;
}
