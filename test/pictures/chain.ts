import { arrow, box, lineHeight, picture, text, type Tone, widthOf } from "../../site/picture/svg.ts";

export interface Stage {
  /** The name of the step, then what it does. */
  readonly lines: readonly string[];
  readonly tone?: Tone;
  /** Said beside the arrow to the next stage. */
  readonly after?: string;
}

const gap = 44;

/** Stages below each other, with arrows between them. */
export function drawChain(title: string, stages: readonly Stage[]): string {
  const width = Math.max(...stages.flatMap(({ lines }) => lines.map(widthOf))) + 48;
  const beside = Math.max(0, ...stages.map(({ after = "" }) => widthOf(after)));
  const parts: string[] = [];
  let y = 4;
  for (const [index, { lines, tone = "plain", after = "" }] of stages.entries()) {
    const height = lines.length * lineHeight + 20;
    parts.push(box({ x: 4, y, width, height, tone, lines }));
    y += height;
    if (index === stages.length - 1) continue;
    parts.push(arrow({ x: 4 + width / 2, y }, { x: 4 + width / 2, y: y + gap }));
    if (after !== "") parts.push(text(4 + width / 2 + 14, y + gap / 2 + 4, after, { quiet: true }));
    y += gap;
  }
  const needed = Math.max(width + 8, 4 + width / 2 + 22 + beside);
  return picture({ width: needed, height: y + 4, title }, parts);
}
