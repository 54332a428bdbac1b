import { type HttpAnswer, HostileHttp, jsonAnswer } from "../../../../src/testing/server/hostile-http.ts";
import { BreakableWay } from "./breakable-way.ts";
import type { Origin, OriginFault, SourceSubject } from "./origin.ts";
import { answersSlowly } from "./slow-way.ts";

const port = 8080;

/** A registry with the answers of Eureka, which lies on demand, behind a way that can break. */
export class EurekaOrigin implements Origin {
  readonly args = [];
  readonly #http: HostileHttp;
  readonly #apps = new Set(["STAYS-STOCK", "STAYS-PRICE"]);

  readonly way: BreakableWay;

  private constructor(http: HostileHttp, way: BreakableWay) {
    this.#http = http;
    this.way = way;
  }

  static async open(): Promise<EurekaOrigin> {
    const http = await HostileHttp.start();
    const origin = new EurekaOrigin(http, await BreakableWay.to(Number(http.address.split(":")[1])));
    origin.mend();
    return origin;
  }

  get source(): string {
    const settings = `refresh=200ms&timeout=1s&delta=off&port=${port}&instance-port=off`;
    return `eureka+http://127.0.0.1:${this.way.port}/eureka?${settings}`;
  }

  lie(answer: HttpAnswer): void {
    this.#http.answer = answer;
  }

  /** Answers with all applications from now on. */
  mend(): void {
    this.lie(jsonAnswer(listing([...this.#apps])));
  }

  join(generation: number): Promise<string> {
    this.#apps.add(`JOINS-${generation}`);
    this.mend();
    return Promise.resolve(`outbound|${port}||joins-${generation}.eureka.svc.cluster.local`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.way[Symbol.asyncDispose]();
    await this.#http[Symbol.asyncDispose]();
  }
}

/** Two instances of each application. */
function listing(apps: readonly string[]): object {
  const application = apps.map((name) => ({
    name,
    instance: [1, 2].map((index) => ({
      instanceId: `${name}-${index}`,
      app: name,
      ipAddr: `10.3.0.${index}`,
      hostName: `10.3.0.${index}`,
      status: "UP",
      port: { $: port, "@enabled": "true" },
    })),
  }));
  return { applications: { versions__delta: "1", apps__hashcode: `UP_${2 * apps.length}_`, application } };
}

function lying(name: string, said: RegExp, answer: HttpAnswer, effect = keeps): OriginFault<EurekaOrigin> {
  return {
    name,
    effect,
    said,
    bound: { seconds: 10 },
    form: "whole",
    begin: (origin) => origin.lie(answer),
    end: (_origin, next) => next(),
  };
}

const keeps = "The source is stale and keeps its services.";
const half = JSON.stringify(listing(["STAYS-STOCK"])).slice(0, 120);

export const eurekaSubject: SourceSubject<EurekaOrigin> = {
  name: "a Eureka",
  open: () => EurekaOrigin.open(),
  faults: [
    lying("resets every connection", /^stale: /u, (response) => response.destroy()),
    lying("does not answer", /^stale: /u, () => {}),
    answersSlowly({ seconds: 10 }),
    lying("answers with success and a page of a proxy", /^stale: /u, (response) => response.end("<html>")),
    lying("ends every answer in the middle", /^stale: /u, (response) => response.end(half)),
    lying(
      "lists no instances, with success",
      /instances disappeared at once; they stay in use/u,
      jsonAnswer(listing([])),
      "Instances stay in use until they have been missing for `drop-grace`. An issue says so.",
    ),
    lying(
      "goes back to an old list, with success",
      /instances disappeared at once; they stay in use/u,
      jsonAnswer(listing(["JOINS-1"])),
      "If more than `max-drop` of the instances are missing, they stay in use. An issue says so.",
    ),
  ],
};
