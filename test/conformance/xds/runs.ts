import { Client, credentials } from "@grpc/grpc-js";
import { type ExtensionCase, extension } from "./extension.ts";
import { type Outline, outlines } from "./outlines.ts";
import { Play } from "./play.ts";
import { type DiscoveryService, type Variant, variants, type XdsSubject } from "./subject.ts";
import { TestStream } from "./test-stream.ts";

/** One outline for one service, or one pair of them, in one variant. */
export interface Run {
  readonly name: string;
  readonly group: string;
  readonly play: (subject: XdsSubject) => Promise<void>;
}

/** The 98 runs of the public suite. */
export const publicRuns: readonly Run[] = variants.flatMap((variant) =>
  outlines
    .filter(
      (outline) => outline.modes.includes(variant.mode) && (variant.aggregated || outline.aggregatedOnly !== true),
    )
    .flatMap((outline) => outline.rows.map((services) => runOf(outline, variant, services))),
);

/** Runs of cases that the public suite lacks, in every variant that fits. */
export const extensionRuns: readonly Run[] = variants.flatMap((variant) =>
  extension.filter((each) => each.applies(variant)).map((each) => extensionRun(each, variant)),
);

/** Groups the runs by variant. */
export function byGroup(runs: readonly Run[]): readonly (readonly [group: string, runs: readonly Run[]])[] {
  return [...Map.groupBy(runs, ({ group }) => group)];
}

function runOf(outline: Outline, variant: Variant, services: readonly [DiscoveryService, ...DiscoveryService[]]): Run {
  return {
    name: `${services.join(" and ")}: ${outline.title}`,
    group: groupOf(variant),
    play: (subject) => withPlay(subject, variant, services[0], (play) => outline.play(play, ...services)),
  };
}

function extensionRun({ title, service, play }: ExtensionCase, variant: Variant): Run {
  return {
    name: `${service}: ${title}`,
    group: groupOf(variant),
    play: (subject) => withPlay(subject, variant, service, (each, open) => play(each, open)),
  };
}

function groupOf({ mode, aggregated }: Variant): string {
  return `${mode}, ${aggregated ? "aggregated" : "separate"}`;
}

/** Runs a client with its own node. `open` opens one more stream. */
async function withPlay(
  subject: XdsSubject,
  variant: Variant,
  service: DiscoveryService,
  act: (play: Play, open: () => Play) => Promise<void>,
): Promise<void> {
  const client = new Client(subject.address, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const node = subject.newNode();
  const streams: TestStream[] = [];
  const open = () => {
    const stream = new TestStream(client, node, { variant, service, patienceMs: subject.patienceMs });
    streams.push(stream);
    return new Play(node, stream);
  };
  try {
    await act(open(), open);
  } finally {
    for (const stream of streams) stream.cancel();
    client.close();
  }
}
