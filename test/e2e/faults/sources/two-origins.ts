import type { WrittenObject } from "../oracle/generations.ts";
import { independentObjects } from "./independent-objects.ts";
import type { Origin, OriginFault, SourceSubject } from "./origin.ts";

/** Two origins of one server. If both take objects, the second one has the policies. */
class TwoOrigins<A extends Origin, B extends Origin> implements Origin {
  // Two origins deliver nothing together.
  readonly objectsOf = independentObjects;
  readonly first: A;
  readonly second: B;

  private constructor(first: A, second: B) {
    this.first = first;
    this.second = second;
  }

  static async open<A extends Origin, B extends Origin>(
    first: () => Promise<A>,
    second: () => Promise<B>,
  ): Promise<TwoOrigins<A, B>> {
    return new TwoOrigins(await first(), await second());
  }

  get source(): string {
    return this.first.source;
  }

  get beside(): string {
    return this.second.source;
  }

  get args(): readonly string[] {
    return [...this.first.args, "--source", this.beside, ...this.second.args];
  }

  async write(objects: readonly WrittenObject[]): Promise<void> {
    const isForSecond = ({ kind }: WrittenObject) => this.second.write !== undefined && kind === "AuthorizationPolicy";
    await this.second.write?.(objects.filter(isForSecond));
    await this.first.write?.(objects.filter((object) => !isForSecond(object)));
  }

  async join(generation: number): Promise<string | undefined> {
    return await this.second.join?.(generation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.first[Symbol.asyncDispose]();
    await this.second[Symbol.asyncDispose]();
  }
}

/** Two faults of two origins that begin and end together. The first origin takes objects. */
export function atOnce<A extends Origin, B extends Origin>(
  first: SourceSubject<A>,
  firstFault: string,
  second: SourceSubject<B>,
  secondFault: string,
  form?: "whole",
): SourceSubject<TwoOrigins<A, B>> {
  const [one, other] = [faultOf(first, firstFault), faultOf(second, secondFault)];
  return {
    name: first.name,
    peers: [...(first.peers ?? []), ...(second.peers ?? [])],
    open: () => TwoOrigins.open(first.open, second.open),
    faults: [
      {
        name: `${one.name}, and at the same time ${second.name} that ${other.name}`,
        effect: "Both sources show their reasons. Neither fault makes the other one worse.",
        bound: { seconds: one.bound.seconds + other.bound.seconds },
        ...(form && { form }),
        said: one.said,
        saidBeside: other.said,
        async begin(origins) {
          await Promise.all([one.begin(origins.first), other.begin(origins.second)]);
        },
        // The second origin is mended as far as it takes objects, then the first one, and both get the next generation.
        end: (origins, next) => other.end(origins.second, () => one.end(origins.first, next)),
      },
    ],
  };
}

function faultOf<O extends Origin>({ name, faults }: SourceSubject<O>, beginning: string): OriginFault<O> {
  const fault = faults.find((each) => each.name.startsWith(beginning));
  if (fault === undefined) throw new Error(`no fault of ${name} begins with ${beginning}`);
  return fault;
}
