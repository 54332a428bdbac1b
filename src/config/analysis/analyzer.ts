import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Config } from "../config.ts";
import type { Kind } from "../kind.ts";
import type { MessageType, ParameterOf, Parameters } from "./message.ts";

/** One kind of mistake, or a few that are found by the same look. Pure: it reads its context and reports. */
export interface Analyzer {
  /** Unique, and Istio's name where Istio has it: `virtualservice.GatewayAnalyzer`. */
  readonly name: string;
  readonly description: string;
  /** Every kind it reads, and no other: whoever asks for something else is stopped. */
  readonly inputs: readonly Kind[];
  /** Those of the inputs whose absence proves nothing unless all their objects are known. Without them it is skipped. */
  readonly needs?: readonly Kind[];
  analyze(context: AnalysisContext): void;
}

/** The objects of one moment, by kind. */
export interface AnalysisInput {
  /** What names of services end with, such as `cluster.local`. */
  readonly domain: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** False where there may be objects of the kind that we cannot see. */
  knows(kind: Kind): boolean;
  /** All objects of a kind, by their keys. */
  all<Desc extends DescMessage>(kind: Kind<Desc>): readonly Config<MessageShape<Desc>>[];
  /** By `namespace/name`, or `name` alone for cluster-scoped kinds. */
  find<Desc extends DescMessage>(kind: Kind<Desc>, key: string): Config<MessageShape<Desc>> | undefined;
}

/** What an analyzer sees. */
export interface AnalysisContext extends AnalysisInput {
  report<Template extends string>(
    type: MessageType<Template>,
    about: About,
    ...parameters: [ParameterOf<Template>] extends [never] ? [] : [Parameters<Template>]
  ): void;
}

/** The object that has to be edited, and the field: its place is what the reader is shown. */
interface About {
  readonly config: Config;
  readonly path?: string;
}
