import type { StepOutput } from "./open-step.ts";
import { type DescribedResponse, describeResponse } from "./response-contents.ts";
import type { ContentEntry, RecordedOutput, RecordedResponse, RecordedStep } from "./step.ts";

/** The first output of a step that is not the recorded one. */
export interface Difference {
  /** The number of the step. */
  readonly step: number;
  /** In the milliseconds of the server's clock. */
  readonly at: number;
  readonly stream: number;
  /** The difference in words. */
  readonly what: string;
  readonly typeUrl?: string;
  readonly resource?: string;
  /** The paths of the fields that differ, as numbers. */
  readonly fields?: readonly string[];
}

export interface ComparedStep {
  readonly responses: number;
  /** The responses that carry Secrets, of which only the names are compared. */
  readonly secrets: number;
  /** One for each output that differs. */
  readonly differences: readonly Difference[];
}

export interface ComparisonOptions {
  /** The resources of recorded contents, by their id. */
  readonly contents: ReadonlyMap<string, readonly ContentEntry[]>;
  /** Whether responses of a type are not recorded. */
  readonly isLeftOut: (typeUrl: string) => boolean;
  /** The streams to compare. */
  readonly isCompared: (stream: number) => boolean;
}

/** Compares what a replayed step sent with what the recorded one sent. */
export function compareStep(step: RecordedStep, sent: readonly StepOutput[], options: ComparisonOptions): ComparedStep {
  const recorded = (step.outputs ?? []).filter(({ stream }) => options.isCompared(stream));
  const replayed = sent
    .filter(({ stream }) => options.isCompared(stream))
    .map((output) => (output.type === "end" ? output : describeResponse(output)))
    .filter((output) => "type" in output || !options.isLeftOut(output.response.typeUrl));
  const differences: Difference[] = [];
  for (let index = 0; index < Math.max(recorded.length, replayed.length); index++) {
    const [before, after] = [recorded[index], replayed[index]];
    const stream = before?.stream ?? outputOf(after)?.stream ?? 0;
    const found = differenceBetween(before, after, options);
    if (found !== undefined) differences.push({ step: step.number, at: step.at, stream, ...found });
  }
  const responses = recorded.filter(({ type }) => type === "response");
  const secrets = responses.filter((each) => each.type === "response" && isSecret(each, options));
  return { responses: responses.length, secrets: secrets.length, differences };
}

type Found = Pick<Difference, "what" | "typeUrl" | "resource" | "fields">;
type Replayed = DescribedResponse | Extract<RecordedOutput, { readonly type: "end" }>;

function outputOf(replayed: Replayed | undefined): RecordedOutput | undefined {
  return replayed !== undefined && "response" in replayed ? replayed.response : replayed;
}

function differenceBetween(
  before: RecordedOutput | undefined,
  replayed: Replayed | undefined,
  options: ComparisonOptions,
): Found | undefined {
  const after = outputOf(replayed);
  if (before === undefined) return { what: `${textOf(after)} was not recorded`, ...typeIn(after) };
  if (after === undefined) return { what: `${textOf(before)} is missing`, ...typeIn(before) };
  if (before.stream !== after.stream || before.type !== after.type || typeIn(before).typeUrl !== typeIn(after).typeUrl)
    return { what: `recorded was ${textOf(before)} and replayed was ${textOf(after)}`, ...typeIn(before) };
  if (before.type === "end" || replayed === undefined || !("response" in replayed))
    return textOf(before) === textOf(after) ? undefined : { what: `${textOf(before)} is ${textOf(after)}` };
  const { typeUrl } = before;
  const own = before.contents.flatMap((id) => options.contents.get(id) ?? []);
  const found = resourceDifference(
    own,
    replayed.contents.flatMap(({ entries }) => entries),
  );
  if (found !== undefined) return { typeUrl, ...found };
  const { response } = replayed;
  const removed = before.removed.toSorted().join(" ") === response.removed.toSorted().join(" ");
  if (!removed) return { typeUrl, what: "other resources are removed" };
  if (before.version !== response.version) return { typeUrl, what: "the version differs" };
  return before.nonce === response.nonce ? undefined : { typeUrl, what: "the nonce differs" };
}

function resourceDifference(
  before: readonly ContentEntry[],
  after: readonly ContentEntry[],
): Omit<Found, "typeUrl"> | undefined {
  const known = new Map(after.map((entry) => [entry.name, entry]));
  for (const entry of before) {
    const next = known.get(entry.name);
    known.delete(entry.name);
    if (next === undefined) return { resource: entry.name, what: "the resource is missing" };
    if (next.hash === entry.hash && next.version === entry.version) continue;
    return { resource: entry.name, what: "the resource differs", fields: differentFields(entry.fields, next.fields) };
  }
  const [added] = known.keys();
  if (added !== undefined) return { resource: added, what: "the resource was not recorded" };
  return before.every(({ name }, index) => name === after[index]?.name)
    ? undefined
    : { what: "the resources have another order" };
}

function differentFields(before: ContentEntry["fields"], after: ContentEntry["fields"]): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
}

/** Only the names of Secrets are recorded. */
function isSecret({ contents }: RecordedResponse, options: ComparisonOptions): boolean {
  const entries = contents.flatMap((id) => options.contents.get(id) ?? []);
  return entries.length > 0 && entries.every(({ hash }) => hash === "");
}

function typeIn(output: RecordedOutput | undefined): Pick<Found, "typeUrl"> {
  return output?.type === "response" ? { typeUrl: output.typeUrl } : {};
}

function textOf(output: RecordedOutput | undefined): string {
  if (output?.type === "end") return `the end of the stream (status ${output.status} ${output.message})`;
  return output === undefined ? "nothing" : `response ${output.nonce} of ${output.typeUrl.replace(/^.*\./u, "")}`;
}
