import type { Event } from "../observed/event-log.ts";
import type { Scene } from "../observed/scene.ts";
import { plain, type ScreenLine, spread, styled } from "./line.ts";
import { pushWords } from "./sentences.ts";

/** The events of the control plane, newest first, below a title. */
export function eventLines({ events, debugPages }: Scene, columns: number): readonly ScreenLine[] {
  const more = debugPages === "" ? [] : [styled("dim", `more at ${debugPages}`)];
  return [spread([styled("bold", "pushed by the control plane")], more, columns), ...events.map(eventLine)];
}

function eventLine(event: Event): ScreenLine {
  const time = styled("dim", `  ${timeText(event.at)}  `);
  if (event.type === "trouble") return [time, styled("red", event.text)];
  const { what, size, whom, why } = pushWords(event);
  return [time, plain(`${what.padEnd(13)}  ${size.padStart(10)}  ${whom.padEnd(13)}  ${why}`)];
}

/** `14:03:07` */
function timeText(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
