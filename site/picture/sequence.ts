import { arrow, box, line, lineHeight, picture, text } from "./svg.ts";

/** A step of a sequence diagram. Columns are counted from 0. */
export type SequenceStep =
  | { readonly type: "message"; readonly from: number; readonly to: number; readonly text: string }
  | { readonly type: "note"; readonly over: readonly number[]; readonly lines: readonly string[] }
  /** The beginning of one of several ways to go on; without text, their end. */
  | { readonly type: "case"; readonly text: string };

export interface Sequence {
  readonly title: string;
  readonly participants: readonly string[];
  readonly steps: readonly SequenceStep[];
}

const width = 720;
const top = 46;
const longestNote = 62;

export function drawSequence({ title, participants, steps }: Sequence): string {
  const column = (index: number) => ((index + 0.5) * width) / participants.length;
  const parts: string[] = [];
  let y = top + 12;
  for (const step of steps) {
    if (step.type === "message") {
      y += 34;
      const middle = (column(step.from) + column(step.to)) / 2;
      parts.push(text(middle, y - 6, step.text, { anchor: "middle" }));
      parts.push(arrow({ x: column(step.from), y }, { x: column(step.to), y }));
    } else if (step.type === "case") {
      y += 26;
      parts.push(line({ x: 8, y }, { x: width - 8, y }, "dashed"), text(12, y - 5, step.text, { bold: true }));
    } else {
      const lines = step.lines.flatMap(wrap);
      const noteWidth = Math.min(Math.max(...lines.map((each) => each.length)) * 7 + 24, 460);
      const x = Math.max(4, Math.min(width - noteWidth - 4, middleOf(step.over.map(column)) - noteWidth / 2));
      const height = lines.length * lineHeight + 12;
      parts.push(box({ x, y: y + 12, width: noteWidth, height, tone: "warning" }));
      for (const [index, each] of lines.entries()) parts.push(text(x + 12, y + 30 + index * lineHeight, each));
      y += height + 14;
    }
  }
  const heads = participants.map((name, index) =>
    box({ x: column(index) - 70, y: 4, width: 140, height: 34, tone: "accent", lines: [name] }),
  );
  const lives = participants.map((_, index) =>
    line({ x: column(index), y: top - 8 }, { x: column(index), y: y + 16 }, "dashed"),
  );
  return picture({ width, height: y + 20, title }, [...lives, ...heads, ...parts]);
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** Lines that fit into a note. */
function wrap(content: string): readonly string[] {
  const lines = [""];
  for (const word of content.trim().split(/\s+/u)) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length >= longestNote) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/**
 * The picture of a sequence diagram in Mermaid's syntax: participants, messages with `->>`, notes over
 * participants, and `alt`. Throws on everything else.
 */
export function sequencePicture(mermaid: string): string {
  const [head = "", ...lines] = mermaid.trim().split("\n");
  if (head.trim() !== "sequenceDiagram") throw new Error(`only sequence diagrams are drawn, not ${head}`);
  const names = new Map<string, string>();
  const steps: SequenceStep[] = [];
  const column = (id: string) => {
    const index = [...names.keys()].indexOf(id);
    if (index < 0) throw new Error(`the sequence diagram has no participant ${id}`);
    return index;
  };
  for (const each of lines) {
    const { id, name, from, to, over, content, way, end } = parsed(each);
    if (id !== undefined) names.set(id, name ?? id);
    else if (way !== undefined || end !== undefined) steps.push({ type: "case", text: way ?? "" });
    else if (over !== undefined)
      steps.push({ type: "note", over: over.split(",").map(column), lines: (content ?? "").split(/<br\s*\/?>/u) });
    else steps.push({ type: "message", from: column(from ?? ""), to: column(to ?? ""), text: content ?? "" });
  }
  const participants = [...names.values()];
  return drawSequence({ title: `Sequence diagram: ${participants.join(", ")}`, participants, steps });
}

const grammar =
  /^\s*(?:(?:alt|else) (?<way>.+)|(?<end>end)|participant (?<id>\w+) as (?<name>.+)|Note over (?<over>[\w,]+): ?(?<note>.+)|(?<from>\w+)->>(?<to>\w+): ?(?<message>.+))$/u;

function parsed(each: string): Readonly<Record<string, string | undefined>> {
  const groups = grammar.exec(each)?.groups;
  if (groups === undefined) throw new Error(`not understood in a sequence diagram: ${each.trim()}`);
  return { ...groups, content: groups["note"] ?? groups["message"] };
}
