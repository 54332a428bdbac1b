import { type Level, levels, type Message } from "./message.ts";

/** Whether a message is at least as urgent as a level. */
export function reaches({ type }: Message, level: Level): boolean {
  return levels.indexOf(type.level) <= levels.indexOf(level);
}
