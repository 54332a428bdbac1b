import type { FoundDifference, ReplayReport } from "../../app/recording/run-replay.ts";
import { counted } from "../../lib/counted.ts";
import type { Recording } from "../../recording/recording.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import { fieldName } from "./field-names.ts";

/** The result of a replay, for programs. */
export interface ShownReplay {
  readonly steps: number;
  readonly until: string | undefined;
  readonly responses: number;
  readonly differences: number;
  readonly first?: ShownDifference;
  readonly notes: readonly string[];
}

interface ShownDifference {
  readonly at: string;
  readonly proxy: string;
  readonly type?: string;
  readonly resource?: string;
  readonly fields?: readonly string[];
  readonly what: string;
}

/** More fields of a resource are not worth a word each. JSON has all of them. */
const mostFields = 3;

export function shownReplay(report: ReplayReport, recording: Recording): ShownReplay {
  const { steps, responses, differences, first, lastAt } = report;
  return {
    steps,
    until: lastAt === undefined ? undefined : new Date(lastAt).toISOString(),
    responses,
    differences,
    ...(first && { first: shownDifference(first) }),
    notes: notesOn(report, recording),
  };
}

export function replayText({ steps, until, responses, differences, first }: ShownReplay): string {
  const done = `${counted(steps, "step")}${until === undefined ? "" : ` until ${until}`}, ${counted(responses, "response")}`;
  if (first === undefined) return `${done}, all the same`;
  const { at, proxy, type, resource, fields = [], what } = first;
  const place = [`proxy ${proxy === "" ? "without a node" : proxy}`, ...(type === undefined ? [] : [type])];
  const more = fields.length > mostFields ? ` and ${counted(fields.length - mostFields, "more field")}` : "";
  const named = fields.length === 0 ? "" : `, ${fields.slice(0, mostFields).join(", ")}${more}`;
  return [
    `${done}, ${counted(differences, "difference")}`,
    `first difference at ${at}, ${place.join(", ")}${resource === undefined ? "" : ` ${resource}`}${named}: ${what}`,
  ].join("\n");
}

function shownDifference({ time, proxy, typeUrl, resource, fields, what }: FoundDifference): ShownDifference {
  return {
    at: new Date(time).toISOString(),
    proxy,
    ...(typeUrl !== undefined && { type: typeName(typeUrl) }),
    ...(resource !== undefined && { resource }),
    ...(fields !== undefined && { fields: fields.map((path) => fieldName(typeUrl ?? "", path)) }),
    what,
  };
}

function typeName(typeUrl: string): string {
  const known = proxyResourceTypes.find((each) => each.typeUrl === typeUrl);
  return known?.name ?? typeUrl.slice(typeUrl.lastIndexOf(".") + 1);
}

/** Why the replay may not be the whole story. */
function notesOn({ secrets, redacted, failures }: ReplayReport, { end, unrecorded }: Recording): readonly string[] {
  return [
    ...(end === undefined
      ? ["the recording has no end: the server still runs or was killed, or the file is damaged there"]
      : []),
    ...unrecorded.map((what) => `not recorded: ${what}`),
    ...(secrets === 0 ? [] : [`${counted(secrets, "response")} with Secrets: only the names are compared`]),
    ...(redacted.length === 0 ? [] : [`keys or tokens were left out of ${redacted.join(", ")}`]),
    ...failures.slice(0, 1).map(({ message }) => `a part failed: ${message}`),
  ];
}
