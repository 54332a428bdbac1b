import { MeshError } from "../../lib/errors.ts";

/** A change of one file, as `git diff` writes it. */
export interface FileDiff {
  /** Undefined for a new file. */
  readonly before: string | undefined;
  /** Undefined for a deleted file. */
  readonly after: string | undefined;
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  /** The first line in the old file, from 1 on. */
  readonly start: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

const fileStart = /^(?:diff --git |--- (?:a\/|"?\/dev\/null|\S+\t))/mu;

/** Whether a text is a unified diff and no YAML: a document of YAML begins with a bare `---`. */
export function isDiff(text: string): boolean {
  return fileStart.test(text) && /^@@ -|^rename from |^deleted file|^new file/mu.test(text);
}

/** Reads a unified diff. Throws `bad-option` for one that holds no change. */
export function readDiff(text: string): readonly FileDiff[] {
  const files: { before: string | undefined; after: string | undefined; hunks: Hunk[] }[] = [];
  const lines = text.split("\n");
  let index = 0;
  const current = () => {
    const file = files.at(-1);
    if (file === undefined) throw new MeshError("bad-option", `line ${index} of the diff: a change before any file`);
    return file;
  };
  while (index < lines.length) {
    const line = lines[index++] ?? "";
    const [, oldName, newName] = /^diff --git (?:a\/)?(.+?) (?:b\/)?(.+)$/u.exec(line) ?? [];
    if (oldName !== undefined && newName !== undefined) files.push({ before: oldName, after: newName, hunks: [] });
    else if (line.startsWith("rename from ")) current().before = line.slice("rename from ".length);
    else if (line.startsWith("rename to ")) current().after = line.slice("rename to ".length);
    else if (line.startsWith("new file mode")) current().before = undefined;
    else if (line.startsWith("deleted file mode")) current().after = undefined;
    else if (line.startsWith("GIT binary patch") || line.startsWith("Binary files")) {
      throw new MeshError("bad-option", `${current().after ?? current().before}: a binary change cannot be planned`);
    } else if (line.startsWith("--- ") && (lines[index] ?? "").startsWith("+++ ")) {
      const [before, after] = [nameIn(line), nameIn(lines[index++] ?? "")];
      const open = files.at(-1);
      if (open === undefined || open.hunks.length > 0) files.push({ before, after, hunks: [] });
      else [open.before, open.after] = [before, after];
    } else if (line.startsWith("@@ ")) {
      const hunk = readHunk(line, lines, index);
      current().hunks.push(hunk.hunk);
      index = hunk.next;
    }
  }
  if (files.length === 0) throw new MeshError("bad-option", "the diff holds no change");
  return files;
}

/** `--- a/mesh/web.yaml` */
function nameIn(line: string): string | undefined {
  const [name = ""] = line.slice(4).split("\t", 1);
  return name === "/dev/null" ? undefined : name.replace(/^[ab]\//u, "");
}

function readHunk(
  head: string,
  lines: readonly string[],
  first: number,
): { readonly hunk: Hunk; readonly next: number } {
  const [, start, oldCount = "1", newCount = "1"] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/u.exec(head) ?? [];
  if (start === undefined) throw new MeshError("bad-option", `not a hunk of a unified diff: ${head}`);
  const hunk = { start: Number(start), old: [] as string[], new: [] as string[] };
  let index = first;
  while (hunk.old.length < Number(oldCount) || hunk.new.length < Number(newCount)) {
    const line = lines[index++];
    if (line === undefined) throw new MeshError("bad-option", "the diff ends in the middle of a hunk");
    if (line.startsWith("\\")) continue;
    const text = line.slice(1);
    if (!line.startsWith("+")) hunk.old.push(text);
    if (!line.startsWith("-")) hunk.new.push(text);
  }
  return { hunk, next: index };
}

/** The text of a file after the change. Throws `bad-option` if the change was made for another text. */
export function applyDiff(text: string, { before, after, hunks }: FileDiff): string {
  const name = after ?? before ?? "";
  let lines: readonly string[] = text.split("\n");
  let shift = 0;
  for (const { start, old, new: replacement } of hunks) {
    const expected = (old.length === 0 ? start : start - 1) + shift;
    const at = placeOf(old, lines, expected);
    if (at === undefined) {
      throw new MeshError("bad-option", `${name}: the diff does not apply: line ${start} is not as the diff has it`);
    }
    lines = [...lines.slice(0, at), ...replacement, ...lines.slice(at + old.length)];
    shift += replacement.length - old.length + (at - expected);
  }
  return lines.join("\n");
}

/** Where the lines are: as stated, or at the one other place that has them all. */
function placeOf(old: readonly string[], lines: readonly string[], expected: number): number | undefined {
  const fits = (at: number) => old.every((line, index) => lines[at + index] === line);
  if (fits(expected)) return expected;
  const others = lines.flatMap((_, at) => (fits(at) ? [at] : []));
  return others.length === 1 ? others[0] : undefined;
}
