import { type FlowScene, type Scene, type Share, workloadShares } from "../observed/scene.ts";
import { bar } from "./bar.ts";
import { eventLines } from "./event-lines.ts";
import { blank, fitted, plain, type ScreenLine, type Style, spread, styled, wrapped } from "./line.ts";
import { problemLines } from "./problem-lines.ts";
import { instructions } from "./sentences.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The whole screen, exactly as large as it is: bars above, problems below, and between them what was pushed. */
export function frame(scene: Scene, { columns, rows }: Size): readonly ScreenLine[] {
  const above = [...heading(scene, columns), ...scene.flows.flatMap((flow) => flowLines(flow, columns))];
  const below = [blank, ...problemLines(scene.problems, columns)];
  const between = eventLines(scene, columns).slice(0, Math.max(rows - above.length - below.length, 0));
  const padding = Array.from({ length: rows }, () => blank);
  const upper = [...above, ...between, ...padding].slice(0, Math.max(rows - below.length, 0));
  return [...upper, ...below].slice(0, rows).map((line) => fitted(line, columns));
}

function heading({ title, directory }: Scene, columns: number): readonly ScreenLine[] {
  return [
    spread([styled("bold", "binnacle demo"), plain(`  ${title}`)], [styled("dim", "q quits")], columns),
    ...instructions(directory).flatMap((sentence) => wrapped(sentence, columns).map((text) => [plain(text)])),
    blank,
  ];
}

function flowLines(flow: FlowScene, columns: number): readonly ScreenLine[] {
  const { user, way, tally } = flow;
  const title = [styled("bold", `reviews for ${user}`), styled("dim", `  ${way}`)];
  const seen = tally.calls === 0 ? "no answer yet" : `last ${tally.calls} calls`;
  const shares = workloadShares(flow);
  const labelColumns = Math.max(...shares.map(({ name }) => name.length)) + 4;
  return [
    spread(title, [styled("dim", seen)], columns),
    ...shares.map((share, index) => barLine(share, { style: barStyle(share, index), labelColumns, columns, tally })),
    ...(tally.failed.size === 0 ? [] : [[styled("red", `    ${[...tally.failed.keys()].join(", ")}`)]]),
    blank,
  ];
}

/** In the order of the bars; further ones begin again. */
const barStyles: readonly Style[] = ["cyan", "magenta", "yellow"];

function barStyle({ type }: Share, index: number): Style {
  return type === "failed" ? "red" : (barStyles[index % barStyles.length] ?? "cyan");
}

interface BarOptions extends Pick<FlowScene, "tally"> {
  readonly style: Style;
  readonly labelColumns: number;
  readonly columns: number;
}

function barLine({ name, calls, percent }: Share, { style, labelColumns, columns, tally }: BarOptions): ScreenLine {
  const room = Math.max(columns - labelColumns - " 100 %".length, 0);
  const length = tally.calls === 0 ? 0 : calls / tally.calls;
  const label = plain(`  ${name}`.padEnd(labelColumns));
  const padded = styled(style, bar(length, room).padEnd(room));
  return [label, padded, plain(`${percent} %`.padStart(" 100 %".length))];
}
