import type { Kind } from "../kind.ts";

/** A field or kind that we read and validate, but that changes nothing in the configuration of proxies. */
export interface NoEffect {
  /** The reason, as the end of the sentence "it has no effect: …". */
  readonly reason: string;
  /** Fields that have the wanted effect, as `Kind path`. The reason refers to them. */
  readonly instead?: readonly string[];
  /** Whether its author relies on it for security. Then the issue is an error unless `--allow-unenforced` is set. */
  readonly security?: true;
}

/** The parts of one kind without effect. All other fields of the kind have an effect. */
export interface KindEffects {
  readonly kind: Kind;
  /** Set if the whole kind has no effect. */
  readonly whole?: NoEffect;
  /**
   * By path, as in `servers[].tls.ecdhCurves[]`: `[]` follows a list, `{}` a map. If a message has no effect, its
   * fields have none either.
   */
  readonly fields?: Readonly<Record<string, NoEffect>>;
  /** Fields that direct this server, with their effect, by path. Proxies get no byte of them. */
  readonly serverFields?: Readonly<Record<string, string>>;
  /** Fields that `binnacle bootstrap` applies, by path. The server sends no byte of them. */
  readonly bootstrapFields?: readonly string[];
  /** Fields that change injected pods: their containers, or the work of Istio's agent in them. The same holds. */
  readonly podFields?: readonly string[];
  /** Proxies that the kind does not concern as it concerns others, in a sentence. */
  readonly note?: string;
  /** Fields that validation always refuses, by path. */
  readonly refused?: readonly string[];
}
