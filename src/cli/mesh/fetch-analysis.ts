import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../app/process/system-clock.ts";
import type { AnalysisReport } from "../../config/analysis/analyze.ts";
import type { Message, MessageJson } from "../../config/analysis/message.ts";
import { messageTypes } from "../../config/analysis/messages.ts";
import type { SourceLocation } from "../../config/config.ts";
import { MeshError } from "../../lib/errors.ts";
import { fetchPage } from "./fetch-page.ts";

/** The page `/debug/analysis`. */
interface AnalysisPage {
  readonly pending: boolean;
  readonly total: number;
  readonly messages: readonly MessageJson[];
  readonly skipped: AnalysisReport["skipped"];
}

/** The findings of a server. The server may cut the list. */
export interface FetchedAnalysis extends Pick<AnalysisPage, "total" | "skipped"> {
  readonly messages: readonly Message[];
}

const pauseMs = 200;
const patienceMs = 30_000;

/** Fetches the findings of a running server for its newest mesh. Throws `unavailable` and `timeout`. */
export async function fetchAnalysis(server: string): Promise<FetchedAnalysis> {
  for (const until = systemClock.now() + patienceMs; systemClock.now() < until; ) {
    const { pending, messages, ...rest } = (await fetchPage(server, "/debug/analysis")) as AnalysisPage;
    if (!pending) return { ...rest, messages: messages.map(messageFrom) };
    await pause(pauseMs);
  }
  throw new MeshError("timeout", `--server ${server}: no analysis within ${patienceMs / 1000} s`);
}

/** A server of another version may use codes that we do not know. */
function messageFrom({ code, level, origin, message, reference }: MessageJson): Message {
  const known = messageTypes.find((type) => type.code === code);
  const type = { name: known?.name ?? code, template: "", code, level };
  const [kind = "", key = ""] = origin.split(" ");
  const [name = "", namespace = ""] = key.split("/").toReversed();
  const place = placeIn(reference);
  const subject = { kind, namespace, name, annotations: {}, locate: () => place };
  return { type, text: message, subject: origin === "" ? undefined : subject, path: "" };
}

function placeIn(reference: string): SourceLocation | undefined {
  const { file, line } = /^(?<file>.+):(?<line>\d+)$/u.exec(reference)?.groups ?? {};
  return file === undefined ? undefined : { file, line: Number(line), column: 1 };
}
