import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Config } from "../config.ts";
import type { Kind } from "../kind.ts";
import type { MessageType, ParameterOf, Parameters } from "./message.ts";

/** Finds one kind of mistake, or a few related ones. Must be pure: it reads its context and reports. */
export interface Analyzer {
  /** Unique. It is Istio's name if Istio has the analyzer: `virtualservice.GatewayAnalyzer`. */
  readonly name: string;
  readonly description: string;
  /** Every kind that it reads. Reading any other kind throws. */
  readonly inputs: readonly Kind[];
  /**
   * The inputs whose objects must all be known, because a missing object is a mistake. Otherwise the analyzer is
   * skipped.
   */
  readonly needs?: readonly Kind[];
  analyze(context: AnalysisContext): void;
}

/** The objects of one moment, by kind. */
export interface AnalysisInput {
  /** The domain suffix of services, such as `cluster.local`. */
  readonly domain: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** False if there may be objects of the kind that we cannot see. */
  knows(kind: Kind): boolean;
  /** The same in a later input if all objects of the kind are the same; undefined if that is unknown. */
  version(kind: Kind): object | undefined;
  /** All objects of a kind, by their keys. */
  all<Desc extends DescMessage>(kind: Kind<Desc>): readonly Config<MessageShape<Desc>>[];
  /** By `namespace/name`, or `name` alone for cluster-scoped kinds. */
  find<Desc extends DescMessage>(kind: Kind<Desc>, key: string): Config<MessageShape<Desc>> | undefined;
}

/** The input of an analyzer. */
export interface AnalysisContext extends AnalysisInput {
  report<Template extends string>(
    type: MessageType<Template>,
    about: About,
    ...parameters: [ParameterOf<Template>] extends [never] ? [] : [Parameters<Template>]
  ): void;
}

/** The object to edit, and the field. The message shows the place of this field. */
interface About {
  readonly config: Config;
  readonly path?: string;
}
