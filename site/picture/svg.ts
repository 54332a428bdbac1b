/** Colours of pictures: light and dark. */
const palette = {
  ink: ["#1a2129", "#e4e8ec"],
  quiet: ["#55616e", "#a3afbb"],
  line: ["#8b96a3", "#66727f"],
  plain: ["#f5f6f8", "#1f262e"],
  accent: ["#e6f0fa", "#1d2f42"],
  ok: ["#e3f4ea", "#173324"],
  warning: ["#fdf4e0", "#3a2f14"],
  error: ["#fdecea", "#40201e"],
} as const;

/** Fills of boxes. */
export type Tone = "plain" | "accent" | "ok" | "warning" | "error";

const font = 13;
/** The mean width of a character, a little too wide: text must never leave its box. */
const characterWidth = 7;
export const lineHeight = 18;

const rules = `.pic-box{stroke:var(--pic-line)}
.pic-text{font:${font}px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--pic-ink)}
.pic-bold{font-weight:600}
.pic-quiet{fill:var(--pic-quiet)}
.pic-line{stroke:var(--pic-line);fill:none}
.pic-dashed{stroke-dasharray:4 4}
.pic-head{fill:var(--pic-line)}
${(["plain", "accent", "ok", "warning", "error"] as const).map((tone) => `.pic-${tone}{fill:var(--pic-${tone})}`).join("\n")}`;

function variables(theme: 0 | 1): string {
  return Object.entries(palette)
    .map(([name, colours]) => `--pic-${name}:${colours[theme]}`)
    .join(";");
}

/** The style of all pictures on a page that switches its theme by the class `dark`. */
export const pageStyle = `:root{${variables(0)}}\n.dark{${variables(1)}}\n${rules}`;

const ownStyle = `:root{${variables(0)}}\n@media(prefers-color-scheme:dark){:root{${variables(1)}}}\n${rules}`;

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function widthOf(text: string): number {
  return Math.ceil(text.length * characterWidth);
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** A sentence for readers that do not see the picture. */
  readonly title: string;
}

/** A whole picture, for a file. */
export function picture({ width, height, title }: Frame, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`;
  return `${[head, `<style>${ownStyle}</style>`, ...parts, "</svg>"].join("\n")}\n`;
}

/** The picture as a part of a page, whose style it uses. */
export function inlined(svg: string): string {
  const content = svg.replace(/<style>.*?<\/style>\n/su, "").replaceAll("\n", "");
  return `<span class="picture" tabindex="0" v-pre>${content}</span>`;
}

export interface TextOptions {
  readonly anchor?: "start" | "middle" | "end";
  readonly bold?: boolean;
  readonly quiet?: boolean;
}

export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  const { anchor = "start", bold = false, quiet = false } = options;
  const names = ["pic-text", ...(bold ? ["pic-bold"] : []), ...(quiet ? ["pic-quiet"] : [])];
  return `<text class="${names.join(" ")}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly tone?: Tone;
  /** The first line is the name of the thing, the others say more. */
  readonly lines?: readonly string[];
}

/** A box with its lines in the middle. */
export function box({ x, y, width, height, tone = "plain", lines = [] }: Box): string {
  const first = y + height / 2 - ((lines.length - 1) * lineHeight) / 2 + 4.5;
  const shape = `<rect class="pic-box pic-${tone}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;
  const texts = lines.map((line, index) =>
    text(x + width / 2, first + index * lineHeight, line, { anchor: "middle", bold: index === 0, quiet: index > 0 }),
  );
  return [shape, ...texts].join("\n");
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line that ends in a triangle. */
export function arrow(from: Point, to: Point, style: "solid" | "dashed" = "solid"): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const at = (back: number, aside: number) => {
    const x = to.x - back * Math.cos(angle) - aside * Math.sin(angle);
    const y = to.y - back * Math.sin(angle) + aside * Math.cos(angle);
    return `${round(x)},${round(y)}`;
  };
  const names = style === "dashed" ? "pic-line pic-dashed" : "pic-line";
  return `<path class="${names}" d="M${from.x},${from.y} L${at(6, 0)}"/>
<polygon class="pic-head" points="${at(0, 0)} ${at(8, 4)} ${at(8, -4)}"/>`;
}

export function line(from: Point, to: Point, style: "solid" | "dashed" = "solid"): string {
  const names = style === "dashed" ? "pic-line pic-dashed" : "pic-line";
  return `<path class="${names}" d="M${from.x},${from.y} L${to.x},${to.y}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
