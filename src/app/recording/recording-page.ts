import { open } from "node:fs/promises";
import type { PageAnswer, Route } from "../../admin/route.ts";

/** A part is at least so long, except the last one. */
export const partBytes = 1024 * 1024;
const newline = 0x0a;

/** The recording so far, in parts of whole lines. */
export function recordingPage(path: string): Route {
  return {
    path: "/debug/recording",
    doc: "the recording of this server, a part of whole lines; ?from=BYTE",
    answer: async (query) => {
      const from = query.get("from") ?? "0";
      return /^\d{1,15}$/u.test(from)
        ? text(await linesFrom(path, Number(from)))
        : text("from: expected a number\n", 400);
    },
  };
}

function text(body: string, status = 200): PageAnswer {
  return { status, contentType: "text/plain; charset=utf-8", body };
}

/** A line that is being written is left out. */
async function linesFrom(path: string, from: number): Promise<string> {
  const file = await open(path, "r");
  try {
    for (let bytes = partBytes; ; bytes *= 2) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
      const end = buffer.subarray(0, bytesRead).lastIndexOf(newline) + 1;
      if (end > 0 || bytesRead < bytes) return buffer.toString("utf8", 0, end);
    }
  } finally {
    await file.close();
  }
}
